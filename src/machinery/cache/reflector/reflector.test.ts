import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { expired, invalidObject, StatusError } from '../../../core/kube/status-error.ts';
import type { Client, ListOptions, WatchEvent } from '../../client/client.ts';
import { CONFIG_MAPS } from '../../../core/api/registry/resources.ts';
import { configMap, merge } from '../../client/contract/support.contract.ts';
import { createSeededRandom } from '../../random/seeded-random.ts';
import { createFakeClient } from '../../testing/fake-client.ts';
import type { FakeRequest } from '../../testing/fake-server.ts';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import type { ReflectorOptions } from './reflector-options.ts';
import { createReflector } from './reflector.ts';

const namespace = 'ns';

function setUp(options: Partial<ReflectorOptions> = {}, wrap: (client: Client) => Client = (client) => client) {
  const clock = createVirtualClock();
  const random = createSeededRandom(1);
  const client = createFakeClient({ clock, random });
  const log: string[] = [];
  const state = new Map<string, string>();
  /** The versions of the events handed on, in that order. */
  const versions: bigint[] = [];
  const reflector = createReflector<ConfigMap>(
    wrap(client),
    CONFIG_MAPS,
    { namespace },
    {
      replace(items) {
        log.push(`replace ${items.map((item) => item.metadata.name).join(',')}`);
        state.clear();
        for (const item of items) state.set(item.metadata.name, item.metadata.resourceVersion);
      },
      apply(events) {
        for (const { type, object } of events) {
          log.push(`${type} ${object.metadata.name}`);
          versions.push(BigInt(object.metadata.resourceVersion));
          if (type === 'DELETED') state.delete(object.metadata.name);
          else state.set(object.metadata.name, object.metadata.resourceVersion);
        }
      },
    },
    { clock, random, ...options },
  );
  const stop = new AbortController();
  const create = (name: string) => client.create(CONFIG_MAPS, configMap(name), { namespace });
  const remove = (name: string) => client.delete(CONFIG_MAPS, { namespace, name });
  const run = () => reflector.run(stop.signal);
  const verbs = () => client.requests.filter(({ verb }) => verb === 'list' || verb === 'watch').map(({ verb }) => verb);
  /** The server's objects, to compare with those that were followed. */
  const truth = async () =>
    new Map(
      (await client.list(CONFIG_MAPS, { namespace })).items.map(({ metadata }) => [
        metadata.name,
        metadata.resourceVersion,
      ]),
    );
  return { clock, random, client, log, versions, state, reflector, stop, create, remove, run, verbs, truth };
}

const unavailable = new StatusError(503, 'ServiceUnavailable', 'down');

