/** Rows of the controllers of volumes and claims. */
import { STORAGE_GUARDS } from '../../control/housekeeping/volumes/storage-protection.ts';
import { createVolumeKeeper } from '../../control/housekeeping/volumes/volume-keeper.ts';
import type { Catalogue, ControllerRow } from './entry.ts';

/** A controller that keeps storage in use from being deleted, by a finalizer that admission gives to new objects. */
function protection(name: keyof typeof STORAGE_GUARDS, alias: readonly string[], what: string): ControllerRow {
  const { resource, create } = STORAGE_GUARDS[name];
  return {
    name,
    aliases: alias,
    about: `keeps ${what} from being deleted while in use`,
    removes: { finalizerOf: resource },
    profiles: { embedded: { runs: 'default', create } },
  };
}

export const STORAGE_CONTROLLERS: Catalogue = [
  {
    name: 'persistentvolume-binder-controller',
    aliases: ['persistentvolume-binder'],
    about: 'binds claims to volumes and provisions volumes',
    profiles: { embedded: { runs: 'default', create: createVolumeKeeper } },
  },
  protection('persistentvolumeclaim-protection-controller', ['pvc-protection'], 'PersistentVolumeClaims'),
  protection('persistentvolume-protection-controller', ['pv-protection'], 'PersistentVolumes'),
  protection('volumeattributesclass-protection-controller', [], 'VolumeAttributesClasses'),
];
