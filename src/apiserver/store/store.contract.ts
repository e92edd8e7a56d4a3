/**
 * The contract of every store, whatever engine stands underneath. Each engine's `*.contract.test.ts` runs this suite and
 * the model of `model.contract.ts`.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { deepFreeze } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import type { StoreOptions } from './store-over-engine.ts';
import { describeReads } from './reads.contract.ts';
import { describeRestarts } from './restarts.contract.ts';
import type { Store } from './store.ts';
import {
  OTHER_PODS,
  PODS,
  dataOf,
  keyIn,
  objectOf,
  putTo,
  recordWatch,
  removeFrom,
  settle,
  story,
} from './support.contract.ts';
import type { StoreHarness, Stores } from './support.contract.ts';
import { describeWatches } from './watches.contract.ts';

export function describeStore(name: string, harness: () => StoreHarness): void {
  describe(`${name}: the store contract`, () => {
    let current: StoreHarness | undefined;
    const opened: Store[] = [];
    const options: StoreOptions = { clock: realClock, inspect: deepFreeze };
    const open: Stores['open'] = async (more: Partial<StoreOptions> = {}): Promise<Store> => {
      current = harness();
      const store = await current.open({ ...options, ...more });
      opened.push(store);
      return store;
    };

    const reopen: Stores['reopen'] = async (store: Store, more: Partial<StoreOptions> = {}): Promise<Store> => {
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

    describeReads({ open, reopen });
    describeWatches({ open, reopen });
    if (harness().reopen !== undefined) describeRestarts({ open, reopen });
  });
}
