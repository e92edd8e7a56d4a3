import { describe, expect, it } from 'vitest';
import { PODS } from '../../core/api/registry/resources.ts';
import type { Namespace } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { terminationConditions, withConditions } from './namespace-conditions.ts';

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
