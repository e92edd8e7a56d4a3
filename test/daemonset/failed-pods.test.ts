/** Pods that end, fail or come twice. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { pinnedTo } from '../../src/core/daemons/daemon-pod.ts';
import { allAvailable, createWorld, daemonSet, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const end = (pod: Stored<Pod>, phase: string): Promise<Pod> =>
  world.client.update(PODS, { ...pod, status: { ...pod.status, phase } }, { subresource: 'status' });

describe.each(['RollingUpdate', 'OnDelete'])('with strategy %s', (type) => {
  it.each([
    ['Failed', 'Warning FailedDaemonPod Found failed daemon pod default/NAME on node node-0, will try to kill it'],
    [
      'Succeeded',
      'Normal SucceededDaemonPod Found succeeded daemon pod default/NAME on node node-0, will try to delete it',
    ],
  ])('a pod that is %s is deleted and made anew', async (phase, event) => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type } }));
    await world.eventually(allAvailable(world, 1));
    const [pod] = await world.pods();
    if (pod === undefined) throw new Error('no pod');
    await end(pod, phase);
    await world.eventually(async () => (await world.pods()).every((each) => each.metadata.uid !== pod.metadata.uid));
    await world.eventually(allAvailable(world, 1));
    expect(await world.events()).toContain(event.replace('NAME', pod.metadata.name));
    expect(await world.events()).toContain(`Normal SuccessfulDelete Deleted pod: ${pod.metadata.name}`);
  });

  it('a pod that has succeeded and is held by a finalizer has a successor beside it', async () => {
    world = await createWorld({ nodes: 1 });
    const set = daemonSet({ updateStrategy: { type } });
    const { template } = set.spec;
    const metadata = { ...template.metadata, finalizers: ['example.test/hold'] } as NonNullable<
      typeof template.metadata
    >;
    await world.client.create(DAEMON_SETS, { ...set, spec: { ...set.spec, template: { ...template, metadata } } });
    await world.eventually(allAvailable(world, 1));
    const [pod] = await world.pods();
    if (pod === undefined) throw new Error('no pod');
    await end(pod, 'Succeeded');
    await world.eventually(async () => (await world.pods()).length === 2);
    await world.eventually(allAvailable(world, 1));
    const held = (await world.pods()).find((each) => each.metadata.uid === pod.metadata.uid);
    expect(held?.metadata.deletionTimestamp).toBeDefined();
  });
});

describe('a pod that fails again and again', () => {
  it('is made anew with growing delays', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const times: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const [pod] = await world.pods();
      if (pod === undefined) throw new Error('no pod');
      await end(pod, 'Failed');
      await world.eventually(async () => {
        const pods = await world.pods();
        return pods.length === 1 && pods[0]?.metadata.uid !== pod.metadata.uid && pods[0]?.status?.phase === 'Running';
      });
      times.push(world.clock.monotonic());
    }
    const gaps = times.slice(1).map((time, i) => Math.round((time - (times[i] ?? 0)) / 1000));
    expect(gaps).toEqual([1, 2, 4, 8]);
  });
});

describe('several pods on one node', () => {
  it('the oldest scheduled one stays', async () => {
    world = await createWorld({ nodes: 1 });
    const set = await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const [first] = await world.pods();
    await world.settle(3000);
    const { labels, ownerReferences } = first?.metadata ?? {};
    expect(ownerReferences?.[0]?.uid).toBe(set.metadata.uid);
    for (const name of ['twin-a', 'twin-b']) {
      await world.client.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default', labels: labels ?? {}, ownerReferences: ownerReferences ?? [] },
        spec: {
          containers: [{ name: 'main', image: 'example.test/agent:1' }],
          affinity: pinnedTo(undefined, 'node-0'),
        },
      });
    }
    await world.eventually(async () => (await world.pods()).length === 1);
    expect((await world.pods())[0]?.metadata.uid).toBe(first?.metadata.uid);
  });

  it('while one is terminating no other is made', async () => {
    world = await createWorld({ nodes: 1 });
    const set = daemonSet();
    const annotations = { 'everynode.dev/stop-delay': '20s' };
    const metadata = { ...set.spec.template.metadata, annotations } as NonNullable<typeof set.spec.template.metadata>;
    await world.client.create(DAEMON_SETS, {
      ...set,
      spec: { ...set.spec, template: { ...set.spec.template, metadata } },
    });
    await world.eventually(allAvailable(world, 1));
    const [pod] = await world.pods();
    await world.client.delete(PODS, { namespace: 'default', name: pod?.metadata.name ?? '' });
    await world.settle(10_000);
    expect(await world.pods()).toHaveLength(1);
    await world.eventually(async () => (await world.pods())[0]?.metadata.uid !== pod?.metadata.uid);
    await world.eventually(allAvailable(world, 1));
  });
});
