import { afterEach, describe, expect, it } from 'vitest';
import { createQuotaController } from '../../src/control/housekeeping/quota/quota-controller.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { CONFIG_MAPS, NODES, PODS, RESOURCE_QUOTAS } from '../../src/core/api/registry/resources.ts';
import type { PodSpec, ResourceQuotaSpec } from '../../src/core/api/types/core-v1.ts';
import { createWorld, type World } from '../daemonset/world.ts';
import { keep, podOn } from './keepers.ts';

const KINDS = createRegistry().all();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function newWorld(spec: ResourceQuotaSpec): Promise<World> {
  const world = await createWorld({ scheduler: false, controller: false, nodes: 2 });
  ends.push(() => world.stop());
  ends.push(keep(world, (around) => [createQuotaController({ ...around, resources: () => KINDS })]));
  await world.client.create(RESOURCE_QUOTAS, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 'default' },
    spec,
  });
  await world.settle(200);
  return world;
}

async function used(world: World): Promise<{ readonly [name: string]: string | number } | undefined> {
  await world.settle(200);
  const quota = await world.client.get(RESOURCE_QUOTAS, { namespace: 'default', name: 'q' });
  expect(quota.status?.hard).toEqual(quota.spec?.hard);
  return quota.status?.used;
}

const asking = (cpu: string): Partial<PodSpec> => ({
  containers: [{ name: 'main', image: 'example.test/app:1', resources: { requests: { cpu } } }],
});

describe('the status of a quota', () => {
  it('says what is used from the first moment, and follows what comes, ends and goes', async () => {
    const world = await newWorld({ hard: { pods: '5', 'requests.cpu': '2', 'limits.cpu': '4', 'count/pods': '9' } });
    expect(await used(world)).toEqual({ pods: '0', 'requests.cpu': '0', 'limits.cpu': '0', 'count/pods': '0' });
    // Refused: it must say its limit.
    await expect(world.client.create(PODS, podOn('x', 'node-0', asking('1')))).rejects.toThrow(
      'must specify limits.cpu',
    );
    const sized = (cpu: string): Partial<PodSpec> => ({
      containers: [
        { name: 'main', image: 'example.test/app:1', resources: { requests: { cpu }, limits: { cpu: '1' } } },
      ],
    });
    await world.client.create(PODS, podOn('a', 'node-0', sized('300m')));
    await world.client.create(PODS, podOn('b', 'node-0', sized('0.7')));
    expect(await used(world)).toEqual({ pods: '2', 'requests.cpu': '1', 'limits.cpu': '2', 'count/pods': '2' });
    const pod = await world.client.get(PODS, { namespace: 'default', name: 'a' });
    await world.client.update(
      PODS,
      { ...pod, status: { ...pod.status, phase: 'Succeeded' } },
      { subresource: 'status' },
    );
    expect(await used(world)).toEqual({ pods: '1', 'requests.cpu': '700m', 'limits.cpu': '1', 'count/pods': '2' });
    await world.client.delete(PODS, { namespace: 'default', name: 'b' });
    await world.settle(3_000);
    expect(await used(world)).toEqual({ pods: '0', 'requests.cpu': '0', 'limits.cpu': '0', 'count/pods': '1' });
  });

  it('counts any kind it names, also one that is named later', async () => {
    const world = await newWorld({ hard: { configmaps: '10' } });
    const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
    await world.client.create(CONFIG_MAPS, map('a'));
    expect(await used(world)).toEqual({ configmaps: '1' });
    const body = {
      spec: {
        hard: { configmaps: null, 'count/configmaps': '3', 'count/secrets': '3', 'count/nothings.example.test': '1' },
      },
    };
    await world.client.patch(RESOURCE_QUOTAS, { namespace: 'default', name: 'q' }, { type: 'merge', body });
    expect(await used(world)).toEqual({ 'count/configmaps': '1', 'count/secrets': '0' });
    await world.client.delete(CONFIG_MAPS, { namespace: 'default', name: 'a' });
    expect(await used(world)).toEqual({ 'count/configmaps': '0', 'count/secrets': '0' });
  });

  it('counts within its scopes', async () => {
    const world = await newWorld({ hard: { pods: '5' }, scopes: ['NotBestEffort'] });
    await world.client.create(PODS, podOn('best', 'node-0'));
    await world.client.create(PODS, podOn('better', 'node-0', asking('1m')));
    expect(await used(world)).toEqual({ pods: '1' });
  });

  it('forgets pods that are overdue to be gone, and so does admission', async () => {
    const world = await newWorld({ hard: { pods: '1' } });
    await world.client.create(PODS, podOn('stuck', 'node-0'));
    await world.settle(2_000);
    // Nobody will ever end it.
    const body = { metadata: { annotations: { 'everynode.dev/simulated': 'false' } } };
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body });
    await world.client.delete(PODS, { namespace: 'default', name: 'stuck' });
    expect(await used(world)).toEqual({ pods: '1' });
    await expect(world.client.create(PODS, podOn('next', 'node-1'))).rejects.toThrow('exceeded quota: q');
    await world.settle(400_000);
    expect(await used(world)).toEqual({ pods: '0' });
    await world.client.create(PODS, podOn('next', 'node-1'));
  });

  it('is written only when it has something new to say', async () => {
    const world = await newWorld({ hard: { pods: '5' } });
    await world.client.create(PODS, podOn('a', 'node-0'));
    await used(world);
    const before = await world.client.get(RESOURCE_QUOTAS, { namespace: 'default', name: 'q' });
    await world.settle(1_000_000);
    const after = await world.client.get(RESOURCE_QUOTAS, { namespace: 'default', name: 'q' });
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });
});
