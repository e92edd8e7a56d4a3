import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inventoryObject, parseInventory, sameObjects, unionOf, type Inventory } from './inventory.ts';
import type { ObjectRef } from './object-ref.ts';

const NAME = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
const REF: fc.Arbitrary<ObjectRef> = fc.record({
  group: fc.constantFrom('', 'apps', 'rbac.authorization.k8s.io'),
  version: fc.constantFrom('v1', 'v1beta1'),
  resource: fc.constantFrom('configmaps', 'daemonsets', 'clusterroles'),
  kind: fc.constantFrom('ConfigMap', 'DaemonSet', 'ClusterRole'),
  namespace: fc.oneof(fc.constant(''), NAME),
  name: fc.oneof(NAME, fc.constantFrom('logging:agent', 'system:a b', 'a.b', '__proto__')),
});
const INVENTORY: fc.Arbitrary<Inventory> = fc.record(
  {
    identity: fc.record({ name: NAME, namespace: NAME, uid: fc.uuid() }, { requiredKeys: ['name', 'namespace'] }),
    objects: fc.array(REF, { maxLength: 8 }),
    phase: fc.constantFrom('settled', 'applying', 'deleting'),
    applier: fc.uuid(),
    since: fc.constant('2026-01-01T00:00:00Z'),
    appliedAt: fc.constant('2026-01-01T00:00:00Z'),
    undone: fc.record({ revision: fc.nat(), at: fc.constant('2026-01-01T00:00:00Z') }),
  },
  { requiredKeys: ['identity', 'objects', 'phase'] },
);
const sorted = ({ objects, ...rest }: Inventory) => ({
  ...rest,
  objects: objects.map((o) => JSON.stringify(o)).toSorted(),
});

describe('an inventory', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(INVENTORY, (inventory) => {
        const { name, namespace } = inventory.identity;
        const read = parseInventory(inventoryObject(inventory), { name, namespace });
        expect(sorted(read)).toEqual(sorted(inventory));
      }),
    );
  });

  const settled: Inventory = { identity: { name: 'a', namespace: 'n' }, objects: [], phase: 'settled' };
  const damaged: readonly (readonly [string, { readonly [key: string]: string }])[] = [
    ['of another version', { version: '2' }],
    ['of another component', { component: 'n/b' }],
    ['in no known phase', { phase: 'sleeping' }],
    ['with a line that is no object', { objects: 'v1 ConfigMap\n' }],
    ['with a path in a name', { objects: 'v1 ConfigMap configmaps n/../../x\n' }],
  ];
  it.each(damaged)('%s is refused', (_what, change) => {
    const object = inventoryObject(settled);
    const broken = { ...object, data: { ...object.data, ...change } };
    expect(() => parseInventory(broken, settled.identity)).toThrow(/cannot be read/);
  });

  it('without its list is refused: nothing is taken for gone because nothing is said', () => {
    const { data: _data, ...object } = inventoryObject(settled);
    expect(() => parseInventory(object, settled.identity)).toThrow(/cannot be read/);
    const { objects: _objects, ...data } = inventoryObject(settled).data ?? {};
    expect(() => parseInventory({ ...object, data }, settled.identity)).toThrow(/has no objects/);
  });

  it('grows by what it does not have, whatever version that is written in', () => {
    const ref = { group: 'apps', version: 'v1', resource: 'daemonsets', kind: 'DaemonSet', namespace: 'n', name: 'a' };
    const older = { ...ref, version: 'v1beta1' };
    const other = { ...ref, name: 'b' };
    expect(unionOf([ref], [older])).toEqual([ref]);
    expect(unionOf([ref], [other])).toEqual([ref, other]);
    expect(sameObjects([ref, other], [other, older])).toBe(true);
    expect(sameObjects([ref], [other])).toBe(false);
  });
});
