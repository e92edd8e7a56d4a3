import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../../core/api/registry/resources.ts';
import { configMap, merge } from '../client/contract/support.contract.ts';
import { createInformer, type InformerHandler } from './informer.ts';
import { createInformers } from './informers.ts';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import { rememberingLogger } from '../logging/logger.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';

const namespace = 'ns';

function setUp() {
  const clock = createVirtualClock();
  const random = createSeededRandom(1);
  const client = createFakeClient({ clock, random });
  const log = rememberingLogger();
  const options = { clock, random, logger: log.logger, watchTimeoutMs: 0 };
  const informer = createInformer(client, CONFIG_MAPS, { namespace }, options);
  const stop = new AbortController();
  const create = (name: string) =>
    client.create(CONFIG_MAPS, configMap(name, { labels: { first: name.slice(0, 1) } }), { namespace });
  return { clock, client, log, options, informer, stop, create, run: () => informer.run(stop.signal) };
}

const telling = (seen: string[], tag = ''): InformerHandler<ConfigMap> => ({
  add: (object) => void seen.push(`${tag}add ${object.metadata.name}`),
  update: (old, object) =>
    void seen.push(`${tag}update ${object.metadata.name} ${old.data?.['n'] ?? '-'}→${object.data?.['n'] ?? '-'}`),
  delete: (object) => void seen.push(`${tag}delete ${object.metadata.name}`),
  synced: () => void seen.push(`${tag}synced`),
});

