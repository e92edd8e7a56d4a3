/**
 * Asking a webhook: one POST of JSON over TLS with a deadline. Failures are worded as Go's client words them,
 * because their texts end in the messages that people search for.
 */
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { encodeJson, parseJson, type Json } from '../../../core/kube/json.ts';
import { abortAfter } from '../../time/abort.ts';
import type { Clock } from '../../time/clock.ts';

export interface WebhookTarget {
  /** As it is shown and sent: `https://name.namespace.svc:443/path`. */
  readonly url: string;
  /** PEM; absent: the system's authorities. */
  readonly ca?: string;
  /** The address to connect to, when that is not the URL's host. */
  readonly connectTo?: { readonly host: string; readonly port: number };
}

export interface WebhookCaller {
  /** Rejects with an `Error` whose message goes behind `failed to call webhook: `. */
  call(target: WebhookTarget, body: Json, timeoutMs: number, signal?: AbortSignal): Promise<Json>;
  close(): Promise<void>;
}

/** An answer larger than any object may be is no answer. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Configurations come and go; connections to those long gone are closed. */
const MOST_POOLS = 64;

export function createWebhookCaller(clock: Clock): WebhookCaller {
  const pools = new Map<string, Dispatcher>();

  async function poolFor(target: WebhookTarget): Promise<Dispatcher> {
    const url = new URL(target.url);
    const { host, port } = target.connectTo ?? { host: url.hostname, port: Number(url.port) || 443 };
    const key = `${url.host}\n${host}\n${port}\n${target.ca ?? ''}`;
    let pool = pools.get(key);
    if (pool === undefined) {
      const { Pool } = await import('undici');
      const literal = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
      pool = new Pool(`https://${literal}:${port}`, {
        connections: 16,
        headersTimeout: 0,
        bodyTimeout: 0,
        connect: {
          // An address is no name to ask for; its certificate is then checked against the address itself.
          ...(isIP(url.hostname) === 0 ? { servername: url.hostname } : {}),
          ...(target.ca === undefined ? {} : { ca: target.ca }),
        },
      });
    }
    pools.delete(key);
    pools.set(key, pool);
    const [oldest] = pools;
    if (pools.size > MOST_POOLS && oldest !== undefined) {
      pools.delete(oldest[0]);
      void oldest[1].close();
    }
    return pool;
  }

  return {
    async call(target, body, timeoutMs, signal) {
      const seconds = Math.ceil(timeoutMs / 1000);
      const url = new URL(target.url);
      url.searchParams.set('timeout', `${seconds}s`);
      using deadline = abortAfter(clock, timeoutMs, signal);
      try {
        const pool = await poolFor(target);
        const answer = await pool.request({
          method: 'POST',
          path: `${url.pathname}${url.search}`,
          headers: { host: url.host, 'content-type': 'application/json', accept: 'application/json' },
          body: encodeJson(body),
          signal: deadline.signal,
        });
        const text = await readText(answer.body);
        if (answer.statusCode < 200 || answer.statusCode > 299) throw new Refusal(refusalText(answer.statusCode, text));
        return parseAnswer(text);
      } catch (error) {
        if (error instanceof Refusal) throw error;
        throw new Error(`Post "${url.href}": ${failureText(error, target)}`, { cause: error });
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** The webhook did answer; that is told without the address. */
class Refusal extends Error {}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Refusal(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Refusal(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}

const SHOWN = 1024;

function refusalText(status: number, text: string): string {
  const shown = JSON.stringify(text.slice(0, SHOWN).trim());
  switch (status) {
    case 404:
      return 'the server could not find the requested resource';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return 'unknown';
    case 503:
      return 'the server is currently unable to handle the request';
    default:
      return status >= 500
        ? `an error on the server (${shown}) has prevented the request from succeeding`
        : `the server rejected our request for an unknown reason`;
  }
}

function failureText(error: unknown, { url, connectTo }: WebhookTarget): string {
  const { code = '', name = '', message = '' } = error as { code?: string; name?: string; message?: string };
  const { hostname, port } = new URL(url);
  const address = connectTo === undefined ? `${hostname}:${port || '443'}` : `${connectTo.host}:${connectTo.port}`;
  if (name === 'TimeoutError') return 'context deadline exceeded';
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `dial tcp ${address}: i/o timeout`;
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `tls: failed to verify certificate: x509: certificate is not valid for ${hostname}`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return 'EOF';
    default:
      return message;
  }
}
