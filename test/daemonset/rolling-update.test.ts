/** Rolling updates, OnDelete and rollback, as upstream's end-to-end and unit tests have them. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { RollingUpdateDaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const rolling = (rollingUpdate: RollingUpdateDaemonSet, minReadySeconds = 0) => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
  minReadySeconds,
});
const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';
const isReady = (pod: Pod): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  (pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);
const uids = async (): Promise<readonly string[]> => (await world.pods()).map((pod) => pod.metadata.uid).toSorted();
const hashOf = (object: { readonly metadata: Pod['metadata'] }): string | undefined =>
  object.metadata.labels?.['controller-revision-hash'];

/** Looks at every instant something happens; answers with the fewest ready nodes and the most pods seen on one. */
async function watchRollout(until: () => Promise<boolean>, stepMs = 10): Promise<{ fewest: number; most: number }> {
  let fewest = Infinity;
  let most = 0;
  for (let i = 0; i < 20_000; i += 1) {
    const pods = await world.pods();
    const ready = new Set(pods.filter(isReady).map((pod) => pod.spec.nodeName));
    fewest = Math.min(fewest, ready.size);
    for (const here of Map.groupBy(pods, (pod) => pod.spec.nodeName ?? '').values())
      most = Math.max(most, here.filter((pod) => pod.metadata.deletionTimestamp === undefined).length);
    if (await until()) return { fewest, most };
    await world.clock.advance(stepMs);
  }
  throw new Error('the rollout did not end');
}

describe('OnDelete', () => {
  it('leaves pods alone but records the revision; what is deleted comes back new', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.eventually(allAvailable(world, 3));
    const before = await uids();
    const [first] = await world.revisions();
    await setImage(world, 'example.test/agent:2');
    await world.eventually(async () => (await world.revisions()).length === 2);
    await world.settle(10_000);
    expect(await uids()).toEqual(before);
    expect((await world.pods()).map(hashOf)).toEqual(Array(3).fill(hashOf(first ?? { metadata: { name: '' } })));
    expect((await world.set()).status?.observedGeneration).toBe(2);
    expect((await world.set()).status?.updatedNumberScheduled ?? 0).toBe(0);
    const [victim] = await world.pods();
    await world.client.delete(PODS, { namespace: 'default', name: victim?.metadata.name ?? '' });
    await world.eventually(async () => (await world.set()).status?.updatedNumberScheduled === 1);
    expect((await world.pods()).map(imageOf).toSorted()).toEqual([
      'example.test/agent:1',
      'example.test/agent:1',
      'example.test/agent:2',
    ]);
  });
});

