import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, NODES } from '../../core/api/registry/resources.ts';
import type { OwnerReference, ObjectMeta } from '../../core/kube/meta-v1.ts';
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import { createOwnerGraph, isOwnerMeant, type OwnerGraph } from './owner-graph.ts';

const reference = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...more,
});

const objectOf = (uid: string, owners: readonly string[] = [], more: Partial<ObjectMeta> = {}): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: uid,
    namespace: 'default',
    uid,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...(owners.length === 0 ? {} : { ownerReferences: owners.map((owner) => reference(owner)) }),
    ...more,
  },
});

const DELETED = '2026-01-02T00:00:00Z';

interface Harness {
  readonly graph: OwnerGraph;
  /** Notes the change and returns the objects that it enqueued. */
  add(object: Stored): readonly string[];
  update(old: Stored, object: Stored): readonly string[];
  remove(object: Stored): readonly string[];
}

function harness(): Harness {
  const looks = new Set<string>();
  const graph = createOwnerGraph((uid) => looks.add(uid));
  const note = (change: Change<KubeObject>): readonly string[] => {
    looks.clear();
    graph.note(CONFIG_MAPS, change);
    return [...looks].toSorted();
  };
  return {
    graph,
    add: (object) => note({ type: 'add', object, old: undefined }),
    update: (old, object) => note({ type: 'update', object, old }),
    remove: (object) => note({ type: 'delete', object, old: object }),
  };
}

describe('whom a change makes worth a look', () => {
  it('is nobody if the owners are there', () => {
    const { add } = harness();
    expect(add(objectOf('owner'))).toEqual([]);
    expect(add(objectOf('child', ['owner']))).toEqual([]);
  });

  it('is the newcomer whose owner is not known', () => {
    const { add } = harness();
    expect(add(objectOf('child', ['owner']))).toEqual(['child']);
  });

  it('is the dependents of what goes', () => {
    const { add, remove } = harness();
    const owner = objectOf('owner');
    add(owner);
    add(objectOf('a', ['owner']));
    add(objectOf('b', ['owner']));
    expect(remove(owner)).toEqual(['a', 'b']);
  });

  it('is nobody for a change that touches neither owners nor deletion', () => {
    const { add, update, graph } = harness();
    const old = objectOf('child', ['owner']);
    add(old);
    const object = { ...old, metadata: { ...old.metadata, resourceVersion: '2' } };
    expect(update(old, object)).toEqual([]);
    expect(graph.get('child')?.object).toBe(object);
  });

  it('is the owner that waits, once a dependent goes or lets go', () => {
    const { add, remove, update } = harness();
    const child = objectOf('child', ['owner']);
    const other = objectOf('other', ['owner']);
    const owner = objectOf('owner');
    for (const object of [owner, child, other]) add(object);
    const waiting = objectOf('owner', [], { deletionTimestamp: DELETED, finalizers: ['foregroundDeletion'] });
    expect(update(owner, waiting)).toEqual(['child', 'other', 'owner']);
    expect(update(other, objectOf('other'))).toEqual(['owner']);
    expect(remove(child)).toEqual(['owner']);
  });

  it('is the owner that lets its dependents go, once', () => {
    const { add, update } = harness();
    const owner = objectOf('owner');
    add(owner);
    add(objectOf('child', ['owner']));
    const leaving = objectOf('owner', [], { deletionTimestamp: DELETED, finalizers: ['orphan'] });
    expect(update(owner, leaving)).toEqual(['owner']);
    expect(update(leaving, { ...leaving })).toEqual([]);
  });

  it('is the dependents of an object that another of its name has replaced', () => {
    const { add, update, graph } = harness();
    const owner = objectOf('owner');
    add(owner);
    add(objectOf('child', ['owner']));
    expect(update(owner, objectOf('again', [], { name: 'owner' }))).toEqual(['child']);
    expect([graph.get('owner'), graph.get('again')?.uid, graph.size]).toEqual([undefined, 'again', 2]);
  });
});

describe('a reference', () => {
  const object = objectOf('owner');
  const node = { uid: 'owner', resource: CONFIG_MAPS, object };
  const child = objectOf('child');

  it.each([
    [{}, true],
    [{ uid: 'x' }, false],
    [{ name: 'x' }, false],
    [{ kind: 'Secret' }, false],
    [{ apiVersion: 'apps/v1' }, false],
    [{ apiVersion: 'v2' }, true],
  ] as const)('with %o means the object: %s', (more, expected) => {
    expect(isOwnerMeant(node, reference('owner', more), child)).toBe(expected);
  });

  it('reaches into no other namespace, but out of all of them', () => {
    const elsewhere = objectOf('child', [], { namespace: 'elsewhere' });
    expect(isOwnerMeant(node, reference('owner'), elsewhere)).toBe(false);
    const onNode = reference('owner', { kind: 'Node' });
    expect(isOwnerMeant({ ...node, resource: NODES }, onNode, elsewhere)).toBe(true);
  });
});

describe('the graph after any changes', () => {
  it('has the edges of what is there, and nothing else', () => {
    const uid = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({ uid, owners: fc.uniqueArray(uid, { maxLength: 3 }), gone: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { graph, ...changes } = harness();
        const present = new Map<string, Stored>();
        for (const { uid: id, owners, gone } of steps) {
          const old = present.get(id);
          const object = objectOf(id, owners);
          if (gone) {
            if (old !== undefined) changes.remove(old);
            present.delete(id);
          } else {
            if (old === undefined) changes.add(object);
            else changes.update(old, object);
            present.set(id, object);
          }
        }
        expect(graph.size).toBe(present.size);
        for (const id of ['a', 'b', 'c', 'd', 'e']) {
          const expected = [...present.values()].filter(({ metadata }) =>
            metadata.ownerReferences?.some((owner) => owner.uid === id),
          );
          const dependents = [...graph.dependentsOf(id)].map((node) => node.object);
          expect(new Set(dependents)).toEqual(new Set(expected));
          expect(graph.get(id)?.object).toBe(present.get(id));
        }
      }),
    );
  });
});
