import { describe, expect, it } from 'vitest';
import { deepFreeze } from './immutable.ts';
import {
  controllerOf,
  controllerReference,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  withOwner,
  withoutOwner,
} from './owner-references.ts';
import type { KubeObject } from './objects.ts';

const owner = deepFreeze({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', uid: 'u1' } });
const other = deepFreeze({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'u2' } });
const pod: KubeObject = deepFreeze({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } });

describe('owner references', () => {
  it('name the owner and say who controls', () => {
    expect(controllerReference(owner)).toEqual({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      name: 'agent',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    const child = withOwner(withOwner(pod, ownerReference(other)), controllerReference(owner));
    expect(controllerOf(child)?.uid).toBe('u1');
    expect(isControlledBy(child, owner)).toBe(true);
    expect(isControlledBy(child, other)).toBe(false);
    expect(isOwnedBy(child, 'u2')).toBe(true);
  });
  it('know nobody by an absent UID', () => {
    const odd = withOwner(pod, { ...controllerReference(owner), uid: '' });
    expect(isControlledBy(odd, { metadata: {} })).toBe(false);
    expect(isControlledBy(odd, { metadata: { uid: '' } })).toBe(false);
    expect(controllerOf(pod)).toBeUndefined();
  });
  it('are replaced in place, and unchanged when equal', () => {
    const child = withOwner(withOwner(pod, ownerReference(owner)), ownerReference(other));
    const adopted = withOwner(child, controllerReference(owner));
    expect(adopted.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual(['u1', 'u2']);
    expect(withOwner(adopted, controllerReference(owner))).toBe(adopted);
  });
  it('are removed, the field with the last', () => {
    const child = withOwner(withOwner(pod, ownerReference(owner)), ownerReference(other));
    expect(withoutOwner(child, 'u9')).toBe(child);
    expect(withoutOwner(child, 'u1').metadata.ownerReferences).toEqual([ownerReference(other)]);
    expect(withoutOwner(withoutOwner(child, 'u1'), 'u2')).toEqual(pod);
    expect(withoutOwner(pod, 'u1')).toBe(pod);
  });
});
