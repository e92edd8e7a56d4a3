/**
 * Large lists share memory on their way out: blocks are filled again once they are sent. Whoever reads slowly, or beside
 * many others, still gets every byte that was meant for him.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { configMap, post, put, useHouse } from './support/house.ts';
import { askHttp1, openHttp2 } from './support/wire-client.ts';

const house = useHouse();
const PATH = '/api/v1/namespaces/default/configmaps';
const SELECTED = `${PATH}?labelSelector=list%3Dlarge`;
const COUNT = 240;

/** Says on every line whose it is and of which round, so that a byte of another is seen wherever it stands. */
const textOf = (name: string, round: number): string => `${name}/${round} ü€;`.repeat(700);
const named = (i: number, round: number): object => {
  const name = `large-${String(i).padStart(4, '0')}`;
  return configMap({ metadata: { name, labels: { list: 'large' } }, data: { text: textOf(name, round) } }, name);
};

interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string }; readonly data: { readonly text: string } }[];
}

function expectWhole(text: string): void {
  const { items } = JSON.parse(text) as Listed;
  expect(items).toHaveLength(COUNT);
  for (const { data, metadata } of items) {
    const round = Number(/\/(\d+) /u.exec(data.text)?.[1]);
    expect(data.text === textOf(metadata.name, round), metadata.name).toBe(true);
  }
}

/** Reads a few thousand bytes, waits, reads on. */
async function readSlowly(client: ReturnType<typeof openHttp2>): Promise<string> {
  const stream = client.session.request({ ':path': SELECTED });
  const chunks: Buffer[] = [];
  let read = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    // What is handed over must not change afterwards either.
    chunks.push(chunk);
    read += chunk.length;
    if (read > 400_000) {
      read = 0;
      await sleep(5);
    }
  }
  return Buffer.concat(chunks).toString();
}

describe('large lists', () => {
  it('arrive whole with slow readers, many readers, both protocols and writers in between', async () => {
    for (let i = 0; i < COUNT; i += 1) expect((await house.ask(post(JSON.stringify(named(i, 0))))).status).toBe(201);
    const clients = Array.from({ length: 3 }, () => openHttp2(house.cluster.server, house.admin));
    const write = async (): Promise<void> => {
      for (let i = 0; i < COUNT; i += 3) {
        const object = named(i, i + 1) as { metadata: { name: string } };
        const answer = await house.ask(
          put(JSON.stringify(object), 'application/json', `${PATH}/${object.metadata.name}`),
        );
        expect(answer.status).toBe(200);
      }
    };
    const request = { method: 'GET', path: SELECTED };
    const [texts] = await Promise.all([
      Promise.all([
        ...clients.map(readSlowly),
        ...clients.flatMap((client) =>
          [client.ask(request), client.ask(request)].map(async (answer) => (await answer).text),
        ),
        ...clients.map(async () => (await askHttp1(house.cluster.server, house.admin, request)).text),
      ]),
      write(),
    ]);
    for (const text of texts) expectWhole(text);
    for (const client of clients) client.close();
  });

  it('arrive whole as the beginning of a watch too, however large and however slowly they are read', async () => {
    // More than a watcher that cannot keep up may leave unread.
    const filler = 'x'.repeat(200_000);
    for (let i = 0; i < 120; i += 1) {
      const name = `watched-${i}`;
      const object = configMap({ metadata: { name, labels: { list: 'watched' } }, data: { filler } }, name);
      expect((await house.ask(post(JSON.stringify(object)))).status).toBe(201);
    }
    const client = openHttp2(house.cluster.server, house.admin);
    const query =
      'watch=1&labelSelector=list%3Dwatched&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=20';
    const stream = client.session.request({ ':path': `${PATH}?${query}` });
    const names: string[] = [];
    let text = '';
    let isWhole = false;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      text += chunk.toString('latin1');
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) {
        const event = JSON.parse(line) as { type: string; object: { metadata: { name: string } } };
        if (event.type === 'ADDED') names.push(event.object.metadata.name);
        else isWhole = event.type === 'BOOKMARK';
      }
      if (isWhole) break;
      if (names.length % 20 === 0) await sleep(20);
    }
    expect(isWhole).toBe(true);
    expect(new Set(names).size).toBe(120);
    client.close();
  });
});
