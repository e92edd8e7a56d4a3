import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { connect as connectHttp2, createSecureServer, type ServerHttp2Session } from 'node:http2';
import {
  connect as connectTcp,
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority, issueCertificate } from '../certificates/certificates.ts';
import { rememberingLogger } from '../logging/logger.ts';
import { rememberingMetrics } from '../testing/remembering-metrics.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { guardConnections, type ConnectionGuard } from './connection-guard.ts';

const LIMITS = { most: 6, mostUnproven: 3, handshakeMs: 10_000, unprovenMs: 20_000, idleMs: 120_000 };
const authority = await createAuthority('test authority', Date.now());
const issue = (usage: 'server' | 'client') =>
  issueCertificate(authority, Date.now(), {
    subject: { commonName: usage },
    usage,
    ...(usage === 'server' ? { hosts: ['127.0.0.1'] } : {}),
    days: 1,
  });
const keys = await issue('server');
const own = await issue('client');
const TLS = {
  cert: keys.certificate,
  key: keys.key,
  ca: authority.certificate,
  requestCert: true,
  rejectUnauthorized: false,
};

const opened: { destroy(): void }[] = [];
const servers: Server[] = [];
const guards: ConnectionGuard[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) each.destroy();
  for (const guard of guards.splice(0)) guard.close();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function guarded(server: Server, tls: boolean) {
  const clock = createVirtualClock();
  const { logger, lines } = rememberingLogger();
  const { metrics, value } = rememberingMetrics();
  server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  server.on('connection', (socket: Socket) => socket.on('error', () => {}));
  const guard = guardConnections(server, { limits: LIMITS, tls, server: 'test', clock, logger, metrics });
  server.listen(0, '127.0.0.1');
  servers.push(server);
  guards.push(guard);
  await once(server, 'listening');
  const address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const keep = async (socket: Socket, event: string) => {
    opened.push(socket.on('error', () => {}));
    socket.resume();
    await once(socket, event);
    await settled();
    return socket;
  };
  return {
    guard,
    clock,
    lines,
    value,
    address,
    tcp: () => keep(connectTcp(address), 'connect'),
    tls: (credentials = {}) =>
      keep(
        connectTls({ ...address, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'], ...credentials }),
        'secureConnect',
      ),
  };
}

/** Waits until bytes sent over loopback have arrived at the other side. */
const settled = () => sleep(30);
const isOpen = (socket: Socket): boolean => !socket.destroyed && !socket.readableEnded;
const CREDENTIALS = { cert: own.certificate, key: own.key };

describe('connections that do nothing', () => {
  it('are closed when they do not finish their handshake in time', async () => {
    const { tcp, tls, clock } = await guarded(createHttpsServer(TLS), true);
    const silent = await tcp();
    const secure = await tls();
    await clock.advance(9_000);
    expect(isOpen(silent)).toBe(true);
    await clock.advance(2_000);
    await settled();
    expect([isOpen(silent), isOpen(secure)]).toEqual([false, true]);
  });

  it('are closed when nobody has asked for anything; later where the peer has proved who it is', async () => {
    const { tls, clock } = await guarded(createHttpsServer(TLS), true);
    const [stranger, friend] = [await tls(), await tls(CREDENTIALS)];
    await clock.advance(23_000);
    await settled();
    expect([isOpen(stranger), isOpen(friend)]).toEqual([false, true]);
    await clock.advance(100_000);
    await settled();
    expect(isOpen(friend)).toBe(false);
  });

  it('are closed on a server without TLS, too', async () => {
    const { tcp, clock, guard } = await guarded(createTcpServer(), false);
    const silent = await tcp();
    expect(guard.size).toBe(1);
    await clock.advance(23_000);
    await settled();
    expect([isOpen(silent), guard.size]).toEqual([false, 0]);
  });
});

describe('a connection with a request under way', () => {
  it('stays, however long that takes, and is idle only from its end on', async () => {
    const server = createTcpServer();
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    const { tcp, clock, guard } = await guarded(server, false);
    const busy = await tcp();
    const connection = guard.of(sockets[0]);
    if (connection === undefined) throw new Error('the connection is not known');
    guard.began(connection);
    await clock.advance(3_600_000);
    guard.ended(connection);
    await clock.advance(19_000);
    await settled();
    expect(isOpen(busy)).toBe(true);
    await clock.advance(4_000);
    await settled();
    expect(isOpen(busy)).toBe(false);
  });
});

describe('a crowd', () => {
  it('of silent connections crowds out its own oldest, never those who proved who they are; it is logged once', async () => {
    const { tcp, tls, lines, guard, value } = await guarded(createHttpsServer(TLS), true);
    const friend = await tls(CREDENTIALS);
    const silent: Socket[] = [];
    for (let i = 0; i < 10; i += 1) silent.push(await tcp());
    await settled();
    expect(silent.map(isOpen)).toEqual([...Array.from({ length: 7 }, () => false), true, true, true]);
    expect(isOpen(friend)).toBe(true);
    const another = await tls(CREDENTIALS);
    expect([isOpen(another), guard.size]).toEqual([true, 4]);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Too many connections: the oldest idle ones are closed, or new ones refused'],
    ]);
    expect(value('everynode_connections_closed_total', { server: 'test', reason: 'crowded' })).toBe(8);
  });

  it('of known peers gives a place to a new one when one of them is idle, and refuses it when none is', async () => {
    const server = createHttpsServer(TLS);
    const sockets: Socket[] = [];
    server.on('secureConnection', (socket) => sockets.push(socket));
    const { tls, tcp, guard } = await guarded(server, true);
    const friends: Socket[] = [];
    for (let i = 0; i < LIMITS.most; i += 1) friends.push(await tls(CREDENTIALS));
    const known = sockets.map((socket) => guard.of(socket));
    for (const [i, connection] of known.entries()) if (connection !== undefined && i !== 4) guard.began(connection);
    const stranger = await tcp();
    await settled();
    expect([...friends, stranger].map(isOpen)).toEqual([true, true, true, true, false, true, true]);
    const another = await tcp();
    await settled();
    expect([isOpen(stranger), isOpen(another), guard.size]).toEqual([false, true, LIMITS.most]);
    stranger.destroy();
  });
});

