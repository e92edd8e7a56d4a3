import { afterEach, describe, expect, it } from 'vitest';
import { createNodeLifecycle } from '../../src/control/housekeeping/nodes/node-lifecycle.ts';
import { createTaintEviction } from '../../src/control/housekeeping/nodes/taint-eviction.ts';
import { DAEMON_SETS, LEASES, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';
import { allAvailable, createWorld, daemonSet, type World, type WorldOptions } from '../daemonset/world.ts';
import {
  findPod,
  getNode,
  getNodes,
  keep,
  type Keeping,
  podOn,
  podReady,
  readyOf,
  silence,
  taintsOf,
  wake,
} from './keepers.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function newWorld(options: WorldOptions, own?: (world: World) => Keeping): Promise<World> {
  const world = await createWorld({ scheduler: false, controller: false, ...options });
  ends.push(() => world.stop());
  ends.push(keep(world, (around) => [createNodeLifecycle(around), createTaintEviction(around)], own?.(world)));
  await world.settle(100);
  return world;
}

const SIMULATED = { 'everynode.dev/simulated': 'true' };
const TWO_ZONES = [
  { name: 'a', count: 4 },
  { name: 'b', count: 4 },
];

describe('a node that is no longer heard of', () => {
  it('is Unknown after its grace, keeps new pods away, and its pods are not ready', async () => {
    const world = await newWorld({ nodes: TWO_ZONES });
    await world.client.create(PODS, podOn('app', 'a-0'));
    await world.settle(5_000);
    expect(podReady(await findPod(world, 'app'))).toBe('True');
    await silence(world, 'a-0');
    await world.settle(45_000);
    expect(readyOf(await getNode(world, 'a-0'))).toBe('True');
    await world.settle(20_000);
    const node = await getNode(world, 'a-0');
    expect(node.status?.conditions?.filter(({ status }) => status === 'Unknown').map(({ type }) => type)).toEqual([
      'MemoryPressure',
      'DiskPressure',
      'PIDPressure',
      'Ready',
    ]);
    expect(node.status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
    });
    expect(taintsOf(node)).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect(podReady(await findPod(world, 'app'))).toBe('False');
    expect(readyOf(await getNode(world, 'a-1'))).toBe('True');
  });

  it('loses the pods that tolerate it for a time, after that time, and keeps the daemons', async () => {
    const world = await newWorld({ nodes: TWO_ZONES, scheduler: true, controller: {} });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 8));
    const patient = [
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 },
    ];
    await world.client.create(PODS, podOn('default', 'a-0'));
    await world.client.create(PODS, podOn('impatient', 'a-0', { tolerations: patient }));
    await world.settle(5_000);
    await silence(world, 'a-0');
    await world.settle(70_000);
    expect((await findPod(world, 'impatient'))?.metadata.deletionTimestamp).toBeUndefined();
    await world.settle(30_000);
    const going = await findPod(world, 'impatient');
    expect(going?.metadata.deletionTimestamp).toBeDefined();
    expect(going?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    });
    expect((await findPod(world, 'default'))?.metadata.deletionTimestamp).toBeUndefined();
    await world.settle(300_000);
    expect((await findPod(world, 'default'))?.metadata.deletionTimestamp).toBeDefined();
    const daemons = (await world.podsByNode()).get('a-0') ?? [];
    expect(daemons.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);
  });

  it('is as before when it speaks again in time', async () => {
    const world = await newWorld({ nodes: TWO_ZONES });
    await world.client.create(PODS, podOn('app', 'a-0'));
    await world.settle(5_000);
    await silence(world, 'a-0');
    await world.settle(100_000);
    expect(taintsOf(await getNode(world, 'a-0'))).toContain('unreachable:NoExecute');
    await wake(world, 'a-0');
    await world.settle(600_000);
    const node = await getNode(world, 'a-0');
    expect([readyOf(node), taintsOf(node)]).toEqual(['True', []]);
    expect(node.status?.conditions?.filter(({ status }) => status === 'Unknown')).toEqual([]);
    expect((await findPod(world, 'app'))?.metadata.deletionTimestamp).toBeUndefined();
    expect(podReady(await findPod(world, 'app'))).toBe('True');
  });

  it('that never spoke is told of after the longer grace', async () => {
    const world = await newWorld({ nodes: 3 });
    await world.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'mute' }, spec: {} });
    await world.settle(58_000);
    expect(readyOf(await getNode(world, 'mute'))).toBeUndefined();
    await world.settle(15_000);
    expect((await getNode(world, 'mute')).status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'NodeStatusNeverUpdated',
    });
  });

  it('lives by its own Lease', async () => {
    const world = await newWorld({ nodes: 3 });
    const name = 'real';
    const heartbeat = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: '2026-01-01T00:00:00Z',
    };
    await world.client.create(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: {},
      status: { conditions: [heartbeat] },
    });
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
    };
    await world.client.create(LEASES, { ...lease, spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
    for (let i = 1; i <= 20; i += 1) {
      await world.settle(10_000);
      const renewTime = `2026-01-01T00:00:${String(i).padStart(2, '0')}.000000Z`;
      await world.client.patch(
        LEASES,
        { name, namespace: 'kube-node-lease' },
        { type: 'merge', body: { spec: { renewTime } } },
      );
    }
    expect(readyOf(await getNode(world, name))).toBe('True');
    await world.settle(70_000);
    expect(readyOf(await getNode(world, name))).toBe('Unknown');
  });
});

