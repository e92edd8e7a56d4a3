import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A, FLEET_LEASE } from '../../../src/core/api/names.ts';
import { LEASES, NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import { formatTime } from '../../../src/core/kube/time.ts';
import { nodesOf } from '../../../src/nodes/fleet/node-groups.ts';
import { isReady } from '../../../src/nodes/fleet/node-status.ts';
import { isReadyPod, podOn, simulatedNode, type World } from '../support/world.ts';
import { fleet } from './fleet-world.ts';

const annotate = (world: World, name: string, annotations: Record<string, string | null>) =>
  world.client.patch(NODES, { name }, { type: 'merge', body: { metadata: { annotations } } });

describe('a simulated node', () => {
  it('made by hand without a status gets the usual size, addresses and conditions', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.pass(10);
    const { status } = await world.node('n');
    expect(status).toMatchObject({
      capacity: { cpu: '4', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      allocatable: { cpu: '4' },
      addresses: [{ type: 'InternalIP' }, { type: 'Hostname', address: 'n' }],
      nodeInfo: { operatingSystem: 'linux' },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    });
    expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
      'MemoryPressure=False',
      'DiskPressure=False',
      'PIDPressure=False',
      'Ready=True',
    ]);
  });

  it('keeps the size it was made with, completed where something is missing', async () => {
    const world = await fleet();
    const status = { capacity: { cpu: '64', 'nvidia.com/gpu': '8' }, allocatable: { cpu: '63' } };
    await world.client.create(NODES, simulatedNode('n', {}, { status }));
    await world.pass(10);
    const { status: now } = await world.node('n');
    expect(now?.capacity).toEqual({
      cpu: '64',
      memory: '16Gi',
      pods: '110',
      'ephemeral-storage': '100Gi',
      'nvidia.com/gpu': '8',
    });
    expect(now?.allocatable).toEqual({
      cpu: '63',
      memory: '16Gi',
      pods: '110',
      'ephemeral-storage': '100Gi',
      'nvidia.com/gpu': '8',
    });
  });

  it('lets pods use what somebody adds to its capacity, until it is taken away', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.pass(10);
    const change = (amount: string | null) => {
      const body = { status: { capacity: { 'example.test/beard': amount } } };
      return world.client.patch(NODES, { name: 'n' }, { type: 'merge', body }, { subresource: 'status' });
    };
    await change('1k');
    await world.pass(10);
    expect((await world.node('n')).status?.allocatable).toMatchObject({ cpu: '4', 'example.test/beard': '1k' });
    await change(null);
    await world.pass(10);
    expect((await world.node('n')).status?.allocatable).not.toHaveProperty(['example.test/beard']);
  });

  it('is nobody else’s: a Node without the annotation, or with "false", is left alone', async () => {
    const world = await fleet();
    await world.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' }, spec: {} });
    await world.client.create(NODES, simulatedNode('off', { [A.simulated]: 'false' }));
    await world.client.create(PODS, podOn('real', 'p'));
    await world.pass(60_000);
    expect(world.writes.lasting).toEqual([]);
    expect((await world.pod('p')).status?.phase).toBe('Pending');
  });

  it('is adopted when the annotation comes later, with the pods it has, and let go when it leaves', async () => {
    const world = await fleet();
    await world.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, spec: {} });
    await world.client.create(PODS, podOn('n', 'first'));
    await world.pass(1000);
    await annotate(world, 'n', { [A.simulated]: '' });
    await world.podWhen('first', isReadyPod, 100);
    await annotate(world, 'n', { [A.simulated]: null });
    await world.client.create(PODS, podOn('n', 'second'));
    await world.pass(10_000);
    expect((await world.pod('second')).status?.phase).toBe('Pending');
    expect(isReadyPod(await world.pod('first'))).toBe(true);
    await annotate(world, 'n', { [A.simulated]: 'true' });
    await world.podWhen('second', isReadyPod, 100);
  });

  it('takes pods that were bound before it was there', async () => {
    const world = await fleet();
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(5000);
    await world.client.create(NODES, simulatedNode('n'));
    expect((await world.podWhen('p', isReadyPod, 100)).status?.phase).toBe('Running');
  });

  it('comes up after its startup delay, to the tenth of a second', async () => {
    const world = await fleet();
    await world.pass(600);
    await world.client.create(NODES, simulatedNode('n', { [A.startupDelay]: '1500ms' }));
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(1450);
    expect(isReady(await world.node('n'))).toBe(false);
    expect((await world.pod('p')).status?.startTime).toBeUndefined();
    await world.pass(100);
    expect(isReady(await world.node('n'))).toBe(true);
    expect(isReadyPod(await world.pod('p'))).toBe(true);
  });

  it('of a group with a delay becomes Ready that much later than those of a group without', async () => {
    const world = await fleet();
    const now = formatTime(world.clock.now());
    const groups = [
      { name: 'cpu', count: 1 },
      { name: 'gpu', count: 1, startupDelay: '2s' },
    ];
    for (const group of groups) for (const node of nodesOf(group, now)) await world.client.create(NODES, node);
    const ready = async () => [isReady(await world.node('cpu-0')), isReady(await world.node('gpu-0'))];
    expect(await ready()).toEqual([true, false]);
    await world.pass(1900);
    expect(await ready()).toEqual([true, false]);
    await world.pass(200);
    expect(await ready()).toEqual([true, true]);
  });

  it('is Ready only once the daemon it waits for is, and stays so', async () => {
    const world = await fleet();
    await world.client.create(
      NODES,
      simulatedNode('n', { [A.readyWhenDaemon]: 'default/cni', [A.podStartDelay]: '2s' }),
    );
    await world.pass(1000);
    expect((await world.node('n')).status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
    });
    const owner = (name: string) => ({
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: name, controller: true }],
    });
    await world.client.create(PODS, podOn('n', 'other', {}, owner('logs')));
    await world.client.create(PODS, podOn('n', 'cni', {}, owner('cni')));
    await world.pass(1900);
    expect(isReady(await world.node('n'))).toBe(false);
    await world.pass(200);
    expect(isReady(await world.node('n'))).toBe(true);
    await world.client.delete(PODS, { namespace: 'default', name: 'cni' });
    const written = world.writes.all.filter(({ resource }) => resource === 'nodes').length;
    await world.stopFleet();
    await world.startFleet();
    await world.pass(10_000);
    expect(isReady(await world.node('n'))).toBe(true);
    expect(world.writes.all.filter(({ resource }) => resource === 'nodes')).toHaveLength(written);
  });

  it('speaks up when somebody declares it lost', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.pass(10);
    const node = await world.node('n');
    const conditions =
      node.status?.conditions?.map((each) => (each.type === 'Ready' ? { ...each, status: 'Unknown' } : each)) ?? [];
    await world.client.update(NODES, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
    await world.pass(10);
    expect(isReady(await world.node('n'))).toBe(true);
  });

  it('keeps pressure that somebody set on purpose', async () => {
    const world = await fleet();
    const conditions = [{ type: 'MemoryPressure', status: 'True' }];
    await world.client.create(NODES, simulatedNode('n', {}, { status: { conditions } }));
    await world.pass(10);
    const { status } = await world.node('n');
    expect(status?.conditions?.find(({ type }) => type === 'MemoryPressure')?.status).toBe('True');
    expect(isReady(await world.node('n'))).toBe(true);
  });

  it('that is deleted and made again takes over the pods of its name', async () => {
    const world = await fleet();
    const status = { capacity: { cpu: '1', memory: '1Gi', pods: '1', 'ephemeral-storage': '1Gi' } };
    await world.client.create(NODES, simulatedNode('n', {}, { status }));
    await world.client.create(PODS, podOn('n', 'old'));
    await world.podWhen('old', isReadyPod, 100);
    await world.client.delete(NODES, { name: 'n' });
    await world.client.create(NODES, simulatedNode('n', {}, { status }));
    await world.client.create(PODS, podOn('n', 'new'));
    await world.pass(1000);
    expect(isReadyPod(await world.pod('old'))).toBe(true);
    expect((await world.pod('new')).status).toMatchObject({ phase: 'Failed', reason: 'OutOfpods' });
  });
});

