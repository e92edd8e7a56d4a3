/**
 * Brings claims and volumes together: a volume that is free is `Available`, one that names a claim and the claim become
 * each other's, a claim whose class does not wait gets the smallest volume that will do. Claims whose class waits for a
 * first consumer are the scheduler's to decide: it writes the claim's name on a volume, and here the two are made one.
 *
 * Volumes are not made or wiped here: that is a provisioner's work. What was a claim's stays `Released` when the claim goes.
 */
import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES } from '../../../core/api/registry/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { withAnnotations } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  boundTo,
  findVolume,
  isMeantFor,
} from '../../../core/placement/volume-match.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import { createEventRecorder } from '../../../machinery/events/event-recorder.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';

export type VolumeKeeperOptions = Surroundings;

type Volume = Stored<PersistentVolume>;
type Claim = Stored<PersistentVolumeClaim>;
/** `claim namespace/name` or `volume name`. */
type Key = string;

const BY_CLASS = 'volume-keeper/by-class';
const BY_CLAIM = 'volume-keeper/by-claim';
const COMPONENT = 'persistentvolume-controller';

const claimKey = (namespace: string, name: string): Key => `claim ${namespace}/${name}`;
const volumeKey = (name: string): Key => `volume ${name}`;
const keyOfClaim = ({ metadata: { namespace = '', name } }: Claim): Key => claimKey(namespace, name);
const classOf = ({ spec }: PersistentVolumeClaim | PersistentVolume): string => spec.storageClassName ?? '';
const phaseOf = (object: PersistentVolume | PersistentVolumeClaim): string => object.status?.phase ?? '';
const refOf = ({ spec: { claimRef } }: PersistentVolume): readonly string[] =>
  claimRef === undefined ? [] : [claimKey(claimRef.namespace ?? '', claimRef.name ?? '')];

