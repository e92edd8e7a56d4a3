import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createSharer } from './share-objects.ts';
import { createObjectStore, type Change } from './object-store.ts';

const object = (name: string, version: number, color = 'red', namespace = 'ns'): Stored<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace,
    uid: `uid-${name}`,
    resourceVersion: String(version),
    creationTimestamp: '',
    labels: { color },
  },
});
const byColor = (item: Stored<ConfigMap>): readonly string[] => {
  const color = item.metadata.labels?.['color'];
  return color === undefined ? [] : [color];
};
const tell = (changes: readonly Change<ConfigMap>[]): readonly string[] =>
  changes.map((change) => `${change.type} ${change.object.metadata.name}@${change.object.metadata.resourceVersion}`);
const namesOf = (items: Iterable<Stored<ConfigMap>>): readonly string[] =>
  Array.from(items, (item) => item.metadata.name).toSorted();

describe('object store', () => {
  it('finds objects by name, by namespace and all together', () => {
    const store = createObjectStore<ConfigMap>();
    store.replace([object('a', 1), object('b', 2), object('a', 3, 'red', 'other')]);
    expect(store.size).toBe(3);
    expect(store.get('a', 'ns')?.metadata.resourceVersion).toBe('1');
    expect(store.get('a', 'other')?.metadata.resourceVersion).toBe('3');
    expect(store.get('a')).toBeUndefined();
    expect(namesOf(store.list('ns'))).toEqual(['a', 'b']);
    expect(namesOf(store.list())).toEqual(['a', 'a', 'b']);
    expect(namesOf(store.list('none'))).toEqual([]);
  });

  it('tells what changed, with the old state', () => {
    const store = createObjectStore<ConfigMap>();
    const [first, second] = [object('a', 1), object('a', 2)];
    expect(store.apply([{ type: 'ADDED', object: first }])).toEqual([{ type: 'add', object: first, old: undefined }]);
    expect(store.apply([{ type: 'MODIFIED', object: second }])).toEqual([
      { type: 'update', object: second, old: first },
    ]);
    const last = object('a', 3);
    expect(store.apply([{ type: 'DELETED', object: last }])).toEqual([{ type: 'delete', object: last, old: second }]);
    expect(store.apply([{ type: 'DELETED', object: last }])).toEqual([]);
    expect(store.size).toBe(0);
  });

  it('keeps the reference it has for a version it has', () => {
    const store = createObjectStore<ConfigMap>();
    const kept = object('a', 1);
    store.replace([kept]);
    expect(store.apply([{ type: 'ADDED', object: object('a', 1) }])).toEqual([]);
    expect(store.replace([object('a', 1)])).toEqual([]);
    expect(store.get('a', 'ns')).toBe(kept);
  });

  it('replaces as a difference: deletions, then additions and updates', () => {
    const store = createObjectStore<ConfigMap>();
    store.replace([object('gone', 1), object('same', 2), object('changed', 3)]);
    const changes = store.replace([object('same', 2), object('changed', 9), object('new', 8)]);
    expect(tell(changes)).toEqual(['delete gone@1', 'update changed@9', 'add new@8']);
  });

  it('sees an object that was replaced by another of its name as an update to the other', () => {
    const store = createObjectStore<ConfigMap>();
    store.replace([object('a', 1)]);
    const other = { ...object('a', 1), metadata: { ...object('a', 1).metadata, uid: 'other' } };
    expect(tell(store.replace([other]))).toEqual(['update a@1']);
  });

  it('lets decoded objects share what is equal, with their older version and with their siblings', () => {
    const store = createObjectStore<ConfigMap>(createSharer());
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'owner', controller: true }];
    const decoded = (name: string, version: number): Stored<ConfigMap> => {
      const plain = object(name, version);
      return {
        ...plain,
        metadata: { ...plain.metadata, ownerReferences: structuredClone(ownerReferences) },
        data: { big: 'x' },
      };
    };
    store.replace([decoded('a', 1), decoded('b', 2)]);
    const [a, b] = [store.get('a', 'ns'), store.get('b', 'ns')];
    expect(a?.data).toBe(b?.data);
    expect(a?.metadata.ownerReferences).toBe(b?.metadata.ownerReferences);
    expect(b?.metadata.name).toBe('b');
    const [change] = store.apply([{ type: 'MODIFIED', object: decoded('a', 3) }]);
    expect(change?.object.data).toBe(a?.data);
    expect(store.get('a', 'ns')?.metadata.resourceVersion).toBe('3');
  });

  it('refuses an index it does not know, and two functions under one name', () => {
    const store = createObjectStore<ConfigMap>();
    expect(() => store.byIndex('color', 'red')).toThrow(
      expect.objectContaining({ code: 'EN_MACHINERY_UNKNOWN_INDEX' }),
    );
    store.addIndex('color', byColor);
    store.addIndex('color', byColor);
    expect(() => store.addIndex('color', () => [])).toThrow(
      expect.objectContaining({ code: 'EN_MACHINERY_DUPLICATE_INDEX' }),
    );
    expect(store.byIndex('color', 'red').size).toBe(0);
  });

  it('keeps indexes as if they were built anew after every change', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', '__proto__');
    const color = fc.constantFrom('red', 'green', 'constructor');
    const step = fc.oneof(
      fc.record({ type: fc.constantFrom('ADDED' as const, 'DELETED' as const), name, color }),
      fc.record({
        type: fc.constant('replace' as const),
        all: fc.uniqueArray(fc.tuple(name, color), { selector: ([n]) => n }),
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(20), (steps, indexAt) => {
        const store = createObjectStore<ConfigMap>();
        const model = new Map<string, string>();
        steps.forEach((each, at) => {
          if (at === indexAt) store.addIndex('color', byColor);
          if (each.type === 'replace') {
            store.replace(each.all.map(([n, c]) => object(n, at + 1, c)));
            model.clear();
            for (const [n, c] of each.all) model.set(n, c);
          } else {
            store.apply([{ type: each.type, object: object(each.name, at + 1, each.color) }]);
            if (each.type === 'DELETED') model.delete(each.name);
            else model.set(each.name, each.color);
          }
        });
        store.addIndex('color', byColor);
        expect(store.size).toBe(model.size);
        for (const value of ['red', 'green', 'constructor', 'toString']) {
          const expected = [...model].filter(([, c]) => c === value).map(([n]) => n);
          expect(namesOf(store.byIndex('color', value))).toEqual(expected.toSorted());
        }
        expect([...store.indexValues('color')].toSorted()).toEqual([...new Set(model.values())].toSorted());
      }),
    );
  });
});
