/** Part of the store contract: ordered, unique, resumable, without gaps, never ahead of time, one never hurt by another. */
import { describe, expect, it } from 'vitest';
import { isStatus } from '../../core/kube/status-error.ts';
import {
  NODES,
  OTHER_PODS,
  PODS,
  keyIn,
  putTo,
  recordWatch,
  removeFrom,
  settle,
  story,
  thrownBy,
} from './support.contract.ts';
import type { Recorder, Stores } from './support.contract.ts';
import type { StoreEvent } from './store.ts';

export function describeWatches({ open }: Stores): void {
  describe('watching', () => {
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
  });
}
