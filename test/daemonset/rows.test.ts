/** Rows of Kubernetes' own unit tests of the controller that no other suite here asks for by name. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Container, Pod } from '../../src/core/api/types/core-v1.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import { controllerOf } from '../../src/core/kube/owner-references.ts';
import { inWeather } from './bad-weather.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const withPort: Container = {
  name: 'main',
  image: 'example.test/agent:1',
  ports: [{ containerPort: 666, hostPort: 666 }],
};

describe('a host port', () => {
  it('of the daemon’s own pods deletes none of them, and does not keep a rollout from ending', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet({}, { containers: [withPort] }));
    await world.eventually(allAvailable(world, 3));
    const before = (await world.pods()).map(({ metadata }) => metadata.uid);
    await world.settle(60_000);
    expect((await world.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 3));
    expect(await world.pods()).toHaveLength(3);
  });
});

describe('a name and a selector in the template', () => {
  it('that agree give the one node its pod', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 3, labels: { disk: 'ssd' } }] });
    await world.client.create(DAEMON_SETS, daemonSet({}, { nodeName: 'node-1', nodeSelector: { disk: 'ssd' } }));
    await world.eventually(allAvailable(world, 1));
    expect((await world.pods()).map(({ spec }) => spec.nodeName)).toEqual(['node-1']);
  });

  it.each([
    ['do not agree', { nodeName: 'node-1', nodeSelector: { disk: 'tape' } }],
    ['name a node that is not there', { nodeName: 'nowhere' }],
  ])('that %s make nothing', async (_, pod) => {
    world = await createWorld({ nodes: [{ name: 'node', count: 3, labels: { disk: 'ssd' } }] });
    await world.client.create(DAEMON_SETS, daemonSet({}, pod));
    await world.settle(10_000);
    expect(await world.pods()).toEqual([]);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 0, observedGeneration: 1 });
  });
});

describe('a status that cannot be written', () => {
  it('is written later, and holds nothing else up', async () => {
    let isRefused = true;
    world = await createWorld({
      nodes: 3,
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: (verb, { resource }) =>
            isRefused && verb === 'update' && resource === DAEMON_SETS.resource ? 'refused' : 'fine',
        }),
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(
      async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 3,
    );
    expect((await world.set()).status?.observedGeneration).toBeUndefined();
    isRefused = false;
    await world.eventually(allAvailable(world, 3), 1_200_000);
  });
});

describe('a surge with minReadySeconds', () => {
  it('keeps a ready old pod until the new one has been ready for long enough', async () => {
    world = await createWorld({ nodes: 1 });
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    await world.client.create(DAEMON_SETS, daemonSet({ minReadySeconds: 50, updateStrategy }));
    await world.eventually(allAvailable(world, 1));
    await setImage(world, 'example.test/agent:2');
    await world.settle(40_000);
    const both = await world.pods();
    expect(both.map(({ spec }) => spec.containers[0]?.image ?? '').toSorted()).toEqual([
      'example.test/agent:1',
      'example.test/agent:2',
    ]);
    expect(both.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
    await world.settle(15_000);
    await world.eventually(async () => (await world.pods()).length === 1);
    expect((await world.pods())[0]?.spec.containers[0]?.image).toBe('example.test/agent:2');
  });

  it('does not keep an old pod that is not ready, though the new one is not available yet', async () => {
    world = await createWorld({ nodes: 1 });
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    const healthy = daemonSet({ minReadySeconds: 50, updateStrategy });
    const readinessGates = [{ conditionType: 'example.test/never' }];
    await world.client.create(DAEMON_SETS, daemonSet({ minReadySeconds: 50, updateStrategy }, { readinessGates }));
    await world.settle(10_000);
    const old = (await world.pods())[0];
    expect(old?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
    const { spec, ...rest } = await world.set();
    await world.client.update(DAEMON_SETS, { ...rest, spec: { ...spec, template: healthy.spec.template } });
    await world.settle(40_000);
    const pods = await world.pods();
    expect(pods).toHaveLength(1);
    expect(pods[0]?.metadata.uid).not.toBe(old?.metadata.uid);
  });
});

const key = { namespace: 'default', name: 'agent' };
const isLive = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined;
const uids = async (): Promise<readonly string[]> =>
  (await world.pods()).map(({ metadata }) => metadata.uid).toSorted();
const surge = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
const patchNode = (name: string, body: object, subresource?: 'status') =>
  world.client.patch(
    NODES,
    { name },
    { type: 'merge', body: body as never },
    subresource === undefined ? {} : { subresource },
  );

describe('a node that shrinks', () => {
  it('keeps the daemon that runs there', async () => {
    world = await createWorld({ nodes: 1 });
    const resources = { requests: { cpu: '500m' } };
    await world.client.create(DAEMON_SETS, daemonSet({}, { containers: [{ ...withPort, resources }] }));
    await world.eventually(allAvailable(world, 1));
    const before = await uids();
    await patchNode('node-0', { status: { allocatable: { cpu: '100m' }, capacity: { cpu: '100m' } } }, 'status');
    await world.settle(60_000);
    expect(await uids()).toEqual(before);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 1, numberAvailable: 1 });
  });
});

describe('a DaemonSet that is being deleted', () => {
  it('makes, deletes and counts nothing any more', async () => {
    world = await createWorld({ nodes: 2 });
    const set = daemonSet();
    await world.client.create(DAEMON_SETS, {
      ...set,
      metadata: { ...set.metadata, finalizers: ['example.test/hold'] },
    });
    await world.eventually(allAvailable(world, 2));
    await world.client.delete(DAEMON_SETS, key);
    const [pod] = await world.pods();
    await world.client.delete(PODS, { ...key, name: pod?.metadata.name ?? '' });
    await world.settle(120_000);
    expect(await world.pods()).toHaveLength(1);
    expect((await world.set()).status?.numberAvailable).toBe(2);
  });
});

describe('a selector that got in empty', () => {
  it('is told, and no pod is made or taken for its sake', async () => {
    const emptied = <T extends KubeObject>(object: T): T =>
      object.kind === 'DaemonSet'
        ? { ...object, spec: { ...(object as unknown as DaemonSet).spec, selector: {} } }
        : object;
    world = await createWorld({
      nodes: 2,
      through: (client) => ({
        ...client,
        async list(resource, options) {
          const list = await client.list(resource, options);
          return { ...list, items: list.items.map(emptied) };
        },
        async *watch(resource, options) {
          for await (const events of client.watch(resource, options))
            yield events.map((event) =>
              event.type === 'BOOKMARK' ? event : { ...event, object: emptied(event.object) },
            );
        },
      }),
    });
    await world.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bystander', namespace: 'default', labels: { app: 'agent' } },
      spec: { containers: [withPort] },
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.settle(60_000);
    const [only, ...others] = await world.pods();
    expect([only?.metadata.name, only?.metadata.ownerReferences, others]).toEqual(['bystander', undefined, []]);
    expect(await world.events()).toEqual([
      'Warning SelectingAll This daemon set is selecting all pods. A non-empty selector is required.',
    ]);
  });
});

describe('a pod whose owner reference is taken away', () => {
  it('is taken in again, and no other is made beside it', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const before = await uids();
    const [pod] = await world.pods();
    const name = pod?.metadata.name ?? '';
    await world.client.patch(PODS, { ...key, name }, { type: 'merge', body: { metadata: { ownerReferences: null } } });
    await world.eventually(async () => controllerOf((await world.pods())[0] as Pod) !== undefined);
    await world.settle(10_000);
    expect(await uids()).toEqual(before);
  });
});

describe('surge', () => {
  it('makes the new pod at once where the old one is deleted by hand, though maxSurge is used up', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet(surge));
    await world.eventually(allAvailable(world, 3));
    await setImage(world, 'foo:non-existent');
    await world.eventually(async () => (await world.pods()).length === 4);
    const old = (await world.podsByNode()).get('node-2')?.[0];
    await world.client.delete(PODS, { ...key, name: old?.metadata.name ?? '' });
    await world.eventually(async () =>
      ((await world.podsByNode()).get('node-2') ?? []).some(
        (pod) => isLive(pod) && pod.spec.containers[0]?.image === 'foo:non-existent',
      ),
    );
  });

  it('of pods with a host port waits on one node with the scheduler’s reason, and goes back without a restart', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet(surge, { containers: [withPort] }));
    await world.eventually(allAvailable(world, 3));
    const before = await uids();
    await setImage(world, 'example.test/agent:2');
    await world.settle(10 * 60_000);
    const pending = (await world.pods()).filter((pod) => !pod.spec.nodeName);
    expect(pending).toHaveLength(1);
    expect(pending[0]?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message).toContain(
      "1 node(s) didn't have free ports for the requested pod ports",
    );
    const { status } = await world.set();
    expect([status?.numberAvailable, status?.updatedNumberScheduled ?? 0]).toEqual([3, 0]);
    expect((await world.events()).filter((event) => event.includes('SuccessfulCreate'))).toHaveLength(4);
    await setImage(world, 'example.test/agent:1');
    await world.eventually(allAvailable(world, 3));
    await world.settle(10_000);
    expect(await uids()).toEqual(before);
  });
});

describe('nodes during a rollout', () => {
  it('may come, go, come back under their name and be tainted: each ends with one new pod', async () => {
    world = await createWorld({ nodes: 8 });
    await world.client.create(DAEMON_SETS, daemonSet({ minReadySeconds: 5 }));
    await world.eventually(allAvailable(world, 8));
    await setImage(world, 'example.test/agent:2');
    await world.settle(12_000);
    const lost = await world.client.get(NODES, { name: 'node-3' });
    await world.client.delete(NODES, { name: 'node-3' });
    for (const pod of (await world.podsByNode()).get('node-3') ?? [])
      await world.client.delete(PODS, { ...key, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
    await patchNode('node-6', { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } });
    await world.settle(12_000);
    const { name, labels, annotations } = lost.metadata;
    const { allocatable, capacity, conditions } = lost.status ?? {};
    await world.client.create(NODES, {
      ...lost,
      metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
      status: { ...(allocatable && { allocatable }), ...(capacity && { capacity }), ...(conditions && { conditions }) },
    });
    await setImage(world, 'example.test/agent:3');
    await world.settle(3000);
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 7), 600_000);
    await patchNode('node-6', { spec: { taints: null } });
    await world.eventually(allAvailable(world, 8), 600_000);
    const byNode = await world.podsByNode();
    expect([...byNode.values()].map((pods) => pods.map((pod) => pod.spec.containers[0]?.image))).toEqual(
      Array.from({ length: 8 }, () => ['example.test/agent:2']),
    );
  });

  it('whose pods are deleted by hand again and again never have two, and each deletion makes one', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 3));
    let deleted = 0;
    for (let round = 0; round < 40; round += 1) {
      if (round === 20) await setImage(world, 'example.test/agent:2');
      for (const pod of await world.pods()) {
        if (!isLive(pod)) continue;
        await world.client.delete(PODS, { ...key, name: pod.metadata.name }, { gracePeriodSeconds: 0 });
        deleted += 1;
      }
      await world.settle(70);
      const live = (await world.pods()).filter(isLive);
      expect(live.length).toBeLessThanOrEqual(3);
    }
    await world.eventually(allAvailable(world, 3));
    expect(deleted).toBeGreaterThan(60);
    expect(await world.pods()).toHaveLength(3);
  });
});
