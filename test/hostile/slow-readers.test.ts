/** Clients that ask and do not read: what they leave unread is theirs, and nobody else's connection or memory. */
import { constants, type ClientHttp2Stream } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { configMap, get, post, put, useHouse } from './support/house.ts';
import { openHttp2, openTls, type Http2Client } from './support/wire-client.ts';

const TIMEOUT_MS = 3000;
const house = useHouse({ limits: { timeoutMs: TIMEOUT_MS } });
const PATH = '/api/v1/namespaces/default/configmaps';
const BIG = 900_000;

const bigMap = (name: string, round: number): string =>
  JSON.stringify(configMap({ data: { round: String(round), k: 'x'.repeat(BIG) } }, name));
const clients: Http2Client[] = [];
const open = (): Http2Client => {
  const client = openHttp2(house.cluster.server, house.admin);
  clients.push(client);
  return client;
};

/** A request whose answer is never read: the window of its stream fills, and no further byte may be sent. */
function unread(client: Http2Client, path: string): Unread {
  const stream = client.session.request({ ':path': path });
  stream.on('error', () => {});
  stream.pause();
  const over = new Promise<number>((resolve) => stream.once('close', () => resolve(stream.rstCode)));
  return { stream, over, begun: Promise.race([over, new Promise((resolve) => stream.once('response', resolve))]) };
}

/** Also where the whole answer (a 429) has come: Node ends such a stream only once it is read. */
function giveUp(stream: ClientHttp2Stream): void {
  stream.close(constants.NGHTTP2_CANCEL);
  stream.resume();
}

interface Unread {
  readonly stream: ClientHttp2Stream;
  /** The answer has begun, or the stream is over. */
  readonly begun: Promise<unknown>;
  /** The code it was reset with. */
  readonly over: Promise<number>;
}

/** Reads for a moment: then Node has been given all that waited until then. */
async function readSome({ stream, over }: Unread): Promise<void> {
  let read = 0;
  const enough = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => {
      read += chunk.length;
      if (read < BIG * 1.5) return;
      stream.pause();
      resolve();
    });
  });
  stream.resume();
  await Promise.race([enough, over]);
}

/** Small requests on a connection that others misuse. */
async function neighbours(client: Http2Client, count: number): Promise<Set<number | string>> {
  const seen = new Set<number | string>();
  for (let i = 0; i < count; i += 1) {
    const { status } = await client.ask(get(`${PATH}/cm`)).catch((error: Error) => ({ status: error.message }));
    seen.add(status);
  }
  return seen;
}

async function change(name: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const answer = await house.ask(put(bigMap(name, i), undefined, `${PATH}/${name}`));
    expect(answer.status).toBe(200);
  }
}

beforeAll(async () => {
  const { status } = await house.ask(post(bigMap('big', -1)));
  if (status !== 201) throw new Error(`the large ConfigMap was answered ${status}`);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

describe('one HTTP/2 connection', () => {
  it('goes on for 150 other requests while its slow watches are cut off, round after round', async () => {
    const client = open();
    for (let round = 0; round < 3; round += 1) {
      const watches = Array.from({ length: 6 }, () =>
        unread(client, `${PATH}?watch=true&fieldSelector=metadata.name=big`),
      );
      await Promise.all(watches.map(({ begun }) => begun));
      await change('big', 9);
      await Promise.all(watches.map(readSome));
      const [seen] = await Promise.all([neighbours(client, 50), change('big', 12)]);
      expect(seen).toEqual(new Set([200]));
      const codes = await Promise.all(watches.map(({ over }) => over));
      expect(new Set(codes)).toEqual(new Set([constants.NGHTTP2_CANCEL]));
    }
    expect(await neighbours(client, 150)).toEqual(new Set([200]));
    expect(client.session.closed).toBe(false);
  }, 60_000);

  it.each([
    ['objects', `${PATH}/big`],
    ['lists', PATH],
  ])(
    'goes on for others while hundreds of %s are asked for, not read, and given up',
    async (_, path) => {
      const client = open();
      for (let round = 0; round < 3; round += 1) {
        const answers = Array.from({ length: 300 }, () => unread(client, path));
        await Promise.all(answers.map(({ begun }) => begun));
        expect(await neighbours(client, 50)).toEqual(new Set([200]));
        for (const { stream } of answers) giveUp(stream);
        await Promise.all(answers.map(({ over }) => over));
      }
      expect(await neighbours(client, 150)).toEqual(new Set([200]));
      expect(client.session.closed).toBe(false);
    },
    60_000,
  );

  it('is left, not broken, when streams that were given up have cost it too much', async () => {
    const client = open();
    const left = new Promise<number>((resolve) => client.session.once('goaway', (code) => resolve(code)));
    let isLeft = false;
    void left.then(() => (isLeft = true));
    const seen = new Set<number | string>();
    for (let round = 0; round < 40 && !isLeft; round += 1) {
      const answers = Array.from({ length: 200 }, () => unread(client, `${PATH}/big`));
      await Promise.all(answers.map(({ begun }) => begun));
      const statuses = await neighbours(client, 2);
      // Once asked to leave, this client opens no more streams.
      if (!isLeft) for (const status of statuses) seen.add(status);
      for (const { stream } of answers) giveUp(stream);
      await Promise.all(answers.map(({ over }) => over));
    }
    expect(seen).toEqual(new Set([200]));
    expect(await left).toBe(constants.NGHTTP2_NO_ERROR);
    expect((await open().ask(get(`${PATH}/cm`))).status).toBe(200);
  }, 60_000);
});

describe('an answer that is not read', () => {
  it('is broken off when its time is up, over HTTP/2', async () => {
    const client = open();
    const { over } = unread(client, `${PATH}/big`);
    expect(await over).toBe(constants.NGHTTP2_CANCEL);
    expect(await neighbours(client, 3)).toEqual(new Set([200]));
  });

  it('is broken off when its time is up, over HTTP/1.1', async () => {
    // More than the buffers of both kernels take.
    for (let i = 0; i < 12; i += 1) await house.ask(post(bigMap(`more-${i}`, i)));
    const socket = await openTls(house.cluster.server, house.admin);
    socket.pause();
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: x\r\n\r\nGET ${PATH} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await Promise.race([closed, sleep(TIMEOUT_MS * 2)]);
    let length = 0;
    socket.on('data', (chunk: Buffer) => (length += chunk.length));
    socket.resume();
    await closed;
    expect(length).toBeLessThan(24 * BIG);
  });
});

describe('a slow watch over HTTP/1.1', () => {
  it('is cut off, while other connections go on', async () => {
    const sockets = await Promise.all(Array.from({ length: 4 }, () => openTls(house.cluster.server, house.admin)));
    for (const socket of sockets) {
      socket.pause();
      socket.write(`GET ${PATH}?watch=true&fieldSelector=metadata.name=big HTTP/1.1\r\nhost: x\r\n\r\n`);
    }
    await sleep(200);
    await change('big', 32);
    expect(await neighbours(open(), 20)).toEqual(new Set([200]));
    await Promise.all(
      sockets.map((socket) => {
        socket.resume();
        return new Promise((resolve) => socket.once('close', resolve));
      }),
    );
  }, 60_000);
});
