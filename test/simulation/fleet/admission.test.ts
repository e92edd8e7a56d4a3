import { describe, expect, it } from 'vitest';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { Pod } from '../../../src/core/api/types/core-v1.ts';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { isReadyPod, podOn, simulatedNode } from '../support/world.ts';
import { fleet, type FleetWorld } from './fleet-world.ts';

const CAPACITY = { cpu: '2', memory: '2Gi', pods: '4', 'ephemeral-storage': '10Gi', 'nvidia.com/gpu': '1' };

const asking = (requests: Record<string, string>): Partial<Pod['spec']> => {
  const extended = Object.fromEntries(Object.entries(requests).filter(([name]) => name.includes('/')));
  return { containers: [{ name: 'main', image: 'agent:1', resources: { requests, limits: extended } }] };
};

async function oneNode(
  capacity: Record<string, string> = CAPACITY,
  rest: Parameters<typeof simulatedNode>[2] = {},
): Promise<FleetWorld> {
  const world = await fleet();
  await world.client.create(NODES, simulatedNode('n', {}, { status: { capacity }, ...rest }));
  await world.pass(10);
  return world;
}

async function outcome(world: FleetWorld, name: string, spec: Partial<Pod['spec']>): Promise<string> {
  await world.client.create(PODS, podOn('n', name, spec));
  await world.pass(10);
  const { status } = await world.pod(name);
  return `${status?.phase} ${status?.reason ?? ''} ${status?.message ?? ''}`.trim();
}

describe('a simulated kubelet', () => {
  it.each([
    [{ cpu: '1500m' }, 'OutOfcpu', 'cpu, requested: 1500, used: 1000, capacity: 2000'],
    [{ memory: '1.5Gi' }, 'OutOfmemory', 'memory, requested: 1610612736, used: 1073741824, capacity: 2147483648'],
    [
      { 'ephemeral-storage': '11Gi' },
      'OutOfephemeral-storage',
      'ephemeral-storage, requested: 11811160064, used: 0, capacity: 10737418240',
    ],
    [{ 'nvidia.com/gpu': '1' }, 'OutOfnvidia.com/gpu', 'nvidia.com/gpu, requested: 1, used: 1, capacity: 1'],
  ])('turns away what it has no room for: %o', async (requests, reason, detail) => {
    const world = await oneNode();
    expect(await outcome(world, 'first', asking({ cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' }))).toBe('Running');
    expect(await outcome(world, 'second', asking(requests))).toBe(
      `Failed ${reason} Pod was rejected: Node didn't have enough resource: ${detail}`,
    );
    const { status } = await world.pod('second');
    expect(status?.startTime).toBeDefined();
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'PodFailed',
    });
    const written = world.writes.lasting.length;
    await world.pass(600_000);
    expect(world.writes.lasting).toHaveLength(written);
  });

  it('takes no more pods than it can hold', async () => {
    const world = await oneNode({ ...CAPACITY, pods: '1' });
    expect(await outcome(world, 'first', {})).toBe('Running');
    expect(await outcome(world, 'second', {})).toContain('OutOfpods');
  });

  it('leaves extended resources it has never heard of to whoever has', async () => {
    const world = await oneNode();
    expect(await outcome(world, 'p', asking({ 'example.com/licence': '5' }))).toBe('Running');
  });

  it('gives a host port to one pod only', async () => {
    const world = await oneNode();
    const port = (hostPort: number) => ({
      containers: [{ name: 'main', image: 'a', ports: [{ containerPort: 80, hostPort }] }],
    });
    expect(await outcome(world, 'first', port(8080))).toBe('Running');
    expect(await outcome(world, 'other', port(8081))).toBe('Running');
    expect(await outcome(world, 'second', port(8080))).toBe(
      "Failed NodePorts Pod was rejected: Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    );
  });

  it('looks at node affinity, NoExecute taints and the operating system, but at no other taint', async () => {
    const taints = [
      { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
      { key: 'leave', effect: 'NoExecute' },
    ];
    const world = await oneNode(CAPACITY, { spec: { taints } });
    const tolerations = [{ key: 'leave', operator: 'Exists' }];
    expect(await outcome(world, 'a', { tolerations })).toBe('Running');
    expect(await outcome(world, 'b', {})).toBe(
      "Failed TaintToleration Pod was rejected: Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    );
    expect(await outcome(world, 'c', { tolerations, nodeSelector: { disk: 'ssd' } })).toBe(
      "Failed NodeAffinity Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    );
    expect(await outcome(world, 'd', { tolerations, os: { name: 'windows' } })).toContain('PodOSNotSupported');
  });

  it('takes the oldest first when several pods arrive at once', async () => {
    const world = await fleet();
    for (const name of ['c-first', 'b-second', 'a-third']) {
      await world.client.create(PODS, podOn('n', name, asking({ cpu: '1' })));
      await world.pass(1000);
    }
    await world.client.create(NODES, simulatedNode('n', {}, { status: { capacity: CAPACITY } }));
    await world.pass(100);
    expect((await world.pod('c-first')).status?.phase).toBe('Running');
    expect((await world.pod('b-second')).status?.phase).toBe('Running');
    expect((await world.pod('a-third')).status?.reason).toBe('OutOfcpu');
  });

  it('counts what already runs before it takes anything new after a restart', async () => {
    const world = await oneNode();
    for (const name of ['x', 'y']) {
      await world.client.create(PODS, podOn('n', name, asking({ cpu: '1' })));
      await world.podWhen(name, isReadyPod, 100);
    }
    await world.stopFleet();
    // Comes first in every list.
    await world.client.create(PODS, podOn('n', 'a', asking({ cpu: '1' })));
    await world.startFleet();
    await world.pass(100);
    expect((await world.pod('a')).status?.reason).toBe('OutOfcpu');
    expect(isReadyPod(await world.pod('x'))).toBe(true);
    expect(isReadyPod(await world.pod('y'))).toBe(true);
  });

  it('has the room of a pod that ended', async () => {
    const world = await oneNode();
    await world.client.create(
      PODS,
      podOn('n', 'done', { ...asking({ cpu: '2' }), restartPolicy: 'Never' }, { annotations: { [A.exitAfter]: '1s' } }),
    );
    await world.pass(1500);
    expect((await world.pod('done')).status?.phase).toBe('Succeeded');
    expect(await outcome(world, 'next', asking({ cpu: '2' }))).toBe('Running');
  });
});
