import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { pod } from '../../testing/samples.ts';
import { createNewObjectSharing } from './share-new.ts';

const owned = (name: string, uid: string, namespace = 'default'): Pod => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid, controller: true };
  return structuredClone({ ...pod(name), metadata: { name, namespace, ownerReferences: [owner] } });
};

describe('new objects from the wire', () => {
  it('share what equals their sibling, and keep what is their own', () => {
    const sharing = createNewObjectSharing();
    const first = sharing.share(owned('a', 'u'));
    const second = sharing.share(owned('b', 'u'));
    expect(second.spec).toBe(first.spec);
    expect(second.metadata.ownerReferences).toBe(first.metadata.ownerReferences);
    expect([first.metadata.name, second.metadata.name]).toEqual(['a', 'b']);
  });

  it('have siblings by owner or by prefix, within their namespace', () => {
    const sharing = createNewObjectSharing();
    const first = sharing.share(owned('a', 'u'));
    expect(sharing.share(owned('b', 'other')).spec).not.toBe(first.spec);
    expect(sharing.share(owned('c', 'u', 'elsewhere')).spec).not.toBe(first.spec);
    const prefixed = (name: string): Pod =>
      structuredClone({ ...pod(name), metadata: { name, namespace: 'default', generateName: 'p-' } });
    const one = sharing.share(prefixed('p-1'));
    expect(sharing.share(prefixed('p-2')).spec).toBe(one.spec);
    const lone = pod('lone');
    expect(sharing.share(lone)).toBe(lone);
  });

  it('forget families that are not heard of', () => {
    const sharing = createNewObjectSharing();
    const first = sharing.share(owned('a', 'u'));
    for (let i = 0; i < 600; i++) sharing.share(owned('x', `other-${i}`));
    expect(sharing.share(owned('b', 'u')).spec).not.toBe(first.spec);
  });
});
