/** What is left of upstream's end-to-end cases: status by hand, the life of revisions, surge among random kills. */
import { afterEach, describe, expect, it } from 'vitest';
import { CONTROLLER_REVISIONS, DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const KEY = { namespace: 'default', name: 'agent' };
const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';

describe('changes to the status', () => {
  it('by others are kept: read, updated and patched', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    const set = await world.client.get(DAEMON_SETS, KEY, { subresource: 'status' });
    const updated = { type: 'StatusUpdate', status: 'True', reason: 'E2E', message: 'Set from an e2e test' };
    const conditions = [...(set.status?.conditions ?? []), updated];
    await world.client.update(
      DAEMON_SETS,
      { ...set, status: { ...set.status, conditions } as NonNullable<DaemonSet['status']> },
      { subresource: 'status' },
    );
    const patched = { type: 'StatusPatched', status: 'True' };
    await world.client.patch(
      DAEMON_SETS,
      KEY,
      { type: 'merge', body: { status: { conditions: [updated, patched] } } },
      { subresource: 'status' },
    );
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 2));
    expect((await world.set()).status?.conditions?.map(({ type }) => type)).toEqual(['StatusUpdate', 'StatusPatched']);
  });
});

describe('the life of revisions', () => {
  it('is listed, patched, created, deleted, updated and deleted as a collection', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    await world.settle();
    const [initial] = await world.revisions();
    const name = initial?.metadata.name ?? '';
    await world.client.patch(
      CONTROLLER_REVISIONS,
      { namespace: 'default', name },
      { type: 'merge', body: { metadata: { labels: { [name]: 'patched' } } } },
    );
    await world.settle();
    expect((await world.revisions())[0]?.metadata.labels?.[name]).toBe('patched');

    const { labels, ownerReferences } = initial?.metadata ?? {};
    const second: ControllerRevision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${name}-second`,
        namespace: 'default',
        labels: labels ?? {},
        ownerReferences: ownerReferences ?? [],
      },
      ...(initial?.data === undefined ? {} : { data: initial.data }),
      revision: (initial?.revision ?? 0) + 1,
    };
    await world.client.create(CONTROLLER_REVISIONS, second);
    await world.settle();
    expect(await world.revisions()).toHaveLength(2);

    await world.client.delete(CONTROLLER_REVISIONS, { namespace: 'default', name });
    await world.eventually(
      async () => (await world.revisions()).map((each) => each.metadata.name).join() === second.metadata.name,
    );

    const current = (await world.revisions())[0];
    if (current === undefined) throw new Error('no revision');
    await world.client.update(CONTROLLER_REVISIONS, {
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata.labels, extra: 'updated' } },
    });
    await setImage(world, 'example.test/agent:2');
    await world.eventually(async () => (await world.revisions()).length === 2);
    await world.client.deleteCollection(CONTROLLER_REVISIONS, { namespace: 'default', labelSelector: 'extra=updated' });
    await world.eventually(async () => (await world.revisions()).length === 1);
    await world.eventually(allAvailable(world, 2));
    expect((await world.revisions())[0]?.revision).toBe(3);
  });
});

describe('surge among random kills', () => {
  it('has at most one live pod a version and node, and ends with every node updated', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 5, podStartDelay: '1s' }] });
    const rollingUpdate = { maxUnavailable: 0, maxSurge: '20%' };
    await world.client.create(
      DAEMON_SETS,
      daemonSet({ minReadySeconds: 10, updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
    );
    await world.eventually(allAvailable(world, 5));
    const random = createSeededRandom('kills');
    for (let version = 2; version <= 3; version += 1) {
      await setImage(world, `example.test/agent:${version}`);
      for (let i = 0; i < 60; i += 1) {
        await world.settle(1000);
        const pods = await world.pods();
        const live = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined);
        const slots = live.map((pod) => `${pod.spec.nodeName ?? ''} ${imageOf(pod)}`);
        expect(new Set(slots).size).toBe(slots.length);
        const victim = random.integer(5) === 0 ? live[random.integer(live.length)] : undefined;
        if (victim !== undefined) await world.client.delete(PODS, { namespace: 'default', name: victim.metadata.name });
      }
      await world.eventually(async () => {
        const pods = await world.pods();
        return (
          pods.length === 5 && pods.every((pod) => imageOf(pod).endsWith(`:${version}`)) && allAvailable(world, 5)()
        );
      }, 600_000);
    }
  });
});

describe('templates that can never fit', () => {
  it('leave pods pending, say why, and make no loop', async () => {
    world = await createWorld({ nodes: 2 });
    const containers = [{ name: 'main', image: 'example.test/agent:1', resources: { requests: { cpu: '1000' } } }];
    await world.client.create(DAEMON_SETS, daemonSet({}, { containers }));
    await world.settle(10_000);
    const versions = (await world.pods()).map((pod) => pod.metadata.resourceVersion);
    const { resourceVersion } = (await world.set()).metadata;
    expect((await world.set()).status).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberUnavailable: 2,
    });
    await world.settle(200_000);
    expect((await world.pods()).map((pod) => pod.metadata.resourceVersion)).toEqual(versions);
    expect((await world.set()).metadata.resourceVersion).toBe(resourceVersion);
  });

  it('that match no node make nothing', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet({}, { nodeSelector: { 'no-such': 'label' } }));
    await world.settle(5000);
    expect(await world.pods()).toHaveLength(0);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 0, observedGeneration: 1 });
  });
});