export function createVolumeKeeper(options: VolumeKeeperOptions): Actor {
  const { client, informers, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const volumes = informers.for(PERSISTENT_VOLUMES);
  const claims = informers.for(PERSISTENT_VOLUME_CLAIMS);
  const classes = informers.for(STORAGE_CLASSES);
  volumes.addIndex(BY_CLASS, (volume) => [classOf(volume)]);
  volumes.addIndex(BY_CLAIM, refOf);
  claims.addIndex(BY_CLASS, (claim) => ((claim.spec.volumeName ?? '') === '' ? [classOf(claim)] : []));
  const recorder = createEventRecorder({
    client,
    clock,
    random,
    logger,
    controller: COMPONENT,
    instance: 'everynode',
    api: 'core',
  });

  const waits = (claim: Claim): boolean =>
    classes.lister.get(classOf(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
  const meantFor = (claim: Claim): Volume | undefined => {
    for (const volume of volumes.lister.byIndex(BY_CLAIM, keyOfClaim(claim)))
      if (isMeantFor(volume, claim)) return volume;
    return undefined;
  };
  const isFree = (volume: Volume): boolean =>
    volume.spec.claimRef === undefined && phaseOf(volume) === 'Available' && !isBeingDeleted(volume);

  async function setVolumePhase(volume: Volume, phase: string): Promise<void> {
    if (phaseOf(volume) === phase) return;
    await client.update(PERSISTENT_VOLUMES, { ...volume, status: { ...volume.status, phase } }, STATUS);
  }

  async function setClaimStatus(claim: Claim, status: NonNullable<PersistentVolumeClaim['status']>): Promise<void> {
    const { phase } = claim.status ?? {};
    if (phase === status.phase && (phase !== 'Bound' || claim.status?.capacity !== undefined)) return;
    await client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, status: { ...claim.status, ...status } }, STATUS);
  }

  /** One write after the other, each skipped when it is done already: a reconcile that ends in between is resumed. */
  async function unite(claim: Claim, found: Volume): Promise<void> {
    const bound = boundTo(found, claim);
    const volume = bound === found ? found : await client.update(PERSISTENT_VOLUMES, bound);
    await setVolumePhase(volume, 'Bound');
    const isChosen = (claim.spec.volumeName ?? '') === '';
    const { name } = volume.metadata;
    const marks = { [BIND_COMPLETED]: 'yes', ...(isChosen ? { [BOUND_BY_CONTROLLER]: 'yes' } : {}) };
    const isMarked = !isChosen && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
    const united = isMarked
      ? claim
      : await client.update(PERSISTENT_VOLUME_CLAIMS, {
          ...withAnnotations(claim, marks),
          spec: { ...claim.spec, volumeName: name },
        });
    const { accessModes, capacity, volumeAttributesClassName } = volume.spec;
    await setClaimStatus(united, {
      phase: 'Bound',
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(capacity === undefined ? {} : { capacity }),
      // From now on the resizer changes this field.
      ...(volumeAttributesClassName === undefined
        ? {}
        : { currentVolumeAttributesClassName: volumeAttributesClassName }),
    });
  }

  function say(claim: Claim): void {
    const storageClass = classes.lister.get(classOf(claim));
    if (storageClass === undefined) {
      const note =
        classOf(claim) === ''
          ? 'no persistent volumes available for this claim and no storage class is set'
          : `storageclass.storage.k8s.io "${classOf(claim)}" not found`;
      const reason = classOf(claim) === '' ? 'FailedBinding' : 'ProvisioningFailed';
      recorder.event(claim, { type: reason === 'FailedBinding' ? 'Normal' : 'Warning', reason, note });
    } else if (waits(claim)) {
      const note = 'waiting for first consumer to be created before binding';
      recorder.event(claim, { type: 'Normal', reason: 'WaitForFirstConsumer', note });
    }
  }

  async function keepClaim(namespace: string, name: string): Promise<void> {
    const claim = claims.lister.get(name, namespace);
    if (claim === undefined) return;
    const { volumeName = '' } = claim.spec;
    if (volumeName === '') {
      if (isBeingDeleted(claim)) return;
      const free = waits(claim) ? [] : [...volumes.lister.byIndex(BY_CLASS, classOf(claim))].filter(isFree);
      const found = findVolume(claim, { meant: meantFor(claim), free });
      if (found !== undefined) return unite(claim, found as Volume);
      if (phaseOf(claim) !== 'Pending') await setClaimStatus(claim, { phase: 'Pending' });
      say(claim);
      return;
    }
    // A cache may not know the volume yet; a claim is lost only when the server says so.
    const volume = volumes.lister.get(volumeName) ?? (await find(volumeName));
    const isComplete = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
    if (volume === undefined) return isComplete ? setClaimStatus(claim, { phase: 'Lost' }) : undefined;
    if (volume.spec.claimRef === undefined || isMeantFor(volume, claim)) return unite(claim, volume);
    if (isComplete) await setClaimStatus(claim, { phase: 'Lost' });
  }

  const find = (name: string): Promise<Volume | undefined> =>
    client.get(PERSISTENT_VOLUMES, { name }).catch((error: unknown) => {
      if (isStatus(error, 'NotFound')) return undefined;
      throw error;
    });

  async function keepVolume(name: string): Promise<void> {
    const volume = volumes.lister.get(name);
    if (volume === undefined) return;
    const { claimRef } = volume.spec;
    if (claimRef === undefined) {
      if (!isBeingDeleted(volume)) await setVolumePhase(volume, 'Available');
      return;
    }
    const key = { namespace: claimRef.namespace ?? '', name: claimRef.name ?? '' };
    const claim =
      claims.lister.get(key.name, key.namespace) ??
      (await client.get(PERSISTENT_VOLUME_CLAIMS, key).catch((error: unknown) => {
        if (isStatus(error, 'NotFound')) return undefined;
        throw error;
      }));
    const hadOne = (claimRef.uid ?? '') !== '';
    if (claim === undefined || !isMeantFor(volume, claim)) {
      await setVolumePhase(volume, hadOne ? 'Released' : 'Available');
      return;
    }
    const { volumeName = '' } = claim.spec;
    if (volumeName === name) await setVolumePhase(volume, 'Bound');
    else if (volumeName === '') controller.queue.add(keyOfClaim(claim));
    // Chosen for a claim that went with another volume in the meantime: free again.
    else if (volume.metadata.annotations?.[BOUND_BY_CONTROLLER] !== undefined) {
      const { claimRef: _gone, ...spec } = volume.spec;
      const { [BOUND_BY_CONTROLLER]: _mark, ...annotations } = volume.metadata.annotations;
      await client.update(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, annotations }, spec });
    }
  }

  const controller = createController<Key>({
    name: 'volume-keeper',
    clock,
    random,
    logger,
    async reconcile(key) {
      const [kind = '', rest = ''] = key.split(' ');
      if (kind === 'volume') return keepVolume(rest);
      const slash = rest.indexOf('/');
      return keepClaim(rest.slice(0, slash), rest.slice(slash + 1));
    },
  });
  /** Claims that still look for a volume of this class. */
  const looking = (className: string): readonly Key[] =>
    [...claims.lister.byIndex(BY_CLASS, className)].map((claim) => keyOfClaim(claim));
  controller
    .watch(claims, (claim) => [
      keyOfClaim(claim),
      ...((claim.spec.volumeName ?? '') === '' ? [] : [volumeKey(claim.spec.volumeName ?? '')]),
      ...[...volumes.lister.byIndex(BY_CLAIM, keyOfClaim(claim))].map(({ metadata }) => volumeKey(metadata.name)),
    ])
    .watch(volumes, (volume) => [
      volumeKey(volume.metadata.name),
      ...refOf(volume),
      ...(isFree(volume) ? looking(classOf(volume)) : []),
    ])
    .watch(classes, ({ metadata: { name } }) => looking(name));

  return {
    name: 'volume-keeper',
    ready: () => controller.ready(),
    async start(signal) {
      await Promise.all([recorder.start(signal), controller.start(signal)]);
    },
  };
}

const STATUS = { subresource: 'status' } as const;
