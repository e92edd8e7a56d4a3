/** More connections than the process has descriptors: those that do nothing shut nobody out, and the store goes on writing. */
import { readdirSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp2, type Credentials } from '../../hostile/support/wire-client.ts';
import { build, start, temporaryDataDir, type ServerProcess } from './server-process.ts';

const DESCRIPTORS = 600;
const CONNECTIONS = 800;
const PATH = '/api/v1/namespaces/default/configmaps';

const { dataDir, remove } = temporaryDataDir();
let server: ServerProcess;
beforeAll(async () => {
  build();
  server = await start(dataDir, { shell: `ulimit -n ${DESCRIPTORS}` });
}, 180_000);
afterAll(async () => {
  await server.kill('SIGKILL');
  remove();
});

interface Crowd {
  /** Connections that the server has not closed. */
  left(): number;
  leave(): void;
}

function crowd(open: () => Socket): Crowd {
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = open();
    socket.on('error', () => {});
    // An end that nobody reads is never seen.
    socket.resume();
    return socket;
  });
  return {
    left: () => sockets.filter((socket) => !socket.destroyed).length,
    leave: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const address = (): { host: string; port: number } => {
  const { hostname, port } = new URL(server.server);
  return { host: hostname, port: Number(port) };
};
const silent = (): Socket => connectTcp(address());
const secured = (protocol: string, credentials: Credentials) => (): Socket =>
  connectTls({ ...address(), ALPNProtocols: [protocol], ...credentials });
/** Speaks HTTP/2 and asks for nothing. */
const session = (credentials: Credentials) => (): Socket => {
  const socket = connectTls({ ...address(), ALPNProtocols: ['h2'], ...credentials });
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0');
  return socket;
};
/** Begins a request and never ends its headers. */
const half = (credentials: Credentials) => (): Socket => {
  const socket = connectTls({ ...address(), ALPNProtocols: ['http/1.1'], ...credentials });
  socket.write('GET /version HTTP/1.1\r\nhos');
  return socket;
};

let written = 0;

/** A new client in a crowd may have to come again, as clients do. */
async function come(): Promise<ReturnType<typeof openHttp2>> {
  for (let attempt = 1; ; attempt += 1) {
    const comer = openHttp2(server.server, server.credentials);
    const answer = comer.ask({ method: 'GET', path: '/readyz' });
    if (attempt === 3) await answer;
    if (
      await answer.then(
        ({ status }) => status === 200,
        () => false,
      )
    )
      return comer;
    comer.close();
  }
}

/** A client that has its own connection, and one that comes only now: both must be served. */
async function served(known: ReturnType<typeof openHttp2>): Promise<void> {
  const comer = await come();
  for (const client of [known, comer]) {
    expect((await client.ask({ method: 'GET', path: '/api/v1/namespaces/default' })).status).toBe(200);
    written += 1;
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `w${written}` } });
    const headers = { 'content-type': 'application/json' };
    expect((await client.ask({ method: 'POST', path: PATH, headers, body })).status).toBe(201);
  }
  comer.close();
}

async function metric(client: ReturnType<typeof openHttp2>, pattern: RegExp): Promise<number> {
  const { text } = await client.ask({ method: 'GET', path: '/metrics' });
  return Number(pattern.exec(text)?.[1] ?? Number.NaN);
}

const anonymous = (): Credentials => ({ ca: server.credentials.ca });
const descriptors = (): number => readdirSync(`/proc/${server.child.pid}/fd`).length;
/** Once a crowd, however many connections it closes. */
const crowdsLogged = (): number => server.errors().match(/Too many connections/g)?.length ?? 0;

describe(`${CONNECTIONS} connections under a limit of ${DESCRIPTORS} descriptors`, () => {
  it.each([
    ['never begin TLS', () => silent, 10_000],
    ['finish TLS and ask for nothing', () => secured('http/1.1', anonymous()), 20_000],
    ['speak HTTP/2 and ask for nothing', () => session(anonymous()), 20_000],
    ['begin a request and never end it', () => half(anonymous()), 20_000],
    ['belong to an administrator and are idle', () => session(server.credentials), undefined],
  ])('that %s keep nobody out', async (_, open, closedAfterMs) => {
    const known = openHttp2(server.server, server.credentials);
    await served(known);
    const before = descriptors();
    const logged = crowdsLogged();
    const many = crowd(open());
    try {
      for (let i = 0; i < 10; i += 1) {
        await sleep(100);
        await served(known);
        expect(descriptors()).toBeLessThan(DESCRIPTORS - 32);
      }
      expect(many.left()).toBeLessThan(DESCRIPTORS);
      expect(await metric(known, /connections_closed_total\{server="api",reason="crowded"\} (\d+)/)).toBeGreaterThan(0);
      if (closedAfterMs !== undefined) {
        const deadline = Date.now() + closedAfterMs * 3;
        while (many.left() > 0 && Date.now() < deadline) await sleep(200);
        expect(many.left()).toBe(0);
        expect(descriptors()).toBeLessThanOrEqual(before + 8);
      }
      // Crowds that follow each other closely are one.
      expect(crowdsLogged() - logged).toBeLessThanOrEqual(1);
      expect(crowdsLogged()).toBeGreaterThan(0);
    } finally {
      many.leave();
      known.close();
    }
  });
});
