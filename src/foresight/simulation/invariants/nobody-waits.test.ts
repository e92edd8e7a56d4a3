import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, Stored } from '../../../core/kube/objects.ts';
import { createClusterView } from '../cluster-view.ts';
import { nobodyWaits, noPriorityInversion } from './nobody-waits.ts';

const stored = <T extends object>(kind: string, name: string, rest: T): Stored & T => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'default', uid: name, resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
  ...rest,
});

interface PodFacts {
  readonly cpu: string;
  readonly priority?: number;
  readonly nodeName?: string;
  readonly never?: boolean;
  readonly told?: boolean;
}

const pod = (name: string, { cpu, priority = 0, nodeName, never = false, told = true }: PodFacts): Stored =>
  stored('Pod', name, {
    spec: {
      priority,
      ...(never ? { preemptionPolicy: 'Never' } : {}),
      ...(nodeName === undefined ? {} : { nodeName }),
      containers: [{ name: 'main', image: 'x', resources: { requests: { cpu } } }],
    } satisfies Pod['spec'],
    status: told ? { conditions: [{ type: 'PodScheduled', status: 'False', message: 'no room' }] } : {},
  });

/** The findings of both invariants about one node of one CPU with these pods. */
function said(...pods: readonly Stored[]): { readonly waits: readonly string[]; readonly inverted: readonly string[] } {
  const view = createClusterView({
    now: () => 0,
    wall: () => 0,
    jumps: [],
    knewAt: () => 0,
    reactionMs: 0,
    patienceMs: 0,
  });
  const add = (resource: string, namespace: string, object: KubeObject): void =>
    view.apply({
      revision: 1,
      at: 0,
      by: 'user',
      type: 'ADDED',
      key: { tenant: 'system', group: '', resource, namespace, name: object.metadata.name },
      object: object as Stored,
      previous: undefined,
    });
  add('namespaces', '', stored('Namespace', 'default', {}));
  const allocatable = { cpu: '1', memory: '1Gi', pods: '10' };
  add('nodes', '', stored('Node', 'n', { spec: {}, status: { allocatable, capacity: allocatable } }));
  for (const each of pods) add('pods', 'default', each);
  const ask = (make: typeof nobodyWaits): readonly string[] => [...(make().settled?.(view, undefined as never) ?? [])];
  return { waits: ask(nobodyWaits), inverted: ask(noPriorityInversion) };
}

describe('pods that wait when all is quiet', () => {
  it('wait for nothing where there is room', () => {
    expect(said(pod('a', { cpu: '500m' })).waits).toEqual(['a waits although n takes it']);
    expect(said(pod('a', { cpu: '500m', nodeName: 'n' }), pod('b', { cpu: '600m' })).waits).toEqual([]);
  });

  it('are told why', () => {
    expect(said(pod('a', { cpu: '2', told: false })).waits).toEqual(['a waits and nobody says why']);
  });

  it('do not wait for what less important pods hold', () => {
    const held = pod('low', { cpu: '800m', nodeName: 'n' });
    expect(said(held, pod('high', { cpu: '500m', priority: 10 })).inverted).toEqual([
      'high waits although n takes it without less important pods',
    ]);
    expect(said(held, pod('equal', { cpu: '500m' })).inverted).toEqual([]);
    expect(said(held, pod('patient', { cpu: '500m', priority: 10, never: true })).inverted).toEqual([]);
    expect(said(held, pod('huge', { cpu: '5', priority: 10 })).inverted).toEqual([]);
  });
});
