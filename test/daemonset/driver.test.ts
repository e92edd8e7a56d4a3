/** Rollouts on clusters whose DaemonSets belong to another controller; here our own plays that part. */
import { afterEach, describe, expect, it } from 'vitest';
import { createRolloutDriver } from '../../src/control/daemonset/rollout-driver.ts';
import { createDaemonSetController } from '../../src/control/daemonset/daemonset-controller.ts';
import { ROLLOUT_ANNOTATIONS as ANNOTATION } from '../../src/core/api/names.ts';
import { DAEMON_SETS, LEASES } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { formatMicroTime } from '../../src/core/kube/time.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
const stops: (() => void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await world.stop();
});

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';

function startDriver(): void {
  const { clock } = world;
  const random = createSeededRandom('driver');
  const client = world.direct;
  const informers = createInformers(client, { clock, random });
  const driver = createRolloutDriver({ client, informers, clock, random });
  const stopping = new AbortController();
  void informers.start(stopping.signal);
  void driver.start(stopping.signal);
  stops.push(() => stopping.abort());
}

describe('the rollout driver', () => {
  it('takes old pods of an OnDelete DaemonSet down in order, no more at a time than allowed', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 6, podStartDelay: '1s' }] });
    const set = daemonSet({ updateStrategy: { type: 'OnDelete' } });
    const annotations = {
      [ANNOTATION.driver]: 'true',
      [ANNOTATION.driverMaxUnavailable]: '2',
      [ANNOTATION.partition]: '2',
    };
    await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, annotations } });
    await world.eventually(allAvailable(world, 6));
    startDriver();
    await setImage(world, 'example.test/agent:2');
    let fewest = 6;
    await world.eventually(async () => {
      const pods = await world.pods();
      fewest = Math.min(
        fewest,
        pods.filter((pod) => pod.status?.phase === 'Running' && pod.metadata.deletionTimestamp === undefined).length,
      );
      return pods.filter((pod) => imageOf(pod).endsWith(':2') && pod.status?.phase === 'Running').length === 4;
    });
    expect(fewest).toBe(4);
    await world.settle(20_000);
    const old = (await world.pods()).filter((pod) => imageOf(pod).endsWith(':1')).map((pod) => pod.spec.nodeName ?? '');
    expect(old.toSorted()).toEqual(['node-4', 'node-5']);
  });

  it('leaves DaemonSets alone that did not ask for it', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.eventually(allAvailable(world, 3));
    startDriver();
    await setImage(world, 'example.test/agent:2');
    await world.settle(20_000);
    expect((await world.pods()).every((pod) => imageOf(pod).endsWith(':1'))).toBe(true);
  });

  it('tells of a wish for it that is misspelt, and of one that cannot be read', async () => {
    world = await createWorld({ nodes: 1, controller: false });
    const set = daemonSet({ updateStrategy: { type: 'OnDelete' } });
    const annotations = { 'everynode.dev/rolout-driver': 'true', [ANNOTATION.driver]: 'yes' };
    await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, annotations } });
    startDriver();
    await world.settle(10_000);
    expect((await world.events()).toSorted()).toEqual([
      `Warning InvalidRolloutAnnotation An annotation cannot be read, the next rollout will wait: ${ANNOTATION.driver}: "yes" is not true or false`,
      `Warning UnknownRolloutAnnotation everynode.dev/rolout-driver is not known and does nothing; did you mean ${ANNOTATION.driver}?`,
    ]);
  });

  it('runs a canary and stops where it crashes', async () => {
    world = await createWorld({ nodes: 4 });
    const set = daemonSet({ updateStrategy: { type: 'OnDelete' } });
    const annotations = { [ANNOTATION.driver]: 'true', [ANNOTATION.canary]: '1', [ANNOTATION.canaryFor]: '1m' };
    await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, annotations } });
    await world.eventually(allAvailable(world, 4));
    startDriver();
    await setImage(world, 'foo:non-existent');
    await world.settle(300_000);
    expect((await world.pods()).filter((pod) => imageOf(pod) === 'foo:non-existent')).toHaveLength(1);
    await setImage(world, 'example.test/agent:3');
    await world.eventually(allAvailable(world, 4), 600_000);
  });
});

describe('where kube-controller-manager acts', () => {
  it('our controller refuses to start, and starts when its Lease is stale', async () => {
    world = await createWorld({ nodes: 1, controller: false });
    const { clock, direct: client } = world;
    await world.client.create(LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'kube-controller-manager', namespace: 'kube-system' },
      spec: { holderIdentity: 'master-0', leaseDurationSeconds: 15, renewTime: formatMicroTime(clock.now()) },
    });
    const random = createSeededRandom('other');
    const start = async (besideAnother = false): Promise<unknown> => {
      const stopping = new AbortController();
      const controller = createDaemonSetController({
        client,
        informers: createInformers(client, { clock, random }),
        clock,
        random,
        besideAnother,
      });
      let outcome: unknown = 'running';
      const run = controller.start(stopping.signal).catch((error: unknown) => (outcome = error));
      await clock.advance(1000);
      const result = outcome;
      stopping.abort();
      await clock.advance(10_000);
      await run;
      return result;
    };
    expect(await start()).toMatchObject({ code: 'EN_DAEMONSET_OTHER_CONTROLLER' });
    expect(await start(true)).toBe('running');
    await clock.advance(20_000);
    expect(await start()).toBe('running');
  });
});
