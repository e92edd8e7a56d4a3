/**
 * The wire: HTTPS with HTTP/2 and HTTP/1.1 on one port. What lives here takes requests off the network and puts
 * answers on it (exchange, path, query, negotiate, decode, answer, frames); what they mean is decided in ../handlers.
 */
import {
  createSecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { StatusError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import { guardConnections, type Connection } from '../../machinery/connections/connection-guard.ts';
import { connectionLimits, type ConnectionLimits } from '../../machinery/connections/connection-limits.ts';
import { createDeadlines } from '../../machinery/time/deadlines.ts';
import { silentLogger, type Logger } from '../../machinery/logging/logger.ts';
import { noMetrics, type Metrics } from '../../machinery/metrics/metrics.ts';
import { accessDenied } from '../access/authorizer.ts';
import type { Authorizer } from '../contract/authorization.ts';
import { ANONYMOUS } from '../contract/users.ts';
import type { Audit, AuditTrail } from '../audit/audit.ts';
import { sendError } from './answer.ts';
import { authenticate, type TokenAuthenticator } from './authentication.ts';
import { createExchange, socketOf, type Exchange } from './exchange.ts';
import { impersonated } from './impersonation.ts';
import { answerMeta, type MetaSource } from './meta-request.ts';
import { createInFlight, DEFAULT_LIMITS, type RequestLimits } from './overload.ts';
import { parsePath, type Route } from './path.ts';
import { isPlainNotFound, sendPlainNotFound } from './plain-not-found.ts';
import { answerResource, isLong, verbAsked } from './resource-request.ts';
import { checkTimeout } from './query.ts';
import { createUnreadBudget } from './unread-budget.ts';
import { createFairWork, DEFAULT_WORK_LIMITS, type FairWorkLimits, type RequestPace } from './fair-work.ts';
import { createYamlBodies } from './yaml.ts';
import type { WireContext } from './wire-context.ts';

interface ServingKeys {
  readonly certificate: string;
  readonly key: string;
  /** Client certificates are believed when this authority signed them. */
  readonly clientAuthority: string;
}

export interface WireOptions extends Omit<WireContext, 'unread' | 'yaml'> {
  readonly keys: ServingKeys;
  readonly tokens: TokenAuthenticator;
  readonly meta: MetaSource;
  readonly limits?: Partial<RequestLimits>;
  /** From the descriptors that the process may have, unless told. */
  readonly connections?: Partial<ConnectionLimits>;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  readonly workLimits?: Partial<FairWorkLimits>;
  /** Writes the audit log, if one is wanted. */
  readonly audit?: Audit;
  /** Asked about paths that name no resource, and about impersonation. */
  readonly authorizer: Authorizer;
  /** Called for every answered request; metrics and the audit log hang here. */
  readonly onAnswered?: (
    exchange: Exchange,
    user: UserInfo | undefined,
    error: StatusError | undefined,
    elapsedMs: number,
  ) => void;
}

export interface WireServer {
  /** Resolves with the port that was bound (asked for 0: one that was free). */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new requests, lets the running ones finish for a moment, then closes. */
  close(): Promise<void>;
}

/**
 * A request that could not be read as HTTP/1.1 gets the one line that can still be said. Node calls this for a handshake that
 * failed or took too long, too; nothing can be said before it is done, and a socket that waits to say it is never closed.
 */
function refuse(error: Error & { readonly code?: string }, socket: Socket, isSecured: boolean): void {
  const line = UNREADABLE.get(error.code ?? '') ?? '400 Bad Request';
  if (!socket.writable || !isSecured) socket.destroy();
  else socket.end(`HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

const UNREADABLE: ReadonlyMap<string, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

const isStream = (route: Route, exchange: Exchange): boolean =>
  route.kind === 'resource' && isLong(exchange, route.target, route.legacyWatch);

/** Health must answer when all other requests have to wait; streams are long and have limits of their own. */
const isCounted = (route: Route, exchange: Exchange): boolean =>
  route.kind === 'resource' ? !isStream(route, exchange) : route.kind !== 'health' && route.kind !== 'metrics';

const MIB = 1024 * 1024;
const UNREAD = { total: 256 * MIB, perConnection: 64 * MIB };
/** The account that long work is counted on; see fair-work.ts. */
const accountOf = ({ name, tenant }: UserInfo): string => (tenant === undefined ? name : `${tenant}/${name}`);

const MAX_STREAMS = 1000;
/** Node counts a session's memory with this limit: 32 MiB for a piece of each stream (byte-stream.ts), ... */
const SESSION_MIB = 128;
/** ... and what streams that were given up stay counted for. A connection that has lost this much is left for a new one. */
const MOST_LOST_BYTES = 64 * MIB;
const CLOSE_GRACE_MS = 2000;

/** Node's own limits for HTTP/1.1, on requests that are begun and not finished; the rest is the guard's. */
const HTTP1_LIMITS = { headersTimeout: 20_000, connectionsCheckingInterval: 5_000 };

export function createWireServer(options: WireOptions): WireServer {
  const { clock, logger = silentLogger, metrics = noMetrics } = options;
  const unread = createUnreadBudget(UNREAD);
  const context: WireContext = { ...options, unread, yaml: createYamlBodies(clock) };
  const work = createFairWork({ ...DEFAULT_WORK_LIMITS, ...options.workLimits }, clock);
  const requestLimits = { ...DEFAULT_LIMITS, ...options.limits };
  const inFlight = createInFlight(requestLimits, clock);
  const limits = { ...connectionLimits(), ...options.connections };
  /** Answers that were given and are not read yet: no client may keep one, and its connection, for ever. */
  const untaken = createDeadlines<Exchange>(clock, requestLimits.timeoutMs, (exchange) => exchange.breakOff());
  const lost = new WeakMap<Connection, number>();
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.keys.certificate,
    key: options.keys.key,
    ca: options.keys.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    settings: { maxConcurrentStreams: MAX_STREAMS, initialWindowSize: 1 << 20 },
    maxSessionMemory: SESSION_MIB,
    handshakeTimeout: limits.handshakeMs,
  });
  // No limit on their number: releases of Node that we run on drop HTTP/1.1 headers beyond a thousand without a word, and a
  // proxy that names last whom it acts for would act as itself. Their size is limited; HTTP/2 refuses too many.
  Object.assign(server, {
    ...HTTP1_LIMITS,
    maxHeadersCount: 0,
    requestTimeout: requestLimits.timeoutMs + HTTP1_LIMITS.headersTimeout,
    keepAliveTimeout: limits.idleMs,
  });
  const guard = guardConnections(server, { limits, tls: true, server: 'api', clock, logger, metrics });
  server.on(
    'request',
    (request: Http2ServerRequest | IncomingMessage, response: Http2ServerResponse | ServerResponse) => {
      void serve(request, response);
    },
  );
  // A client that goes away in the middle is no fault of ours; without a listener it would end the process.
  server.on('sessionError', () => {});
  server.on('tlsClientError', () => {});
  server.on('clientError', (error, socket) => refuse(error, socket, guard.of(socket) !== undefined));
  const open = new Set<() => void>();
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<Socket>();
  server.on('session', (session) => {
    sessions.add(session);
    session.once('close', () => sessions.delete(session));
  });
  server.on('secureConnection', (socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  async function serve(
    request: Http2ServerRequest | IncomingMessage,
    response: Http2ServerResponse | ServerResponse,
  ): Promise<void> {
    const began = clock.monotonic();
    const socket = socketOf(request) as TLSSocket;
    const connection = guard.of(socket);
    if (connection !== undefined) guard.began(connection);
    const exchange = createExchange(request, response, {
      open,
      unread,
      over(ended, lostBytes) {
        untaken.delete(ended);
        if (connection === undefined) return;
        guard.ended(connection);
        if (lostBytes > 0) lose(connection, lostBytes);
      },
    });
    let user: UserInfo | undefined;
    let caller: UserInfo | undefined;
    let failure: StatusError | undefined;
    let trail: AuditTrail | undefined;
    response.on('error', () => {});
    try {
      exchange.setHeader('cache-control', 'no-cache, private');
      caller = authenticate(socket, exchange.onlyHeader('authorization'), options.tokens, clock.now());
      if (caller !== ANONYMOUS && connection !== undefined) guard.proved(connection);
      user = impersonated(caller, exchange, options.authorizer);
      const route = parsePath(exchange.path);
      trail = beginTrail(exchange, route, caller, user);
      if (exchange.url.includes('timeout=') && !isStream(route, exchange)) checkTimeout(exchange.query);
      const leave = isCounted(route, exchange) ? inFlight.enter(exchange) : undefined;
      // Work under impersonation counts on the account of the caller.
      const pace = work.pace(accountOf(caller), exchange, { counted: leave !== undefined });
      try {
        await dispatch(exchange, route, user, pace);
      } finally {
        pace.end();
        leave?.();
      }
    } catch (error) {
      // Requests that failed authentication or impersonation are audited too.
      const route = parsePath(exchange.path);
      trail ??= beginTrail(exchange, route, caller, user);
      if (!exchange.answered && isPlainNotFound(error, exchange.path, route, options.kinds)) {
        failure = error as StatusError;
        sendPlainNotFound(exchange);
      } else if (!exchange.answered) failure = sendError(exchange, error);
    }
    if (!exchange.closed) untaken.add(exchange);
    trail?.complete(failure);
    options.onAnswered?.(exchange, user, failure, clock.monotonic() - began);
  }

  function lose(connection: Connection, bytes: number): void {
    const all = (lost.get(connection) ?? 0) + bytes;
    lost.set(connection, all);
    if (all > MOST_LOST_BYTES) guard.retire(connection);
  }

  function beginTrail(
    exchange: Exchange,
    route: Route,
    caller: UserInfo | undefined,
    user: UserInfo | undefined,
  ): AuditTrail | undefined {
    if (options.audit === undefined) return undefined;
    const target = route.kind === 'resource' ? route.target : undefined;
    const verb = route.kind === 'resource' ? verbAsked(exchange, route) : exchange.method.toLowerCase();
    const trail = options.audit.begin(exchange, { verb, target, caller, user });
    if (trail !== undefined) exchange.setHeader('audit-id', trail.id);
    return trail;
  }

  function dispatch(exchange: Exchange, route: Route, user: UserInfo, pace: RequestPace): Promise<void> {
    if (route.kind === 'resource')
      return answerResource(exchange, route.target, route.legacyWatch, user, pace, context);
    authorizePath(user, exchange.method, exchange.path);
    return answerMeta(exchange, route, options.meta, context);
  }

  function authorizePath(user: UserInfo, method: string, path: string): void {
    const attributes = { user, verb: method.toLowerCase(), path };
    const verdict = options.authorizer.authorize(attributes);
    if (!verdict.allowed) throw accessDenied(attributes, verdict.reason);
  }

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    async close() {
      inFlight.close();
      untaken.close();
      guard.close();
      context.yaml.close();
      for (const end of open) end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      const timer = clock.after(CLOSE_GRACE_MS, () => {
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      });
      for (const socket of sockets) if (socket.listenerCount('data') === 0) socket.end();
      await closed;
      timer.cancel();
    },
  };
}