describe('a known peer between two requests', () => {
  it('keeps its place while there are connections that were never used, however long it pauses', async () => {
    const server = createHttpsServer(TLS);
    const sockets: Socket[] = [];
    server.on('secureConnection', (socket) => sockets.push(socket));
    const { tls, guard, clock } = await guarded(server, true);
    const busy = await tls(CREDENTIALS);
    const connection = guard.of(sockets[0]);
    if (connection === undefined) throw new Error('the connection is not known');
    guard.began(connection);
    guard.ended(connection);
    await clock.advance(5_000);
    const idle: Socket[] = [];
    for (let i = 0; i < LIMITS.most + 2; i += 1) idle.push(await tls(CREDENTIALS));
    await settled();
    expect([isOpen(busy), idle.map(isOpen)]).toEqual([true, [false, false, false, ...idle.slice(3).map(() => true)]]);
  });
});

describe('an HTTP/2 session', () => {
  async function session() {
    const server = createSecureServer(TLS);
    const sessions: ServerHttp2Session[] = [];
    server.on('session', (each) => sessions.push(each));
    const around = await guarded(server, true);
    const { guard } = around;
    server.on('stream', (stream) => {
      const connection = guard.of(stream.session?.socket);
      if (connection === undefined) throw new Error('the connection is not known');
      guard.began(connection);
      stream.once('close', () => guard.ended(connection));
      stream.respond({ ':status': 200 });
      stream.end('late');
    });
    const url = `https://127.0.0.1:${around.address.port}`;
    const client = connectHttp2(url, { ...CREDENTIALS, rejectUnauthorized: false });
    client.on('error', () => {});
    opened.push(client);
    await once(client, 'connect');
    await settled();
    return { ...around, client, theirs: sessions[0] as ServerHttp2Session };
  }

  it('that is idle is asked to leave and closed, without an error', async () => {
    const { guard, clock, client } = await session();
    const left = once(client, 'goaway');
    const closed = once(client, 'close');
    await clock.advance(123_000);
    expect((await left)[0]).toBe(0);
    await closed;
    expect(guard.size).toBe(0);
  });

  it('that is asked to leave answers the request that is on its way', async () => {
    const { guard, clock, client, theirs } = await session();
    const connection = guard.of(theirs.socket);
    if (connection === undefined) throw new Error('the connection is not known');
    const stream = client.request({ ':path': '/' });
    stream.resume();
    setImmediate(() => guard.retire(connection));
    const closed = once(stream, 'close');
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    expect(headers[':status']).toBe(200);
    await closed;
    await settled();
    await clock.advance(3_000);
    await settled();
    expect([guard.size, theirs.destroyed]).toEqual([0, true]);
  });
});