describe('RollingUpdate', () => {
  it('replaces every pod with at most one unavailable, under revision 2', async () => {
    world = await createWorld({ nodes: 5 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 5));
    await setImage(world, 'example.test/agent:2');
    const { fewest, most } = await watchRollout(allAvailable(world, 5));
    expect(fewest).toBeGreaterThanOrEqual(4);
    expect(most).toBe(1);
    const revisions = await world.revisions();
    expect(revisions.map(({ revision }) => revision)).toEqual([1, 2]);
    const current = revisions.at(-1);
    for (const pod of await world.pods()) {
      expect(imageOf(pod)).toBe('example.test/agent:2');
      expect(hashOf(pod)).toBe(hashOf(current ?? { metadata: { name: '' } }));
    }
  });

  it.each([
    [1, 4],
    [2, 3],
    ['40%', 3],
    ['50%', 2],
    ['100%', 0],
  ])('with maxUnavailable %s keeps at least %i of five', async (maxUnavailable, least) => {
    world = await createWorld({ nodes: [{ name: 'node', count: 5, podStartDelay: '1s' }] });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable })));
    await world.eventually(allAvailable(world, 5));
    await setImage(world, 'example.test/agent:2');
    const { fewest } = await watchRollout(allAvailable(world, 5), 50);
    expect(fewest).toBe(least);
  });

  it('waits minReadySeconds for each', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable: 1 }, 10)));
    await world.eventually(allAvailable(world, 3));
    expect(world.clock.monotonic()).toBeGreaterThanOrEqual(10_000);
    const began = world.clock.monotonic();
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 3));
    expect(world.clock.monotonic() - began).toBeGreaterThanOrEqual(29_000);
  });

  it('goes in the order of node names', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 4, podStartDelay: '1s' }] });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 4));
    await setImage(world, 'example.test/agent:2');
    const order: string[] = [];
    await world.eventually(async () => {
      for (const pod of await world.pods())
        if (imageOf(pod).endsWith(':2') && pod.spec.nodeName !== undefined && !order.includes(pod.spec.nodeName))
          order.push(pod.spec.nodeName);
      return allAvailable(world, 4)();
    });
    expect(order).toEqual(['node-0', 'node-1', 'node-2', 'node-3']);
  });

  it('stops at a template that never becomes ready, and replaces unready old pods all the same', async () => {
    world = await createWorld({ nodes: 5 });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable: 2 })));
    await world.eventually(allAvailable(world, 5));
    await setImage(world, 'foo:non-existent');
    await world.settle(60_000);
    expect((await world.pods()).filter((pod) => imageOf(pod) === 'foo:non-existent')).toHaveLength(2);
    expect((await world.set()).status).toMatchObject({
      numberAvailable: 3,
      numberUnavailable: 2,
      updatedNumberScheduled: 2,
    });
    // The next template goes to those that do not work first.
    await setImage(world, 'example.test/agent:3');
    await world.eventually(allAvailable(world, 5));
  });

  it('writes no more than it must: nothing at all when nothing changes', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 3));
    await world.settle(5000);
    const { resourceVersion } = (await world.set()).metadata;
    const before = await uids();
    await world.settle(600_000);
    expect((await world.set()).metadata.resourceVersion).toBe(resourceVersion);
    expect(await uids()).toEqual(before);
  });

  it('restarts all pods when the template is annotated, as `kubectl rollout restart` does', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 3));
    const before = await uids();
    await world.client.patch(
      DAEMON_SETS,
      { namespace: 'default', name: 'agent' },
      {
        type: 'strategic',
        body: {
          spec: {
            template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' } } },
          },
        },
      },
    );
    await world.eventually(allAvailable(world, 3));
    expect((await uids()).filter((uid) => before.includes(uid))).toEqual([]);
  });
});

describe('rollback', () => {
  it('without unnecessary restarts: pods that never left the old template keep running', async () => {
    world = await createWorld({ nodes: 4 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 4));
    const before = await world.pods();
    await setImage(world, 'foo:non-existent');
    await world.eventually(async () => (await world.pods()).some((pod) => imageOf(pod) === 'foo:non-existent'));
    await world.settle(5000);
    const kept = (await world.pods())
      .filter((pod) => imageOf(pod) !== 'foo:non-existent')
      .map((pod) => pod.metadata.name);
    expect(kept.length).toBe(3);
    await setImage(world, 'example.test/agent:1');
    await world.eventually(async () => {
      const pods = await world.pods();
      return pods.length === 4 && pods.every((pod) => imageOf(pod) === 'example.test/agent:1' && isReady(pod));
    });
    const after = (await world.pods()).map((pod) => pod.metadata.name);
    for (const name of kept) expect(after).toContain(name);
    expect(after.filter((name) => before.some((pod) => pod.metadata.name === name))).toHaveLength(3);
    const revisions = await world.revisions();
    expect(revisions.map(({ revision }) => revision)).toEqual([2, 3]);
    await world.eventually(allAvailable(world, 4));
  });
});

