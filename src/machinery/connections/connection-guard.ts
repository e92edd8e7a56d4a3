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

/** One accepted connection. Servers report its requests through the guard. */
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
  /** The peer has authenticated. */
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
  /** The server's name in metrics and the log. */
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
export const guardConnections = (server: Server, options: GuardOptions): ConnectionGuard => new Guard(server, options);

class Guard implements ConnectionGuard {
  readonly #options: GuardOptions;
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #metrics: ReturnType<typeof connectionMetrics>;
  /** In the order in which they were accepted. A connection is here or in `#proven`, until it is closed. */
  readonly #unproven = new Set<Connection>();
  readonly #proven = new Set<Connection>();
  /** Unproven connections whose handshake is under way, by key. */
  readonly #handshakes = new Map<string, Connection>();
  /** Set while there are connections. */
  #sweeping: Timer | undefined = undefined;
  /** Whether the log has been told of the present crowd; reset when it has halved. */
  #isCrowdLogged = false;

  constructor(server: Server, options: GuardOptions) {
    this.#options = options;
    this.#limits = options.limits;
    this.#clock = options.clock;
    this.#metrics = connectionMetrics(options.metrics, options.server, options.limits.most, () => ({
      handshake: this.#handshakes.size,
      unproven: this.#unproven.size - this.#handshakes.size,
      proven: this.#proven.size,
    }));
    server.on('connection', (raw: Socket) => this.#accept(raw));
    if (!options.tls) return;
    // Before Node's own listener, which makes the HTTP/2 session: that finds its connection by its socket.
    server.prependListener('secureConnection', (socket: TLSSocket) => this.#secured(socket));
    server.on('session', (session: ServerHttp2Session) => {
      const connection = (session.socket as Marked)[CONNECTION];
      if (connection !== undefined) connection.session = session;
    });
  }

  get size(): number {
    return this.#unproven.size + this.#proven.size;
  }

  of(socket: Marked | undefined): Connection | undefined {
    return socket?.[CONNECTION];
  }

  began(connection: Connection): void {
    connection.requests += 1;
    connection.hasAsked = true;
  }

  ended(connection: Connection): void {
    connection.requests -= 1;
    if (connection.requests === 0) connection.idleSince = this.#clock.monotonic();
  }

  proved(connection: Connection): void {
    if (connection.isProven) return;
    connection.isProven = true;
    if (this.#unproven.delete(connection)) this.#proven.add(connection);
  }

  retire(connection: Connection): void {
    if (connection.retiredAt !== undefined) return;
    connection.retiredAt = this.#clock.monotonic();
    const { session, secure } = connection;
    if (session !== undefined && !session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    else if (connection.requests === 0) secure?.end();
  }

  close(): void {
    this.#sweeping?.cancel();
    this.#metrics.stop();
  }

  #accept(raw: Socket): void {
    raw.setKeepAlive(true, KEEP_ALIVE_MS);
    if (!this.#makeRoom()) {
      this.#metrics.closed('refused');
      raw.destroy();
      return;
    }
    const { tls } = this.#options;
    const connection = newConnection(raw, tls, this.#clock.monotonic());
    this.#unproven.add(connection);
    if (!tls) (raw as Marked)[CONNECTION] = connection;
    else if (connection.key !== undefined) this.#handshakes.set(connection.key, connection);
    raw.once('close', () => this.#forget(connection));
    this.#scheduleSweep();
  }

  /** False when no connection can be closed for a new one. */
  #makeRoom(): boolean {
    const limits = this.#limits;
    const unproven = this.#unproven;
    if (unproven.size < limits.mostUnproven && this.size < limits.most) return true;
    this.#logCrowd();
    const [oldest] = unproven;
    const victim =
      unproven.size >= limits.mostUnproven
        ? (silentAmong(unproven, this.#clock.monotonic() - ASK_MS) ?? idleAmong(unproven) ?? oldest)
        : (longestIdle(this.#proven) ?? idleAmong(unproven));
    if (victim === undefined) return false;
    this.#cut(victim, 'crowded');
    return true;
  }

  #logCrowd(): void {
    if (this.#isCrowdLogged) return;
    this.#isCrowdLogged = true;
    const { mostUnproven, most } = this.#limits;
    this.#options.logger.warn('Too many connections: the oldest idle ones are closed, or new ones refused', {
      server: this.#options.server,
      connections: this.size,
      unproven: this.#unproven.size,
      mostUnproven,
      most,
    });
  }

  #secured(socket: TLSSocket): void {
    const key = keyOf(socket);
    const connection = key === undefined ? undefined : this.#handshakes.get(key);
    if (connection === undefined || key === undefined) return;
    this.#handshakes.delete(key);
    connection.secure = socket;
    connection.idleSince = this.#clock.monotonic();
    (socket as Marked)[CONNECTION] = connection;
    if (socket.authorized) this.proved(connection);
  }

  #forget(connection: Connection): void {
    const { key } = connection;
    this.#unproven.delete(connection);
    this.#proven.delete(connection);
    if (key !== undefined && this.#handshakes.get(key) === connection) this.#handshakes.delete(key);
  }

  /** Closes at once. The descriptor is free when this returns, or in the next turn (HTTP/2). */
  #cut(connection: Connection, reason: Closed): void {
    this.#forget(connection);
    this.#metrics.closed(reason);
    if (connection.session === undefined || connection.session.destroyed) connection.raw.destroy();
    else connection.session.destroy();
  }

  #sweep(): void {
    this.#sweeping = undefined;
    const { unprovenMs, idleMs, mostUnproven, most } = this.#limits;
    const now = this.#clock.monotonic();
    for (const connection of this.#unproven) this.#expire(connection, unprovenMs, now);
    for (const connection of this.#proven) this.#expire(connection, idleMs, now);
    if (this.#unproven.size * 2 < mostUnproven && this.size * 2 < most) this.#isCrowdLogged = false;
    this.#scheduleSweep();
  }

  /** Closes a connection whose handshake takes too long, retires an idle one, and closes a retired one. */
  #expire(connection: Connection, idleMs: number, now: number): void {
    if (connection.secure === undefined) {
      if (now - connection.acceptedAt >= this.#limits.handshakeMs) this.#cut(connection, 'handshake');
    } else if (connection.requests === 0) {
      const { idleSince, retiredAt } = connection;
      if (retiredAt === undefined) {
        if (now - idleSince >= idleMs) this.retire(connection);
      } else if (now - Math.max(idleSince, retiredAt) >= LEAVE_MS) this.#cut(connection, 'idle');
    }
  }

  #scheduleSweep(): void {
    if (this.#sweeping !== undefined || this.size === 0) return;
    this.#sweeping = this.#clock.after(SWEEP_MS, () => this.#sweep());
  }
}

const newConnection = (raw: Socket, tls: boolean, now: number): Connection => ({
  raw,
  key: keyOf(raw),
  acceptedAt: now,
  secure: tls ? undefined : raw,
  session: undefined,
  isProven: false,
  requests: 0,
  hasAsked: false,
  idleSince: now,
  retiredAt: undefined,
});

/**
 * A peer that sent nothing at all, or finished its handshake and asked for nothing. Closed before one whose handshake is under
 * way, which may turn out to be a known client.
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