describe('heartbeats', () => {
  it('are one Lease for all nodes, renewed every ten seconds', async () => {
    const world = await fleet();
    for (let i = 0; i < 20; i += 1) await world.client.create(NODES, simulatedNode(`n${i}`));
    await world.pass(60_500);
    const leases = world.writes.all.filter(({ resource }) => resource === 'leases');
    expect(new Set(leases.map(({ name }) => name))).toEqual(new Set([FLEET_LEASE]));
    expect(leases.length).toBeLessThanOrEqual(8);
    const lease = await world.client.get(LEASES, { namespace: 'kube-node-lease', name: FLEET_LEASE });
    expect(lease.spec).toMatchObject({
      holderIdentity: FLEET_LEASE,
      leaseDurationSeconds: 40,
      renewTime: '2026-01-01T00:01:00.000000Z',
    });
  });

  it('can be a Lease for each node, spread over the interval and owned by the node', async () => {
    const world = await fleet({ ownLeases: true });
    const count = 500;
    for (let i = 0; i < count; i += 1) await world.client.create(NODES, simulatedNode(`n${i}`));
    await world.pass(20_000);
    const before = world.writes.all.length;
    await world.pass(1000);
    const inASecond = world.writes.all.length - before;
    expect(inASecond).toBeGreaterThan(count / 20);
    expect(inASecond).toBeLessThan(count / 5);
    const lease = await world.client.get(LEASES, { namespace: 'kube-node-lease', name: 'n7' });
    const { metadata } = await world.node('n7');
    expect(lease.metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: 'n7', uid: metadata.uid }]);
  });

  it('are a Lease for each node while there are few, and nothing is shared then', async () => {
    const world = await fleet({ ownLeases: 2 });
    const names = async (): Promise<readonly string[]> => {
      const before = world.writes.all.length;
      await world.pass(20_000);
      const leases = world.writes.all.slice(before).filter(({ resource }) => resource === 'leases');
      return [...new Set(leases.map(({ name }) => name ?? ''))].toSorted();
    };
    for (const name of ['n1', 'n2']) await world.client.create(NODES, simulatedNode(name));
    expect(await names()).toEqual(['n1', 'n2']);
    await world.client.create(NODES, simulatedNode('n3'));
    await world.pass(10_000);
    expect(await names()).toEqual([FLEET_LEASE]);
  });

  it('that fail are told once and go on', async () => {
    const world = await fleet();
    world.writes.fail = ({ resource }) => (resource === 'leases' ? { before: new Error('no route') } : undefined);
    await world.pass(60_000);
    expect(world.log.filter(({ message }) => message === 'Could not renew a heartbeat')).toHaveLength(1);
    world.writes.fail = undefined;
    await world.pass(10_000);
    const lease = await world.client.get(LEASES, { namespace: 'kube-node-lease', name: FLEET_LEASE });
    expect(lease.spec?.renewTime).toBe('2026-01-01T00:01:10.000000Z');
  });
});
