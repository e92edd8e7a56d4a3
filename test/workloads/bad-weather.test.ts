/** Workloads in weather that differs with every seed: answers lost, writes refused, conflicts, late caches, restarts. */
import { afterEach, describe, expect, it } from 'vitest';
import { DEPLOYMENTS, JOBS, PODS, STATEFUL_SETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { modifiedConflict } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { inWeather } from '../daemonset/bad-weather.ts';
import { createWorkloadWorld, deployment, key, rolledOut, setImage, template, type WorkloadWorld } from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());

/** More with EVERYNODE_WEATHERS, to hunt. */
const SEEDS = Array.from({ length: Number(process.env['EVERYNODE_WEATHERS'] ?? 6) }, (_, index) => index + 1);

const weatherOf =
  (seed: number) =>
  (client: Client, clock: VirtualClock): Client => {
    const random = createSeededRandom(seed);
    const lag = random.integer(3) * 250;
    return inWeather(client, clock, {
      fate(verb, resource) {
        const chance = random.next();
        if (verb === 'get') return chance < 0.03 ? 'refused' : 'fine';
        if (chance < 0.06) return 'lost';
        if (chance < 0.12) return 'refused';
        return verb === 'update' && chance < 0.2 ? modifiedConflict(resource, 'it') : 'fine';
      },
      lagMs: () => lag,
    });
  };

/** The most pods of a kind that were alive at any moment. */
async function most(of: (pod: Pod) => boolean): Promise<{ count: number; stop(): void }> {
  const stopping = new AbortController();
  const { resourceVersion } = await house.client.list(PODS);
  const live = new Set<string>();
  const seen = { count: 0, stop: () => stopping.abort() };
  void (async () => {
    for await (const events of house.world.direct.watch(PODS, { resourceVersion, signal: stopping.signal }))
      for (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        const { metadata } = event.object;
        const isLive = event.type !== 'DELETED' && metadata.deletionTimestamp === undefined && of(event.object);
        if (isLive) live.add(metadata.uid);
        else live.delete(metadata.uid);
        seen.count = Math.max(seen.count, live.size);
      }
  })().catch(() => undefined);
  return seen;
}

const running = (pod: Pod): boolean => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';

describe.each(SEEDS)('in weather %i', (seed) => {
  const begin = async (): Promise<void> => {
    house = await createWorkloadWorld({ through: weatherOf(seed) });
  };

  it('a Deployment never surges too far and comes to its end', async () => {
    await begin();
    const seen = await most(running);
    await house.client.create(
      DEPLOYMENTS,
      deployment({
        replicas: 5,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      }),
    );
    await house.settle(600 + seed * 37);
    await house.restart();
    await house.eventually(rolledOut(house, 5), 900_000);
    await setImage(house, 'example.test/web:2');
    await house.settle(300 + seed * 91);
    await setImage(house, 'example.test/web:3');
    await house.restart();
    await house.eventually(rolledOut(house, 5), 900_000);
    await house.settle(30_000);
    seen.stop();
    expect(seen.count).toBeLessThanOrEqual(6);
    expect((await house.pods()).map(({ spec }) => spec.containers[0]?.image)).toEqual(
      Array(5).fill('example.test/web:3'),
    );
    expect((await house.sets()).filter(({ spec }) => spec.replicas !== 0)).toHaveLength(1);
  }, 30_000);

  it('a Job runs no pod too many and counts every one once', async () => {
    await begin();
    const seen = await most(running);
    await house.client.create(JOBS, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        completions: 7,
        parallelism: 3,
        ...(seed % 2 === 0 ? { completionMode: 'Indexed' } : {}),
        template: template(undefined, { restartPolicy: 'Never' }),
      },
    });
    await house.settle(1000 + seed * 130);
    await house.restart();
    await house.eventually(async () => {
      const { status } = await house.client.get(JOBS, key());
      return status?.conditions?.some(({ type, status: state }) => type === 'Complete' && state === 'True') ?? false;
    }, 900_000);
    seen.stop();
    const { status } = await house.client.get(JOBS, key());
    expect([status?.succeeded, status?.failed ?? 0, status?.active ?? 0]).toEqual([7, 0, 0]);
    expect(seen.count).toBeLessThanOrEqual(3);
    expect(await house.pods()).toHaveLength(7);
    await house.settle(60_000);
    expect((await house.pods()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  }, 30_000);

  it('a StatefulSet keeps its order', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 3, serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template: template() },
    });
    const isDone = async (): Promise<boolean> => {
      const { status, metadata } = await house.client.get(STATEFUL_SETS, key());
      const isSeen = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      return (
        isSeen &&
        status?.readyReplicas === 3 &&
        status.updatedReplicas === 3 &&
        status.currentRevision === status.updateRevision
      );
    };
    let fewest = 3;
    await house.eventually(isDone, 900_000);
    await house.restart();
    await house.client.patch(STATEFUL_SETS, key(), {
      type: 'strategic',
      body: { spec: { template: { spec: { containers: [{ name: 'main', image: 'example.test/web:2' }] } } } },
    });
    await house.eventually(async () => {
      const pods = await house.pods();
      fewest = Math.min(fewest, pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length);
      // Those that are replaced are the last ones.
      const images = pods
        .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
        .map(({ spec }) => spec.containers[0]?.image ?? '');
      expect(images).toEqual(images.toSorted());
      return isDone();
    }, 900_000);
    expect(fewest).toBeGreaterThanOrEqual(2);
  }, 30_000);
});
