/** Claims, volumes, storage classes and what nodes can attach, as filters ask for them. */
import {
  CSI_NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
} from '../../core/api/registry/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../core/api/types/core-v1.ts';
import { isMeantFor } from '../../core/placement/volume-match.ts';
import type { StorageView } from '../../core/placement/volumes.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { StorageChange } from './queue/cluster-change.ts';

/** Deleted objects help no waiting pod; only volume bindings that wait for them must fail. */
interface StorageGone {
  claim(claim: PersistentVolumeClaim): void;
  volume(volume: PersistentVolume): void;
}

export interface StorageCaches {
  readonly view: StorageView;
  /** Calls `onChange` for objects that are added or updated, `gone` for those deleted. */
  follow(onChange: (change: StorageChange) => void, gone: StorageGone): readonly HandlerRegistration[];
}

const AVAILABLE_BY_CLASS = 'scheduler/available-by-class';
const BY_CLAIM = 'scheduler/by-claim';
const NO_CLASSES: readonly string[] = Object.freeze([]);

/** Index key: the class of a volume that no claim holds or is about to hold. */
const availableClass = ({ spec, status, metadata }: PersistentVolume): readonly string[] =>
  spec.claimRef === undefined &&
  metadata.deletionTimestamp === undefined &&
  (status?.phase ?? 'Available') === 'Available'
    ? [spec.storageClassName ?? '']
    : NO_CLASSES;

/** Index key: the claim that the volume names. */
const claimOf = ({ spec: { claimRef } }: PersistentVolume): readonly string[] =>
  claimRef === undefined ? NO_CLASSES : [`${claimRef.namespace ?? ''}/${claimRef.name ?? ''}`];

export function createStorageCaches(informers: Informers): StorageCaches {
  const claims = informers.for(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.for(PERSISTENT_VOLUMES);
  const classes = informers.for(STORAGE_CLASSES);
  const csiNodes = informers.for(CSI_NODES);
  volumes.addIndex(AVAILABLE_BY_CLASS, availableClass);
  volumes.addIndex(BY_CLAIM, claimOf);

  return {
    view: {
      claim: (namespace, name) => claims.lister.get(name, namespace),
      volume: (name) => volumes.lister.get(name),
      storageClass: (name) => classes.lister.get(name),
      csiNode: (name) => csiNodes.lister.get(name),
      availableVolumes: (className) => volumes.lister.byIndex(AVAILABLE_BY_CLASS, className),
      volumeMeantFor(claim) {
        const { namespace = '', name } = claim.metadata;
        for (const volume of volumes.lister.byIndex(BY_CLAIM, `${namespace}/${name}`))
          if (isMeantFor(volume, claim)) return volume;
        return undefined;
      },
    },
    follow: (onChange, gone) => [
      claims.addHandler({
        add: (claim) => onChange({ kind: 'claim', claim, added: true }),
        update: (_old, claim) => onChange({ kind: 'claim', claim, added: false }),
        delete: gone.claim,
      }),
      volumes.addHandler({
        add: (volume) => onChange({ kind: 'volume', volume, old: undefined }),
        update: (old, volume) => onChange({ kind: 'volume', volume, old }),
        delete: gone.volume,
      }),
      classes.addHandler({
        add: (storageClass) => onChange({ kind: 'storage-class', storageClass, old: undefined }),
        update: (old, storageClass) => onChange({ kind: 'storage-class', storageClass, old }),
      }),
      csiNodes.addHandler({
        add: (csiNode) => onChange({ kind: 'csi-node', csiNode, old: undefined }),
        update: (old, csiNode) => onChange({ kind: 'csi-node', csiNode, old }),
      }),
    ],
  };
}
