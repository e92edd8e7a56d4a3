/** What every store must do, whatever engine stands underneath. Each engine's `*.contract.test.ts` runs this suite. */
import { afterEach, describe, expect, it } from 'vitest';
import { deepFreeze } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { StoreOptions } from './memory-store.ts';
import { realClock } from '../../machinery/real-clock.ts';
import type { CollectionKey, Store, StoreEvent, StoreKey } from './store.ts';

export interface StoreHarness {
  open(options: StoreOptions): Promise<Store>;
  /** Closes the store and opens what it left behind; undefined when it leaves nothing. */
  readonly reopen: ((store: Store, options: StoreOptions) => Promise<Store>) | undefined;
  /** Removes what the test made. */
  cleanUp(): Promise<void>;
}

export const PODS: CollectionKey = { tenant: 'system', group: '', resource: 'pods' };
export const NODES: CollectionKey = { tenant: 'system', group: '', resource: 'nodes' };
export const OTHER_PODS: CollectionKey = { tenant: 'other', group: '', resource: 'pods' };

export const keyIn = (collection: CollectionKey, namespace: string, name: string): StoreKey => ({
  ...collection,
  namespace,
  name,
});

/** A small object whose `data` can be told apart. The store sets its resourceVersion. */
export const objectOf = (namespace: string, name: string, data: unknown = 0): Stored =>
  ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: `uid-${namespace}-${name}`,
      resourceVersion: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { data },
  }) as unknown as Stored;

export const dataOf = (object: Stored | undefined): unknown =>
  (object as unknown as { readonly spec: { readonly data: unknown } } | undefined)?.spec.data;

export const putTo = (store: Store, collection: CollectionKey, namespace: string, name: string, data: unknown = 0) =>
  store.write(keyIn(collection, namespace, name), () => ({ put: objectOf(namespace, name, data) }));

export const removeFrom = (store: Store, collection: CollectionKey, namespace: string, name: string) =>
  store.write(keyIn(collection, namespace, name), (accepted) => ({ remove: accepted ?? objectOf(namespace, name) }));

export interface Recorder {
  readonly events: StoreEvent[];
  readonly progress: number[];
  readonly closed: Error[];
  stop(): void;
}

export function recordWatch(store: Store, collection: CollectionKey, since: number, namespace?: string): Recorder {
  const events: StoreEvent[] = [];
  const progress: number[] = [];
  const closed: Error[] = [];
  const watching = store.watch(
    collection,
    { since, ...(namespace === undefined ? {} : { namespace }) },
    {
      events: (some) => void events.push(...some),
      progress: (revision) => void progress.push(revision),
      closed: (reason) => void closed.push(reason),
    },
  );
  return { events, progress, closed, stop: () => watching.stop() };
}

/** Lets everything that is already under way arrive. */
export const settle = () => realClock.sleep(5);

const namesOf = (objects: Iterable<Stored>): string[] =>
  Array.from(objects, (o) => `${o.metadata.namespace ?? ''}/${o.metadata.name}`);
const story = (events: readonly StoreEvent[]): string[] => events.map((e) => `${e.type} ${e.name}@${e.revision}`);
const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

