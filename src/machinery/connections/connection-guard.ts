/**
 * Keeps connections that do nothing from shutting out the others. A connection is *unproven* until its peer has finished
 * the TLS handshake and shown who it is; unproven connections have a share of their own, in which the oldest makes room for
 * the newest. A connection without a request under way is closed when its time is up; a watch is a request under way.
 *
 * HTTP/2 sessions are asked to leave (GOAWAY) a moment before they are closed, so that no request is lost on the way.
 */
import { constants, type ServerHttp2Session } from 'node:http2';
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../time/clock.ts';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { connectionMetrics, type Closed } from './connection-metrics.ts';
import type { ConnectionLimits } from './connection-limits.ts';

/** One accepted connection. Servers report what happens on it through the guard. */
export interface Connection {
  readonly raw: Socket;
  /** Identifies the connection among those that are open; undefined when its peer was gone at once. */
  readonly key: string | undefined;
  /** In the time of `Clock.monotonic`, as all times here. */
  readonly acceptedAt: number;
  /** Set when the TLS handshake is done; on a server without TLS from the start. */
  secure: Socket | undefined;
  /** Set when the connection speaks HTTP/2. */
  session: ServerHttp2Session | undefined;
  isProven: boolean;
  /** Requests under way, watches among them. */
  requests: number;
  /** Whether a request has ever come on it. */
  hasAsked: boolean;
  /** When the last request ended, or the handshake. Means nothing while `requests` is above 0. */
  idleSince: number;
  /** When the peer was asked to leave. */
  retiredAt: number | undefined;
}

export interface ConnectionGuard {
  /** The connection of a socket that a request came on (`session.socket`, for HTTP/2). */
  of(socket: Socket | undefined): Connection | undefined;
  began(connection: Connection): void;
  ended(connection: Connection): void;
  /** The peer has shown who it is. */
  proved(connection: Connection): void;
  /** Asks the peer to send new requests elsewhere. Those under way are finished, then the connection is closed. */
  retire(connection: Connection): void;
  readonly size: number;
  close(): void;
}

