/** Storage in use does not go: claims for their pods, volumes for their claims, classes for whoever names them. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createAttributesClassProtection,
  createClaimProtection,
  createVolumeProtection,
} from '../../src/control/housekeeping/volumes/storage-protection.ts';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  VOLUME_ATTRIBUTES_CLASSES,
} from '../../src/core/api/registry/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, Volume } from '../../src/core/api/types/core-v1.ts';
import { controllerReference } from '../../src/core/kube/owner-references.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createWorld, type World } from '../daemonset/world.ts';
import { startTestCluster } from '../support/cluster.ts';

let world: World;
let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  if (stop === undefined) return;
  await stop();
  await world.stop();
  stop = undefined;
});

async function begin(): Promise<void> {
  world = await createWorld({ scheduler: false, fleet: false, controller: false });
  const { direct, clock } = world;
  const random = createSeededRandom(3);
  const informers = createInformers(direct, { clock, random });
  const around = { client: direct, informers, clock, random };
  const keepers = [createClaimProtection, createVolumeProtection, createAttributesClassProtection];
  const stopping = new AbortController();
  const running = Promise.all([
    ...keepers.map((create) => create(around).start(stopping.signal)),
    informers.start(stopping.signal),
  ]);
  stop = async () => {
    stopping.abort();
    await clock.advance(10_000);
    await running;
  };
}

const key = (name: string) => ({ namespace: 'default', name });
const claimOf = (name: string, more: Partial<PersistentVolumeClaim['metadata']> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default', ...more },
  spec: { storageClassName: '', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const volumeOf = (
  name: string,
  spec: Partial<PersistentVolume['spec']> = { hostPath: { path: '/v' } },
): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' }, ...spec },
});
const podOf = (name: string, volume: Omit<Volume, 'name'>, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'data', ...volume }], ...spec },
});
const of = (claimName: string): Omit<Volume, 'name'> => ({ persistentVolumeClaim: { claimName } });

const finalizers = async (name: string): Promise<readonly string[] | undefined> => {
  const found = await world.client.get(PERSISTENT_VOLUME_CLAIMS, key(name)).catch(() => undefined);
  return found === undefined ? undefined : (found.metadata.finalizers ?? []);
};
const removePod = (name: string) => world.client.delete(PODS, key(name), { gracePeriodSeconds: 0 });
const PVC = 'kubernetes.io/pvc-protection';

describe('claims', () => {
  it('are given their finalizer, and lose it when nobody uses them', async () => {
    await begin();
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a'));
    await world.settle();
    expect(await finalizers('a')).toEqual([PVC]);
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
    await world.settle();
    expect(await finalizers('a')).toBeUndefined();
  });

  it('stay as long as a pod with a node mounts them, even one that is done', async () => {
    await begin();
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a'));
    await world.client.create(PODS, podOf('user', of('a')));
    await world.client.create(PODS, podOf('other', of('b')));
    await world.settle();
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
    await world.settle(60_000);
    expect(await finalizers('a')).toEqual([PVC]);
    const user = await world.client.get(PODS, key('user'));
    await world.client.update(PODS, { ...user, status: { phase: 'Succeeded' } }, { subresource: 'status' });
    await world.settle(60_000);
    expect(await finalizers('a')).toEqual([PVC]);
    await removePod('other');
    await world.settle();
    expect(await finalizers('a')).toEqual([PVC]);
    await removePod('user');
    await world.settle();
    expect(await finalizers('a')).toBeUndefined();
  });

  it('do not wait for a pod that has no node', async () => {
    await begin();
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a'));
    const { nodeName: _, ...spec } = podOf('waiting', of('a')).spec ?? { containers: [] };
    await world.client.create(PODS, { ...podOf('waiting', of('a')), spec });
    await world.settle();
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
    await world.settle();
    expect(await finalizers('a')).toBeUndefined();
  });

  it('made for a pod wait for that pod, and for no other', async () => {
    await begin();
    const template = { spec: claimOf('x').spec };
    const pod = await world.client.create(PODS, podOf('user', { ephemeral: { volumeClaimTemplate: template } }));
    const own = claimOf('user-data', { ownerReferences: [controllerReference(pod)] });
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, own);
    await world.client.create(PODS, podOf('a', { ephemeral: { volumeClaimTemplate: template } }));
    // Of the same name by chance.
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a-data'));
    await world.settle();
    for (const name of ['user-data', 'a-data']) await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key(name));
    await world.settle();
    expect(await finalizers('user-data')).toEqual([PVC]);
    expect(await finalizers('a-data')).toBeUndefined();
    // Pod and claim may each wait for the other: a pod its node is done with is not waited for.
    const body = { metadata: { finalizers: ['test.example.com/keep'] } };
    await world.client.patch(PODS, key('user'), { type: 'merge', body });
    await removePod('user');
    await world.settle();
    expect(await finalizers('user-data')).toBeUndefined();
  });

  it('keep the finalizers of others', async () => {
    await begin();
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a', { finalizers: ['test.example.com/keep'] }));
    await world.settle();
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
    await world.settle();
    expect(await finalizers('a')).toEqual(['test.example.com/keep']);
  });
});

describe('volumes', () => {
  it('stay as long as they are bound', async () => {
    await begin();
    const made = await world.client.create(PERSISTENT_VOLUMES, volumeOf('v'));
    await world.settle();
    const guarded = await world.client.get(PERSISTENT_VOLUMES, { name: 'v' });
    expect([made.metadata.finalizers, guarded.metadata.finalizers]).toEqual([
      undefined,
      ['kubernetes.io/pv-protection'],
    ]);
    await world.client.update(
      PERSISTENT_VOLUMES,
      { ...guarded, status: { phase: 'Bound' } },
      { subresource: 'status' },
    );
    await world.client.delete(PERSISTENT_VOLUMES, { name: 'v' });
    await world.settle(60_000);
    const kept = await world.client.get(PERSISTENT_VOLUMES, { name: 'v' });
    expect(kept.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
    await world.client.update(
      PERSISTENT_VOLUMES,
      { ...kept, status: { phase: 'Released' } },
      { subresource: 'status' },
    );
    await world.settle();
    await expect(world.client.get(PERSISTENT_VOLUMES, { name: 'v' })).rejects.toThrow('not found');
  });
});

describe('classes of volume attributes', () => {
  it('stay as long as a claim or a volume names them', async () => {
    await begin();
    for (const name of ['fast', 'slow', 'idle']) {
      await world.client.create(VOLUME_ATTRIBUTES_CLASSES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttributesClass',
        metadata: { name },
        driverName: 'csi.example.com',
        parameters: { iops: '1' },
      });
    }
    const claim = claimOf('c');
    const csi = { driver: 'csi.example.com', volumeHandle: 'v' };
    const spec = { ...claim.spec, volumeAttributesClassName: 'fast' };
    await world.client.create(PERSISTENT_VOLUME_CLAIMS, { ...claim, spec });
    await world.client.create(PERSISTENT_VOLUMES, volumeOf('v', { csi, volumeAttributesClassName: 'slow' }));
    await world.settle();
    for (const name of ['fast', 'slow', 'idle']) await world.client.delete(VOLUME_ATTRIBUTES_CLASSES, { name });
    await world.settle();
    const names = async () => (await world.client.list(VOLUME_ATTRIBUTES_CLASSES)).items.map((o) => o.metadata.name);
    expect(await names()).toEqual(['fast', 'slow']);
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('c'));
    await world.client.delete(PERSISTENT_VOLUMES, { name: 'v' });
    await world.settle();
    expect(await names()).toEqual([]);
  });
});

describe('in an embedded cluster', () => {
  it('storage is born protected, and goes', async () => {
    const cluster = await startTestCluster({ groups: [] });
    try {
      const { client } = cluster;
      const claim = await client.create(PERSISTENT_VOLUME_CLAIMS, claimOf('a'));
      const volume = await client.create(PERSISTENT_VOLUMES, volumeOf('v'));
      expect([claim.metadata.finalizers, volume.metadata.finalizers]).toEqual([[PVC], ['kubernetes.io/pv-protection']]);
      await vi.waitFor(async () =>
        expect((await client.get(PERSISTENT_VOLUMES, { name: 'v' })).status?.phase).toBe('Bound'),
      );
      await client.delete(PERSISTENT_VOLUMES, { name: 'v' });
      await client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
      await vi.waitFor(async () => {
        expect((await client.list(PERSISTENT_VOLUME_CLAIMS)).items).toEqual([]);
        expect((await client.list(PERSISTENT_VOLUMES)).items).toEqual([]);
      });
    } finally {
      await cluster.stop();
    }
  });
});
