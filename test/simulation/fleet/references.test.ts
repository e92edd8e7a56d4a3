/** Pods whose Secrets and ConfigMaps are not there wait, as on a kubelet, and start when they come. */
import { describe, expect, it } from 'vitest';
import { templatePods } from '../../../bench/support/pods.ts';
import { CONFIG_MAPS, NODES, PODS, SECRETS } from '../../../src/core/api/registry/resources.ts';
import type { ConfigMap, Pod, PodSpec, Secret } from '../../../src/core/api/types/core-v1.ts';
import type { EventRecorder } from '../../../src/machinery/events/event-recorder.ts';
import { isReadyPod, podOn, simulatedNode } from '../support/world.ts';
import { fleet } from './fleet-world.ts';

const secret = (name: string, keys: readonly string[] = []): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  data: Object.fromEntries(keys.map((key) => [key, 'eA=='])),
});
const configMap = (name: string, data: { readonly [key: string]: string } = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});
const main = { name: 'main', image: 'agent:1' };
const mounting = (volume: object): Partial<PodSpec> => ({
  volumes: [{ name: 'v', ...volume }],
  containers: [{ ...main, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
});
const withEnv = (env: object): Partial<PodSpec> => ({ containers: [{ ...main, ...env }] });

async function begun(...specs: readonly Partial<PodSpec>[]) {
  const told: string[] = [];
  const events: EventRecorder = {
    event: (regarding, { reason, note }) =>
      void told.push(`${'name' in regarding ? regarding.name : ''}: ${reason}: ${note}`),
  };
  const world = await fleet({ events });
  await world.client.create(NODES, simulatedNode('n'));
  for (const [i, spec] of specs.entries()) await world.client.create(PODS, podOn('n', `p${i}`, spec));
  await world.pass(500);
  return { world, told };
}
const waitingOf = ({ status }: Pod) => status?.containerStatuses?.map(({ state }) => state?.waiting);

describe('a simulated pod', () => {
  it.each([
    ['a Secret', { secret: { secretName: 'x' } }, 'secret "x" not found', secret('x')],
    ['a ConfigMap', { configMap: { name: 'x' } }, 'configmap "x" not found', configMap('x')],
    [
      'a projected Secret',
      { projected: { sources: [{ secret: { name: 'x' } }] } },
      'secret "x" not found',
      secret('x'),
    ],
  ])('waits for %s that it mounts, and starts when that comes', async (_, volume, why, object) => {
    const { world, told } = await begun(mounting(volume));
    const waiting = await world.pod('p0');
    expect(waiting.status).toMatchObject({ phase: 'Pending', startTime: expect.any(String) as string });
    expect(waitingOf(waiting)).toEqual([{ reason: 'ContainerCreating' }]);
    expect(waiting.status?.podIP).toBeUndefined();
    expect(told).toEqual([`p0: FailedMount: MountVolume.SetUp failed for volume "v" : ${why}`]);
    const written = world.writes.lasting.length;
    await world.pass(3_600_000);
    expect(world.writes.lasting).toHaveLength(written);
    await (object.kind === 'Secret' ? world.client.create(SECRETS, object) : world.client.create(CONFIG_MAPS, object));
    await world.podWhen('p0', isReadyPod, 1000);
  });

  it('waits for the key that a volume names', async () => {
    const { world, told } = await begun(
      mounting({ secret: { secretName: 'x', items: [{ key: 'k', path: 'k' }] } }),
      mounting({ configMap: { name: 'y', items: [{ key: 'k', path: 'k' }] } }),
    );
    await world.client.create(SECRETS, secret('x', ['other']));
    await world.client.create(CONFIG_MAPS, configMap('y', { other: 'o' }));
    await world.pass(500);
    expect(told.slice(2).toSorted()).toEqual([
      'p0: FailedMount: MountVolume.SetUp failed for volume "v" : references non-existent secret key: k',
      'p1: FailedMount: MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: k',
    ]);
    await world.client.update(SECRETS, {
      ...(await world.client.get(SECRETS, { namespace: 'default', name: 'x' })),
      data: { k: 'eA==' },
    });
    await world.client.update(CONFIG_MAPS, {
      ...(await world.client.get(CONFIG_MAPS, { namespace: 'default', name: 'y' })),
      data: { k: 'x' },
    });
    for (const name of ['p0', 'p1']) await world.podWhen(name, isReadyPod, 1000);
  });

  it.each([
    ['envFrom a Secret', { envFrom: [{ secretRef: { name: 'x' } }] }, 'secret "x" not found'],
    ['envFrom a ConfigMap', { envFrom: [{ configMapRef: { name: 'x' } }] }, 'configmap "x" not found'],
    [
      'a key of a Secret',
      { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'x', key: 'k' } } }] },
      'secret "x" not found',
    ],
    [
      'a key of a ConfigMap that is there',
      { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'there', key: 'k' } } }] },
      "couldn't find key k in ConfigMap default/there",
    ],
  ])('cannot create a container with %s that is missing; the others run', async (_, env, why) => {
    const { world, told } = await begun();
    await world.client.create(CONFIG_MAPS, configMap('there'));
    const containers = [
      { ...main, ...env },
      { name: 'other', image: 'agent:1' },
    ];
    await world.client.create(PODS, podOn('n', 'p0', { containers }));
    await world.pass(500);
    const waiting = await world.pod('p0');
    expect(waiting.status?.phase).toBe('Pending');
    expect(waitingOf(waiting)).toEqual([{ reason: 'CreateContainerConfigError', message: why }, undefined]);
    expect(told).toContain(`p0: Failed: Error: ${why}`);
    await world.client.create(SECRETS, secret('x', ['k']));
    await world.client.create(CONFIG_MAPS, configMap('x', { k: 'v' }));
    const there = await world.client.get(CONFIG_MAPS, { namespace: 'default', name: 'there' });
    await world.client.update(CONFIG_MAPS, { ...there, data: { k: 'v' } });
    const pod = await world.podWhen('p0', isReadyPod, 1000);
    expect(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0, 0]);
  });

  it('waits in an init container that cannot be created', async () => {
    const env = { envFrom: [{ secretRef: { name: 'x' } }] };
    const { world } = await begun({ initContainers: [{ name: 'i', image: 'i:1', ...env }] });
    const waiting = await world.pod('p0');
    expect(waiting.status?.initContainerStatuses?.[0]?.state?.waiting?.reason).toBe('CreateContainerConfigError');
    expect(waitingOf(waiting)).toEqual([{ reason: 'PodInitializing' }]);
    await world.client.create(SECRETS, secret('x'));
    await world.podWhen('p0', isReadyPod, 1000);
  });

  it.each<[string, Partial<PodSpec>]>([
    ['an optional volume', mounting({ secret: { secretName: 'x', optional: true } })],
    ['an optional source', mounting({ projected: { sources: [{ configMap: { name: 'x', optional: true } }] } })],
    ['a volume that no container mounts', { volumes: [{ name: 'v', secret: { secretName: 'x' } }] }],
    ['the root certificate', mounting({ projected: { sources: [{ configMap: { name: 'kube-root-ca.crt' } }] } })],
    ['a login', { imagePullSecrets: [{ name: 'x' }] }],
    ['an optional envFrom', withEnv({ envFrom: [{ configMapRef: { name: 'x', optional: true } }] })],
    [
      'an optional key',
      withEnv({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'x', key: 'k', optional: true } } }] }),
    ],
  ])('does not wait for %s, and nothing is asked for', async (_, spec) => {
    const { world } = await begun(spec);
    expect(isReadyPod(await world.pod('p0'))).toBe(true);
  });

  it('that finds everything there is started with one write, and runs on when it goes', async () => {
    const { world, told } = await begun();
    await world.client.create(SECRETS, secret('x', ['k']));
    await world.client.create(PODS, podOn('n', 'p0', { ...mounting({ secret: { secretName: 'x' } }) }));
    await world.podWhen('p0', isReadyPod, 500);
    expect(world.writes.lasting.filter(({ resource }) => resource === 'pods')).toHaveLength(1);
    expect(told.filter((text) => text.includes('Failed'))).toEqual([]);
    await world.client.delete(SECRETS, { namespace: 'default', name: 'x' });
    await world.pass(60_000);
    expect(isReadyPod(await world.pod('p0'))).toBe(true);
    await world.client.create(PODS, podOn('n', 'p1', { ...mounting({ secret: { secretName: 'x' } }) }));
    await world.pass(500);
    expect((await world.pod('p1')).status?.phase).toBe('Pending');
  });

  it('can be deleted while it waits, and its deadline ends the waiting', async () => {
    const { world } = await begun(mounting({ secret: { secretName: 'x' } }), {
      ...mounting({ secret: { secretName: 'x' } }),
      activeDeadlineSeconds: 30,
    });
    await world.client.delete(PODS, { namespace: 'default', name: 'p0' });
    await world.pass(31_000);
    await expect(world.pod('p0')).rejects.toThrow('not found');
    expect((await world.pod('p1')).status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('still waits after the fleet has begun anew', async () => {
    const { world } = await begun(
      mounting({ secret: { secretName: 'x' } }),
      withEnv({ envFrom: [{ secretRef: { name: 'x' } }] }),
    );
    await world.stopFleet();
    await world.startFleet();
    await world.pass(1000);
    for (const name of ['p0', 'p1']) expect((await world.pod(name)).status?.phase).toBe('Pending');
    await world.client.create(SECRETS, secret('x'));
    for (const name of ['p0', 'p1']) await world.podWhen(name, isReadyPod, 1000);
  });

  it('shares the question and the answer with the others of its template', async () => {
    const { world } = await begun();
    const make = await templatePods(world.client);
    const asked: string[] = [];
    const envFrom = [{ secretRef: { name: 'x' } }];
    const containers = make(0, 'n').spec.containers.map((each) => ({ ...each, envFrom }));
    for (let i = 0; i < 6; i++) {
      const pod = make(i, 'n');
      const { name } = (await world.client.create(PODS, { ...pod, spec: { ...pod.spec, containers } })).metadata;
      await world.client.bind({ namespace: 'default', name }, 'n');
      asked.push(name);
    }
    await world.pass(1500);
    const statuses = [];
    for (const name of asked.slice(2)) statuses.push((await world.pod(name)).status);
    expect(statuses.map((status) => status?.phase)).toEqual(Array.from({ length: 4 }, () => 'Pending'));
    expect(new Set(statuses.map((status) => status?.containerStatuses)).size).toBe(1);
    await world.client.create(SECRETS, secret('x'));
    for (const name of asked) await world.podWhen(name, isReadyPod, 1000);
  });
});
