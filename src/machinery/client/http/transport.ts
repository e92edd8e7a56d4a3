/**
 * One HTTP request to the API server, with everything around it: credentials and their renewal, the client's own rate
 * limit, deadlines, and retries where the server says that it did nothing yet.
 */
import type { Dispatcher } from 'undici';
import { VERSION } from '../../../core/api/version.ts';
import { parseJson } from '../../../core/kube/json.ts';
import { internalError, StatusError } from '../../../core/kube/status-error.ts';
import { abortAfter, linkAbort } from '../../time/abort.ts';
import { createBackoff } from '../../time/backoff.ts';
import type { Clock } from '../../time/clock.ts';
import { MachineryError } from '../../errors.ts';
import { noMetrics, type Metrics } from '../../metrics/metrics.ts';
import type { Random } from '../../random/random.ts';
import { createTokenBucket } from '../../controller/workqueue/rate-limiter.ts';
import { createDispatcher, type DispatcherOptions } from './dispatcher.ts';
import { fixedCredentials, type Credentials, type RestConfig } from './rest-config.ts';
import { errorFromBody, timedOut, unreachable } from './status-body.ts';
import { createTransportMetrics } from './transport-metrics.ts';

export interface TransportOptions extends DispatcherOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics?: Metrics;
  /** Requests a second and how many may come at once. Default: no limit, the server's own fairness decides. */
  readonly qps?: number;
  readonly burst?: number;
  /** For everything but watches. */
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  /** Called with the `Warning` headers that servers send for deprecated use. */
  readonly onWarning?: (message: string) => void;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query. */
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** 429 is the answer and not a request to wait: evictions. */
  readonly keep429?: boolean;
}

export interface Transport {
  /** Sends and decodes. Throws `StatusError`, or the signal's reason. */
  json(request: HttpRequest): Promise<unknown>;
  /** Opens a stream of bytes, once the server has accepted it. Leaving the loop closes it. */
  stream(request: HttpRequest): AsyncGenerator<Uint8Array>;
  close(): Promise<void>;
}

/** Servers take the name before the first slash for that of the manager of the fields we write. */
const USER_AGENT = `everynode/${VERSION.product} (${process.platform}/${process.arch}) node/${process.version}`;
const DEFAULT_TIMEOUT = 60_000;
const DEFAULT_RETRIES = 10;
/**
 * Connections for everything but watches, which have one each. More would not make a server faster, and a burst of writes would
 * pay for a handshake each; fewer would have a slow one starve.
 */
const DEFAULT_CONNECTIONS = 64;
/** A connection that the server closed while it lay idle fails the first request on it. */
const CONNECTION_RETRIES = 3;

interface Attempted extends HttpRequest {
  readonly isStream?: boolean;
}

/** Of one certificate, as they are needed. */
interface Pools {
  readonly cert: Credentials['cert'];
  requests?: Promise<Dispatcher>;
  /** Streams hold a connection for as long as they live, and must not keep others from theirs. */
  streams?: Promise<Dispatcher>;
}

export function createTransport(config: RestConfig, options: TransportOptions): Transport {
  const { clock, random } = options;
  const source = config.credentials ?? fixedCredentials({});
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT;
  const maxRetries = options.maxRetries ?? DEFAULT_RETRIES;
  const bucket =
    options.qps === undefined
      ? undefined
      : createTokenBucket(clock, options.qps, options.burst ?? Math.max(1, 2 * options.qps));
  const { host, origin, pathname } = new URL(config.server);
  const prefix = pathname.replace(/\/+$/, '');
  const fixedHeaders = headersOf(config);
  const metrics = createTransportMetrics(options.metrics ?? noMetrics, host);

  /** Connections carry a client certificate, so other certificates need other connections. */
  let pools: Pools | undefined;
  const made: Promise<Dispatcher>[] = [];
  let closed = false;

  const dispatcherFor = (credentials: Credentials, isStream: boolean): Promise<Dispatcher> => {
    if (pools === undefined || (pools.cert !== credentials.cert && String(pools.cert) !== String(credentials.cert)))
      pools = { cert: credentials.cert };
    const known = isStream ? pools.streams : pools.requests;
    if (known !== undefined) return known;
    const { beforeWrite } = options;
    const common = { http2: options.http2 === true, ...(beforeWrite === undefined ? {} : { beforeWrite }) };
    const connections = options.connections ?? DEFAULT_CONNECTIONS;
    const dispatcher = createDispatcher(config, credentials, isStream ? common : { ...common, connections });
    made.push(dispatcher);
    if (isStream) pools.streams = dispatcher;
    else pools.requests = dispatcher;
    return dispatcher;
  };

  /** One attempt. Resolves with the answer, whatever its status. */
  async function attempt(request: Attempted, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const wait = bucket?.reserve() ?? 0;
    if (bucket !== undefined) metrics.waited(request.method, wait);
    if (wait > 0) await clock.sleep(wait, signal);
    const credentials = await source.get();
    const dispatcher = await dispatcherFor(credentials, request.isStream === true);
    signal.throwIfAborted();
    const began = clock.monotonic();
    const response = await dispatcher.request({
      method: request.method,
      path: prefix + request.path,
      origin,
      headers: {
        ...fixedHeaders,
        ...(credentials.authorization === undefined ? {} : { authorization: credentials.authorization }),
        ...(request.accept === undefined ? {} : { accept: request.accept }),
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: request.body ?? null,
      // Left to itself, the pool ends the connection of a deletion that has a body, and every deletion pays for a handshake.
      reset: false,
      signal,
    });
    metrics.answered(request.method, response.statusCode, clock.monotonic() - began);
    for (const warning of [response.headers['warning'] ?? []].flat()) {
      const text = /^299 \S+ "((?:[^"\\]|\\.)*)"/.exec(warning)?.[1];
      if (text !== undefined) options.onWarning?.(text.replaceAll(/\\(.)/g, '$1'));
    }
    return response;
  }

  /** Attempts until the server has taken the request, or has refused it for good. */
  async function send(request: Attempted, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const backoff = createBackoff(clock, random, {
      initialMs: 50,
      maxMs: 2_000,
      factor: 2,
      jitter: 0.5,
      resetAfterMs: 60_000,
    });
    let broken = 0;
    let renewed = false;
    for (let tries = 0; ; tries += 1) {
      let response: Dispatcher.ResponseData;
      try {
        response = await attempt(request, signal);
      } catch (error) {
        if (signal.aborted || error instanceof StatusError || !isConnectionError(error)) throw error;
        broken += 1;
        metrics.broke(request.method);
        // A write may have been done before the connection broke; only reads are safe to repeat.
        if ((request.method !== 'GET' && !wasNeverSent(error)) || broken > CONNECTION_RETRIES) throw unreachable(error);
        await clock.sleep(backoff.next(), signal);
        continue;
      }
      if (response.statusCode < 400) return response;
      const retryAfter = retryAfterOf(response);
      const error = await readError(response, retryAfter);
      if (response.statusCode === 401 && !renewed) {
        renewed = true;
        if (await source.refresh()) continue;
      }
      if (tries >= maxRetries || !isRetriable(request, response.statusCode, retryAfter)) throw error;
      metrics.retried(request.method, response.statusCode);
      await clock.sleep((retryAfter ?? 1) * 1000 + backoff.next(), signal);
    }
  }

  return {
    async json(request) {
      request.signal?.throwIfAborted();
      using limit = abortAfter(clock, timeoutMs, request.signal);
      try {
        const response = await send(request, limit.signal);
        const text = await response.body.text();
        return text === '' ? undefined : parseJson(text);
      } catch (error) {
        throw mapped(error, request.signal, limit.signal, timeoutMs);
      }
    },

    async *stream(request) {
      request.signal?.throwIfAborted();
      using link = linkAbort(request.signal);
      try {
        const response = await send({ ...request, isStream: true }, link.signal);
        for await (const chunk of response.body) yield chunk as Uint8Array;
      } catch (error) {
        throw mapped(error, request.signal, undefined, 0);
      } finally {
        // Leaving early must free the connection, which for HTTP/1.1 means to close it.
        link.abort();
      }
    },

    async close() {
      if (closed) return;
      closed = true;
      await Promise.all(made.map(async (each) => (await each).destroy()));
    },
  };
}

