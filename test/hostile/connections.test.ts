/** Connections that misbehave: floods, rapid resets, half-open sockets, wrong protocols. */
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { configMap, get, post, useHouse } from './support/house.ts';
import { openHttp2, openTls, type Http2Client } from './support/wire-client.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps';

const wellAfter = async (): Promise<void> => {
  expect((await house.ask(get('/readyz'))).text).toBe('ok');
  expect((await house.ask(get(`${PATH}/cm`))).status).toBe(200);
};
const flood = (client: Http2Client, count: number, headers: object): void => {
  for (let i = 0; i < count && !client.session.destroyed; i += 1) {
    const stream = client.session.request({ ':path': PATH, ...headers });
    stream.on('error', () => {});
    stream.close(8);
  }
};

describe('connections', () => {
  it('that reset every stream at once harm nobody else', async () => {
    await house.unharmed(async () => {
      for (const credentials of [house.admin, house.nobody]) {
        const client = openHttp2(house.cluster.server, credentials);
        for (let round = 0; round < 10 && !client.session.destroyed; round += 1) {
          flood(client, 500, {});
          await sleep(5);
        }
        await wellAfter();
        client.close();
      }
    });
  });

  it('that open more streams than allowed are held to the limit', async () => {
    await house.unharmed(async () => {
      const client = openHttp2(house.cluster.server, house.admin);
      const answers = await Promise.all(Array.from({ length: 3000 }, () => client.ask(get('/livez'))));
      expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['ok']));
      expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1000);
      client.close();
      await wellAfter();
    });
  });

  it('that begin bodies and never go on cost no more than what they sent', async () => {
    await house.unharmed(async () => {
      const client = openHttp2(house.cluster.server, house.admin);
      const streams = Array.from({ length: 300 }, () => {
        const stream = client.session.request({ ':method': 'POST', ':path': PATH, 'content-type': 'application/json' });
        stream.on('error', () => {});
        stream.write('{"apiVersion":"v1",');
        return stream;
      });
      await sleep(50);
      await wellAfter();
      for (const stream of streams) stream.close(8);
      client.close();
    });
  });

  it('that stop reading a large list are not served from ever more memory', async () => {
    const big = JSON.stringify(configMap({ data: { k: 'x'.repeat(900_000) } }, 'big'));
    expect((await house.ask(post(big))).status).toBe(201);
    await house.unharmed(async () => {
      const before = process.memoryUsage().rss;
      const client = openHttp2(house.cluster.server, house.admin);
      const streams = Array.from({ length: 200 }, () => {
        const stream = client.session.request({ ':path': PATH });
        stream.on('error', () => {});
        stream.pause();
        return stream;
      });
      await sleep(200);
      await wellAfter();
      expect(process.memoryUsage().rss - before).toBeLessThan(1024 * 1024 * 1024);
      for (const stream of streams) stream.close(8);
      client.close();
    });
  });

  it('that are opened and left alone, or speak no TLS, harm nobody', async () => {
    await house.unharmed(async () => {
      const { hostname, port } = new URL(house.cluster.server);
      const silent = Array.from({ length: 50 }, () => connectTcp(Number(port), hostname).on('error', () => {}));
      const plain = connectTcp(Number(port), hostname).on('error', () => {});
      plain.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
      const half = await openTls(house.cluster.server, house.admin);
      half.write('GET /version HTTP/1.1\r\nhos');
      const halfClosed = await openTls(house.cluster.server, house.admin);
      halfClosed.end('GET /version HTTP/1.1\r\nhost: x\r\n\r\n');
      await sleep(50);
      await wellAfter();
      for (const socket of [...silent, plain, half, halfClosed]) socket.destroy();
    });
  });

  it('that leave in the middle of an answer are forgotten', async () => {
    await house.unharmed(async () => {
      for (let i = 0; i < 30; i += 1) {
        const socket = await openTls(house.cluster.server, house.admin);
        socket.write(`GET ${PATH} HTTP/1.1\r\nhost: x\r\n\r\n`);
        socket.once('data', () => socket.destroy());
        await new Promise((resolve) => socket.once('close', resolve));
      }
      await wellAfter();
    });
  });

  it('may carry pipelined requests, answered in order', async () => {
    const socket = await openTls(house.cluster.server, house.admin);
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.write(
      `GET /livez HTTP/1.1\r\nhost: x\r\n\r\nGET ${PATH}/nothing HTTP/1.1\r\nhost: x\r\n\r\nGET /readyz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once('close', resolve));
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1])).toEqual(['200', '404', '200']);
  });

  it('with hostile headers are refused or ignored', async () => {
    await house.unharmed(async () => {
      const headers = [
        { 'x-big': 'x'.repeat(60_000) },
        Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, 'y'])),
        { cookie: 'a'.repeat(10_000) },
        { 'accept-encoding': 'gzip;q=nan, '.repeat(500) },
        { authorization: '' },
        { 'content-length': '5' },
        { expect: '100-continue' },
        { 'x-remote-user': 'admin', 'x-forwarded-for': '127.0.0.1' },
      ];
      for (const each of headers) {
        const client = openHttp2(house.cluster.server, house.admin);
        const answer = await client.ask({ ...get('/readyz'), headers: each }).catch((error: Error) => error.message);
        expect([Object.keys(each)[0], typeof answer === 'string' || answer.status < 500]).toEqual([
          Object.keys(each)[0],
          true,
        ]);
        client.close();
      }
      const { status } = await house.askAnonymously(
        get(PATH, { 'x-remote-user': 'kubernetes-admin', 'x-remote-group': 'system:masters' }),
      );
      expect(status).toBe(403);
    });
    await wellAfter();
  });
});
