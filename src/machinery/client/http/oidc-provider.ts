/**
 * OpenID Connect: an ID token, and a refresh token that buys newer ones at the issuer's token endpoint. Renewed tokens
 * are kept in memory; the kubeconfig is never written.
 */
import { readFileSync } from 'node:fs';
import type { AuthProviderConfig, AuthProviderOptions, ProvidedToken, TokenProvider } from './token-provider.ts';
import { fromDirectory } from './kubeconfig-file.ts';

/** Renewed a little before it ends, so that a request under way does not fail. */
const EARLY_MS = 10_000;
const TIMEOUT_MS = 30_000;
/** No answer of a token endpoint is longer. */
const MAX_ANSWER_BYTES = 1 << 20;

export function createOidcProvider(config: AuthProviderConfig, options: AuthProviderOptions): TokenProvider {
  const idToken = config['id-token'];
  /** Issuers may give out a new refresh token with every renewal; the newest one counts. */
  let refreshToken = config['refresh-token'];

  return {
    first: idToken ? { token: idToken, expires: expiryOf(idToken) } : undefined,

    async renew(): Promise<ProvidedToken> {
      const { 'client-id': clientId, 'idp-issuer-url': issuer } = config;
      if (!clientId || !issuer || !refreshToken) {
        throw new Error(
          'there is no valid id-token, and a new one takes refresh-token, client-id and idp-issuer-url: log in again',
        );
      }
      const ask = asker(authorityOf(config, options));
      const { token_endpoint: endpoint } = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
      if (typeof endpoint !== 'string') throw new Error(`${issuer} names no token endpoint`);
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const answer = await ask(endpoint, form, { id: clientId, secret: config['client-secret'] ?? '' });
      const { id_token: token, refresh_token: next } = answer;
      if (typeof token !== 'string' || token === '') throw new Error(`${issuer} gave no id_token`);
      if (typeof next === 'string' && next !== '') refreshToken = next;
      return { token, expires: expiryOf(token) };
    },
  };
}

type Answer = { readonly [key: string]: unknown };

function objectIn(text: string): Answer | undefined {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
}

/** When a JWT expires, less a margin. A token that cannot be read has expired. */
function expiryOf(token: string): number {
  try {
    const claims = objectIn(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    const expires = claims?.['exp'];
    return typeof expires === 'number' ? expires * 1000 - EARLY_MS : 0;
  } catch {
    return 0;
  }
}

function authorityOf(config: AuthProviderConfig, options: AuthProviderOptions): Buffer | undefined {
  const data = config['idp-certificate-authority-data'];
  if (data) return Buffer.from(data, 'base64');
  const file = config['idp-certificate-authority'];
  return file ? readFileSync(fromDirectory(options.directory, file)) : undefined;
}

interface OidcClient {
  readonly id: string;
  readonly secret: string;
}

type Ask = (url: string, form?: { readonly [key: string]: string }, client?: OidcClient) => Promise<Answer>;

/** Asks for JSON, with POST where there is a form. */
function asker(ca: Buffer | undefined): Ask {
  return async (url, form, client) => {
    const { Agent, request } = await import('undici');
    const agent = new Agent({ connect: { ...(ca === undefined ? {} : { ca }), timeout: TIMEOUT_MS } });
    const send = async (authorization: string | undefined, body: string | undefined) => {
      const answer = await request(url, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
          ...(authorization === undefined ? {} : { authorization }),
        },
        ...(body === undefined ? {} : { body }),
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
      });
      return { status: answer.statusCode, text: await readText(answer.body, url) };
    };
    try {
      let answer = await send(basicOf(client), formOf(form, client, false));
      // Some issuers want the secret of a client in the form. There is no way to know but to try, as client-go does.
      const isRefused = answer.status === 400 || answer.status === 401;
      if (isRefused && client?.secret) answer = await send(undefined, formOf(form, client, true));
      if (answer.status !== 200) throw new Error(`${url} answered ${answer.status}: ${answer.text.slice(0, 200)}`);
      const json = objectIn(answer.text);
      if (json === undefined) throw new Error(`${url} answered no JSON object`);
      return json;
    } finally {
      await agent.destroy();
    }
  };
}

/** RFC 6749, 2.3.1: both parts are form-encoded before they are joined. */
const basicOf = (client: OidcClient | undefined): string | undefined =>
  client?.secret
    ? `Basic ${Buffer.from(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`).toString('base64')}`
    : undefined;

function formOf(
  form: { readonly [key: string]: string } | undefined,
  client: OidcClient | undefined,
  withSecret: boolean,
): string | undefined {
  if (form === undefined) return undefined;
  const body = new URLSearchParams(form);
  if (client !== undefined && (withSecret || client.secret === '')) body.set('client_id', client.id);
  if (client !== undefined && withSecret) body.set('client_secret', client.secret);
  return body.toString();
}

async function readText(body: AsyncIterable<Buffer>, url: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error(`${url} answered more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
