import { describe, expect, it } from 'vitest';
import type { Stored } from '../../core/kube/objects.ts';
import { createSharing, flatString } from './sharing.ts';
import { PODS, objectOf } from './support.contract.ts';

const template = { containers: [{ name: 'agent', image: 'agent:1' }], tolerations: [{ operator: 'Exists' }] };
const pod = (name: string, owner: string, image = 'agent:1'): Stored => {
  const bare = objectOf('a', name);
  const spec = JSON.parse(
    JSON.stringify({ ...template, containers: [{ name: 'agent', image }], node: name }),
  ) as object;
  return {
    ...bare,
    metadata: {
      ...bare.metadata,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: owner, uid: owner, controller: true }],
    },
    spec,
  } as unknown as Stored;
};
const specOf = (object: Stored) => (object as unknown as { spec: typeof template }).spec;

describe('sharing', () => {
  it('makes objects of one owner share what is equal, and keeps their values', () => {
    const sharing = createSharing();
    const key = { ...PODS, namespace: 'a' };
    const objects = ['a', 'b', 'c'].map((name) => sharing(key, pod(name, 'owner')));
    expect(new Set(objects.map((o) => specOf(o).containers)).size).toBe(1);
    expect(new Set(objects.map((o) => specOf(o).tolerations)).size).toBe(1);
    expect(objects).toEqual(['a', 'b', 'c'].map((name) => pod(name, 'owner')));
  });

  it('does not let owners disturb each other', () => {
    const sharing = createSharing();
    const key = { ...PODS, namespace: 'a' };
    const objects = Array.from({ length: 10 }, (_, i) => sharing(key, pod(`p${i}`, `owner${i % 2}`, `agent:${i % 2}`)));
    expect(new Set(objects.map((o) => specOf(o).containers)).size).toBe(2);
  });

  it('flattens a joined string into an equal one', () => {
    expect(flatString(`${'a'.repeat(20)}-${'ä😀'.repeat(3)}`)).toBe(`${'a'.repeat(20)}-${'ä😀'.repeat(3)}`);
  });
});