describe('informer', () => {
  it.each([{}, { streamingList: true }, { share: true }])(
    'keeps no managedFields where it is told not to, whichever way objects come: %o',
    async (how) => {
      const { clock, client, options } = setUp();
      const managed = (name: string): ConfigMap => {
        const managedFields = [{ manager: 'kubectl', operation: 'Update' }];
        const object = configMap(name);
        return { ...object, metadata: { ...object.metadata, managedFields } };
      };
      await client.create(CONFIG_MAPS, managed('a'), { namespace });
      const informer = createInformer(
        client,
        CONFIG_MAPS,
        { namespace },
        { ...options, ...how, dropManagedFields: true },
      );
      void informer.run(new AbortController().signal);
      await clock.drain();
      await client.create(CONFIG_MAPS, managed('b'), { namespace });
      await client.patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: { n: '1' } }));
      await clock.drain();
      expect((await client.get(CONFIG_MAPS, { namespace, name: 'a' })).metadata).toHaveProperty('managedFields');
      const kept = [...informer.lister.list()];
      expect(kept.map(({ metadata: { name } }) => name).toSorted()).toEqual(['a', 'b']);
      for (const { metadata } of kept) expect(metadata).not.toHaveProperty('managedFields');
      expect(informer.lister.get('a', namespace)?.data).toEqual({ n: '1' });
    },
  );

  it('fills its cache, tells its handlers, and says when it has', async () => {
    const { clock, client, informer, create, run } = setUp();
    const seen: string[] = [];
    await create('a');
    const registration = informer.addHandler(telling(seen));
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([false, false]);
    void run();
    await clock.drain();
    expect([informer.hasSynced(), registration.hasSynced()]).toEqual([true, true]);
    await client.patch(CONFIG_MAPS, { namespace, name: 'a' }, merge({ data: { n: '1' } }));
    await create('b');
    await client.delete(CONFIG_MAPS, { namespace, name: 'a' });
    await clock.drain();
    expect(seen).toEqual(['add a', 'synced', 'update a -→1', 'add b', 'delete a']);
    expect(informer.resourceVersion).toBe(client.revision);
  });

  it('shares the objects of the server, not copies', async () => {
    const { clock, client, informer, create, run } = setUp();
    await create('a');
    void run();
    await clock.drain();
    const created = await create('b');
    await clock.drain();
    expect(informer.lister.get('b', namespace)).toBe(created);
    expect(informer.lister.get('a', namespace)).toBe(await client.get(CONFIG_MAPS, { namespace, name: 'a' }));
  });

  it('tells who comes late of everything there is, before anything new', async () => {
    const { clock, informer, create, run } = setUp();
    await create('a');
    void run();
    await clock.drain();
    const seen: string[] = [];
    const registration = informer.addHandler(telling(seen));
    expect([seen, registration.hasSynced()]).toEqual([[], false]);
    await create('b');
    await clock.drain();
    expect(seen).toEqual(['add a', 'synced', 'add b']);
  });

  it('never calls a handler from inside the call that registers it or writes', async () => {
    const { clock, informer, create, run } = setUp();
    void run();
    await clock.drain();
    let inside = true;
    const calls: boolean[] = [];
    informer.addHandler({ add: () => void calls.push(inside), synced: () => void calls.push(inside) });
    const writing = create('a');
    inside = false;
    await writing;
    await clock.drain();
    expect(calls).toEqual([false, false]);
  });

  it('shows the new state in its cache by the time handlers hear of it', async () => {
    const { clock, informer, create, run } = setUp();
    const sizes: number[] = [];
    informer.addHandler({ add: () => void sizes.push(informer.lister.size) });
    await create('a');
    await create('b');
    void run();
    await clock.drain();
    await create('c');
    await clock.drain();
    expect(sizes).toEqual([2, 2, 3]);
  });

  it('hands over several changes at a time to who wants that', async () => {
    const { clock, informer, create, run } = setUp();
    for (const name of ['a', 'b', 'c']) await create(name);
    const batches: number[] = [];
    informer.addHandler({ batch: (changes) => void batches.push(changes.length) });
    void run();
    await clock.drain();
    expect(batches).toEqual([3]);
  });

  it('lets others have their turn while it tells of very many', async () => {
    const { clock, client, informer, run } = setUp();
    for (let i = 0; i < 5000; i += 1) await client.create(CONFIG_MAPS, configMap(`n-${i}`), { namespace });
    const seen: string[] = [];
    const batches: [number, boolean][] = [];
    const registration = informer.addHandler({
      batch: (changes, isPart) => void batches.push([changes.length, isPart]),
    });
    const one = informer.addHandler({ add: (object) => void seen.push(object.metadata.name) });
    void run();
    await informer.synced();
    expect(registration.hasSynced()).toBe(false);
    await clock.drain();
    expect(batches).toEqual([
      [2000, true],
      [2000, true],
      [1000, false],
    ]);
    expect([seen.length, new Set(seen).size]).toEqual([5000, 5000]);
    expect([registration.hasSynced(), one.hasSynced()]).toEqual([true, true]);
  });

  it('goes on when a handler throws, and says so', async () => {
    const { clock, log, informer, create, run } = setUp();
    const seen: string[] = [];
    informer.addHandler({
      add: () => {
        throw new Error('broken handler');
      },
    });
    informer.addHandler(telling(seen));
    void run();
    await create('a');
    await create('b');
    await clock.drain();
    expect(seen.filter((line) => line.startsWith('add'))).toEqual(['add a', 'add b']);
    expect(log.lines.filter(({ message }) => message === 'An informer handler threw')).toHaveLength(2);
  });

  it('tells nothing more to a handler that was removed, even in the middle of a batch', async () => {
    const { clock, informer, create, run } = setUp();
    const seen: string[] = [];
    const registration = informer.addHandler({
      add: (object) => {
        seen.push(object.metadata.name);
        registration.remove();
      },
    });
    await create('a');
    await create('b');
    void run();
    await clock.drain();
    await create('c');
    await clock.drain();
    expect(seen).toEqual(['a']);
  });

  it('answers by index, also by one added late', async () => {
    const { clock, client, informer, create, run } = setUp();
    const byFirst = (object: ConfigMap): readonly string[] => [object.metadata.labels?.['first'] ?? ''];
    for (const name of ['aa', 'ab', 'ba']) await create(name);
    void run();
    await clock.drain();
    informer.addIndex('first', byFirst);
    const names = (value: string) =>
      Array.from(informer.lister.byIndex('first', value), (object) => object.metadata.name);
    expect([names('a'), names('b'), names('c')]).toEqual([['aa', 'ab'], ['ba'], []]);
    await client.patch(CONFIG_MAPS, { namespace, name: 'aa' }, merge({ metadata: { labels: { first: 'c' } } }));
    await clock.drain();
    expect([names('a'), names('b'), names('c')]).toEqual([['ab'], ['ba'], ['aa']]);
  });

  it('turns a relist into what really happened', async () => {
    const { clock, client, informer, create, run } = setUp();
    for (const name of ['gone', 'kept', 'changed']) await create(name);
    const seen: string[] = [];
    informer.addHandler(telling(seen));
    void run();
    await clock.drain();
    const kept = informer.lister.get('kept', namespace);
    seen.length = 0;
    let cut = true;
    client.before = ({ verb }) => {
      if (cut && verb === 'watch') throw new Error('cut');
    };
    client.breakWatches();
    await clock.drain();
    await client.delete(CONFIG_MAPS, { namespace, name: 'gone' });
    await client.patch(CONFIG_MAPS, { namespace, name: 'changed' }, merge({ data: { n: '2' } }));
    await create('new');
    client.compact();
    cut = false;
    await clock.advance(120_000);
    expect(seen).toEqual(['delete gone', 'update changed -→2', 'add new']);
    expect(informer.lister.get('kept', namespace)).toBe(kept);
  });

  it('stops waiting when the signal fires', async () => {
    const { informer } = setUp();
    const stop = new AbortController();
    const waiting = informer.synced(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('runs once', async () => {
    const { informer, run } = setUp();
    void run();
    await expect(informer.run(new AbortController().signal)).rejects.toMatchObject({
      code: 'EN_MACHINERY_ALREADY_STARTED',
    });
  });
});

describe('informers', () => {
  it('share one cache for each resource and scope', async () => {
    const { clock, client, options, create, stop } = setUp();
    await create('a');
    const informers = createInformers(client, options);
    const one = informers.for(CONFIG_MAPS, { namespace });
    expect(informers.for(CONFIG_MAPS, { namespace, tenant: 'system' })).toBe(one);
    expect(informers.for(CONFIG_MAPS)).not.toBe(one);
    expect(informers.for(CONFIG_MAPS, { namespace, tenant: 'acme' })).not.toBe(one);
    expect(informers.for(CONFIG_MAPS, { namespace, labelSelector: 'a' })).not.toBe(one);
    expect(informers.ready()).toBe(false);
    const running = informers.start(stop.signal);
    await clock.drain();
    expect([informers.ready(), one.lister.size]).toEqual([true, 1]);
    const late = informers.for(CONFIG_MAPS, { namespace: 'late' });
    await clock.drain();
    await informers.synced();
    expect(late.hasSynced()).toBe(true);
    stop.abort();
    await clock.drain();
    await running;
    expect(client.openWatches).toBe(0);
  });
});