describe('what is no missed heartbeat', () => {
  it('a cluster that grows beyond Leases for each node, and shrinks again', async () => {
    const world = await newWorld({ nodes: 3, ownLeases: 3 });
    const isReady = async (): Promise<boolean> =>
      (await world.client.list(NODES)).items.every((node) => readyOf(node) === 'True');
    await world.settle(120_000);
    expect(await isReady()).toBe(true);
    const fourth = { ...(await getNode(world, 'node-0')), metadata: { name: 'fourth', annotations: SIMULATED } };
    await world.client.create(NODES, fourth);
    await world.settle(120_000);
    expect(await isReady()).toBe(true);
    await world.client.delete(NODES, { name: 'fourth' });
    await world.settle(120_000);
    expect(await isReady()).toBe(true);
    // What nobody renews is a sign all the same.
    await silence(world, 'node-0');
    await world.settle(120_000);
    expect(readyOf(await getNode(world, 'node-0'))).toBe('Unknown');
  });

  it('a wall clock that jumps', async () => {
    const world = await newWorld({ nodes: 3 });
    for (const ms of [3_600_000, -7_200_000, 86_400_000]) {
      world.clock.jump(ms);
      await world.settle(20_000);
    }
    for (const name of ['node-0', 'node-1', 'node-2']) expect(readyOf(await getNode(world, name))).toBe('True');
  });

  it('an absence of our own', async () => {
    let asleep = false;
    const drowsy = (clock: Clock): Clock => ({
      ...clock,
      sleep: (ms, signal) => clock.sleep(asleep ? 600_000 : ms, signal),
    });
    const world = await newWorld({ nodes: 3, fleet: false }, ({ clock }) => ({ clock: drowsy(clock) }));
    // Nobody renews: as if the whole process had been stopped in between.
    await world.settle(20_000);
    asleep = true;
    await world.settle(6_000);
    asleep = false;
    await world.settle(600_000);
    expect(readyOf(await getNode(world, 'node-0'))).toBe('True');
    await world.settle(60_000);
    expect(readyOf(await getNode(world, 'node-0'))).toBe('Unknown');
  });

  it('a watch that is behind: the API server is asked before anybody is given up', async () => {
    const deaf = (client: Client): Client => ({
      ...client,
      async *watch(resource, options) {
        if (resource.resource !== 'leases') {
          yield* client.watch(resource, options);
          return;
        }
        // The first state, and then never a word.
        for await (const batch of client.watch(resource, options)) {
          yield batch;
          if (batch.some((event) => event.type === 'BOOKMARK')) break;
        }
        await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
      },
    });
    const world = await newWorld({ nodes: 3 }, ({ direct }) => ({ client: deaf(direct) }));
    await world.settle(600_000);
    expect(readyOf(await getNode(world, 'node-1'))).toBe('True');
  });
});

describe('the pace', () => {
  it('is one node in ten seconds for a zone', async () => {
    const world = await newWorld({
      nodes: [{ name: 'n', count: 12, labels: { 'topology.kubernetes.io/zone': 'one' } }],
    });
    for (const i of [0, 1, 2]) await silence(world, `n-${i}`);
    const executing = async (): Promise<number> => {
      const nodes = await getNodes(world, ['n-0', 'n-1', 'n-2']);
      return nodes.filter((node) => taintsOf(node).includes('unreachable:NoExecute')).length;
    };
    await world.eventually(async () => (await executing()) === 1);
    await world.settle(8_000);
    expect(await executing()).toBe(1);
    await world.settle(4_000);
    expect(await executing()).toBe(2);
    await world.settle(10_000);
    expect(await executing()).toBe(3);
  });

  it('is nothing in a small zone most of which is down, and nothing at all when everything is', async () => {
    const group = (name: string, count: number) => ({ name, count, labels: { 'topology.kubernetes.io/zone': name } });
    const world = await newWorld({ nodes: [group('p', 5), group('q', 1)] });
    for (const i of [0, 1, 2]) await silence(world, `p-${i}`);
    await world.settle(200_000);
    const partial = await getNodes(world, ['p-0', 'p-1', 'p-2']);
    // The first may go before the others are known to be down.
    expect(partial.filter((node) => taintsOf(node).includes('unreachable:NoExecute')).length).toBeLessThanOrEqual(1);
    for (const name of ['p-3', 'p-4', 'q-0']) await silence(world, name);
    await world.settle(200_000);
    for (const name of ['p-0', 'p-1', 'p-2', 'p-3', 'p-4', 'q-0']) {
      const node = await getNode(world, name);
      expect([name, readyOf(node), taintsOf(node)]).toEqual([name, 'Unknown', ['unreachable:NoSchedule']]);
    }
    await wake(world, 'q-0');
    await world.settle(10_000);
    expect(readyOf(await getNode(world, 'q-0'))).toBe('True');
  });
});

