/** VolumeAttachments: a volume and the node it is attached to. */
import { forbidden, immutableField, invalid, required, tooLong } from '../../../kube/field-errors.ts';
import { exceedsBytes, utf8Length } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import { nameIsDnsSubdomain } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf, withOldMeta } from '../../kind/generic-strategy.ts';
import type {
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentStatus,
  VolumeError,
} from '../../types/storage-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, MAX_INT32, rangeText } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { validateDriverName } from '../pod/validate-volumes.ts';
import { validateVolumeSpec } from './persistent-volume.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;

function validate({ metadata, spec, status }: VolumeAttachment): Findings {
  const found = validateObjectMeta(metadata, RULES, 'metadata');
  const nodeName = spec?.nodeName ?? '';
  validateDriverName(found, spec?.attacher, 'spec.attacher');
  validateSource(found, spec?.source ?? {}, 'spec.source');
  addTexts(found, 'spec.nodeName', nodeName, nameIsDnsSubdomain(nodeName, false));
  if (status !== undefined) validateStatus(found, status);
  return found;
}

function validateSource(found: Findings, source: VolumeAttachmentSource, path: string): void {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (inline === undefined && name === undefined) found.push(required(path, text));
  else if (inline !== undefined && name !== undefined) found.push(forbidden(path, text));
  else if (inline !== undefined) {
    validateVolumeSpec(found, inline, { name: '', inline: true }, `${path}.inlineVolumeSpec`);
  } else if (name === '') {
    found.push(required(`${path}.persistentVolumeName`, 'must specify non empty persistentVolumeName'));
  }
  if (name !== undefined) addTexts(found, `${path}.persistentVolumeName`, name, nameIsDnsSubdomain(name, false));
}

function validateStatus(found: Findings, status: VolumeAttachmentStatus): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    bytes += utf8Length(key) + utf8Length(value);
  if (bytes > MAX_METADATA_BYTES) found.push(tooLong('status.attachmentMetadata', MAX_METADATA_BYTES));
  validateError(found, status.attachError, 'status.attachError');
  validateError(found, status.detachError, 'status.detachError');
}

function validateError(found: Findings, error: VolumeError | undefined, path: string): void {
  const { message = '', errorCode = 0 } = error ?? {};
  // Upstream's message names another limit than the one it checks.
  if (exceedsBytes(message, MAX_MESSAGE_BYTES)) found.push(tooLong(`${path}.message`, MAX_METADATA_BYTES));
  if (errorCode < 0) found.push(invalid(`${path}.errorCode`, errorCode, rangeText(0, MAX_INT32)));
}

export const volumeAttachmentStrategy: KindStrategy<VolumeAttachment> = {
  ...createGenericStrategy<VolumeAttachment>({
    namespaced: false,
    hasStatus: true,
    hasGeneration: false,
    emptyStatus: () => ({ attached: false }),
  }),
  prepareForUpdate(attachment, old, subresource) {
    if (subresource !== 'status') return withFieldOf(attachment, old, 'status');
    return withFieldOf(withOldMeta(attachment, old), old, 'spec');
  },
  validate,
  validateUpdate(attachment, old) {
    const found = validate(attachment);
    addAll(found, validateObjectMetaUpdate(attachment.metadata, old.metadata, 'metadata'));
    if (!deepEqual(attachment.spec, old.spec)) {
      found.push(immutableField('spec', internalValue('storage.VolumeAttachmentSpec', attachment.spec)));
    }
    return found;
  },
  allowUnconditionalUpdate: false,
};