function headersOf(config: RestConfig): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {
    accept: 'application/json',
    'user-agent': config.userAgent ?? USER_AGENT,
  };
  const { impersonate } = config;
  if (impersonate !== undefined) {
    headers['impersonate-user'] = impersonate.user;
    if (impersonate.uid !== undefined) headers['impersonate-uid'] = impersonate.uid;
    // One header a group: joined by commas they would be one strange group.
    if (impersonate.groups !== undefined) headers['impersonate-group'] = [...impersonate.groups];
    for (const [key, values] of Object.entries(impersonate.extra ?? {})) {
      headers[`impersonate-extra-${encodeURIComponent(key)}`] = [...values];
    }
  }
  return headers;
}

/** Seconds to wait. The API server sends whole seconds; a date is not worth believing a foreign clock for. */
function retryAfterOf(response: Dispatcher.ResponseData): number | undefined {
  const value = response.headers['retry-after'];
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value)) return undefined;
  return Math.min(Number(value), 60);
}

/** With Retry-After a 429 or 503 was refused before anything was done; other failures only where doing twice is doing once. */
function isRetriable(request: HttpRequest, code: number, retryAfter: number | undefined): boolean {
  if (retryAfter === undefined) return false;
  if (code === 429) return request.keep429 !== true;
  if (code === 503) return true;
  return code >= 500 && (request.method === 'GET' || request.method === 'PUT' || request.method === 'DELETE');
}

async function readError(response: Dispatcher.ResponseData, retryAfter: number | undefined): Promise<StatusError> {
  const text = await response.body.text();
  let body: unknown = text;
  try {
    if (text !== '') body = parseJson(text);
  } catch {
    // A proxy's page is shown as it came.
  }
  return errorFromBody(response.statusCode, body, retryAfter);
}

const codeOf = (error: unknown): string => (error as { readonly code?: string }).code ?? '';

/** undici's and the system's own errors have codes; a bug in this process has none. */
const isConnectionError = (error: unknown): boolean => {
  const code = codeOf(error);
  return (
    code.startsWith('UND_ERR_') ||
    /^E[A-Z]+$/.test(code) ||
    code.startsWith('ERR_TLS') ||
    code.startsWith('ERR_SSL') ||
    /CERT|SIGNATURE|ISSUER/.test(code)
  );
};

const wasNeverSent = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
};

/** The error that the caller sees: its own signal's reason, a timeout, or a `StatusError`. */
function mapped(
  error: unknown,
  own: AbortSignal | undefined,
  limit: AbortSignal | undefined,
  timeoutMs: number,
): unknown {
  if (own?.aborted === true) return own.reason;
  if (limit?.aborted === true) return timedOut(timeoutMs, error);
  if (error instanceof StatusError) return error;
  if (isConnectionError(error)) return unreachable(error);
  if (error instanceof MachineryError && error.code === 'EN_MACHINERY_CREDENTIALS') {
    return new StatusError(401, 'Unauthorized', error.message, undefined, { cause: error });
  }
  return internalError(error);
}
