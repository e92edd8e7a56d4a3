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
import type { UserInfo } from '../../machinery/admission.ts';
import { sendError } from './answer.ts';
import { authenticate, type TokenAuthenticator } from './authentication.ts';
import { createExchange, type Exchange } from './exchange.ts';
import { answerMeta, type MetaSource } from './meta-request.ts';
import { parsePath } from './path.ts';
import { answerResource } from './resource-request.ts';
import type { WireContext } from './wire-context.ts';

export interface ServingKeys {
  readonly certificate: string;
  readonly key: string;
  /** Client certificates are believed when this authority signed them. */
  readonly clientAuthority: string;
}

export interface WireOptions extends WireContext {
  readonly keys: ServingKeys;
  readonly tokens: TokenAuthenticator;
  readonly meta: MetaSource;
  /** May this user see a path that names no resource? Throws 403 where not. */
  readonly authorizePath: (user: UserInfo, method: string, path: string) => void;
  /** Told of every answered request; metrics and the audit log hang here. */
  readonly onAnswered?: (exchange: Exchange, user: UserInfo | undefined, error: StatusError | undefined) => void;
}

export interface WireServer {
  /** Resolves with the port that was bound (asked for 0: one that was free). */
  listen(port: number, host: string): Promise<number>;
  /** Takes no new requests, lets the running ones finish for a moment, then closes. */
  close(): Promise<void>;
}

const MAX_STREAMS = 1000;
const CLOSE_GRACE_MS = 2000;

export function createWireServer(options: WireOptions): WireServer {
  const open = new Set<() => void>();
  const server = createSecureServer({
    allowHTTP1: true,
    cert: options.keys.certificate,
    key: options.keys.key,
    ca: options.keys.clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    settings: { maxConcurrentStreams: MAX_STREAMS, initialWindowSize: 1 << 20 },
    maxSessionMemory: 64,
  });
  server.on(
    'request',
    (request: Http2ServerRequest | IncomingMessage, response: Http2ServerResponse | ServerResponse) => {
      void serve(request, response);
    },
  );
  // A client that goes away in the middle is no fault of ours; without a listener it would end the process.
  server.on('sessionError', () => {});
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket: Socket) => socket.destroy());
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
    const exchange = createExchange(request, response, open);
    let user: UserInfo | undefined;
    let failure: StatusError | undefined;
    response.on('error', () => {});
    try {
      const socket = ('stream' in request ? request.stream.session?.socket : request.socket) as TLSSocket;
      exchange.setHeader('cache-control', 'no-cache, private');
      user = authenticate(socket, exchange.header('authorization'), options.tokens);
      await dispatch(exchange, user);
    } catch (error) {
      if (!exchange.answered) failure = sendError(exchange, error);
    }
    options.onAnswered?.(exchange, user, failure);
  }

  function dispatch(exchange: Exchange, user: UserInfo): Promise<void> {
    const route = parsePath(exchange.path);
    if (route.kind === 'resource') return answerResource(exchange, route.target, route.legacyWatch, user, options);
    options.authorizePath(user, exchange.method, exchange.path);
    return answerMeta(exchange, route, options.meta, options);
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
      for (const end of open) end();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of sessions) session.close();
      const timer = options.clock.after(CLOSE_GRACE_MS, () => {
        for (const session of sessions) session.destroy();
        for (const socket of sockets) socket.destroy();
      });
      for (const socket of sockets) if (socket.listenerCount('data') === 0) socket.end();
      await closed;
      timer.cancel();
    },
  };
}
