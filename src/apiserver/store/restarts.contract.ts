/** Part of the store contract, for stores that outlive their process. */
import { describe, expect, it } from 'vitest';
import { isStatus } from '../../core/kube/status-error.ts';
import {
  NODES,
  PODS,
  dataOf,
  keyIn,
  namesOf,
  putTo,
  recordWatch,
  removeFrom,
  settle,
  story,
  thrownBy,
} from './support.contract.ts';
import type { Stores } from './support.contract.ts';

export function describeRestarts({ open, reopen }: Stores): void {
  describe('after a restart', () => {
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
      const names = ['__proto__', 'a\tb', 'a\nb', 'ä€😀', '"', '\\', '-'];
      for (const odd of names) await putTo(store, PODS, odd, odd, { [odd]: odd });
      const again = await reopen(store);
      for (const odd of names) expect(dataOf(again.get(keyIn(PODS, odd, odd)))).toEqual({ [odd]: odd });
    });
  });
}