describe('surge', () => {
  it('brings the new pod up before the old one goes', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 5, podStartDelay: '2s' }] });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable: 0, maxSurge: '20%' }, 10)));
    await world.eventually(allAvailable(world, 5));
    await setImage(world, 'example.test/agent:2');
    const { fewest, most } = await watchRollout(async () => {
      const pods = await world.pods();
      return pods.length === 5 && pods.every((pod) => imageOf(pod).endsWith(':2')) && allAvailable(world, 5)();
    }, 100);
    expect(fewest).toBe(5);
    expect(most).toBe(2);
  });

  it.each([
    [1, 1],
    [3, 3],
    ['50%', 3],
  ])('with maxSurge %s has at most %i nodes with two pods', async (maxSurge, limit) => {
    world = await createWorld({ nodes: [{ name: 'node', count: 5, podStartDelay: '5s' }] });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable: 0, maxSurge })));
    await world.eventually(allAvailable(world, 5));
    await setImage(world, 'example.test/agent:2');
    let most = 0;
    await watchRollout(async () => {
      const doubled = [...(await world.podsByNode()).values()].filter(
        (pods) => pods.filter((pod) => pod.metadata.deletionTimestamp === undefined).length > 1,
      );
      most = Math.max(most, doubled.length);
      const pods = await world.pods();
      return pods.length === 5 && pods.every((pod) => imageOf(pod).endsWith(':2') && isReady(pod));
    }, 200);
    expect(most).toBe(limit);
  });

  it('keeps the old pod while the new one does not become ready, and replaces it when it fails itself', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet(rolling({ maxUnavailable: 0, maxSurge: 1 })));
    await world.eventually(allAvailable(world, 3));
    await world.settle(3000);
    await setImage(world, 'foo:non-existent');
    await world.settle(30_000);
    const pods = await world.pods();
    expect(pods.filter(isReady)).toHaveLength(3);
    expect(pods).toHaveLength(4);
    expect((await world.set()).status).toMatchObject({ numberAvailable: 3 });
    // An old pod that is deleted is replaced by a new one at once, whatever the limit.
    const other = pods.find(
      (pod) => isReady(pod) && pods.filter((each) => each.spec.nodeName === pod.spec.nodeName).length === 1,
    );
    await world.client.delete(PODS, { namespace: 'default', name: other?.metadata.name ?? '' });
    await world.settle(5000);
    const here = (await world.podsByNode()).get(other?.spec.nodeName ?? '');
    expect(here?.map(imageOf)).toEqual(['foo:non-existent']);
  });

  it('after a change of tolerations moves off nodes only as fast as others serve', async () => {
    const taints = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }];
    world = await createWorld({
      nodes: [
        { name: 'plain', count: 4, podStartDelay: '1s' },
        { name: 'tainted', count: 3, taints, podStartDelay: '1s' },
      ],
    });
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }];
    await world.client.create(
      DAEMON_SETS,
      daemonSet(rolling({ maxUnavailable: 0, maxSurge: '100%' }), { tolerations }),
    );
    await world.eventually(allAvailable(world, 7));
    const set = await world.set();
    const { template } = set.spec;
    const { tolerations: _gone, ...spec } = template.spec ?? { containers: [] };
    await world.client.update(DAEMON_SETS, { ...set, spec: { ...set.spec, template: { ...template, spec } } });
    let fewest = Infinity;
    await world.eventually(async () => {
      const pods = await world.pods();
      fewest = Math.min(fewest, pods.filter(isReady).length);
      return pods.length === 4 && pods.every((pod) => pod.spec.nodeName?.startsWith('plain') === true);
    });
    expect(fewest).toBeGreaterThanOrEqual(4);
    await world.eventually(allAvailable(world, 4));
  });
});

describe('nodes in trouble', () => {
  it('a node without its pod uses up the budget, as upstream counts it', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 3 }] });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 3));
    // The kubelet of node-2 is gone: what runs there can neither stop nor start.
    await world.client.patch(
      NODES,
      { name: 'node-2' },
      { type: 'merge', body: { metadata: { annotations: { 'everynode.dev/simulated': null } } } },
    );
    const stuck = (await world.pods()).find((pod) => pod.spec.nodeName === 'node-2');
    await world.client.delete(PODS, { namespace: 'default', name: stuck?.metadata.name ?? '' });
    await setImage(world, 'example.test/agent:2');
    await world.settle(60_000);
    expect((await world.pods()).filter((pod) => imageOf(pod).endsWith(':2'))).toHaveLength(0);
  });
});
