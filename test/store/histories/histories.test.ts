/** What concurrent clients of a running server see, in the same process and over HTTPS, checked as a whole. */
import { afterEach, describe, expect, it } from 'vitest';
import { createTestServer } from '../../../src/apiserver/testing/test-server.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createHttpClient } from '../../../src/machinery/client/http/http-client.ts';
import { realClock } from '../../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../../src/machinery/random/real-random.ts';
import { credentialsOf } from '../../hostile/support/wire-client.ts';
import { startTestCluster } from '../../support/cluster.ts';
import { HELD_EVENTS, recordHistory, WATCHERS } from './record-history.ts';

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const last of undo.splice(0).toReversed()) await last();
});

async function inProcess(): Promise<Client> {
  const { client, store } = await createTestServer({ history: { events: HELD_EVENTS } });
  undo.push(() => store.close());
  return client;
}

async function overHttps(): Promise<Client> {
  const cluster = await startTestCluster({ groups: [], history: { events: HELD_EVENTS } });
  undo.push(() => cluster.stop());
  const client = createHttpClient(
    { server: cluster.server, tls: credentialsOf(cluster.kubeconfig) },
    { clock: realClock, random: realRandom, maxRetries: 0 },
  );
  undo.push(() => client.close());
  return client;
}

describe.each([
  ['in the same process', inProcess, 200],
  ['over HTTPS', overHttps, 80],
])('clients %s', (_, start, callsEach) => {
  it('see one order of everything; watchers see each change once, or are told to list again', async () => {
    const { calls, problems, watchers } = await recordHistory(await start(), 'histories', callsEach);
    expect(problems).toEqual([]);
    const count = (type: string): number => calls.filter(({ answer }) => answer.type === type).length;
    expect(count('unknown')).toBe(0);
    // It was a fight.
    expect(Math.min(count('conflict'), count('exists'), count('absent'), count('list'))).toBeGreaterThan(5);
    const sum = (of: 'resumed' | 'expired'): number => watchers.reduce((total, watched) => total + watched[of], 0);
    process.stderr.write(
      `${calls.length} calls, ${count('conflict')} conflicts; ${WATCHERS} watchers went on ${sum('resumed')} times, ` +
        `and were told to list again ${sum('expired')} times\n`,
    );
  }, 60_000);
});

type Lies = (client: Client) => Partial<Client>;

/** One in so many of the answers is a lie. */
const ODDS = 9;
const nowAndThen = (): (() => boolean) => {
  let count = 0;
  return () => (count += 1) % ODDS === 0;
};

const LIARS: readonly (readonly [string, Lies])[] = [
  [
    'answers reads from a cache that is behind',
    (client) => {
      const isLie = nowAndThen();
      const cache = new Map<string, unknown>();
      return {
        async get(resource, key, options) {
          const old = cache.get(key.name);
          const found = await client.get(resource, key, options);
          if (!cache.has(key.name) || isLie()) cache.set(key.name, found);
          return (old as typeof found | undefined) ?? found;
        },
      };
    },
  ],
  [
    'loses a write that it has answered',
    (client) => {
      const isLie = nowAndThen();
      return {
        async update(resource, object, options) {
          return client.update(resource, object, { ...options, dryRun: isLie() });
        },
      };
    },
  ],
  [
    'lets a write pass that should conflict',
    (client) => ({
      async update(resource, object, options) {
        const { resourceVersion: _, ...metadata } = object.metadata;
        return client.update(resource, { ...object, metadata }, options);
      },
    }),
  ],
  [
    'leaves an event out of a watch',
    (client) => {
      const isLie = nowAndThen();
      return {
        async *watch(resource, options) {
          for await (const events of client.watch(resource, options)) yield events.filter(() => !isLie());
        },
      };
    },
  ],
  [
    'tells a watcher an event twice',
    (client) => {
      const isLie = nowAndThen();
      return {
        async *watch(resource, options) {
          for await (const events of client.watch(resource, options)) {
            yield events.flatMap((event) => (isLie() ? [event, event] : [event]));
          }
        },
      };
    },
  ],
  [
    'lists objects of different moments',
    (client) => ({
      async list(resource, options) {
        const before = await client.list(resource, options);
        await realClock.sleep(2);
        const after = await client.list(resource, options);
        const half = Math.ceil(before.items.length / 2);
        return { ...after, items: [...before.items.slice(0, half), ...after.items.slice(half)] };
      },
    }),
  ],
];

describe('a history', () => {
  it.each(LIARS)(
    'gives away a server that %s',
    async (_, lies) => {
      const client = await inProcess();
      const { problems } = await recordHistory({ ...client, ...lies(client) }, 'liars', 60);
      expect(problems).not.toEqual([]);
    },
    60_000,
  );
});
