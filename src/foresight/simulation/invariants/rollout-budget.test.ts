import { describe, expect, it } from 'vitest';
import type { Stored } from '../../../core/kube/objects.ts';
import { createClusterView } from '../cluster-view.ts';
import type { Commit } from '../commit.ts';
import { rolloutBudget } from './rollout-budget.ts';

const stored = <T extends object>(kind: string, name: string, rest: T, more: object = {}): Stored & T => ({
  apiVersion: kind === 'DaemonSet' ? 'apps/v1' : 'v1',
  kind,
  metadata: {
    name,
    ...(kind === 'Node' ? {} : { namespace: 'default' }),
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...more,
  },
  ...rest,
});

/** One daemon that may be unavailable on one node at a time, and steps for its pods. */
function rollout() {
  const view = createClusterView({
    now: () => 1_000,
    wall: () => 1_000,
    jumps: [],
    knewAt: () => 0,
    reactionMs: 0,
    patienceMs: 0,
  });
  const invariant = rolloutBudget();
  const objects = new Map<string, Stored>();
  let revision = 0;

  function commit(by: string, type: Commit['type'], resource: string, object: Stored): string | undefined {
    revision += 1;
    const { name, namespace = '' } = object.metadata;
    const group = resource === 'daemonsets' ? 'apps' : '';
    const previous = objects.get(name);
    if (type === 'DELETED') objects.delete(name);
    else objects.set(name, object);
    const key = { tenant: 'system', group, resource, namespace, name };
    const change: Commit = { revision, at: 1_000, by, type, key, object, previous };
    view.apply(change);
    return invariant.committed?.(change, view);
  }

  const pod = (name: string, nodeName: string, ready: boolean, going = false): Stored =>
    stored(
      'Pod',
      name,
      {
        spec: { nodeName, containers: [{ name: 'main', image: 'x' }] },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
      },
      {
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'agent', controller: true }],
        ...(going ? { deletionTimestamp: '2026-01-01T00:00:01Z' } : {}),
      },
    );

  const rollingUpdate = { maxUnavailable: 1, maxSurge: 0 };
  const spec = {
    selector: { matchLabels: { app: 'agent' } },
    template: { spec: { containers: [{ name: 'main', image: 'x' }] } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
  };
  for (const name of ['a', 'b', 'c']) commit('user', 'ADDED', 'nodes', stored('Node', name, { spec: {} }));
  commit('user', 'ADDED', 'daemonsets', stored('DaemonSet', 'agent', { spec }));
  for (const name of ['a', 'b', 'c']) commit('fleet', 'ADDED', 'pods', pod(`old-${name}`, name, true));

  return {
    takeDown: (name: string, node: string, by = 'daemonset') =>
      commit(by, 'MODIFIED', 'pods', pod(name, node, true, true)),
    remove: (name: string, node: string) => commit('fleet', 'DELETED', 'pods', pod(name, node, true, true)),
    make: (name: string, node: string) => commit('daemonset', 'ADDED', 'pods', pod(name, node, false)),
    ready: (name: string, node: string) => commit('fleet', 'MODIFIED', 'pods', pod(name, node, true)),
  };
}

describe('the budget of a rollout', () => {
  it('is broken by the second pod that is taken down before the first has a successor', () => {
    const { takeDown, remove, make } = rollout();
    expect(takeDown('old-a', 'a')).toBeUndefined();
    remove('old-a', 'a');
    make('new-a', 'a');
    expect(takeDown('old-b', 'b')).toBe('agent was taken down on 2 nodes at once, 1 allowed: a, b');
  });

  it('is whole again when the successor is available', () => {
    const { takeDown, remove, make, ready } = rollout();
    takeDown('old-a', 'a');
    remove('old-a', 'a');
    make('new-a', 'a');
    ready('new-a', 'a');
    expect(takeDown('old-b', 'b')).toBeUndefined();
  });

  it('is not used up by a successor that was available and that a user then deleted', () => {
    const { takeDown, remove, make, ready } = rollout();
    takeDown('old-a', 'a');
    remove('old-a', 'a');
    make('new-a', 'a');
    ready('new-a', 'a');
    takeDown('new-a', 'a', 'user');
    expect(takeDown('old-b', 'b')).toBeUndefined();
    expect(takeDown('old-c', 'c')).toBe('agent was taken down on 2 nodes at once, 1 allowed: b, c');
  });
});
