import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Collection, OrderedObjects, compareNamespaces, iterateSnapshot } from './collection.ts';
import type { CollectionSnapshot } from './collection.ts';
import { dataOf, objectOf } from './support.contract.ts';

interface Change {
  readonly remove: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly snapshot: boolean;
}

const change: fc.Arbitrary<Change> = fc.record({
  remove: fc.boolean(),
  namespace: fc.constantFrom('a', 'a-b', 'a.c', 'b', ''),
  name: fc.integer({ min: 0, max: 600 }).map((n) => `n${n}`),
  snapshot: fc.integer({ min: 0, max: 20 }).map((n) => n === 0),
});

/** The plainest thing that is right: all keys as etcd would write them, sorted. */
const sortedKeys = (model: ReadonlyMap<string, number>): string[] =>
  [...model.keys()].toSorted((a, b) => (a < b ? -1 : 1)).map((key) => `${key}=${model.get(key)}`);

const read = (snapshot: CollectionSnapshot, namespace = '', after?: { namespace: string; name: string }): string[] =>
  Array.from(
    iterateSnapshot(snapshot, namespace, after),
    (o) => `${o.metadata.namespace ?? ''}/${o.metadata.name}=${String(dataOf(o))}`,
  );

const name = (i: number) => `p${String(i).padStart(6, '0')}`;

describe('a collection', () => {
  it('keeps order, counts and every snapshot through any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 1_500, size: 'max' }), (changes) => {
        const collection = new Collection();
        const model = new Map<string, number>();
        const taken: [CollectionSnapshot, string[]][] = [];
        for (const [at, { remove, namespace, name, snapshot }] of changes.entries()) {
          if (remove) collection.remove(namespace, name);
          else collection.put(namespace, name, objectOf(namespace, name, at));
          if (remove) model.delete(`${namespace}/${name}`);
          else model.set(`${namespace}/${name}`, at);
          if (snapshot) taken.push([collection.snapshot(), sortedKeys(model)]);
        }
        taken.push([collection.snapshot(), sortedKeys(model)]);
        for (const [snapshot, expected] of taken) expect(read(snapshot)).toEqual(expected);
        expect(collection.count()).toBe(model.size);
        for (const namespace of ['a', 'a-b', 'b']) {
          const inside = sortedKeys(model).filter((key) => key.startsWith(`${namespace}/`));
          expect(read(collection.snapshot(), namespace)).toEqual(inside);
          expect(collection.count(namespace)).toBe(inside.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('continues after any position, whether or not something is there', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 400 }), change, (changes, { namespace, name }) => {
        const collection = new Collection();
        for (const c of changes) collection.put(c.namespace, c.name, objectOf(c.namespace, c.name));
        const all = read(collection.snapshot());
        const expected = all.filter((key) => key.slice(0, key.indexOf('=')) > `${namespace}/${name}`);
        expect(read(collection.snapshot(), '', { namespace, name })).toEqual(expected);
      }),
    );
  });

  it('fills its leaves when names come in order, and shrinks when they go', () => {
    const objects = new OrderedObjects();
    for (let i = 0; i < 12_800; i++) objects.put('a', name(i), objectOf('a', name(i)));
    expect(objects.snapshot()[0]?.leaves).toHaveLength(100);
    for (let i = 0; i < 12_800; i++) if (i % 128 !== 0) objects.remove('a', name(i));
    expect(objects.snapshot()[0]?.leaves.length).toBeLessThan(10);
    for (let i = 0; i < 12_800; i += 128) objects.remove('a', name(i));
    expect(objects.snapshot()).toEqual([]);
  });

  it('leaves a snapshot alone that was forked to rebuild an older state', () => {
    const collection = new Collection();
    for (let i = 0; i < 500; i++) collection.put('a', `p${i}`, objectOf('a', `p${i}`, i));
    const snapshot = collection.snapshot();
    const before = read(snapshot);
    const fork = new OrderedObjects(snapshot);
    for (let i = 0; i < 500; i += 3) fork.remove('a', `p${i}`);
    fork.put('b', 'x', objectOf('b', 'x'));
    const second = new OrderedObjects(fork.snapshot());
    second.put('a', 'p1', objectOf('a', 'p1', 'changed'));
    expect(read(snapshot)).toEqual(before);
    expect(read(fork.snapshot())).not.toContain('a/p1=changed');
    collection.put('a', 'p1', objectOf('a', 'p1', 'live'));
    expect(read(fork.snapshot())).toContain('a/p1=1');
    expect(read(snapshot)).toEqual(before);
  });

  it('orders namespaces as keys that end in a slash', () => {
    const names = ['b', 'a', 'a-b', '', 'a.b', 'ab'];
    expect(names.toSorted(compareNamespaces)).toEqual(['', 'a-b', 'a.b', 'a', 'ab', 'b']);
  });
});
