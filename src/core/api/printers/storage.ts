import type { CSIDriver, CSINode, StorageClass, VolumeAttachment, VolumeAttributesClass } from '../types/storage-v1.ts';
import { AGE, flag, int, NAME, printer, text } from './columns.ts';
import { age, NONE, UNSET } from './text.ts';

const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

export const storageClassPrinter = printer<StorageClass>(
  [
    NAME,
    text('Provisioner', 'Who makes volumes of this class'),
    text('ReclaimPolicy', 'What becomes of a volume when its claim is gone'),
    text('VolumeBindingMode', 'When claims are bound'),
    text('AllowVolumeExpansion', 'Whether volumes may grow'),
    AGE,
  ],
  (object, now) => {
    const isDefault = DEFAULT_CLASS.some((key) => object.metadata.annotations?.[key] === 'true');
    return [
      isDefault ? `${object.metadata.name} (default)` : object.metadata.name,
      object.provisioner ?? '',
      object.reclaimPolicy ?? 'Delete',
      object.volumeBindingMode ?? 'Immediate',
      object.allowVolumeExpansion ?? false,
      age(object, now),
    ];
  },
);

export const volumeAttributesClassPrinter = printer<VolumeAttributesClass>(
  [NAME, text('DriverName', 'Driver the attributes are for'), AGE],
  (object, now) => [object.metadata.name, object.driverName ?? '', age(object, now)],
);

export const volumeAttachmentPrinter = printer<VolumeAttachment>(
  [
    NAME,
    { ...text('Attacher', 'Driver that attaches the volume'), format: 'name' },
    text('PV', 'Volume that is attached'),
    text('Node', 'Node it is attached to'),
    flag('Attached', 'Whether it is attached by now'),
    AGE,
  ],
  (object, now) => [
    object.metadata.name,
    object.spec?.attacher ?? '',
    object.spec?.source?.persistentVolumeName ?? '',
    object.spec?.nodeName ?? '',
    object.status?.attached ?? false,
    age(object, now),
  ],
);

export const csiNodePrinter = printer<CSINode>(
  [NAME, int('Drivers', 'Drivers registered on the node'), AGE],
  (object, now) => [object.metadata.name, object.spec?.drivers?.length ?? 0, age(object, now)],
);

export const csiDriverPrinter = printer<CSIDriver>(
  [
    NAME,
    flag('AttachRequired', 'Whether volumes must be attached first'),
    flag('PodInfoOnMount', 'Whether the driver is told of the pod'),
    flag('StorageCapacity', 'Whether the driver publishes free capacity'),
    text('TokenRequests', 'Audiences of the tokens the driver gets'),
    flag('RequiresRepublish', 'Whether mounts are renewed from time to time'),
    text('Modes', 'Lifecycles of volumes the driver supports'),
    AGE,
  ],
  (object, now) => {
    const spec = object.spec;
    return [
      object.metadata.name,
      spec?.attachRequired ?? true,
      spec?.podInfoOnMount ?? false,
      spec?.storageCapacity ?? false,
      spec?.tokenRequests ? spec.tokenRequests.map((request) => request.audience).join(',') : UNSET,
      spec?.requiresRepublish ?? false,
      spec?.volumeLifecycleModes?.join(',') || NONE,
      age(object, now),
    ];
  },
);
