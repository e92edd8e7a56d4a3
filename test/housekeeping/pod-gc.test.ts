import { afterEach, describe, expect, it } from 'vitest';
import { createPodGc, type PodGcOptions } from '../../src/control/housekeeping/pods/pod-gc.ts';
import { NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createWorld, type World } from '../daemonset/world.ts';
import { findPod, keep, podOn } from './keepers.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function newWorld(options: Partial<PodGcOptions> = {}, through: (client: Client) => Client = (client) => client) {
  const world = await createWorld({ scheduler: false, controller: false, fleet: false, nodes: 3 });
  ends.push(() => world.stop());
  ends.push(keep(world, (around) => [createPodGc({ ...around, ...options })], { client: through(world.direct) }));
  await world.settle(100);
  return world;
}

async function setPhase(world: World, name: string, phase: string, reason?: string): Promise<void> {
  const pod = await world.client.get(PODS, { namespace: 'default', name });
  const status = { ...pod.status, phase, ...(reason === undefined ? {} : { reason }) };
  await world.client.update(PODS, { ...pod, status }, { subresource: 'status' });
}

describe('a pod on a node that is gone', () => {
  it('goes after the quarantine, told why, though a finalizer may hold it', async () => {
    const world = await newWorld();
    await world.client.create(PODS, podOn('app', 'node-0'));
    const held = podOn('held', 'node-0');
    await world.client.create(PODS, { ...held, metadata: { ...held.metadata, finalizers: ['example.test/hold'] } });
    await world.client.create(PODS, podOn('other', 'node-1'));
    await world.client.delete(NODES, { name: 'node-0' });
    await world.settle(39_000);
    expect(await findPod(world, 'app')).toBeDefined();
    await world.settle(45_000);
    expect(await findPod(world, 'app')).toBeUndefined();
    const last = await findPod(world, 'held');
    expect(last?.status?.phase).toBe('Failed');
    expect(last?.metadata.deletionTimestamp).toBeDefined();
    expect(last?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
    });
    expect(await findPod(world, 'other')).toBeDefined();
  });

  it('stays while the API server does not say that the node is gone', async () => {
    let answers: 'error' | 'truth' = 'error';
    const world = await newWorld({}, (client) => ({
      ...client,
      get: (resource, ...rest) =>
        resource.resource === 'nodes' && answers === 'error'
          ? Promise.reject(new Error('no answer'))
          : client.get(resource, ...rest),
    }));
    await world.client.create(PODS, podOn('app', 'node-0'));
    await world.client.delete(NODES, { name: 'node-0' });
    await world.settle(600_000);
    expect(await findPod(world, 'app')).toBeDefined();
    answers = 'truth';
    await world.settle(120_000);
    expect(await findPod(world, 'app')).toBeUndefined();
  });

  it('stays if the node came back in time', async () => {
    const world = await newWorld();
    await world.client.create(PODS, podOn('app', 'late'));
    await world.settle(30_000);
    await world.client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'late' }, spec: {} });
    await world.settle(300_000);
    expect(await findPod(world, 'app')).toBeDefined();
  });
});

describe('pods that have ended', () => {
  it('go when there are too many: evicted ones first, then the oldest', async () => {
    const world = await newWorld({ keepEnded: 2 });
    for (const [i, name] of ['old', 'evicted', 'young', 'youngest'].entries()) {
      await world.client.create(PODS, podOn(name, `node-${i % 3}`));
      await world.settle(1_500);
    }
    await world.client.create(PODS, podOn('running', 'node-0'));
    for (const name of ['old', 'young', 'youngest']) await setPhase(world, name, 'Succeeded');
    await setPhase(world, 'evicted', 'Failed', 'Evicted');
    await world.settle(21_000);
    const { items } = await world.client.list(PODS, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['running', 'young', 'youngest']);
  });

  it('all stay when the threshold is 0', async () => {
    const world = await newWorld({ keepEnded: 0 });
    await world.client.create(PODS, podOn('done', 'node-0'));
    await setPhase(world, 'done', 'Succeeded');
    await world.settle(100_000);
    expect(await findPod(world, 'done')).toBeDefined();
  });
});

describe('a pod that is being deleted', () => {
  it('goes at once when its node is down and declared out of service', async () => {
    const world = await newWorld();
    for (const name of ['app', 'waits'])
      await world.client.create(PODS, podOn(name, name === 'app' ? 'node-0' : 'node-1'));
    await world.client.delete(PODS, { namespace: 'default', name: 'app' });
    await world.client.delete(PODS, { namespace: 'default', name: 'waits' });
    const taints = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];
    for (const name of ['node-0', 'node-1']) {
      await world.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints } } });
    }
    const node = await world.client.get(NODES, { name: 'node-0' });
    const conditions = [{ type: 'Ready', status: 'Unknown' }];
    await world.client.update(NODES, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
    await world.settle(21_000);
    expect(await findPod(world, 'app')).toBeUndefined();
    // Its node is ready: the kubelet will see to it.
    expect(await findPod(world, 'waits')).toBeDefined();
  });
});
