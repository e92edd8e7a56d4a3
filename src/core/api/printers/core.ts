/** Plain kinds of the core group: what they hold, and how old they are. */
import type {
  ComponentStatus,
  ConfigMap,
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ResourceQuota,
  Secret,
  ServiceAccount,
} from '../types/core-v1.ts';
import { AGE, NAME, printer, text, wide, type Column } from './columns.ts';
import { compareText, quantityText, UNSET } from './text.ts';

const sizeOf = (map: object | undefined): number => (map ? Object.keys(map).length : 0);

export const namespacePrinter = printer<Namespace>([
  NAME,
  text('Status', 'Whether the namespace is in use or going away', ({ status }) => status?.phase ?? ''),
  AGE,
]);

export const secretPrinter = printer<Secret>([
  NAME,
  text('Type', 'What the data is for', ({ type }) => type ?? ''),
  text('Data', 'How many entries it holds', ({ data }) => sizeOf(data)),
  AGE,
]);

export const configMapPrinter = printer<ConfigMap>([
  NAME,
  text('Data', 'How many entries it holds', ({ data, binaryData }) => sizeOf(data) + sizeOf(binaryData)),
  AGE,
]);

export const serviceAccountPrinter = printer<ServiceAccount>([NAME, AGE]);

const ACCESS_MODES: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

const accessModes = (modes: readonly string[] | undefined): string =>
  ACCESS_MODES.filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',');

/** An older annotation wins over the field. */
const classOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? object.spec?.storageClassName ?? '';

const phaseOf = (object: PersistentVolume | PersistentVolumeClaim): string =>
  object.metadata.deletionTimestamp ? 'Terminating' : (object.status?.phase ?? '');

function claimOf({ spec }: PersistentVolume): string {
  const claim = spec?.claimRef;
  return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
}

const VOLUME_MODE: Column<PersistentVolume | PersistentVolumeClaim> = wide(
  'VolumeMode',
  'Whether it is a file system or a block device',
  ({ spec }) => spec?.volumeMode ?? UNSET,
);

export const persistentVolumePrinter = printer<PersistentVolume>([
  NAME,
  text('Capacity', 'Size of the volume', ({ spec }) => quantityText(spec?.capacity?.['storage'])),
  text('Access Modes', 'Ways the volume can be mounted', ({ spec }) => accessModes(spec?.accessModes)),
  text(
    'Reclaim Policy',
    'What becomes of the volume when its claim is gone',
    ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
  ),
  text('Status', 'Phase of the volume', phaseOf),
  text('Claim', 'Claim the volume is bound to', claimOf),
  text('StorageClass', 'Storage class of the volume', classOf),
  text(
    'VolumeAttributesClass',
    'Volume attributes class of the volume',
    ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
  ),
  text('Reason', 'Why the volume is in its phase', ({ status }) => status?.reason ?? ''),
  AGE,
  VOLUME_MODE,
]);

export const persistentVolumeClaimPrinter = printer<PersistentVolumeClaim>([
  NAME,
  text('Status', 'Phase of the claim', phaseOf),
  text('Volume', 'Volume the claim is bound to', ({ spec }) => spec?.volumeName ?? ''),
  text('Capacity', 'Size of that volume', ({ spec, status }) =>
    spec?.volumeName ? quantityText(status?.capacity?.['storage']) : '',
  ),
  text('Access Modes', 'Ways that volume can be mounted', ({ spec, status }) =>
    spec?.volumeName ? accessModes(status?.accessModes) : '',
  ),
  text('StorageClass', 'Storage class of the claim', classOf),
  text(
    'VolumeAttributesClass',
    'Volume attributes class of the claim',
    ({ spec }) => spec?.volumeAttributesClassName ?? UNSET,
  ),
  AGE,
  VOLUME_MODE,
]);

/** Used of allowed, for limits or for everything else. */
function quotaText({ status }: ResourceQuota, ofLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .filter((resource) => resource.startsWith('limits.') === ofLimits)
    .toSorted(compareText)
    .map((resource) => `${resource}: ${quantityText(used[resource])}/${quantityText(hard[resource])}`)
    .join(', ');
}

export const resourceQuotaPrinter = printer<ResourceQuota>([
  NAME,
  text('Request', 'Requested of what may be requested', (quota) => quotaText(quota, false)),
  text('Limit', 'Limits of what limits may reach', (quota) => quotaText(quota, true)),
  AGE,
]);

const healthOf = ({ conditions }: ComponentStatus) => conditions?.find(({ type }) => type === 'Healthy');

function healthText(object: ComponentStatus): string {
  const health = healthOf(object);
  return health ? (health.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
}

export const componentStatusPrinter = printer<ComponentStatus>([
  NAME,
  text('Status', 'Whether the component is healthy', healthText),
  text('Message', 'What the component says of itself', (object) => healthOf(object)?.message ?? ''),
  text('Error', 'What is wrong with it', (object) => healthOf(object)?.error ?? ''),
]);
