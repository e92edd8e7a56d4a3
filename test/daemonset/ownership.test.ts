/** Adoption and release of pods, overlapping selectors, deletion. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { pinnedTo } from '../../src/core/daemons/daemon-pod.ts';
import { keyOf } from '../../src/machinery/cache/object-keys.ts';
import { inWeather } from './bad-weather.ts';
import { allAvailable, createWorld, daemonSet, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const ownerOf = (pod: Pod | undefined): string | undefined =>
  pod?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
const orphan = (name: string, node: string, labels: { readonly [key: string]: string }): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', labels },
  spec: { containers: [{ name: 'main', image: 'example.test/agent:1' }], affinity: pinnedTo(undefined, node) },
});
const getPod = (name: string): Promise<Stored<Pod>> => world.client.get(PODS, { namespace: 'default', name });

describe('orphans', () => {
  it('that the selector matches are taken in instead of making new ones', async () => {
    world = await createWorld({ nodes: 2, controller: false });
    const set = await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.client.create(PODS, orphan('mine', 'node-0', { app: 'agent' }));
    await world.client.create(PODS, orphan('stranger', 'node-1', { app: 'other' }));
    world.startController();
    await world.eventually(async () => (await world.set()).status?.numberAvailable === 2);
    expect(ownerOf(await getPod('mine'))).toBe(set.metadata.uid);
    expect(ownerOf(await getPod('stranger'))).toBeUndefined();
    expect(await world.pods()).toHaveLength(2);
  });

  it('are taken in when their labels come to match', async () => {
    world = await createWorld({ nodes: 1 });
    const set = await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.eventually(allAvailable(world, 1));
    await world.client.create(PODS, orphan('late', 'node-0', { app: 'other' }));
    await world.settle();
    await world.client.patch(
      PODS,
      { namespace: 'default', name: 'late' },
      { type: 'merge', body: { metadata: { labels: { app: 'agent' } } } },
    );
    // One pod a node: it is adopted, and as the younger one deleted.
    await world.eventually(async () => !(await world.pods()).some((pod) => pod.metadata.name === 'late'));
    expect(ownerOf((await world.pods())[0])).toBe(set.metadata.uid);
  });

  it('that a former DaemonSet left are found by the next, also where the cache still shows them as the former’s', async () => {
    const lagMs = 20_000;
    world = await createWorld({
      nodes: 3,
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: () => 'fine',
          lagMs: ({ resource }) => (resource === PODS.resource ? lagMs : 0),
        }),
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 3), 600_000);
    await world.settle(10 * lagMs);
    const before = (await world.pods()).map(({ metadata }) => metadata.uid);
    const key = { namespace: 'default', name: 'agent' };
    await world.client.delete(DAEMON_SETS, key, { propagationPolicy: 'Orphan' });
    // What the garbage collector does: first the dependents forget their owner, then the owner may go.
    for (const pod of await world.pods())
      await world.client.patch(PODS, keyOf(pod), { type: 'merge', body: { metadata: { ownerReferences: null } } });
    await world.client.patch(DAEMON_SETS, key, { type: 'merge', body: { metadata: { finalizers: null } } });
    const next = await world.client.create(DAEMON_SETS, daemonSet());
    await world.settle(10 * lagMs);
    const after = await world.pods();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(after.map(ownerOf)).toEqual(after.map(() => next.metadata.uid));
    expect(await world.events()).not.toContainEqual(expect.stringContaining('SuccessfulDelete'));
  });

  it('are not taken in by a DaemonSet that is being deleted', async () => {
    world = await createWorld({ nodes: 1, controller: false });
    const set = daemonSet();
    await world.client.create(DAEMON_SETS, {
      ...set,
      metadata: { ...set.metadata, finalizers: ['example.test/hold'] },
    });
    await world.client.create(PODS, orphan('free', 'node-0', { app: 'agent' }));
    await world.client.delete(DAEMON_SETS, { namespace: 'default', name: 'agent' });
    world.startController();
    await world.settle(5000);
    expect(ownerOf(await getPod('free'))).toBeUndefined();
    expect((await world.set()).status?.observedGeneration).toBeUndefined();
  });
});

describe('a pod whose labels no longer match', () => {
  it('is let go, and another is made in its place', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const [pod] = await world.pods();
    const name = pod?.metadata.name ?? '';
    await world.client.patch(
      PODS,
      { namespace: 'default', name },
      { type: 'merge', body: { metadata: { labels: { app: 'free' } } } },
    );
    await world.eventually(async () => ownerOf(await getPod(name)) === undefined);
    await world.eventually(async () => (await world.pods()).length === 1);
    expect((await world.pods())[0]?.metadata.uid).not.toBe(pod?.metadata.uid);
  });
});

describe('two DaemonSets with overlapping selectors', () => {
  it('do not fight over pods: what has an owner keeps it', async () => {
    world = await createWorld({ nodes: 2 });
    const first = await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    const second = { ...daemonSet(), metadata: { name: 'rival', namespace: 'default' } };
    const stored = await world.client.create(DAEMON_SETS, second);
    await world.eventually(allAvailable(world, 2, 'rival'));
    await world.settle(60_000);
    const owners = (await world.pods()).map(ownerOf);
    expect(owners.filter((uid) => uid === first.metadata.uid)).toHaveLength(2);
    expect(owners.filter((uid) => uid === stored.metadata.uid)).toHaveLength(2);
    expect((await world.set()).status?.numberAvailable).toBe(2);
  });
});

describe('a DaemonSet of the same name as one that is gone', () => {
  it('makes pods of its own', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    await world.client.delete(
      DAEMON_SETS,
      { namespace: 'default', name: 'agent' },
      { propagationPolicy: 'Background' },
    );
    const again = await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    expect((await world.pods()).filter((pod) => ownerOf(pod) === again.metadata.uid)).toHaveLength(2);
  });
});

describe('collections', () => {
  it('are listed across namespaces by label and deleted as a whole', async () => {
    world = await createWorld({ nodes: 1 });
    const set = daemonSet();
    await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, labels: { group: 'x' } } });
    await world.eventually(allAvailable(world, 1));
    expect((await world.client.list(DAEMON_SETS, { labelSelector: 'group=x' })).items).toHaveLength(1);
    await world.client.deleteCollection(DAEMON_SETS, { namespace: 'default', labelSelector: 'group=x' });
    expect((await world.client.list(DAEMON_SETS)).items).toHaveLength(0);
  });
});
