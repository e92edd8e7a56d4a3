/** The connections to one server: a pool that keeps them alive, with TLS, client certificates and proxies. */
import { createSecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import type { Credentials, RestConfig } from './rest-config.ts';
import { invalid } from './kubeconfig-file.ts';

export interface DispatcherOptions {
  /** Also offer HTTP/2. Off by default: watches then share one connection and its fate. */
  readonly http2?: boolean;
  /** The most connections at a time; requests beyond them wait. Absent: as many as there are requests under way. */
  readonly connections?: number;
  /**
   * Called when something that may change anything is about to be sent: a connection is there, and its turn has come. Time to
   * end its signal.
   */
  readonly beforeWrite?: () => void;
}

export async function createDispatcher(
  config: RestConfig,
  credentials: Credentials,
  options: DispatcherOptions,
): Promise<Dispatcher> {
  const { Pool, ProxyAgent } = await import('undici');
  const { tls = {} } = config;
  const cert = credentials.cert ?? tls.cert;
  const key = credentials.key ?? tls.key;
  const connect = {
    // Read once: certificates and keys that every connection reads for itself cost more than its handshake.
    secureContext: createSecureContext({
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
    ...(tls.insecureSkipVerify === true ? { rejectUnauthorized: false } : {}),
    // A server that does not answer a handshake is down; a minute of kernel retries helps nobody.
    timeout: 10_000,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
  const common = {
    // A quiet watch is healthy: how long a request may take is decided above, by the clock.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 60_000,
    allowH2: options.http2 === true,
  };
  const { beforeWrite } = options;
  const asking = (dispatcher: Dispatcher): Dispatcher =>
    beforeWrite === undefined ? dispatcher : dispatcher.compose(askingBefore(beforeWrite));
  const { origin } = new URL(config.server);
  if (config.proxyUrl === undefined)
    return asking(new Pool(origin, { ...common, connect, connections: options.connections ?? null }));
  const { protocol } = new URL(config.proxyUrl);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw invalid(`proxy-url ${config.proxyUrl}: only http and https proxies are supported`);
  }
  return asking(new ProxyAgent({ ...common, uri: config.proxyUrl, requestTls: connect, proxyTunnel: true }));
}

/** A request that waits for a connection waits inside the pool, so only the pool knows when a request leaves. */
const askingBefore =
  (beforeWrite: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, options.method === 'GET' ? handler : starting(handler, beforeWrite));

/** The same handler, with a call before it hears that its request is about to be written. */
const starting = (handler: Dispatcher.DispatchHandler, before: () => void): Dispatcher.DispatchHandler => ({
  onRequestStart(controller, context) {
    before();
    handler.onRequestStart?.(controller, context);
  },
  onRequestUpgrade: (...told) => handler.onRequestUpgrade?.(...told),
  onResponseStart: (...told) => handler.onResponseStart?.(...told),
  onResponseData: (...told) => handler.onResponseData?.(...told),
  onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
  onResponseError: (...told) => handler.onResponseError?.(...told),
});