describe('taints of conditions', () => {
  it('follow pressure and cordon, and leave what others set alone', async () => {
    const world = await newWorld({ nodes: 3 });
    const body = { spec: { unschedulable: true, taints: [{ key: 'mine', effect: 'NoSchedule' }] } };
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body });
    await world.settle(1_000);
    expect(taintsOf(await getNode(world, 'node-0'))).toEqual(['mine:NoSchedule', 'unschedulable:NoSchedule']);
    const node = await getNode(world, 'node-0');
    const conditions = (node.status?.conditions ?? []).map((each) =>
      each.type.endsWith('Pressure') ? { ...each, status: 'True' } : each,
    );
    const network = { type: 'NetworkUnavailable', status: 'True' };
    const pressed = { ...node, status: { ...node.status, conditions: [...conditions, network] } };
    await world.client.update(NODES, pressed, { subresource: 'status' });
    await world.settle(1_000);
    expect(taintsOf(await getNode(world, 'node-0'))).toEqual([
      'disk-pressure:NoSchedule',
      'memory-pressure:NoSchedule',
      'mine:NoSchedule',
      'network-unavailable:NoSchedule',
      'pid-pressure:NoSchedule',
      'unschedulable:NoSchedule',
    ]);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: false } } });
    await world.settle(1_000);
    expect(taintsOf(await getNode(world, 'node-0'))).not.toContain('unschedulable:NoSchedule');
  });

  it('are written once: a quiet world stays quiet', async () => {
    const world = await newWorld({ nodes: 3 });
    await world.settle(5_000);
    const before = await world.client.list(NODES);
    await world.settle(120_000);
    const after = await world.client.list(NODES);
    expect(after.items.map(({ metadata }) => metadata.resourceVersion)).toEqual(
      before.items.map(({ metadata }) => metadata.resourceVersion),
    );
  });
});

describe('a NoExecute taint that somebody sets', () => {
  const taint = (world: World, taints: { key: string; effect: string; value?: string }[]) =>
    world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints } } });

  it('ends pods at once, later or never, as they tolerate it', async () => {
    const world = await newWorld({ nodes: 3 });
    const tolerate = (more: object) => ({ tolerations: [{ key: 'drain', operator: 'Exists', ...more }] });
    await world.client.create(PODS, podOn('none', 'node-0'));
    await world.client.create(PODS, podOn('some', 'node-0', tolerate({ effect: 'NoExecute', tolerationSeconds: 60 })));
    await world.client.create(PODS, podOn('all', 'node-0', tolerate({})));
    await world.client.create(PODS, podOn('elsewhere', 'node-1'));
    await world.settle(5_000);
    await taint(world, [{ key: 'drain', effect: 'NoExecute' }]);
    await world.settle(3_000);
    expect(await findPod(world, 'none')).toBeUndefined();
    await world.settle(50_000);
    expect(await findPod(world, 'some')).toBeDefined();
    await world.settle(10_000);
    expect(await findPod(world, 'some')).toBeUndefined();
    await world.settle(600_000);
    expect(await findPod(world, 'all')).toBeDefined();
    expect(await findPod(world, 'elsewhere')).toBeDefined();
  });

  it('spares those whose time was not over when it went', async () => {
    const world = await newWorld({ nodes: 3 });
    const tolerations = [{ key: 'drain', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
    await world.client.create(PODS, podOn('some', 'node-0', { tolerations }));
    await world.settle(5_000);
    await taint(world, [{ key: 'drain', effect: 'NoExecute' }]);
    await world.settle(30_000);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints: null } } });
    await world.settle(600_000);
    expect(await findPod(world, 'some')).toBeDefined();
  });
});
