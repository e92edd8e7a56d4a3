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
import { AGE, NAME, printer, text, wide } from './columns.ts';
import { age, compareText, quantityText, UNSET } from './text.ts';

const sizeOf = (map: object | undefined): number => (map ? Object.keys(map).length : 0);

export const namespacePrinter = printer<Namespace>(
  [NAME, text('Status', 'Whether the namespace is in use or going away'), AGE],
  (object, now) => [object.metadata.name, object.status?.phase ?? '', age(object, now)],
);

export const secretPrinter = printer<Secret>(
  [NAME, text('Type', 'What the data is for'), text('Data', 'How many entries it holds'), AGE],
  (object, now) => [object.metadata.name, object.type ?? '', sizeOf(object.data), age(object, now)],
);

export const configMapPrinter = printer<ConfigMap>(
  [NAME, text('Data', 'How many entries it holds'), AGE],
  (object, now) => [object.metadata.name, sizeOf(object.data) + sizeOf(object.binaryData), age(object, now)],
);

export const serviceAccountPrinter = printer<ServiceAccount>([NAME, AGE], (object, now) => [
  object.metadata.name,
  age(object, now),
]);

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

export const persistentVolumePrinter = printer<PersistentVolume>(
  [
    NAME,
    text('Capacity', 'Size of the volume'),
    text('Access Modes', 'Ways the volume can be mounted'),
    text('Reclaim Policy', 'What becomes of the volume when its claim is gone'),
    text('Status', 'Phase of the volume'),
    text('Claim', 'Claim the volume is bound to'),
    text('StorageClass', 'Storage class of the volume'),
    text('VolumeAttributesClass', 'Volume attributes class of the volume'),
    text('Reason', 'Why the volume is in its phase'),
    AGE,
    wide('VolumeMode', 'Whether it is a file system or a block device'),
  ],
  (object, now) => {
    const spec = object.spec;
    const claim = spec?.claimRef;
    return [
      object.metadata.name,
      quantityText(spec?.capacity?.['storage']),
      accessModes(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      phaseOf(object),
      claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '',
      classOf(object),
      spec?.volumeAttributesClassName ?? UNSET,
      object.status?.reason ?? '',
      age(object, now),
      spec?.volumeMode ?? UNSET,
    ];
  },
);

export const persistentVolumeClaimPrinter = printer<PersistentVolumeClaim>(
  [
    NAME,
    text('Status', 'Phase of the claim'),
    text('Volume', 'Volume the claim is bound to'),
    text('Capacity', 'Size of that volume'),
    text('Access Modes', 'Ways that volume can be mounted'),
    text('StorageClass', 'Storage class of the claim'),
    text('VolumeAttributesClass', 'Volume attributes class of the claim'),
    AGE,
    wide('VolumeMode', 'Whether it is a file system or a block device'),
  ],
  (object, now) => {
    const spec = object.spec;
    const bound = Boolean(spec?.volumeName);
    return [
      object.metadata.name,
      phaseOf(object),
      spec?.volumeName ?? '',
      bound ? quantityText(object.status?.capacity?.['storage']) : '',
      bound ? accessModes(object.status?.accessModes) : '',
      classOf(object),
      spec?.volumeAttributesClassName ?? UNSET,
      age(object, now),
      spec?.volumeMode ?? UNSET,
    ];
  },
);

export const resourceQuotaPrinter = printer<ResourceQuota>(
  [NAME, text('Request', 'Requested of what may be requested'), text('Limit', 'Limits of what limits may reach'), AGE],
  (object, now) => {
    const requests: string[] = [];
    const limits: string[] = [];
    const { hard = {}, used = {} } = object.status ?? {};
    for (const resource of Object.keys(hard).toSorted(compareText)) {
      const line = `${resource}: ${quantityText(used[resource])}/${quantityText(hard[resource])}`;
      (resource.startsWith('limits.') ? limits : requests).push(line);
    }
    return [object.metadata.name, requests.join(', '), limits.join(', '), age(object, now)];
  },
);

export const componentStatusPrinter = printer<ComponentStatus>(
  [
    NAME,
    text('Status', 'Whether the component is healthy'),
    text('Message', 'What the component says of itself'),
    text('Error', 'What is wrong with it'),
  ],
  (object) => {
    const healthy = object.conditions?.find((condition) => condition.type === 'Healthy');
    const status = healthy ? (healthy.status === 'True' ? 'Healthy' : 'Unhealthy') : 'Unknown';
    return [object.metadata.name, status, healthy?.message ?? '', healthy?.error ?? ''];
  },
);
