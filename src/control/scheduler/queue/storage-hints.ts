/** Which changes of storage objects may help a pod that its volumes keep waiting. */
import type { PersistentVolume, Pod } from '../../../core/api/types/core-v1.ts';
import type { CSINode } from '../../../core/api/types/storage-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import { podNamespace } from '../../../core/placement/pod-record.ts';
import type { StorageChange } from './cluster-change.ts';
import type { QueuedPod } from './queued-pod.ts';
import { REJECTOR } from './rejectors.ts';

const NO_CLAIMS: readonly string[] = Object.freeze([]);

const claiming = new WeakMap<object, boolean>();

/** Whether the pod mounts any claim. Pods of one template share their volumes, so that is found out once for all. */
export function hasClaims(pod: Pod): boolean {
  const { volumes } = pod.spec;
  if (volumes === undefined) return false;
  let known = claiming.get(volumes);
  if (known === undefined) {
    known = volumes.some((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined);
    claiming.set(volumes, known);
  }
  return known;
}

/** The claims a pod mounts, those of its own ephemeral volumes included, as `namespace/name`. */
export function claimNames(pod: Pod): readonly string[] {
  const { volumes } = pod.spec;
  if (volumes === undefined) return NO_CLAIMS;
  const names: string[] = [];
  for (const volume of volumes) {
    const name =
      volume.persistentVolumeClaim?.claimName ??
      (volume.ephemeral === undefined ? undefined : `${pod.metadata.name}-${volume.name}`);
    if (name !== undefined) names.push(`${podNamespace(pod)}/${name}`);
  }
  return names;
}

/** Whether the change may help the pod; only the filters that refused it are considered. */
export function storageHelps(change: StorageChange, { rejectors, pod }: QueuedPod): boolean {
  switch (change.kind) {
    case 'claim': {
      const { namespace = 'default', name } = change.claim.metadata;
      if (!claimNames(pod).includes(`${namespace}/${name}`)) return false;
      const any = REJECTOR.VolumeBinding | REJECTOR.VolumeZone;
      const added = REJECTOR.VolumeRestrictions | REJECTOR.NodeVolumeLimits;
      return (rejectors & (change.added ? any | added : any)) !== 0;
    }
    case 'volume':
      if ((rejectors & REJECTOR.VolumeBinding) !== 0) return true;
      return (rejectors & REJECTOR.VolumeZone) !== 0 && zonesChanged(change.volume, change.old);
    case 'storage-class': {
      const { storageClass, old } = change;
      if ((rejectors & REJECTOR.VolumeBinding) !== 0) {
        return old === undefined || !deepEqual(storageClass.allowedTopologies, old.allowedTopologies);
      }
      const waits = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
      return (rejectors & REJECTOR.VolumeZone) !== 0 && old === undefined && waits;
    }
    case 'csi-node':
      return (rejectors & REJECTOR.NodeVolumeLimits) !== 0 && takesMore(change.csiNode, change.old);
  }
}

const zonesChanged = (volume: PersistentVolume, old: PersistentVolume | undefined): boolean =>
  old === undefined || !deepEqual(volume.metadata.labels, old.metadata.labels);

/** A driver's limit rose or went; one that is not named, or names no number, has none. */
function takesMore(csiNode: CSINode, old: CSINode | undefined): boolean {
  if (old === undefined) return true;
  const limits = new Map(csiNode.spec.drivers.map(({ name, allocatable }) => [name, allocatable?.count ?? Infinity]));
  return old.spec.drivers.some(
    ({ name, allocatable }) => (limits.get(name) ?? Infinity) > (allocatable?.count ?? Infinity),
  );
}
