import { describe, expect, it } from 'vitest';
import type { Stored } from '../../core/kube/objects.ts';
import { createOwners, newOwner } from './owners.ts';

const set = (uid: string, resourceVersion: string): Stored => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default', uid, resourceVersion, creationTimestamp: '' },
});
const key = { namespace: 'default', name: 'web' };

describe('the owners that a controller knows', () => {
  it('are remembered with the newest state seen, by watch or by answer', () => {
    const owners = createOwners(newOwner);
    const owner = owners.of(key, set('a', '5'));
    owner.object = set('a', '7');
    expect(owners.of(key, set('a', '6'))).toBe(owner);
    expect(owner.object.metadata.resourceVersion).toBe('7');
    owners.of(key, set('a', '8'));
    expect(owner.object.metadata.resourceVersion).toBe('8');
  });

  it('begin anew with another UID, and look for orphans again', () => {
    const owners = createOwners(newOwner);
    const owner = owners.of(key, set('a', '5'));
    owner.adopts = false;
    const next = owners.of(key, set('b', '9'));
    expect(next).not.toBe(owner);
    expect(next.adopts).toBe(true);
    expect(owners.find(key)).toBe(next);
    owners.forget(key);
    expect(owners.find(key)).toBeUndefined();
  });
});
