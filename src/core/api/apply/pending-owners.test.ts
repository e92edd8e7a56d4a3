import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../kube/objects.ts';
import { type ManagedEntry, managedOf, readOwners, withManaged, withPlainManaged } from './managed.ts';
import { EMPTY } from './field-set.ts';
import { PendingOwners } from './pending-owners.ts';

const entry = (manager: string): ManagedEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '',
  subresource: '',
  set: EMPTY,
});
const object: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };

describe('owners that nobody has asked for', () => {
  it('are worked out once, when somebody asks', () => {
    let times = 0;
    const pending = new PendingOwners(() => {
      times += 1;
      return [entry('ann')];
    });
    const owned = withManaged(object, pending);
    expect(times).toBe(0);
    expect(managedOf(owned)?.map(({ manager }) => manager)).toEqual(['ann']);
    expect(managedOf(owned)).toBe(managedOf({ ...owned, metadata: { ...owned.metadata } }));
    expect(readOwners(pending)).toBe(managedOf(owned));
    expect(times).toBe(1);
  });

  it('are hung on an object once, unasked', () => {
    const pending = new PendingOwners(() => expect.fail('nobody asked'));
    const owned = withManaged(object, pending);
    expect(withManaged(owned, pending)).toBe(owned);
  });

  it('may turn out to be none', () => {
    const owned = withManaged(object, new PendingOwners(() => []));
    expect(managedOf(owned)).toBeUndefined();
    expect(withPlainManaged(owned)).toBe(owned);
  });

  it('are asked for again when the first time failed', () => {
    let fails = true;
    const pending = new PendingOwners(() => {
      if (fails) throw new Error('not now');
      return [entry('bob')];
    });
    expect(() => pending.read()).toThrow('not now');
    fails = false;
    expect(pending.read()).toHaveLength(1);
  });
});