export function describeStore(name: string, harness: () => StoreHarness): void {
  describe(`${name}: the store contract`, () => {
    let current: StoreHarness | undefined;
    const opened: Store[] = [];
    const options: StoreOptions = { clock: realClock, inspect: deepFreeze };
    const open = async (more: Partial<StoreOptions> = {}): Promise<Store> => {
      current = harness();
      const store = await current.open({ ...options, ...more });
      opened.push(store);
      return store;
    };

    const reopen = async (store: Store, more: Partial<StoreOptions> = {}): Promise<Store> => {
      const again = await (current as Required<StoreHarness>).reopen?.(store, { ...options, ...more });
      if (again === undefined) throw new Error('this store cannot be opened again');
      opened.push(again);
      return again;
    };

    afterEach(async () => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
      await current?.cleanUp();
    });

    it('answers with the stored object, carrying its revision', async () => {
      const store = await open();
      const first = await putTo(store, PODS, 'a', 'x', 1);
      const second = await putTo(store, PODS, 'a', 'x', 2);
      expect(first.metadata.resourceVersion).toBe('1');
      expect(second.metadata.resourceVersion).toBe('2');
      expect(store.get(keyIn(PODS, 'a', 'x'))).toBe(second);
      expect(store.revision).toBe(2);
    });

    it('tells the decision its revision and keeps the object it was given when that is already in it', async () => {
      const store = await open();
      let given: Stored | undefined;
      const answer = await store.write(keyIn(PODS, 'a', 'x'), (accepted, revision) => {
        expect(accepted).toBeUndefined();
        const bare = objectOf('a', 'x');
        given = { ...bare, metadata: { ...bare.metadata, resourceVersion: String(revision) } };
        return { put: given };
      });
      expect(answer).toBe(given);
    });

    it('shows nothing to readers before it is committed, but judges by it', async () => {
      const store = await open();
      const key = keyIn(PODS, 'a', 'x');
      const answer = putTo(store, PODS, 'a', 'x', 1);
      expect(store.get(key)).toBeUndefined();
      expect(store.count(PODS)).toBe(0);
      expect([...store.list(PODS)]).toEqual([]);
      expect(store.revision).toBe(0);
      expect(dataOf(store.accepted(key))).toBe(1);
      await store.write(key, (accepted) => {
        expect(dataOf(accepted)).toBe(1);
        return { put: objectOf('a', 'x', 2) };
      });
      await answer;
      expect(dataOf(store.get(key))).toBe(2);
    });

    it('sees its own answered write at once, in get, list and count', async () => {
      const store = await open();
      for (let i = 0; i < 20; i++) {
        const answer = await putTo(store, PODS, 'a', `p${i}`);
        expect(store.get(keyIn(PODS, 'a', `p${i}`))).toBe(answer);
        expect(store.count(PODS)).toBe(i + 1);
        expect([...store.list(PODS)]).toContain(answer);
      }
    });

    it('commits concurrent writes in the order they were made, each exactly once', async () => {
      const store = await open();
      const watched = recordWatch(store, PODS, 0);
      const answers = await Promise.all(
        Array.from({ length: 2_000 }, (_, i) => putTo(store, PODS, 'a', `p${i % 50}`, i)),
      );
      expect(answers.map((o) => Number(o.metadata.resourceVersion))).toEqual(answers.map((_, i) => i + 1));
      await settle();
      expect(watched.events.map((e) => dataOf(e.object))).toEqual(answers.map((_, i) => i));
      expect(watched.events.map((e) => e.revision)).toEqual(answers.map((_, i) => i + 1));
    });

    it('changes nothing when the decision throws', async () => {
      const store = await open();
      await expect(
        store.write(keyIn(PODS, 'a', 'x'), () => {
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      expect(store.revision).toBe(0);
      expect([...store.collections()]).toEqual([]);
      expect((await putTo(store, PODS, 'a', 'x')).metadata.resourceVersion).toBe('1');
    });

    it('gives a "no" that rests on a pending write only when that write can be seen', async () => {
      const store = await open();
      const key = keyIn(PODS, 'a', 'x');
      const created = putTo(store, PODS, 'a', 'x', 1);
      const refused = store.write(key, (accepted) => {
        if (accepted !== undefined) throw new Error('already exists');
        return { put: objectOf('a', 'x') };
      });
      let seen: Stored | undefined;
      await refused.catch(() => {
        seen = store.get(key);
      });
      expect(dataOf(seen)).toBe(1);
      await created;
    });

    it('answers a kept object once it is committed, and uses no revision for it', async () => {
      const store = await open();
      const key = keyIn(PODS, 'a', 'x');
      void putTo(store, PODS, 'a', 'x', 1);
      const kept = await store.write(key, (accepted) => ({ keep: accepted as Stored }));
      expect(store.get(key)).toBe(kept);
      expect(store.revision).toBe(1);
      expect(await store.write(key, (accepted) => ({ keep: accepted as Stored }))).toBe(kept);
      expect(store.revision).toBe(1);
    });

    it('refuses a decision that writes, and one that removes what is not there', async () => {
      const store = await open();
      let nested: Promise<Stored> | undefined;
      await store.write(keyIn(PODS, 'a', 'x'), () => {
        nested = putTo(store, PODS, 'a', 'y');
        nested.catch(() => undefined);
        return { put: objectOf('a', 'x') };
      });
      await expect(nested).rejects.toThrow('EN_STORE_BAD_DECISION');
      await expect(removeFrom(store, PODS, 'a', 'nothing')).rejects.toThrow('EN_STORE_BAD_DECISION');
      expect(store.revision).toBe(1);
    });

    it('tells what each event replaced, and gives a deletion its own revision', async () => {
      const store = await open();
      const watched = recordWatch(store, PODS, 0);
      const first = await putTo(store, PODS, 'a', 'x', 1);
      const second = await putTo(store, PODS, 'a', 'x', 2);
      const gone = await removeFrom(store, PODS, 'a', 'x');
      await settle();
      expect(story(watched.events)).toEqual(['ADDED x@1', 'MODIFIED x@2', 'DELETED x@3']);
      expect(watched.events.map((e) => e.previous)).toEqual([undefined, first, second]);
      expect(gone.metadata.resourceVersion).toBe('3');
      expect(watched.events[2]?.object).toBe(gone);
      expect(store.get(keyIn(PODS, 'a', 'x'))).toBeUndefined();
    });

    it('keeps tenants, groups and resources apart', async () => {
      const store = await open();
      await putTo(store, PODS, 'a', 'x', 'system');
      await putTo(store, OTHER_PODS, 'a', 'x', 'other');
      await putTo(store, { ...PODS, group: 'apps' }, 'a', 'x', 'apps');
      expect(dataOf(store.get(keyIn(PODS, 'a', 'x')))).toBe('system');
      expect(dataOf(store.get(keyIn(OTHER_PODS, 'a', 'x')))).toBe('other');
      expect(store.count(PODS)).toBe(1);
      await removeFrom(store, OTHER_PODS, 'a', 'x');
      expect(dataOf(store.get(keyIn(PODS, 'a', 'x')))).toBe('system');
      expect([...store.collections()]).toEqual([PODS, OTHER_PODS, { ...PODS, group: 'apps' }]);
    });

    it('lists by namespace and name as etcd orders keys, and counts by namespace', async () => {
      const store = await open();
      for (const [namespace, name] of [
        ['b', 'x'],
        ['a', 'z'],
        ['a-b', 'm'],
        ['a', 'B'],
        ['a', 'a'],
      ] as const) {
        await putTo(store, PODS, namespace, name);
      }
      expect(namesOf(store.list(PODS))).toEqual(['a-b/m', 'a/B', 'a/a', 'a/z', 'b/x']);
      expect(namesOf(store.list(PODS, { namespace: 'a' }))).toEqual(['a/B', 'a/a', 'a/z']);
      expect(namesOf(store.list(PODS, { after: { namespace: 'a', name: 'B' } }))).toEqual(['a/a', 'a/z', 'b/x']);
      expect(namesOf(store.list(PODS, { after: { namespace: 'a', name: 'b' } }))).toEqual(['a/z', 'b/x']);
      expect(namesOf(store.list(PODS, { namespace: 'a', after: { namespace: 'a', name: 'a' } }))).toEqual(['a/z']);
      expect([store.count(PODS), store.count(PODS, 'a'), store.count(PODS, 'none'), store.count(NODES)]).toEqual([
        5, 3, 0, 0,
      ]);
    });

    it('keeps a list at its revision while commits go on', async () => {
      const store = await open();
      for (let i = 0; i < 300; i++) void putTo(store, PODS, 'a', `p${String(i).padStart(4, '0')}`, 'old');
      await putTo(store, PODS, 'a', 'q', 'old');
      const seen: unknown[] = [];
      for (const object of store.list(PODS)) {
        seen.push(dataOf(object));
        if (seen.length % 50 !== 0 || seen.length > 250) continue;
        void putTo(store, PODS, 'a', `p0${String(seen.length + 10)}x`, 'new');
        void putTo(store, PODS, 'a', `p${String(seen.length + 20).padStart(4, '0')}`, 'new');
        await removeFrom(store, PODS, 'a', `p${String(seen.length + 30).padStart(4, '0')}`);
      }
      expect(seen).toEqual(Array.from({ length: 301 }, () => 'old'));
    });

    it('reads page after page of one revision', async () => {
      const store = await open();
      for (let i = 0; i < 20; i++) await putTo(store, PODS, i % 2 === 0 ? 'a' : 'b', `p${String(i).padStart(2, '0')}`);
      const { revision } = store;
      const whole = namesOf(store.list(PODS));
      const pages: string[] = [];
      let after: { namespace: string; name: string } | undefined;
      for (let page = 0; page < 7; page++) {
        const objects = [...store.list(PODS, { revision, ...(after === undefined ? {} : { after }) })].slice(0, 3);
        pages.push(...namesOf(objects));
        const last = objects.at(-1);
        after = last && { namespace: last.metadata.namespace ?? '', name: last.metadata.name ?? '' };
        await removeFrom(store, PODS, page % 2 === 0 ? 'a' : 'b', `p${String(page).padStart(2, '0')}`);
        await putTo(store, PODS, 'a', `new${page}`);
      }
      expect(pages).toEqual(whole);
    });

    it('rebuilds older states exactly, and refuses those it no longer holds or does not know yet', async () => {
      const store = await open({ history: { events: 10 } });
      for (let i = 1; i <= 30; i++) await putTo(store, PODS, 'a', `p${i % 4}`, i);
      await removeFrom(store, PODS, 'a', 'p1');
      const at = (revision: number) => Array.from(store.list(PODS, { revision }), dataOf);
      expect(store.compactedRevision).toBe(21);
      expect(at(30)).toEqual([28, 29, 30, 27]);
      expect(at(25)).toEqual([24, 25, 22, 23]);
      expect(at(21)).toEqual([20, 21, 18, 19]);
      expect(at(31)).toEqual([28, 30, 27]);
      expect(
        isStatus(
          thrownBy(() => store.list(PODS, { revision: 20 })),
          'Expired',
        ),
      ).toBe(true);
      expect(String(thrownBy(() => store.list(PODS, { revision: 32 })))).toContain('Too large resource version: 32');
    });

    it('hands over nothing synchronously, neither from watch nor from write', async () => {
      const store = await open();
      await putTo(store, PODS, 'a', 'x');
      const replayed = recordWatch(store, PODS, 0);
      expect(replayed.events).toEqual([]);
      const answer = putTo(store, PODS, 'a', 'y');
      expect(replayed.events).toEqual([]);
      await answer;
      await settle();
      expect(story(replayed.events)).toEqual(['ADDED x@1', 'ADDED y@2']);
    });

    it('goes from replay to live without gap or repeat, wherever a watch starts', async () => {
      const store = await open();
      const watches: [number, Recorder][] = [];
      for (let i = 1; i <= 200; i++) {
        void putTo(store, PODS, 'a', `p${i % 7}`, i);
        if (i % 13 === 0) await Promise.resolve();
        if (i % 17 === 0) {
          const since = Math.floor(store.revision / 2);
          watches.push([since, recordWatch(store, PODS, since)]);
        }
      }
      await putTo(store, PODS, 'a', 'last', 201);
      await settle();
      for (const [since, { events }] of watches) {
        expect(events.map((e) => e.revision)).toEqual(Array.from({ length: 201 - since }, (_, i) => since + 1 + i));
      }
    });

    it('replays a long history in pieces while new events arrive', async () => {
      const store = await open();
      for (let i = 0; i < 5_000; i++) void putTo(store, PODS, i % 2 === 0 ? 'a' : 'b', `p${i % 10}`, i);
      await putTo(store, PODS, 'a', 'x');
      const all = recordWatch(store, PODS, 0);
      const some = recordWatch(store, PODS, 0, 'b');
      for (let i = 0; i < 500; i++) await putTo(store, PODS, 'b', 'y', i);
      await settle();
      expect(all.events.map((e) => e.revision)).toEqual(Array.from({ length: 5_501 }, (_, i) => i + 1));
      expect(some.events.map((e) => e.revision)).toEqual(
        all.events.filter((e) => e.namespace === 'b').map((e) => e.revision),
      );
    });

    it('gives a watcher of one namespace only that, and nothing of other collections', async () => {
      const store = await open();
      const watched = recordWatch(store, PODS, 0, 'b');
      await putTo(store, PODS, 'a', 'x');
      await putTo(store, PODS, 'b', 'y');
      await putTo(store, NODES, '', 'b');
      await putTo(store, OTHER_PODS, 'b', 'z');
      await removeFrom(store, PODS, 'b', 'y');
      await settle();
      expect(story(watched.events)).toEqual(['ADDED y@2', 'DELETED y@5']);
    });

    it('refuses to resume where events are missing, but not where a collection has lost none', async () => {
      const store = await open({ history: { events: 5 } });
      await putTo(store, NODES, '', 'n');
      for (let i = 0; i < 10; i++) await putTo(store, PODS, 'a', 'x', i);
      expect(store.compactedRevision).toBe(6);
      expect(
        isStatus(
          thrownBy(() => recordWatch(store, PODS, 5)),
          'Expired',
        ),
      ).toBe(true);
      const resumed = recordWatch(store, PODS, 6);
      const quiet = recordWatch(store, NODES, 1);
      expect(
        isStatus(
          thrownBy(() => recordWatch(store, NODES, 0)),
          'Expired',
        ),
      ).toBe(true);
      await settle();
      expect(resumed.events.map((e) => e.revision)).toEqual([7, 8, 9, 10, 11]);
      expect(quiet.events).toEqual([]);
    });

    it('sends a watcher of a future revision nothing up to it', async () => {
      const store = await open();
      const watched = recordWatch(store, PODS, 3);
      for (let i = 0; i < 5; i++) await putTo(store, PODS, 'a', `p${i}`);
      await settle();
      expect(watched.events.map((e) => e.revision)).toEqual([4, 5]);
      expect(watched.progress.every((revision) => revision >= 3)).toBe(true);
    });

    it('cuts off a watcher that throws, and the others see everything', async () => {
      const store = await open();
      const closed: Error[] = [];
      const before = recordWatch(store, PODS, 0);
      store.watch(
        PODS,
        { since: 0 },
        {
          events: () => {
            throw new Error('my own fault');
          },
          closed: (reason) => {
            closed.push(reason);
            throw new Error('and again');
          },
        },
      );
      const after = recordWatch(store, PODS, 0);
      await putTo(store, PODS, 'a', 'x');
      await putTo(store, PODS, 'a', 'y');
      await settle();
      expect(closed.map((e) => e.message)).toEqual(['EN_STORE_WATCHER_FAILED: the watcher failed: my own fault']);
      expect(story(before.events)).toEqual(['ADDED x@1', 'ADDED y@2']);
      expect(story(after.events)).toEqual(['ADDED x@1', 'ADDED y@2']);
    });

    it('lets a handler write, watch and stop', async () => {
      const store = await open();
      const events: StoreEvent[] = [];
      let inner: Recorder | undefined;
      const outer = store.watch(
        PODS,
        { since: 0 },
        {
          events(some) {
            events.push(...some);
            void putTo(store, NODES, '', 'from-handler');
            inner ??= recordWatch(store, PODS, store.revision);
            outer.stop();
          },
          closed: () => undefined,
        },
      );
      await putTo(store, PODS, 'a', 'x');
      await putTo(store, PODS, 'a', 'y');
      await settle();
      expect(events).toHaveLength(1);
      expect(store.get(keyIn(NODES, '', 'from-handler'))).toBeDefined();
      expect(inner?.events.map((e) => e.name)).toEqual(['y']);
    });

    it('tells quiet watchers how far it has come, never ahead of their events', async () => {
      const store = await open({ progressIntervalMs: 1 });
      const quiet = recordWatch(store, NODES, 0);
      const busy = recordWatch(store, PODS, 0);
      for (let i = 1; i <= 3; i++) {
        await putTo(store, PODS, 'a', `p${i}`);
        await settle();
      }
      expect(quiet.events).toEqual([]);
      expect(quiet.progress.at(-1)).toBe(3);
      expect(quiet.progress).toEqual(quiet.progress.toSorted((a, b) => a - b));
      expect(busy.events).toHaveLength(3);
    });

    it('waits for what is in flight when closing, then refuses', async () => {
      const store = await open();
      const watched = recordWatch(store, PODS, 0);
      const answers = Array.from({ length: 1_200 }, (_, i) => putTo(store, PODS, 'a', `p${i}`));
      await store.close();
      await store.close();
      expect(await Promise.all(answers)).toHaveLength(1_200);
      expect(watched.events).toHaveLength(1_200);
      expect(watched.closed.map((e) => e.message)).toEqual(['EN_STORE_CLOSED: the store is closed']);
      await expect(putTo(store, PODS, 'a', 'late')).rejects.toThrow('EN_STORE_CLOSED');
      expect(() => recordWatch(store, PODS, store.revision)).toThrow('EN_STORE_CLOSED');
    });

    it('takes names that are no names', async () => {
      const store = await open();
      const names = ['__proto__', 'constructor', 'a\tb', 'a\nb', 'ä€😀', '\ud800', 'a/b', '"', '\\', ''];
      for (const odd of names) await putTo(store, PODS, odd === '' ? 'empty' : odd, odd, odd);
      for (const odd of names) expect(dataOf(store.get(keyIn(PODS, odd === '' ? 'empty' : odd, odd)))).toBe(odd);
      expect(store.count(PODS)).toBe(names.length);
    });

    describe.runIf(harness().reopen !== undefined)('after a restart', () => {
      it('has everything that was answered, in the same order', async () => {
        const store = await open();
        for (let i = 0; i < 300; i++) void putTo(store, PODS, `ns${i % 3}`, `p${i}`, { i, text: 'ä😀\u2028"' });
        for (let i = 0; i < 300; i += 5) void removeFrom(store, PODS, `ns${i % 3}`, `p${i}`);
        for (let i = 1; i < 300; i += 5) void putTo(store, PODS, `ns${i % 3}`, `p${i}`, { changed: i });
        await putTo(store, NODES, '', 'n', 12345678901234567890n);
        const before = [...store.list(PODS)];
        const { revision } = store;
        const again = await reopen(store);
        expect([...again.list(PODS)]).toEqual(before);
        expect(dataOf(again.get(keyIn(NODES, '', 'n')))).toBe(12345678901234567890n);
        expect(again.revision).toBe(revision);
        expect(again.count(PODS)).toBe(before.length);
        expect([...again.collections()]).toEqual([PODS, NODES]);
      });

      it('never goes back in revisions, even when the newest change was a deletion', async () => {
        let store = await open();
        for (let round = 1; round <= 4; round++) {
          await putTo(store, PODS, 'a', 'x');
          await removeFrom(store, PODS, 'a', 'x');
          store = await reopen(store);
          expect(store.revision).toBe(round * 2);
          expect(store.count(PODS)).toBe(0);
        }
      });

      it('resumes watches from the present, and refuses those from before', async () => {
        const store = await open();
        await putTo(store, PODS, 'a', 'x');
        await putTo(store, PODS, 'a', 'y');
        const again = await reopen(store);
        expect(again.compactedRevision).toBe(2);
        expect(
          isStatus(
            thrownBy(() => recordWatch(again, PODS, 1)),
            'Expired',
          ),
        ).toBe(true);
        expect(
          isStatus(
            thrownBy(() => recordWatch(again, NODES, 1)),
            'Expired',
          ),
        ).toBe(true);
        expect(
          isStatus(
            thrownBy(() => again.list(PODS, { revision: 1 })),
            'Expired',
          ),
        ).toBe(true);
        expect(
          isStatus(
            thrownBy(() => again.list(NODES, { revision: 1 })),
            'Expired',
          ),
        ).toBe(true);
        const watched = recordWatch(again, PODS, 2);
        await putTo(again, PODS, 'a', 'z');
        await settle();
        expect(story(watched.events)).toEqual(['ADDED z@3']);
        expect(namesOf(again.list(PODS, { revision: 2 }))).toEqual(['a/x', 'a/y']);
      });

      it('takes names that are no names back', async () => {
        const store = await open();
        const names = ['__proto__', 'a\tb', 'a\nb', 'ä€😀', '\ud800', '"', '\\', '-'];
        for (const odd of names) await putTo(store, PODS, odd, odd, { [odd]: odd });
        const again = await reopen(store);
        for (const odd of names) expect(dataOf(again.get(keyIn(PODS, odd, odd)))).toEqual({ [odd]: odd });
      });
    });
  });
}
