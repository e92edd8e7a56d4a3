/** Claims that are bound when their pod has a node: the scheduler chooses, the keeper of volumes makes the two one. */
import { describe, expect, it } from 'vitest';
import { createVolumeKeeper } from '../../../src/control/housekeeping/volumes/volume-keeper.ts';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
} from '../../../src/core/api/registry/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim, PodSpec } from '../../../src/core/api/types/core-v1.ts';
import type { StorageClass } from '../../../src/core/api/types/storage-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { keyed, NAMESPACE, schedulerWorld, type SchedulerWorld } from './scheduler-world.ts';

const SELECTED = 'volume.kubernetes.io/selected-node';
const NO_VOLUME =
  "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind. " +
  'no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.';

const mounting = (...claims: readonly string[]): Partial<PodSpec> => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});

const storageClass = (provisioner: string): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'local' },
  provisioner,
  volumeBindingMode: 'WaitForFirstConsumer',
});

interface Storage extends SchedulerWorld {
  claim(name: string, size?: string): Promise<void>;
  /** A disk in a node, as a local volume. */
  disk(name: string, node: string, size?: string): Promise<void>;
  seen(claim: string): Promise<Stored<PersistentVolumeClaim>>;
  volume(name: string): Promise<Stored<PersistentVolume>>;
}

async function storageWorld(provisioner = 'kubernetes.io/no-provisioner', seed = 1): Promise<Storage> {
  const world = await schedulerWorld({}, seed);
  await world.start((parts) => [createVolumeKeeper(parts)]);
  const { client } = world;
  await client.create(STORAGE_CLASSES, storageClass(provisioner));
  await world.addNode('a');
  await world.addNode('b');
  return Object.assign(world, {
    async claim(name: string, size = '1Gi') {
      await client.create(PERSISTENT_VOLUME_CLAIMS, {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name, namespace: NAMESPACE },
        spec: {
          storageClassName: 'local',
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: size } },
        },
      });
    },
    async disk(name: string, node: string, size = '10Gi') {
      const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }];
      await client.create(PERSISTENT_VOLUMES, {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name },
        spec: {
          storageClassName: 'local',
          accessModes: ['ReadWriteOnce'],
          capacity: { storage: size },
          local: { path: `/disks/${name}` },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        },
      });
      await world.pass(10);
    },
    seen: (claim: string) => client.get(PERSISTENT_VOLUME_CLAIMS, keyed(claim)),
    volume: (name: string) => client.get(PERSISTENT_VOLUMES, { name }),
  });
}

