/** Part of the store contract: order, paging, and lists of one revision while others write. */
import { describe, expect, it } from 'vitest';
import { isStatus } from '../../core/kube/status-error.ts';
import { NODES, PODS, dataOf, namesOf, putTo, removeFrom, thrownBy } from './support.contract.ts';
import type { Stores } from './support.contract.ts';

export function describeReads({ open }: Stores): void {
  describe('reading', () => {
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
  });
}