export interface GuardOptions {
  readonly limits: ConnectionLimits;
  /** Whether connections of this server begin with a TLS handshake. */
  readonly tls: boolean;
  /** For metrics and the log: which of the process's servers this is. */
  readonly server: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** On sockets, because Node's proxy of an HTTP/2 session's socket passes properties through and has no identity. */
const CONNECTION = Symbol('connection');
type Marked = Socket & { [CONNECTION]?: Connection };

const SWEEP_MS = 1_000;
/** A peer that has something to ask has asked by then, after its handshake. */
const ASK_MS = 250;
/** Between asking a peer to leave and closing its connection: requests that crossed the question are still answered. */
const LEAVE_MS = 1_000;
/** A dead peer is noticed after this and a few probes of the kernel, even where nothing is sent for hours. */
const KEEP_ALIVE_MS = 30_000;
/** GOAWAY with the highest identifier of a stream: a notice, nothing is refused yet (RFC 9113, 6.8). */
const LAST_STREAM = 2 ** 31 - 1;

const keyOf = ({ remoteAddress, remotePort, localAddress }: Socket): string | undefined =>
  remoteAddress === undefined ? undefined : `${remoteAddress} ${remotePort} ${localAddress}`;

/** To be called before the server listens. */
export function guardConnections(server: Server, options: GuardOptions): ConnectionGuard {
  const { limits, clock, logger } = options;
  /** In the order in which they were accepted. */
  const unproven = new Set<Connection>();
  const proven = new Set<Connection>();
  /** Connections whose handshake is under way. */
  const handshakes = new Map<string, Connection>();
  const metrics = connectionMetrics(options.metrics, options.server, limits.most, () => ({
    handshake: handshakes.size,
    unproven: unproven.size - handshakes.size,
    proven: proven.size,
  }));
  let sweeping: Timer | undefined;
  /** Whether the log has been told of the crowd that is here. */
  let isCrowdLogged = false;

  function accept(raw: Socket): void {
    raw.setKeepAlive(true, KEEP_ALIVE_MS);
    if (!makeRoom()) {
      metrics.closed('refused');
      raw.destroy();
      return;
    }
    const now = clock.monotonic();
    const connection: Connection = {
      raw,
      key: keyOf(raw),
      acceptedAt: now,
      secure: options.tls ? undefined : raw,
      session: undefined,
      isProven: false,
      requests: 0,
      hasAsked: false,
      idleSince: now,
      retiredAt: undefined,
    };
    unproven.add(connection);
    if (!options.tls) (raw as Marked)[CONNECTION] = connection;
    else if (connection.key !== undefined) handshakes.set(connection.key, connection);
    raw.once('close', () => forget(connection));
    arm();
  }

  /** False when nobody can be asked to go for a new connection. */
  function makeRoom(): boolean {
    if (unproven.size < limits.mostUnproven && unproven.size + proven.size < limits.most) return true;
    logCrowd();
    const [oldest] = unproven;
    const victim =
      unproven.size >= limits.mostUnproven
        ? (silentAmong(unproven, clock.monotonic() - ASK_MS) ?? idleAmong(unproven) ?? oldest)
        : (longestIdle(proven) ?? idleAmong(unproven));
    if (victim === undefined) return false;
    cut(victim, 'crowded');
    return true;
  }

  function logCrowd(): void {
    if (isCrowdLogged) return;
    isCrowdLogged = true;
    logger.warn('Too many connections: the oldest idle ones are closed, or new ones refused', {
      server: options.server,
      connections: unproven.size + proven.size,
      unproven: unproven.size,
      mostUnproven: limits.mostUnproven,
      most: limits.most,
    });
  }

  function secured(socket: TLSSocket): void {
    const key = keyOf(socket);
    const connection = key === undefined ? undefined : handshakes.get(key);
    if (connection === undefined || key === undefined) return;
    handshakes.delete(key);
    connection.secure = socket;
    connection.idleSince = clock.monotonic();
    (socket as Marked)[CONNECTION] = connection;
    if (socket.authorized) prove(connection);
  }

  function prove(connection: Connection): void {
    if (connection.isProven) return;
    connection.isProven = true;
    if (unproven.delete(connection)) proven.add(connection);
  }

  function forget(connection: Connection): void {
    const { key } = connection;
    unproven.delete(connection);
    proven.delete(connection);
    if (key !== undefined && handshakes.get(key) === connection) handshakes.delete(key);
  }

  /** Closes at once. The descriptor is free when this returns, or in the next turn (HTTP/2). */
  function cut(connection: Connection, reason: Closed): void {
    forget(connection);
    metrics.closed(reason);
    if (connection.session === undefined || connection.session.destroyed) connection.raw.destroy();
    else connection.session.destroy();
  }

  function retire(connection: Connection): void {
    if (connection.retiredAt !== undefined) return;
    connection.retiredAt = clock.monotonic();
    const { session, secure } = connection;
    if (session !== undefined && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    else if (connection.requests === 0) secure?.end();
  }

  function sweep(): void {
    sweeping = undefined;
    const now = clock.monotonic();
    for (const connection of unproven) look(connection, limits.unprovenMs, now);
    for (const connection of proven) look(connection, limits.idleMs, now);
    if (unproven.size * 2 < limits.mostUnproven && (unproven.size + proven.size) * 2 < limits.most) {
      isCrowdLogged = false;
    }
    arm();
  }

  function look(connection: Connection, idleMs: number, now: number): void {
    if (connection.secure === undefined) {
      if (now - connection.acceptedAt >= limits.handshakeMs) cut(connection, 'handshake');
    } else if (connection.requests === 0) {
      const { idleSince, retiredAt } = connection;
      if (retiredAt === undefined) {
        if (now - idleSince >= idleMs) retire(connection);
      } else if (now - Math.max(idleSince, retiredAt) >= LEAVE_MS) cut(connection, 'idle');
    }
  }

  function arm(): void {
    if (sweeping === undefined && unproven.size + proven.size > 0) sweeping = clock.after(SWEEP_MS, sweep);
  }

  server.on('connection', accept);
  if (options.tls) {
    // Before Node's own listener, which makes the HTTP/2 session: that finds its connection by its socket.
    server.prependListener('secureConnection', secured);
    server.on('session', (session: ServerHttp2Session) => {
      const connection = (session.socket as Marked)[CONNECTION];
      if (connection !== undefined) connection.session = session;
    });
  }

  return {
    of: (socket: Marked | undefined) => socket?.[CONNECTION],
    began(connection) {
      connection.requests += 1;
      connection.hasAsked = true;
    },
    ended(connection) {
      connection.requests -= 1;
      if (connection.requests === 0) connection.idleSince = clock.monotonic();
    },
    proved: prove,
    retire,
    get size() {
      return unproven.size + proven.size;
    },
    close() {
      sweeping?.cancel();
      metrics.stop();
    },
  };
}

/**
 * A peer that sent nothing at all, or finished its handshake and asked for nothing: it goes before one whose handshake is under
 * way, which may turn out to be somebody known.
 */
function silentAmong(connections: Iterable<Connection>, before: number): Connection | undefined {
  for (const connection of connections) {
    if (connection.requests > 0 || connection.idleSince > before) continue;
    if (connection.secure !== undefined || connection.raw.bytesRead === 0) return connection;
  }
  return undefined;
}

function idleAmong(connections: Iterable<Connection>): Connection | undefined {
  for (const connection of connections) if (connection.requests === 0) return connection;
  return undefined;
}

/** Connections that were never used go before those between two requests. */
function longestIdle(connections: Iterable<Connection>): Connection | undefined {
  let longest: Connection | undefined;
  for (const connection of connections) {
    if (connection.requests === 0 && (longest === undefined || isIdlerThan(connection, longest))) longest = connection;
  }
  return longest;
}

const isIdlerThan = (one: Connection, other: Connection): boolean =>
  one.hasAsked === other.hasAsked ? one.idleSince < other.idleSince : !one.hasAsked;