describe('a claim that waits for its first consumer', () => {
  it('stays as it is while there is no pod, and says what it waits for', async () => {
    const world = await storageWorld();
    await world.disk('disk', 'b');
    await world.claim('data');
    await world.pass(60_000);
    expect((await world.seen('data')).status?.phase).toBe('Pending');
    expect((await world.volume('disk')).status?.phase).toBe('Available');
  });

  it('gets the smallest volume that will do, on the node that has it, and the pod goes there afterwards', async () => {
    const world = await storageWorld();
    await world.disk('large', 'b', '100Gi');
    await world.disk('small', 'b', '500Mi');
    await world.disk('right', 'b', '2Gi');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(1_000);
    expect(await world.nodeOf('writer')).toBe('b');
    const claim = await world.seen('data');
    expect(claim.spec.volumeName).toBe('right');
    expect(claim.status).toMatchObject({ phase: 'Bound', capacity: { storage: '2Gi' } });
    expect(claim.metadata.annotations).toEqual({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    const volume = await world.volume('right');
    expect(volume.status?.phase).toBe('Bound');
    expect(volume.spec.claimRef).toMatchObject({ name: 'data', namespace: NAMESPACE, uid: claim.metadata.uid });
    expect((await world.volume('small')).spec.claimRef).toBeUndefined();
    const order = world.writes.all.filter(({ verb }) => verb === 'bind' || verb === 'update');
    expect(order.map(({ resource }) => resource).indexOf('persistentvolumes')).toBeLessThan(
      order.findIndex(({ verb }) => verb === 'bind'),
    );
  });

  it('keeps its pod waiting where no node has a volume, with the reason, until one comes', async () => {
    const world = await storageWorld();
    await world.disk('small', 'a', '500Mi');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(1_000);
    expect((await world.condition('writer'))?.message).toBe(NO_VOLUME);
    await world.disk('disk', 'a');
    await world.pass(2_000);
    expect(await world.nodeOf('writer')).toBe('a');
  });

  it('does not get what another claim was given a moment ago', async () => {
    const world = await storageWorld();
    await world.disk('one', 'a');
    await world.disk('two', 'b');
    for (const name of ['x', 'y', 'z']) {
      await world.claim(name);
      await world.addPod(`pod-${name}`, { spec: mounting(name) });
    }
    await world.pass(30_000);
    const names: string[] = [];
    for (const name of ['x', 'y', 'z']) names.push((await world.seen(name)).spec.volumeName ?? '');
    expect(names.filter((name) => name !== '').toSorted()).toEqual(['one', 'two']);
    const nodes: string[] = [];
    for (const name of ['pod-x', 'pod-y', 'pod-z']) nodes.push(await world.nodeOf(name));
    expect(nodes.toSorted()).toEqual(['', 'a', 'b']);
  });

  it('is one claim for all pods that mount it', async () => {
    const world = await storageWorld();
    await world.disk('one', 'b');
    await world.disk('two', 'a');
    await world.claim('data');
    await world.addPod('first', { spec: mounting('data') });
    await world.addPod('second', { spec: mounting('data') });
    await world.pass(5_000);
    const { volumeName } = (await world.seen('data')).spec;
    const node = volumeName === 'one' ? 'b' : 'a';
    expect(await world.nodeOf('first')).toBe(node);
    expect(await world.nodeOf('second')).toBe(node);
    expect((await world.volume(volumeName === 'one' ? 'two' : 'one')).spec.claimRef).toBeUndefined();
  });

  it('gets both volumes of a pod from one node', async () => {
    const world = await storageWorld();
    await world.disk('a1', 'a');
    await world.disk('b1', 'b', '2Gi');
    await world.disk('b2', 'b', '20Gi');
    await world.claim('small', '1Gi');
    await world.claim('large', '15Gi');
    await world.addPod('writer', { spec: mounting('large', 'small') });
    await world.pass(5_000);
    expect(await world.nodeOf('writer')).toBe('b');
    expect((await world.seen('small')).spec.volumeName).toBe('b1');
    expect((await world.seen('large')).spec.volumeName).toBe('b2');
  });

  it.each([1, 2, 3])('is found again by a scheduler that begins anew half-way (%i writes done)', async (writes) => {
    const world = await storageWorld();
    await world.disk('one', 'a');
    await world.disk('two', 'b');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    for (let i = 0; i < writes; i += 1) await world.clock.drain();
    await world.restart();
    await world.pass(30_000);
    const { volumeName = '' } = (await world.seen('data')).spec;
    expect(await world.nodeOf('writer')).toBe(volumeName === 'one' ? 'a' : 'b');
    const held: (string | undefined)[] = [];
    for (const name of ['one', 'two']) held.push((await world.volume(name)).spec.claimRef?.name);
    expect(held.filter((name) => name === 'data')).toHaveLength(1);
  });

  it('is given up by a pod that goes while it waits', async () => {
    const world = await storageWorld('example.test/provisioner');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(5_000);
    await world.removePod('writer');
    await world.pass(5_000);
    expect(world.scheduler().counts.binding).toBe(0);
    expect(world.log.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a claim that is provisioned', () => {
  it('names the node it is wanted on, and its pod goes there once it is bound', async () => {
    const world = await storageWorld('example.test/provisioner');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(30_000);
    const selected = (await world.seen('data')).metadata.annotations?.[SELECTED] ?? '';
    expect(['a', 'b']).toContain(selected);
    expect(await world.nodeOf('writer')).toBe('');
    // What a provisioner does: a volume that names the claim.
    await world.disk('made', selected);
    const made = await world.volume('made');
    const { uid } = (await world.seen('data')).metadata;
    const claimRef = { name: 'data', namespace: NAMESPACE, uid };
    await world.client.update(PERSISTENT_VOLUMES, { ...made, spec: { ...made.spec, claimRef } });
    await world.pass(2_000);
    expect((await world.seen('data')).spec.volumeName).toBe('made');
    expect(await world.nodeOf('writer')).toBe(selected);
  });

  it('is decided anew when the provisioner gives the node back, and is tried no more often than back-off allows', async () => {
    const world = await storageWorld('example.test/provisioner');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(5_000);
    for (let i = 0; i < 3; i += 1) {
      await world.client.patch(PERSISTENT_VOLUME_CLAIMS, keyed('data'), {
        type: 'merge',
        body: { metadata: { annotations: { [SELECTED]: null } } },
      });
      await world.pass(20_000);
      expect((await world.seen('data')).metadata.annotations?.[SELECTED]).toBeDefined();
    }
    expect((await world.condition('writer'))?.message).toContain('provisioning failed for PVC "data"');
    const asked = world.writes.all.filter(({ verb, resource }) => verb === 'update' && resource.endsWith('claims'));
    expect(asked.length).toBeLessThan(12);
  });

  it('does not hold up others while it takes its time', async () => {
    const world = await storageWorld('example.test/provisioner');
    for (let i = 0; i < 260; i += 1) {
      await world.claim(`data-${i}`);
      await world.addPod(`writer-${i}`, { spec: mounting(`data-${i}`) });
    }
    await world.pass(1_000);
    await world.changeNode('a', (node) => ({
      ...node,
      status: { ...node.status, allocatable: { ...node.status?.allocatable, pods: '400' } },
    }));
    await world.pass(30_000);
    await world.addPod('other');
    await world.pass(100);
    expect(await world.nodeOf('other')).not.toBe('');
  });

  it('that nobody provisions fails after ten minutes and is tried again', async () => {
    const world = await storageWorld('example.test/provisioner');
    await world.claim('data');
    await world.addPod('writer', { spec: mounting('data') });
    await world.pass(620_000);
    expect((await world.condition('writer'))?.message).toBe(
      'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
    );
    await world.client.delete(PODS, keyed('writer'));
  });
});
