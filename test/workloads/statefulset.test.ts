import { afterEach, describe, expect, it } from 'vitest';
import {
  CONTROLLER_REVISIONS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  STATEFUL_SETS,
} from '../../src/core/api/registry/resources.ts';
import type { StatefulSet, StatefulSetSpec } from '../../src/core/api/types/apps-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { inWeather } from '../daemonset/bad-weather.ts';
import { createWorkloadWorld, key, template, type WorkloadWorld, type WorkloadWorldOptions } from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());
const begin = async (options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> =>
  (house = await createWorkloadWorld(options));

const set = (spec: Partial<StatefulSetSpec> = {}): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: { serviceName: 'web', selector: { matchLabels: { app: 'web' } }, template: template(), ...spec },
});

const read = (): Promise<Stored<StatefulSet>> => house.client.get(STATEFUL_SETS, key());
const patch = (spec: object): Promise<Stored<StatefulSet>> =>
  house.client.patch(STATEFUL_SETS, key(), { type: 'strategic', body: { spec } as never });
const setImage = (image: string): Promise<Stored<StatefulSet>> =>
  patch({ template: { spec: { containers: [{ name: 'main', image }] } } });
const names = async (): Promise<readonly string[]> =>
  (await house.pods()).map(({ metadata }) => metadata.name).toSorted();
