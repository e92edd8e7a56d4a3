/** Claims and volumes find each other, and part, as with Kubernetes' own keeper of volumes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createVolumeKeeper } from '../../src/control/housekeeping/volumes/volume-keeper.ts';
import {
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
} from '../../src/core/api/registry/resources.ts';
import type { Event, PersistentVolume, PersistentVolumeClaim } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createWorld, type World } from '../daemonset/world.ts';

let world: World;
let stop: () => Promise<void>;
afterEach(async () => {
  await stop();
  await world.stop();
});

const key = (name: string) => ({ namespace: 'default', name });

async function begin(): Promise<void> {
  world = await createWorld({ scheduler: false, fleet: false, controller: false });
  const { direct, clock } = world;
  const random = createSeededRandom(3);
  const informers = createInformers(direct, { clock, random });
  const keeper = createVolumeKeeper({ client: direct, informers, clock, random });
  const stopping = new AbortController();
  const running = Promise.all([informers.start(stopping.signal), keeper.start(stopping.signal)]);
  stop = async () => {
    stopping.abort();
    await clock.advance(10_000);
    await running;
  };
}

const claimOf = (name: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'default' },
  spec: {
    storageClassName: '',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    ...spec,
  },
});

const volumeOf = (name: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' }, hostPath: { path: `/${name}` }, ...spec },
});

const addClaim = (...args: Parameters<typeof claimOf>) =>
  world.client.create(PERSISTENT_VOLUME_CLAIMS, claimOf(...args));
const addVolume = (...args: Parameters<typeof volumeOf>) => world.client.create(PERSISTENT_VOLUMES, volumeOf(...args));
const claim = (name: string): Promise<Stored<PersistentVolumeClaim>> =>
  world.client.get(PERSISTENT_VOLUME_CLAIMS, key(name));
const volume = (name: string): Promise<Stored<PersistentVolume>> => world.client.get(PERSISTENT_VOLUMES, { name });
const events = async (): Promise<readonly string[]> =>
  (await world.client.list<Event>(EVENTS, { namespace: 'default' })).items.map(
    ({ reason, message }) => `${reason}: ${message}`,
  );

describe('claims and volumes', () => {
  it('find each other, whoever is first', async () => {
    await begin();
    await addVolume('early');
    await world.settle();
    expect((await volume('early')).status?.phase).toBe('Available');
    await addClaim('first');
    await addClaim('second');
    await world.settle();
    expect((await claim('first')).spec.volumeName).toBe('early');
    expect((await claim('second')).status?.phase).toBe('Pending');
    expect(await events()).toContain(
      'FailedBinding: no persistent volumes available for this claim and no storage class is set',
    );
    await addVolume('late');
    await world.settle();
    expect((await claim('second')).status).toMatchObject({ phase: 'Bound', capacity: { storage: '5Gi' } });
    expect((await volume('late')).status?.phase).toBe('Bound');
  });

  it('that were made for each other do not go with others', async () => {
    await begin();
    await addVolume('reserved', { claimRef: { name: 'mine', namespace: 'default' } });
    await addClaim('other');
    await world.settle();
    expect((await volume('reserved')).status?.phase).toBe('Available');
    expect((await claim('other')).spec.volumeName).toBeUndefined();
    await addClaim('mine');
    await addVolume('wanted');
    await world.settle();
    expect((await claim('mine')).spec.volumeName).toBe('reserved');
    expect((await claim('other')).spec.volumeName).toBe('wanted');
  });

  it('agree on the class of attributes that the volume has', async () => {
    await begin();
    const { hostPath: _none, ...spec } = volumeOf('fast').spec;
    const csi = { driver: 'csi.example.test', volumeHandle: 'fast' };
    const gold = { volumeAttributesClassName: 'gold' };
    await world.client.create(PERSISTENT_VOLUMES, { ...volumeOf('fast'), spec: { ...spec, csi, ...gold } });
    await addClaim('quick', gold);
    await world.settle();
    expect((await claim('quick')).status).toMatchObject({ phase: 'Bound', currentVolumeAttributesClassName: 'gold' });
  });

  it('that ask for a volume by name get that one', async () => {
    await begin();
    await addVolume('small', { capacity: { storage: '1Gi' } });
    await addVolume('asked');
    await addClaim('picky', { volumeName: 'asked' });
    await world.settle();
    expect((await volume('asked')).spec.claimRef?.name).toBe('picky');
    expect((await claim('picky')).status?.phase).toBe('Bound');
    expect((await volume('small')).status?.phase).toBe('Available');
  });

  it('part: a volume without its claim is released, a claim without its volume lost', async () => {
    await begin();
    for (const name of ['a', 'b']) {
      await addVolume(`volume-${name}`);
      await addClaim(name);
      await world.settle();
    }
    await world.client.delete(PERSISTENT_VOLUME_CLAIMS, key('a'));
    await unprotect();
    await world.client.delete(PERSISTENT_VOLUMES, { name: 'volume-b' });
    await unprotect();
    await world.settle();
    expect((await volume('volume-a')).status?.phase).toBe('Released');
    expect((await claim('b')).status?.phase).toBe('Lost');
    // The next claim of that name is another one.
    await addClaim('a');
    await world.settle();
    expect((await claim('a')).spec.volumeName).toBeUndefined();
  });

  it('of a class that waits are left to the scheduler, and the claim says so', async () => {
    await begin();
    await world.client.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'local' },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await addVolume('disk', { storageClassName: 'local' });
    await addClaim('data', { storageClassName: 'local' });
    await world.settle(60_000);
    expect((await claim('data')).spec.volumeName).toBeUndefined();
    expect(await events()).toContain('WaitForFirstConsumer: waiting for first consumer to be created before binding');
    const disk = await volume('disk');
    const { uid } = (await claim('data')).metadata;
    const claimRef = { name: 'data', namespace: 'default', uid };
    await world.client.update(PERSISTENT_VOLUMES, { ...disk, spec: { ...disk.spec, claimRef } });
    await world.settle();
    expect((await claim('data')).status?.phase).toBe('Bound');
  });

  it('come to rest: nothing is written when nothing changes', async () => {
    await begin();
    await addVolume('early');
    await addClaim('first');
    await addClaim('second');
    await world.settle(60_000);
    const before = (await world.client.list(PERSISTENT_VOLUME_CLAIMS, {})).resourceVersion;
    await world.settle(3_600_000);
    expect((await world.client.list(PERSISTENT_VOLUME_CLAIMS, {})).resourceVersion).toBe(before);
  });
});

/** Takes off the finalizers that keep what is in use, where the server puts any on. */
async function unprotect(): Promise<void> {
  const body = { metadata: { finalizers: null } };
  for (const { metadata } of (await world.client.list(PERSISTENT_VOLUME_CLAIMS, {})).items)
    await world.client.patch(PERSISTENT_VOLUME_CLAIMS, key(metadata.name), { type: 'merge', body });
  for (const { metadata } of (await world.client.list(PERSISTENT_VOLUMES, {})).items)
    await world.client.patch(PERSISTENT_VOLUMES, { name: metadata.name }, { type: 'merge', body });
}