describe('reflector', () => {
  it('lists, then follows every change', async () => {
    const { clock, log, reflector, create, remove, run, verbs } = setUp();
    await create('a');
    void run();
    await clock.drain();
    expect([log, reflector.phase]).toEqual([['replace a'], 'watching']);
    await create('b');
    await remove('a');
    await clock.drain();
    expect(log).toEqual(['replace a', 'ADDED b', 'DELETED a']);
    expect(verbs()).toEqual(['list', 'watch']);
  });

  it('gathers pages aside and shows them at once', async () => {
    const { clock, log, create, run, verbs } = setUp({ pageSize: 2 });
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
    void run();
    await clock.drain();
    expect(log).toEqual(['replace a,b,c,d,e']);
    expect(verbs()).toEqual(['list', 'list', 'list', 'watch']);
  });

  it('starts the list over in larger pages when a page has expired, and reads it whole if that happens again', async () => {
    const asked: (ListOptions | undefined)[] = [];
    const { clock, client, log, create, run } = setUp({ pageSize: 2 }, (inner) => ({
      ...inner,
      list: (resource, options) => {
        asked.push(options);
        return inner.list(resource, options);
      },
    }));
    for (let i = 0; i < 21; i += 1) await create(`x${String(i).padStart(2, '0')}`);
    client.before = ({ verb }) => {
      if (verb === 'list' && asked.at(-1)?.continue !== undefined) throw expired('too old');
    };
    void run();
    await clock.drain();
    expect(log).toHaveLength(1);
    expect(log[0]?.split(',')).toHaveLength(21);
    expect(asked.map((options) => [options?.limit, options?.continue !== undefined])).toEqual([
      [2, false],
      [2, true],
      [20, false],
      [20, true],
      [undefined, false],
    ]);
  });

  it('goes on with the pages it has after a passing failure', async () => {
    const { clock, client, log, create, run } = setUp({ pageSize: 1 });
    for (const name of ['a', 'b', 'c']) await create(name);
    let lists = 0;
    client.before = ({ verb }) => {
      if (verb === 'list' && ++lists === 2) throw unavailable;
    };
    void run();
    await clock.advance(5000);
    expect(log).toEqual(['replace a,b,c']);
    expect(lists).toBe(4);
  });

  it('resumes a watch that ended where it left off, without a new list', async () => {
    const { clock, client, log, create, run, verbs } = setUp();
    void run();
    await clock.drain();
    await create('a');
    await clock.drain();
    client.breakWatches();
    await create('b');
    await clock.drain();
    client.breakWatches();
    await create('c');
    await clock.advance(5000);
    expect(log).toEqual(['replace ', 'ADDED a', 'ADDED b', 'ADDED c']);
    expect(verbs().filter((verb) => verb === 'list')).toHaveLength(1);
  });

  it('keeps what it knows while the server is away, and catches up when it is back', async () => {
    const { clock, client, log, state, create, remove, run, truth } = setUp();
    await create('a');
    void run();
    await clock.drain();
    let down = true;
    client.before = ({ verb }: FakeRequest) => {
      if (down && (verb === 'list' || verb === 'watch')) throw unavailable;
    };
    client.breakWatches(unavailable);
    await clock.advance(60_000);
    expect([...state.keys()]).toEqual(['a']);
    await create('b');
    await remove('a');
    down = false;
    await clock.advance(61_000);
    expect(log).toEqual(['replace a', 'ADDED b', 'DELETED a']);
    expect(state).toEqual(await truth());
  });

  it('says that it is refused from the moment the right is gone until it is let in again', async () => {
    const { clock, client, reflector, create, run } = setUp();
    await create('a');
    void run();
    await clock.advance(10_000);
    const refusals = async (ms: number): Promise<ReadonlySet<number | undefined>> => {
      const seen = new Set<number | undefined>();
      for (let at = 0; at < ms; at += 100) {
        await clock.advance(100);
        seen.add(reflector.refusal?.code);
      }
      return seen;
    };
    expect(await refusals(1_000)).toEqual(new Set([undefined]));
    client.before = ({ verb }: FakeRequest) => {
      if (verb === 'watch') throw new StatusError(403, 'Forbidden', 'no');
    };
    client.breakWatches();
    await clock.advance(2_000);
    // Also during an attempt: the refusal does not come and go between two of them.
    expect(await refusals(120_000)).toEqual(new Set([403]));
    client.before = undefined;
    await clock.advance(70_000);
    expect(await refusals(10_000)).toEqual(new Set([undefined]));
    // A server that is away refuses nothing.
    client.before = () => {
      throw unavailable;
    };
    client.breakWatches(unavailable);
    expect(await refusals(10_000)).toEqual(new Set([undefined]));
  });

  it('backs off while it fails: later and later, with jitter, never longer than a minute', async () => {
    const { clock, client, run } = setUp();
    const times: number[] = [];
    client.before = () => {
      times.push(clock.monotonic());
      throw unavailable;
    };
    void run();
    await clock.advance(600_000);
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(gaps[0]).toBeGreaterThanOrEqual(800);
    expect(gaps[0]).toBeLessThan(1600);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
    expect(gaps.at(-1)).toBeGreaterThanOrEqual(30_000);
    expect(new Set(gaps).size).toBe(gaps.length);
  });

  it('lists anew when its version has expired, and never shows less in between', async () => {
    const { clock, client, log, state, create, remove, run, truth } = setUp();
    await create('a');
    await create('b');
    void run();
    await clock.drain();
    client.before = ({ verb }) => {
      if (verb === 'watch') throw unavailable;
    };
    client.breakWatches(unavailable);
    await clock.drain();
    await create('c');
    await remove('a');
    client.compact();
    client.before = undefined;
    await clock.advance(120_000);
    expect(log).toEqual(['replace a,b', 'replace b,c']);
    expect(state).toEqual(await truth());
  });

  it('does not hammer a server whose watches are always expired', async () => {
    const { clock, client, run, verbs } = setUp();
    client.before = ({ verb }) => {
      if (verb === 'watch') throw expired('always');
    };
    void run();
    await clock.advance(60_000);
    expect(verbs().filter((verb) => verb === 'list').length).toBeLessThan(12);
  });

  it('does not hammer a server that ends every watch at once', async () => {
    const { clock, run, verbs } = setUp({}, (inner) => ({
      ...inner,
      // eslint-disable-next-line require-yield
      async *watch(resource) {
        await inner.list(resource);
      },
    }));
    void run();
    await clock.advance(60_000);
    expect(verbs().length).toBeLessThan(20);
  });

  it('moves on with bookmarks, so that a quiet watch does not expire', async () => {
    const { clock, client, log, reflector, create, run } = setUp();
    await create('a');
    void run();
    await clock.drain();
    await client.create(CONFIG_MAPS, configMap('elsewhere'), { namespace: 'other' });
    client.bookmark();
    await clock.drain();
    expect(reflector.resourceVersion).toBe(client.revision);
    client.compact();
    client.breakWatches();
    await create('b');
    await clock.drain();
    expect(log).toEqual(['replace a', 'ADDED b']);
  });

  it('ignores events that it has seen, whoever repeats them', async () => {
    const repeated: WatchEvent<ConfigMap>[] = [];
    const { clock, log, create, run } = setUp({}, (inner) => ({
      ...inner,
      async *watch(resource, options) {
        for await (const batch of inner.watch(resource, options)) {
          repeated.push(...(batch as unknown as readonly WatchEvent<ConfigMap>[]));
          yield [...(repeated as unknown as typeof batch), ...batch];
        }
      },
    }));
    void run();
    await clock.drain();
    for (const name of ['a', 'b', 'c']) {
      await create(name);
      await clock.drain();
    }
    expect(log).toEqual(['replace ', 'ADDED a', 'ADDED b', 'ADDED c']);
  });

  it('ends a silent watch itself, and resumes', async () => {
    const { clock, client, log, create, run, verbs } = setUp({ watchTimeoutMs: 10_000 }, (inner) => ({
      ...inner,
      // A connection that the server has forgotten: no timeout will ever come.
      watch: (resource, options) => inner.watch(resource, { ...options, timeoutSeconds: 0 }),
    }));
    void run();
    await clock.drain();
    await clock.advance(200_000);
    expect(verbs().filter((verb) => verb === 'watch').length).toBeGreaterThan(3);
    expect(client.openWatches).toBe(1);
    await create('a');
    await clock.drain();
    expect(log).toEqual(['replace ', 'ADDED a']);
  });

  it('sets no timer when the server is in the same process', async () => {
    const { clock, run } = setUp({ watchTimeoutMs: 0 });
    void run();
    await clock.drain();
    expect(clock.pendingTimers).toBe(0);
  });

  it('stops wherever it is', async () => {
    for (const at of ['list', 'watch', 'wait'] as const) {
      const { clock, client, stop, run } = setUp();
      client.before = ({ verb }) => {
        if (at === 'wait') throw unavailable;
        if (verb === at) stop.abort();
      };
      const running = run();
      await clock.drain();
      stop.abort();
      await clock.drain();
      await running;
      expect([client.openWatches, clock.pendingTimers]).toEqual([0, 0]);
    }
  });

  describe('streaming lists', () => {
    it('reads the state as the first events of the watch', async () => {
      const { clock, log, create, remove, run, verbs } = setUp({ streamingList: true });
      await create('a');
      await create('b');
      void run();
      await clock.drain();
      expect(log).toEqual(['replace a,b']);
      await remove('a');
      await clock.drain();
      expect(log).toEqual(['replace a,b', 'DELETED a']);
      expect(verbs()).toEqual(['watch']);
    });

    it('falls back to lists where the server refuses', async () => {
      const refusal = invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', []);
      const { clock, log, create, run, verbs } = setUp({ streamingList: true }, (inner) => ({
        ...inner,
        watch: (resource, options) => {
          if (options?.sendInitialEvents === true) throw refusal;
          return inner.watch(resource, options);
        },
      }));
      await create('a');
      void run();
      await clock.drain();
      expect([log, verbs()]).toEqual([['replace a'], ['list', 'watch']]);
    });

    it('shows nothing of an initial state that broke off', async () => {
      const { clock, client, log, create, run } = setUp({ streamingList: true }, (inner) => {
        let first = true;
        return {
          ...inner,
          async *watch(resource, options) {
            for await (const batch of inner.watch(resource, options)) {
              if (!first) {
                yield batch;
                continue;
              }
              first = false;
              yield batch.slice(0, 1);
              throw unavailable;
            }
          },
        };
      });
      await create('a');
      await create('b');
      void run();
      await clock.drain();
      expect(log).toEqual([]);
      await clock.advance(5000);
      expect(log).toEqual(['replace a,b']);
      expect(client.openWatches).toBe(1);
    });
  });

  it('goes over to pages when streams break off again and again, and says nothing less in between', async () => {
    const { clock, log, create, run, verbs } = setUp({ streamingList: true }, (inner) => ({
      ...inner,
      async *watch(resource, options) {
        for await (const batch of inner.watch(resource, options)) {
          yield options?.sendInitialEvents === true ? batch.slice(0, 1) : batch;
          if (options?.sendInitialEvents === true) throw unavailable;
        }
      },
    }));
    await create('a');
    await create('b');
    void run();
    await clock.advance(10_000);
    await create('c');
    await clock.drain();
    expect(log).toEqual(['replace a,b', 'ADDED c']);
    expect(verbs()).toEqual(['watch', 'watch', 'list', 'watch']);
  });

  it('goes over to pages on a server that never says that its first events were all', async () => {
    const { clock, log, create, run } = setUp({ streamingList: true, watchTimeoutMs: 10_000 }, (inner) => ({
      ...inner,
      async *watch(resource, options) {
        for await (const batch of inner.watch(resource, { ...options, timeoutSeconds: 0 }))
          yield batch.filter((event) => event.type !== 'BOOKMARK');
      },
    }));
    await create('a');
    void run();
    await clock.advance(60_000);
    expect(log).toEqual(['replace a']);
  });

  it('keeps of each object what it is told to, as it comes', async () => {
    for (const how of [{ pageSize: 2 }, { streamingList: true }]) {
      const clock = createVirtualClock();
      const random = createSeededRandom(1);
      const client = createFakeClient({ clock, random });
      for (const name of ['a', 'b', 'c']) await client.create(CONFIG_MAPS, configMap(name), { namespace });
      const kept: unknown[] = [];
      const sink = {
        intern: (object: Stored<ConfigMap>) => ({ ...object, data: { kept: object.metadata.name } }),
        replace: (items: readonly Stored<ConfigMap>[]) => void kept.push(...items.map((item) => item.data)),
        apply: () => undefined,
      };
      void createReflector(client, CONFIG_MAPS, { namespace }, sink, { clock, random, ...how }).run(
        new AbortController().signal,
      );
      await clock.drain();
      expect(kept).toEqual([{ kept: 'a' }, { kept: 'b' }, { kept: 'c' }]);
    }
  });

  describe('lists from any state', () => {
    const asking = (options: Partial<ReflectorOptions>) => {
      const asked: (ListOptions | undefined)[] = [];
      const world = setUp(options, (inner) => ({
        ...inner,
        list(resource, listOptions) {
          asked.push(listOptions);
          // The fake keeps no old state; only the requested version matters here.
          const { resourceVersion: _version, ...rest } = listOptions ?? {};
          return inner.list(resource, rest);
        },
      }));
      return { ...world, versions: () => asked.map((each) => each?.resourceVersion) };
    };

    it('take what the server has at first, and never anything older later', async () => {
      const { clock, client, create, run, versions, reflector } = asking({ startFrom: 'any' });
      await create('a');
      void run();
      await clock.drain();
      const seen = reflector.resourceVersion;
      client.before = ({ verb }) => {
        if (verb === 'watch') throw expired('too old');
      };
      client.breakWatches(unavailable);
      await clock.advance(5000);
      expect(versions().slice(0, 2)).toEqual(['0', seen]);
    });

    it.each([
      expired('too old'),
      new StatusError(504, 'Timeout', 'Too large resource version', {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      }),
    ])('take the newest where the server has not that version: %s', async (refusal) => {
      const { clock, client, create, run, versions, log } = asking({ startFrom: 'any' });
      await create('a');
      let lists = 0;
      client.before = ({ verb }) => {
        if (verb === 'list' && ++lists === 1) throw refusal;
      };
      void run();
      await clock.drain();
      expect([versions(), log]).toEqual([['0', undefined], ['replace a']]);
    });

    it('take the newest always, unless told otherwise', async () => {
      const { clock, create, run, versions } = asking({});
      await create('a');
      void run();
      await clock.drain();
      expect(versions()).toEqual([undefined]);
    });
  });

  it('survives 150,000 objects in one piece', async () => {
    const items = Array.from({ length: 150_000 }, (_, index) => {
      const metadata = { name: `n-${index}`, namespace, uid: 'u', resourceVersion: '7', creationTimestamp: '' };
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    });
    let replaced = 0;
    const clock = createVirtualClock();
    const client = createFakeClient({ clock, random: createSeededRandom(1) });
    const list = async () => ({ items: items as never[], resourceVersion: '100' });
    const reflector = createReflector<ConfigMap>(
      { ...client, list },
      CONFIG_MAPS,
      {},
      { apply: () => undefined, replace: (all) => void (replaced = all.length) },
      { clock, random: createSeededRandom(1), pageSize: 0 },
    );
    void reflector.run(new AbortController().signal);
    await clock.drain();
    expect(replaced).toBe(150_000);
  });

  it('ends with the truth after any weather, showing every change at most once and in order', async () => {
    for (let seed = 0; seed < 25; seed += 1) {
      const { clock, client, log, versions, state, reflector, random, create, remove, run, truth } = setUp({
        pageSize: 1 + (seed % 4),
        streamingList: seed % 3 === 0,
        watchTimeoutMs: seed % 2 === 0 ? 20_000 : 0,
      });
      const chance = createSeededRandom(`weather ${seed}`);
      client.before = ({ verb }) => {
        if ((verb === 'list' || verb === 'watch') && chance.integer(4) === 0) throw unavailable;
      };
      void run();
      const alive = new Set<string>();
      for (let step = 0; step < 60; step += 1) {
        const name = `n${chance.integer(8)}`;
        if (!alive.has(name)) {
          await create(name);
          alive.add(name);
        } else if (chance.integer(2) === 0) {
          await remove(name);
          alive.delete(name);
        } else {
          await client.patch(CONFIG_MAPS, { namespace, name }, merge({ data: { step: String(step) } }));
        }
        const event = chance.integer(12);
        if (event === 0) client.breakWatches();
        if (event === 1) client.breakWatches(unavailable);
        if (event === 2) client.compact();
        if (event === 3) client.bookmark();
        await clock.advance(chance.integer(3000) * random.integer(2));
      }
      client.before = undefined;
      await clock.advance(300_000);
      expect(state, `seed ${seed}`).toEqual(await truth());
      expect(reflector.phase, `seed ${seed}`).toBe('watching');
      expect(log.length, `seed ${seed}`).toBeGreaterThan(1);
      const inOrder = versions.every((version, index) => index === 0 || version > (versions[index - 1] ?? 0n));
      expect(inOrder, `seed ${seed}`).toBe(true);
    }
  });
});