const images = async (): Promise<readonly string[]> =>
  (await house.pods())
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ spec }) => spec.containers[0]?.image ?? '');
const ready = (count: number) => async (): Promise<boolean> => {
  const { status, metadata } = await read();
  return (
    status?.readyReplicas === count &&
    status.replicas === count &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
};
const updated = (count: number) => async (): Promise<boolean> => {
  const { status } = await read();
  return (
    (await ready(count)()) && status?.currentRevision === status?.updateRevision && status?.updatedReplicas === count
  );
};
const claims = async (): Promise<readonly string[]> =>
  (await house.client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default' })).items.map(
    ({ metadata }) => metadata.name,
  );

/** Every pod's coming and going, in order. */
async function watchOrder(): Promise<{ readonly order: string[]; stop(): void }> {
  const stopping = new AbortController();
  const order: string[] = [];
  const { resourceVersion } = await house.client.list(PODS);
  void (async () => {
    for await (const events of house.world.direct.watch(PODS, { resourceVersion, signal: stopping.signal }))
      for (const event of events) {
        if (event.type === 'ADDED') order.push(`+${event.object.metadata.name}`);
        if (event.type === 'DELETED') order.push(`-${event.object.metadata.name}`);
      }
  })().catch(() => undefined);
  return { order, stop: () => stopping.abort() };
}

const SLOW = { terminationGracePeriodSeconds: 30 };
const slowTemplate = () => ({
  ...template(undefined, SLOW),
  metadata: { labels: { app: 'web' }, annotations: { 'everynode.dev/stop-delay': '3s' } } as never,
});

describe('a StatefulSet', () => {
  it('makes its pods one after the other and takes them away in reverse', async () => {
    await begin();
    const seen = await watchOrder();
    await house.client.create(STATEFUL_SETS, set({ replicas: 3, template: slowTemplate() }));
    await house.eventually(updated(3));
    await patch({ replicas: 1 });
    await house.eventually(updated(1));
    seen.stop();
    expect(seen.order).toEqual(['+web-0', '+web-1', '+web-2', '-web-2', '-web-1']);
    const [pod] = await house.pods();
    expect(pod?.spec).toMatchObject({ hostname: 'web-0', subdomain: 'web' });
    expect(pod?.metadata.labels).toMatchObject({
      'statefulset.kubernetes.io/pod-name': 'web-0',
      'apps.kubernetes.io/pod-index': '0',
      'controller-revision-hash': expect.stringMatching(/^web-[a-z0-9]+$/),
    });
    expect(await house.events('statefulset-controller')).toContain(
      'Normal SuccessfulCreate Create Pod web-0 in StatefulSet web successful',
    );
  });

  it('makes all at once where order does not matter', async () => {
    await begin({ fleet: false, scheduler: false });
    await house.client.create(STATEFUL_SETS, set({ replicas: 5, podManagementPolicy: 'Parallel' }));
    await house.settle(500);
    expect(await names()).toHaveLength(5);
  });

  it('waits for the first pod where order matters', async () => {
    await begin({ fleet: false, scheduler: false });
    await house.client.create(STATEFUL_SETS, set({ replicas: 5 }));
    await house.settle(5000);
    expect(await names()).toEqual(['web-0']);
  });

  it('begins at the ordinal it is told', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 2, ordinals: { start: 5 } }));
    await house.eventually(updated(2));
    expect(await names()).toEqual(['web-5', 'web-6']);
  });

  it('rolls out from the last to the first, one at a time', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 3 }));
    await house.eventually(updated(3));
    const seen = await watchOrder();
    await setImage('example.test/web:2');
    await house.eventually(updated(3));
    seen.stop();
    expect(seen.order).toEqual(['-web-2', '+web-2', '-web-1', '+web-1', '-web-0', '+web-0']);
    expect(new Set(await images())).toEqual(new Set(['example.test/web:2']));
  });

  it('leaves pods below the partition as they are, also when they are made anew', async () => {
    await begin();
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
    await house.client.create(STATEFUL_SETS, set({ replicas: 3, updateStrategy }));
    await house.eventually(updated(3));
    await setImage('example.test/web:2');
    await house.settle(5000);
    expect(await images()).toEqual(['example.test/web:1', 'example.test/web:1', 'example.test/web:2']);
    await house.client.delete(PODS, key('web-0'));
    await house.settle(5000);
    expect(await images()).toEqual(['example.test/web:1', 'example.test/web:1', 'example.test/web:2']);
    const { status } = await read();
    expect([status?.currentReplicas, status?.updatedReplicas]).toEqual([2, 1]);
    await patch({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    await house.eventually(updated(3));
  });

  it('replaces nothing by itself with OnDelete', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 2, updateStrategy: { type: 'OnDelete' } }));
    await house.eventually(ready(2));
    await setImage('example.test/web:2');
    await house.settle(5000);
    expect(await images()).toEqual(['example.test/web:1', 'example.test/web:1']);
    await house.client.delete(PODS, key('web-0'));
    await house.settle(5000);
    expect(await images()).toEqual(['example.test/web:2', 'example.test/web:1']);
  });

  it('makes a failed pod anew', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 1 }));
    await house.eventually(ready(1));
    const [first] = await house.pods();
    await house.client.patch(
      PODS,
      key('web-0'),
      { type: 'merge', body: { status: { phase: 'Failed' } } },
      { subresource: 'status' },
    );
    await house.eventually(async () =>
      (await house.pods()).some(({ metadata }) => metadata.uid !== first?.metadata.uid),
    );
    await house.eventually(ready(1));
  });

  it('goes back to an old template by its revision, and keeps so many', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 1, revisionHistoryLimit: 1 }));
    await house.eventually(updated(1));
    const first = (await read()).status?.updateRevision;
    await setImage('example.test/web:2');
    await house.eventually(updated(1));
    await setImage('example.test/web:1');
    await house.eventually(updated(1));
    expect((await read()).status?.updateRevision).toBe(first);
    for (const version of [3, 4, 5]) {
      await setImage(`example.test/web:${version}`);
      await house.eventually(updated(1));
    }
    await house.settle();
    const { items } = await house.client.list(CONTROLLER_REVISIONS, { namespace: 'default' });
    expect(items).toHaveLength(2);
  });

  it('waits until a pod has been ready for long enough', async () => {
    await begin();
    await house.client.create(STATEFUL_SETS, set({ replicas: 2, minReadySeconds: 20 }));
    await house.settle(15_000);
    expect(await names()).toEqual(['web-0']);
    expect((await read()).status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await house.eventually(async () => (await read()).status?.availableReplicas === 2, 60_000);
  });

  it('gives each pod a claim of its own, which stays', async () => {
    await begin({ garbageCollector: true, fleet: false, scheduler: false });
    await house.client.create(
      STATEFUL_SETS,
      set({ replicas: 2, podManagementPolicy: 'Parallel', volumeClaimTemplates: [data] }),
    );
    await house.settle(1000);
    expect(await claims()).toEqual(['data-web-0', 'data-web-1']);
    const [pod] = await house.pods();
    expect(pod?.spec.volumes?.[0]).toMatchObject({ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } });
    await patch({ replicas: 0 });
    await house.settle(1000);
    await house.client.delete(STATEFUL_SETS, key());
    await house.settle(1000);
    expect(await claims()).toEqual(['data-web-0', 'data-web-1']);
  });

  it('lets claims go with the pods and with itself where that is asked for', async () => {
    await begin({ garbageCollector: true, fleet: false, scheduler: false });
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: 'Delete', whenScaled: 'Delete' };
    await house.client.create(
      STATEFUL_SETS,
      set({
        replicas: 3,
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: [data],
        persistentVolumeClaimRetentionPolicy,
      }),
    );
    await house.settle(1000);
    await patch({ replicas: 1 });
    await house.settle(3000);
    expect(await claims()).toEqual(['data-web-0']);
    await house.client.delete(STATEFUL_SETS, key(), { propagationPolicy: 'Background' });
    await house.settle(3000);
    expect(await claims()).toEqual([]);
  });

  it('never has two pods of one name nor skips one, whatever the weather', async () => {
    let turn = 0;
    await begin({
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: (verb) =>
            verb === 'get' ? 'fine' : ((['fine', 'refused', 'lost', 'fine'] as const)[turn++ % 4] ?? 'fine'),
          lagMs: () => 300,
        }),
    });
    const seen = await watchOrder();
    await house.client.create(STATEFUL_SETS, set({ replicas: 3 }));
    await house.eventually(updated(3), 600_000);
    await house.restart();
    await setImage('example.test/web:2');
    await house.eventually(updated(3), 600_000);
    seen.stop();
    expect(seen.order).toEqual([
      '+web-0',
      '+web-1',
      '+web-2',
      '-web-2',
      '+web-2',
      '-web-1',
      '+web-1',
      '-web-0',
      '+web-0',
    ]);
  });
});

const data = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
