/** `kill -9` of the published server under an HTTPS write load, again and again on the same directory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp2, type Http2Client } from '../../hostile/support/wire-client.ts';
import { SELECTED, Watcher, write } from './load.ts';
import { Model, type Item } from './model.ts';
import { build, start, temporaryDataDir } from './server-process.ts';

/** See docs/testing.md. */
const KILLS = Number(process.env['EVERYNODE_KILLS'] ?? 50);
const PATIENCE_MS = 120_000 + KILLS * 30_000;
const CONNECTIONS = 4;
const WORKERS_EACH = 4;

const { dataDir, remove } = temporaryDataDir();
beforeAll(build, 120_000);
afterAll(remove);

async function list(client: Http2Client): Promise<{ items: readonly Item[]; revision: number }> {
  const { text } = await client.ask({ method: 'GET', path: SELECTED });
  const body = JSON.parse(text) as { metadata: { resourceVersion: string }; items: Item[] };
  return { items: body.items, revision: Number(body.metadata.resourceVersion) };
}

const shape = (items: Iterable<Item>): string[] =>
  [...items].map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted();

describe('kill -9 of a server under load', () => {
  it(
    `loses no answered write in ${KILLS} kills; revisions only grow; watchers resume or are told to list again`,
    async () => {
      const model = new Model();
      const watcher = new Watcher();
      let answers = 0;
      let unanswered = 0;
      for (let kill = 0; kill <= KILLS; kill += 1) {
        const server = await start(dataDir);
        const clients = Array.from({ length: CONNECTIONS }, () => openHttp2(server.server, server.credentials));
        const [first] = clients;
        if (first === undefined) throw new Error('no connection');
        const { items, revision } = await list(first);
        expect(model.compare(items, revision)).toEqual([]);

        // Nothing is written now: the watcher must come to see exactly what the server has.
        const followed = watcher.follow(openHttp2(server.server, server.credentials));
        const deadline = Date.now() + 10_000;
        while (shape(watcher.items.values()).join() !== shape(items).join() && Date.now() < deadline) await sleep(2);
        expect(shape(watcher.items.values())).toEqual(shape(items));

        if (kill < KILLS) {
          const { promise: answered, resolve } = Promise.withResolvers<void>();
          const onAnswer = (): void => {
            answers += 1;
            resolve();
          };
          const work = clients.flatMap((client, at) =>
            Array.from({ length: WORKERS_EACH }, (_, i) => write(client, at * WORKERS_EACH + i, model, onAnswer)),
          );
          await Promise.race([answered, Promise.all(work)]);
          await sleep(Math.random() * 120);
          await server.kill('SIGKILL');
          await Promise.all(work);
          unanswered += model.pending.size;
        } else {
          await server.kill('SIGTERM');
        }
        await followed;
        for (const client of clients) client.close();
      }
      expect(watcher.problems).toEqual([]);
      expect(answers).toBeGreaterThan(KILLS);
      process.stderr.write(
        `${KILLS} kills of a server: ${answers} answered writes, all there, ${unanswered} cut off, revision ${model.newest}; the watcher resumed ${watcher.resumed} times and listed again ${watcher.relisted} times\n`,
      );
    },
    PATIENCE_MS,
  );
});
