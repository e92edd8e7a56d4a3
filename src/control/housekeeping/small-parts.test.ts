import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../core/api/registry/registry.ts';
import { PODS } from '../../core/api/registry/resources.ts';
import type { Namespace } from '../../core/api/types/core-v1.ts';
import type { Resource, Stored } from '../../core/kube/objects.ts';
import { forEachBounded } from './for-each-bounded.ts';
import { terminationConditions, withConditions } from './namespace-conditions.ts';
import { collectableResources, namespacedResources } from './served-resources.ts';

describe('work on many', () => {
  it('never has more under way than it may, and reaches all', async () => {
    let [running, most] = [0, 0];
    const seen: number[] = [];
    await forEachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    });
    expect([most, seen.toSorted((a, b) => a - b)]).toEqual([3, [1, 2, 3, 4, 5, 6, 7]]);
  });

  it('tries the rest although one failed, then says so', async () => {
    const seen: number[] = [];
    const all = forEachBounded([1, 2, 3], 1, async (item) => {
      seen.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error('no');
    });
    await expect(all).rejects.toThrow('no');
    expect(seen).toEqual([1, 2, 3]);
  });
});

const NAMESPACE: Stored<Namespace> = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'foo', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {},
  status: { phase: 'Terminating', conditions: [{ type: 'Other', status: 'True' }] },
};

describe('what a namespace says of its end', () => {
  const held = { ...NAMESPACE, metadata: { ...NAMESPACE.metadata, finalizers: ['example.test/x'] } };
  const remaining = terminationConditions([{ resource: PODS, count: 2, sample: [held, held] }]);

  it('names what is left and what holds it', () => {
    const told = remaining.map(({ type, status, message }) => `${type} ${status} ${message}`);
    expect(told.slice(3)).toEqual([
      'NamespaceContentRemaining True Some resources are remaining: pods. has 2 resource instances',
      'NamespaceFinalizersRemaining True Some content in the namespace has finalizers remaining: example.test/x in 2 resource instances',
    ]);
    expect(terminationConditions([]).map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'False'));
  });

  it('is written only if it is news, and keeps the time of the last turn', () => {
    const told = withConditions(NAMESPACE, remaining, 't1');
    expect(told.status?.conditions?.map(({ type }) => type)).toEqual([
      'Other',
      'NamespaceDeletionDiscoveryFailure',
      'NamespaceDeletionGroupVersionParsingFailure',
      'NamespaceDeletionContentFailure',
      'NamespaceContentRemaining',
      'NamespaceFinalizersRemaining',
    ]);
    expect(withConditions(told, remaining, 't2')).toBe(told);
    const fewer = terminationConditions([{ resource: PODS, count: 1, sample: [NAMESPACE] }]);
    const later = withConditions(told, fewer, 't3').status?.conditions?.slice(4);
    expect(later?.map(({ status, lastTransitionTime }) => [status, lastTransitionTime])).toEqual([
      ['True', 't1'],
      ['False', 't3'],
    ]);
  });
});

describe('the kinds kept in order', () => {
  const kinds = createRegistry().all();
  const names = (chosen: readonly Resource[]): readonly string[] =>
    chosen.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`));

  it('own and are owned: all that can be followed and deleted, but no events', () => {
    const chosen = names(collectableResources(kinds));
    for (const name of ['pods', 'daemonsets.apps', 'controllerrevisions.apps', 'nodes', 'namespaces'])
      expect(chosen).toContain(name);
    for (const name of ['events', 'bindings', 'tokenreviews']) expect(chosen).not.toContain(name);
    expect(new Set(chosen).size).toBe(chosen.length);
  });

  it('go with their namespace: those in one, each once', () => {
    const chosen = names(namespacedResources(kinds));
    expect(chosen).toContain('events');
    expect(chosen).not.toContain('nodes');
    expect(new Set(chosen).size).toBe(chosen.length);
  });
});
