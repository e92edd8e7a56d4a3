/** Defaults of volumes. */
import type {
  AzureDiskVolumeSource,
  DownwardAPIVolumeFile,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '../../../types/core-v1.ts';
import { withMember } from '../../../../kube/immutable.ts';
import { canonicalAmount, roundedList } from '../../../rules/amounts.ts';
import { defaultResourceField, pullPolicyFor } from './default-container.ts';
import { subtreeMemo } from '../../../rules/memo.ts';
import { mapIfAny, mapShared } from '../../../rules/sharing.ts';

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

const remembered = subtreeMemo<readonly Volume[], readonly Volume[]>();

/** The list itself when it lacks nothing. `keep` is for templates, whose volumes come back with every pod. */
export function defaultVolumes<T extends readonly Volume[] | undefined>(volumes: T, keep: boolean): T {
  if (volumes === undefined || volumes.length === 0) return volumes;
  const known = remembered.get(volumes);
  if (known !== undefined) return known as T;
  const filled = mapShared(volumes, defaultVolume);
  const remember = keep ? remembered.keep : remembered.offer;
  remember(volumes, filled);
  if (filled !== volumes) remember(filled, filled);
  return filled as T;
}

function defaultVolume(volume: Volume): Volume {
  let count = 0;
  let changed = volume;
  for (const key in volume) {
    if (key === 'name' || volume[key as keyof Volume] === undefined) continue;
    count++;
    changed = defaultSource(changed, key);
  }
  return count === 0 ? { ...volume, emptyDir: {} } : changed;
}

function defaultSource(volume: Volume, key: string): Volume {
  switch (key) {
    case 'emptyDir':
      return volume.emptyDir?.sizeLimit === undefined
        ? volume
        : withMember(volume, 'emptyDir', defaultEmptyDir(volume.emptyDir));
    case 'hostPath':
      return volume.hostPath?.type === undefined && volume.hostPath
        ? { ...volume, hostPath: { ...volume.hostPath, type: '' } }
        : volume;
    case 'secret':
      return volume.secret && volume.secret.defaultMode === undefined
        ? { ...volume, secret: { ...volume.secret, defaultMode: FILE_MODE } }
        : volume;
    case 'configMap':
      return volume.configMap && volume.configMap.defaultMode === undefined
        ? { ...volume, configMap: { ...volume.configMap, defaultMode: FILE_MODE } }
        : volume;
    case 'downwardAPI':
      return defaultDownward(volume);
    case 'projected':
      return defaultProjected(volume);
    case 'ephemeral':
      return defaultEphemeral(volume);
    case 'image':
      return volume.image && !volume.image.pullPolicy
        ? { ...volume, image: { ...volume.image, pullPolicy: pullPolicyFor(volume.image.reference) } }
        : volume;
    default:
      return defaultRemovedSource(volume, key);
  }
}

const defaultEmptyDir = (source: EmptyDirVolumeSource): EmptyDirVolumeSource =>
  source.sizeLimit === undefined ? source : withMember(source, 'sizeLimit', canonicalAmount(source.sizeLimit));

/** The sources that a PersistentVolume may have too, under the same names. */
export function defaultPersistentSource<T extends object>(spec: T): T {
  let changed = spec as Partial<Volume>;
  for (const key in spec) if (PERSISTENT.has(key)) changed = defaultSource(changed as Volume, key);
  return changed as T;
}

const PERSISTENT: ReadonlySet<string> = new Set(['hostPath', 'iscsi', 'rbd', 'azureDisk', 'scaleIO']);

/** Volume types whose drivers are gone; their fields are still filled in. */
function defaultRemovedSource(volume: Volume, key: string): Volume {
  const { iscsi, rbd, azureDisk, scaleIO } = volume;
  if (key === 'iscsi' && iscsi && !iscsi.iscsiInterface) {
    return { ...volume, iscsi: { ...iscsi, iscsiInterface: 'default' } };
  }
  if (key === 'rbd' && rbd && !(rbd.pool && rbd.user && rbd.keyring)) {
    const keyring = rbd.keyring || '/etc/ceph/keyring';
    return { ...volume, rbd: { ...rbd, pool: rbd.pool || 'rbd', user: rbd.user || 'admin', keyring } };
  }
  if (key === 'azureDisk' && azureDisk) return withMember(volume, 'azureDisk', defaultAzureDisk(azureDisk));
  if (key === 'scaleIO' && scaleIO && !(scaleIO.storageMode && scaleIO.fsType)) {
    const storageMode = scaleIO.storageMode || 'ThinProvisioned';
    return { ...volume, scaleIO: { ...scaleIO, storageMode, fsType: scaleIO.fsType || 'xfs' } };
  }
  return volume;
}

function defaultAzureDisk(disk: AzureDiskVolumeSource): AzureDiskVolumeSource {
  const { cachingMode = 'ReadWrite', fsType = 'ext4', readOnly = false, kind = 'Shared' } = disk;
  let filled = withMember(disk, 'cachingMode', cachingMode);
  filled = withMember(filled, 'fsType', fsType);
  filled = withMember(filled, 'readOnly', readOnly);
  return withMember(filled, 'kind', kind);
}

function defaultFile(file: DownwardAPIVolumeFile): DownwardAPIVolumeFile {
  const resourceFieldRef = defaultResourceField(file.resourceFieldRef);
  const read = withMember(file, 'resourceFieldRef', resourceFieldRef);
  const { fieldRef } = read;
  return fieldRef && !fieldRef.apiVersion ? { ...read, fieldRef: { ...fieldRef, apiVersion: 'v1' } } : read;
}

function defaultDownward(volume: Volume): Volume {
  const source = volume.downwardAPI;
  if (source === undefined) return volume;
  const items = mapIfAny(source.items, defaultFile);
  if (items === source.items && source.defaultMode !== undefined) return volume;
  const defaultMode = source.defaultMode ?? FILE_MODE;
  return { ...volume, downwardAPI: { ...source, ...(items === undefined ? undefined : { items }), defaultMode } };
}

function defaultProjected(volume: Volume): Volume {
  const source = volume.projected;
  if (source === undefined) return volume;
  const sources = mapIfAny(source.sources, defaultProjection);
  if (sources === source.sources && source.defaultMode !== undefined) return volume;
  const projected: ProjectedVolumeSource = {
    ...source,
    ...(sources === undefined ? undefined : { sources }),
    defaultMode: source.defaultMode ?? FILE_MODE,
  };
  return { ...volume, projected };
}

function defaultProjection(source: VolumeProjection): VolumeProjection {
  const { downwardAPI, serviceAccountToken } = source;
  let changed = source;
  const items = mapIfAny(downwardAPI?.items, defaultFile);
  if (items !== undefined && items !== downwardAPI?.items) {
    changed = { ...changed, downwardAPI: { ...downwardAPI, items } };
  }
  if (serviceAccountToken && serviceAccountToken.expirationSeconds === undefined) {
    changed = { ...changed, serviceAccountToken: { ...serviceAccountToken, expirationSeconds: TOKEN_SECONDS } };
  }
  return changed;
}

function defaultEphemeral(volume: Volume): Volume {
  const template = volume.ephemeral?.volumeClaimTemplate;
  if (template === undefined) return volume;
  const spec = defaultClaimSpec(template.spec ?? {});
  if (spec === template.spec) return volume;
  const ephemeral: EphemeralVolumeSource = { ...volume.ephemeral, volumeClaimTemplate: { ...template, spec } };
  return { ...volume, ephemeral };
}

type ClaimSpec = NonNullable<EphemeralVolumeSource['volumeClaimTemplate']>['spec'];

/** A claim is for a file system unless it says block device. */
export function defaultClaimSpec(spec: ClaimSpec): ClaimSpec {
  const limits = roundedList(spec.resources?.limits);
  const requests = roundedList(spec.resources?.requests);
  const rounded = limits !== spec.resources?.limits || requests !== spec.resources?.requests;
  if (spec.volumeMode !== undefined && !rounded) return spec;
  return {
    ...spec,
    volumeMode: spec.volumeMode ?? 'Filesystem',
    ...(rounded
      ? {
          resources: {
            ...spec.resources,
            ...(limits === undefined ? undefined : { limits }),
            ...(requests === undefined ? undefined : { requests }),
          },
        }
      : undefined),
  };
}
