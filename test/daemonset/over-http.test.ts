/** The same code over the other transport: against a server in another process it would be no different. */
import { afterEach, describe, expect, it } from 'vitest';
import { createDaemonSetController } from '../../src/control/daemonset/daemonset-controller.ts';
import { createRolloutDriver } from '../../src/control/daemonset/rollout-driver.ts';
import { ROLLOUT_ANNOTATIONS as ANNOTATION } from '../../src/core/api/names.ts';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createHttpClient } from '../../src/machinery/client/http/http-client.ts';
import { loadKubeconfig } from '../../src/machinery/client/http/kubeconfig.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { realRandom } from '../../src/machinery/random/real-random.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { daemonSet } from './world.ts';

const NODES = 12;
const KEY = { namespace: 'default', name: 'agent' };
const platform = { clock: realClock, random: realRandom };

let cluster: TestCluster;
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
  await cluster.stop();
});

async function connect(): Promise<Client> {
  const client = createHttpClient(await loadKubeconfig({ path: cluster.kubeconfigFile, clock: realClock }), platform);
  stops.push(() => client.close());
  return client;
}

function run(start: (signal: AbortSignal) => Promise<unknown>): void {
  const stopping = new AbortController();
  const done = start(stopping.signal);
  stops.push(() => {
    stopping.abort();
    return done;
  });
}

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 600; i += 1) {
    if (await condition()) return;
    await realClock.sleep(50);
  }
  throw new Error('it did not come about in time');
}

const pods = async (): Promise<readonly Stored<Pod>[]> =>
  (await cluster.client.list(PODS, { namespace: 'default', labelSelector: 'app=agent' })).items;
const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';
const isComplete = async (generation: number): Promise<boolean> => {
  const { status } = await cluster.client.get(DAEMON_SETS, KEY);
  return (
    status?.numberAvailable === NODES &&
    status.updatedNumberScheduled === NODES &&
    (status.observedGeneration ?? 0) >= generation
  );
};
const setImage = (image: string): Promise<DaemonSet> =>
  cluster.client.patch(DAEMON_SETS, KEY, {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  });

describe('over HTTP', () => {
  it('a second controller beside the first makes nothing twice: names follow from what pods are for', async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES }] });
    const client = await connect();
    const informers = createInformers(client, { ...platform, share: true });
    const controller = createDaemonSetController({ client, informers, ...platform, instance: 'second' });
    run((signal) => Promise.all([informers.start(signal), controller.start(signal)]));
    await eventually(async () => controller.ready?.() ?? true);
    const rollingUpdate = { maxUnavailable: 3 };
    await cluster.client.create(DAEMON_SETS, daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
    let most = 0;
    await eventually(async () => {
      most = Math.max(most, (await pods()).length);
      return isComplete(1);
    });
    expect(most).toBe(NODES);
    await setImage('example.test/agent:2');
    await eventually(async () => (await isComplete(2)) && (await pods()).length === NODES);
    expect((await pods()).every((pod) => imageOf(pod).endsWith(':2'))).toBe(true);
  }, 60_000);

  it('the driver takes old pods down in order', async () => {
    cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES }] });
    const client = await connect();
    const informers = createInformers(client, { ...platform, share: true });
    const driver = createRolloutDriver({ client, informers, ...platform });
    run((signal) => Promise.all([informers.start(signal), driver.start(signal)]));
    const set = daemonSet({ updateStrategy: { type: 'OnDelete' } });
    const annotations = {
      [ANNOTATION.driver]: 'true',
      [ANNOTATION.driverMaxUnavailable]: '25%',
      [ANNOTATION.partition]: '2',
    };
    await cluster.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, annotations } });
    await eventually(() => isComplete(1));
    await setImage('example.test/agent:2');
    await eventually(
      async () =>
        (await pods()).filter((pod) => imageOf(pod).endsWith(':2') && pod.status?.phase === 'Running').length ===
        NODES - 2,
    );
    const old = (await pods()).filter((pod) => imageOf(pod).endsWith(':1')).map((pod) => pod.spec.nodeName ?? '');
    expect(old.toSorted()).toEqual(['node-8', 'node-9']);
  }, 60_000);
});
