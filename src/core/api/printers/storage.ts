import type { CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass } from '../types/storage-v1.ts';
import { AGE, flag, int, NAME, named, nameText, printer, text } from './columns.ts';
import { NONE, UNSET } from './text.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const isDefaultClass = ({ metadata }: StorageClass): boolean =>
  DEFAULT_CLASS.some((key) => metadata.annotations?.[key] === 'true');

export const storageClassPrinter = printer<StorageClass>([
  named((object) => (isDefaultClass(object) ? `${object.metadata.name} (default)` : object.metadata.name)),
  text('Provisioner', 'Who makes volumes of this class', ({ provisioner }) => provisioner ?? ''),
  text(
    'ReclaimPolicy',
    'What becomes of a volume when its claim is gone',
    ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete',
  ),
  text('VolumeBindingMode', 'When claims are bound', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
  text('AllowVolumeExpansion', 'Whether volumes may grow', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
  AGE,
]);

export const volumeAttributesClassPrinter = printer<VolumeAttributesClass>([
  NAME,
  text('DriverName', 'Driver the attributes are for', ({ driverName }) => driverName ?? ''),
  AGE,
]);

export const volumeAttachmentPrinter = printer<VolumeAttachment>([
  NAME,
  nameText('Attacher', 'Driver that attaches the volume', ({ spec }) => spec?.attacher ?? ''),
  text('PV', 'Volume that is attached', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
  text('Node', 'Node it is attached to', ({ spec }) => spec?.nodeName ?? ''),
  flag('Attached', 'Whether it is attached by now', ({ status }) => status?.attached ?? false),
  AGE,
]);

export const csiNodePrinter = printer<CSINode>([
  NAME,
  int('Drivers', 'Drivers registered on the node', ({ spec }) => spec?.drivers?.length ?? 0),
  AGE,
]);

export const csiDriverPrinter = printer<CSIDriver>([
  NAME,
  flag('AttachRequired', 'Whether volumes must be attached first', ({ spec }) => spec?.attachRequired ?? true),
  flag('PodInfoOnMount', 'Whether the driver is told of the pod', ({ spec }) => spec?.podInfoOnMount ?? false),
  flag('StorageCapacity', 'Whether the driver publishes free capacity', ({ spec }) => spec?.storageCapacity ?? false),
  text('TokenRequests', 'Audiences of the tokens the driver gets', ({ spec }) =>
    spec?.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(',') : UNSET,
  ),
  flag(
    'RequiresRepublish',
    'Whether mounts are renewed from time to time',
    ({ spec }) => spec?.requiresRepublish ?? false,
  ),
  text(
    'Modes',
    'Lifecycles of volumes the driver supports',
    ({ spec }) => spec?.volumeLifecycleModes?.join(',') || NONE,
  ),
  AGE,
]);
