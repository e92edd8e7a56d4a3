import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '../../time/real-clock.ts';
import { createSeededRandom } from '../../random/seeded-random.ts';
import { createTransport, type Transport } from './transport.ts';

/** Answers nothing until it is told to. */
describe('connections of a transport', () => {
  let server: Server;
  let transport: Transport;
  let connections = 0;
  const open: ServerResponse[] = [];
  const waiting: (() => void)[] = [];

  beforeEach(async () => {
    connections = 0;
    server = createServer((request, response) => {
      if (request.url === '/watch') response.write('{}\n');
      else {
        open.push(response);
        waiting.shift()?.();
      }
    })
      .on('connection', () => (connections += 1))
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });

  const connect = (limit: { readonly connections?: number } = {}): void => {
    const { port } = server.address() as AddressInfo;
    const config = { server: `http://127.0.0.1:${port}` };
    transport = createTransport(config, { clock: realClock, random: createSeededRandom(1), ...limit });
  };
  const arrived = async (count: number): Promise<void> => {
    while (open.length < count) await new Promise<void>((resolve) => void waiting.push(resolve));
  };
  const answerAll = (): void => open.splice(0).forEach((response) => response.end('{}'));
  const ask = (): Promise<unknown> => transport.json({ method: 'GET', path: '/one' });

  it('are no more than allowed, and the requests beyond them come after', async () => {
    connect({ connections: 2 });
    const asking = Array.from({ length: 6 }, ask);
    for (let answered = 0; answered < 6; answered += 2) {
      await arrived(2);
      answerAll();
    }
    await Promise.all(asking);
    expect(connections).toBe(2);
  });

  it('outlive a deletion that says how', async () => {
    connect({ connections: 1 });
    for (let count = 0; count < 3; count += 1) {
      const asking = transport.json({ method: 'DELETE', path: '/one', body: '{}' });
      await arrived(1);
      answerAll();
      await asking;
    }
    expect(connections).toBe(1);
  });

  it('of watches keep nobody from asking', async () => {
    connect({ connections: 1 });
    const watches = Array.from({ length: 3 }, () => transport.stream({ method: 'GET', path: '/watch' }));
    for (const watch of watches) expect((await watch.next()).done).toBe(false);
    const asking = ask();
    await arrived(1);
    answerAll();
    await asking;
    for (const watch of watches) await watch.return(undefined);
    expect(connections).toBe(4);
  });

  it('are bounded even when nobody says how', async () => {
    connect();
    const asking = Array.from({ length: 200 }, ask);
    await arrived(64);
    await realClock.sleep(20);
    expect(open).toHaveLength(64);
    for (let left = 200; left > 0; left -= 64) {
      await arrived(Math.min(left, 64));
      answerAll();
    }
    await Promise.all(asking);
    expect(connections).toBe(64);
  });
});

describe('a transport that somebody else can hold back', () => {
  it('asks before each write leaves, also one that had to wait, and sends none whose signal then ends', async () => {
    const arrived: string[] = [];
    const server = createServer((request, response) => {
      arrived.push(request.method ?? '');
      response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const lost = new AbortController();
    let asked = 0;
    const transport = createTransport(
      { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      {
        clock: realClock,
        random: createSeededRandom(1),
        qps: 50,
        burst: 1,
        beforeWrite: () => {
          asked += 1;
          if (asked === 2) lost.abort(new Error('lost'));
        },
      },
    );
    try {
      const write = () => transport.json({ method: 'POST', path: '/one', body: '{}', signal: lost.signal });
      const [first, second] = await Promise.allSettled([write(), write()]);
      await transport.json({ method: 'GET', path: '/one' });
      expect([first.status, second.status, asked, arrived]).toEqual(['fulfilled', 'rejected', 2, ['POST', 'GET']]);
    } finally {
      await transport.close();
      server.close();
    }
  });

  it('asks when a connection is free, where a write waited for one: much may have happened since', async () => {
    const arrived: string[] = [];
    const held: ServerResponse[] = [];
    const server = createServer((request, response) => {
      arrived.push(request.url ?? '');
      if (request.url === '/first') held.push(response);
      else response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const lost = new AbortController();
    let isOver = false;
    const transport = createTransport(
      { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
      {
        clock: realClock,
        random: createSeededRandom(1),
        connections: 1,
        beforeWrite: () => {
          if (isOver) lost.abort(new Error('lost'));
        },
      },
    );
    try {
      const write = (path: string) => transport.json({ method: 'POST', path, body: '{}', signal: lost.signal });
      const first = write('/first');
      while (held.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
      const others = [write('/second'), write('/third')];
      await new Promise((resolve) => void setTimeout(resolve, 50));
      isOver = true;
      held[0]?.end('{}');
      const outcomes = await Promise.allSettled([first, ...others]);
      await transport.json({ method: 'GET', path: '/read' });
      expect(outcomes.slice(1).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(arrived).toEqual(['/first', '/read']);
    } finally {
      await transport.close();
      server.close();
    }
  });
});
