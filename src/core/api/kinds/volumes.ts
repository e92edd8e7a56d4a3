/** Persistent volumes and claims, as far as sizes, modes and classes go; volume sources are stored as they come. */
import { type FieldError, field, forbidden, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../kube/immutable.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';
import type { KindStrategy } from '../kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../registry/generic-strategy.ts';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../types/core-v1.ts';
import { append } from './append.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from './metadata.ts';
import { defaultPersistentSource } from './pod/default-volumes.ts';
import { type Amount, amountText, compareAmounts } from './quantities.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];

function validateAccessModes(modes: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const mode of modes) {
    if (!ACCESS_MODES.includes(mode)) errors.push(notSupported(path, mode, ACCESS_MODES));
  }
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode));
  if (others && modes.includes('ReadWriteOncePod')) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
  return errors;
}

function validatePositive(amount: Amount, path: string): readonly FieldError[] {
  return compareAmounts(amount, 0) > 0 ? [] : [invalid(path, amountText(amount), 'must be greater than zero')];
}

function validateClass(name: string | undefined, path: string): readonly FieldError[] {
  return name ? nameIsDnsSubdomain(name, false).map((text) => invalid(path, name, text)) : [];
}

function validateVolumeMode(mode: string | undefined, path: string): readonly FieldError[] {
  return mode === undefined || VOLUME_MODES.includes(mode) ? [] : [notSupported(path, mode, VOLUME_MODES)];
}

function validateClaimSpec(spec: PersistentVolumeClaimSpec): readonly FieldError[] {
  const errors: FieldError[] = [];
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) errors.push(required('spec.accessModes', 'at least 1 access mode is required'));
  append(errors, validateLabelSelector(spec.selector, 'spec.selector'));
  append(errors, validateAccessModes(modes, 'spec.accessModes'));
  const size = spec.resources?.requests?.['storage'];
  const sizePath = field.key('spec.resources', 'storage');
  if (size === undefined) errors.push(required(sizePath, ''));
  else append(errors, validatePositive(size, sizePath));
  append(errors, validateClass(spec.storageClassName, 'spec.storageClassName'));
  append(errors, validateVolumeMode(spec.volumeMode, 'spec.volumeMode'));
  append(errors, validateClass(spec.volumeAttributesClassName, 'spec.volumeAttributesClassName'));
  return errors;
}

const CLAIM_RULES = { namespaced: true, name: nameIsDnsSubdomain };

function validateClaim(claim: PersistentVolumeClaim): FieldError[] {
  const errors = validateObjectMeta(claim.metadata, CLAIM_RULES, 'metadata');
  append(errors, validateClaimSpec(claim.spec ?? {}));
  return errors;
}

/** The spec without what may change: the volume while there is none, the size and attributes of a bound claim. */
function fixedPart(spec: PersistentVolumeClaimSpec, bound: boolean, unnamed: boolean): object {
  const { resources, volumeName, volumeAttributesClassName, ...rest } = spec;
  const { storage, ...otherRequests } = resources?.requests ?? {};
  return {
    ...rest,
    resources: { ...resources, requests: bound ? otherRequests : { ...otherRequests, storage } },
    volumeName: unnamed ? undefined : volumeName,
    volumeAttributesClassName: bound ? undefined : volumeAttributesClassName,
  };
}

function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const errors = validateObjectMetaUpdate(claim.metadata, old.metadata, 'metadata');
  append(errors, validateClaim(claim));
  const { spec } = claim;
  const before = old.spec ?? {};
  const bound = claim.status?.phase === 'Bound';
  const unnamed = !before.volumeName;
  if (!deepEqual(fixedPart(spec, bound, unnamed), fixedPart(before, bound, unnamed))) {
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', why));
  }
  const size = spec.resources?.requests?.['storage'];
  const was = before.resources?.requests?.['storage'];
  if (size !== undefined && was !== undefined && compareAmounts(size, was) < 0) {
    if (compareAmounts(size, old.status?.capacity?.['storage'] ?? 0) <= 0) {
      errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
    }
  }
  if (spec.volumeMode !== before.volumeMode) {
    errors.push(invalid('volumeMode', spec.volumeMode ?? null, 'field is immutable'));
  }
  return errors;
}

export const persistentVolumeClaimStrategy: KindStrategy<PersistentVolumeClaim> = {
  ...createGenericStrategy<PersistentVolumeClaim>({ namespaced: true, hasStatus: true, hasGeneration: false }),
  defaults(claim) {
    let result = claim;
    if (claim.spec?.volumeMode === undefined) result = { ...result, spec: { ...claim.spec, volumeMode: 'Filesystem' } };
    if (!claim.status?.phase) result = { ...result, status: { ...claim.status, phase: 'Pending' } };
    return result;
  },
  prepareForCreate: (claim) => ({ ...claim, status: { phase: 'Pending' } }),
  prepareForUpdate: (claim, old, subresource) => withFieldOf(claim, old, subresource === 'status' ? 'spec' : 'status'),
  validate: validateClaim,
  validateUpdate(claim, old, subresource) {
    if (subresource !== 'status') return validateClaimUpdate(claim, old);
    const errors = validateObjectMetaUpdate(claim.metadata, old.metadata, 'metadata');
    if (!claim.metadata.resourceVersion) errors.push(required('resourceVersion', ''));
    return errors;
  },
};

const VOLUME_RULES = { namespaced: false, name: nameIsDnsSubdomain };

function validateVolume(volume: PersistentVolume): FieldError[] {
  const errors = validateObjectMeta(volume.metadata, VOLUME_RULES, 'metadata');
  const { accessModes = [], capacity = {}, persistentVolumeReclaimPolicy: policy, ...spec } = volume.spec ?? {};
  if (accessModes.length === 0) errors.push(required('spec.accessModes', ''));
  append(errors, validateAccessModes(accessModes, 'spec.accessModes'));
  const names = Object.keys(capacity);
  if (names.length === 0) errors.push(required('spec.capacity', ''));
  if (names.length !== 1 || names[0] !== 'storage') {
    errors.push(notSupported('spec.capacity', names.length === 0 ? null : capacity, ['storage']));
  }
  for (const name of names) append(errors, validatePositive(capacity[name] ?? 0, field.key('spec.capacity', name)));
  if (policy && !RECLAIM_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', policy, RECLAIM_POLICIES));
  }
  append(errors, validateClass(spec.storageClassName, 'spec.storageClassName'));
  append(errors, validateVolumeMode(spec.volumeMode, 'spec.volumeMode'));
  return errors;
}

export const persistentVolumeStrategy: KindStrategy<PersistentVolume> = {
  ...createGenericStrategy<PersistentVolume>({ namespaced: false, hasStatus: true, hasGeneration: false }),
  defaults(volume) {
    const { status } = volume;
    let result = volume.spec === undefined ? volume : withMember(volume, 'spec', defaultPersistentSource(volume.spec));
    const { spec } = result;
    if (!spec?.persistentVolumeReclaimPolicy || spec.volumeMode === undefined) {
      const persistentVolumeReclaimPolicy = spec?.persistentVolumeReclaimPolicy || 'Retain';
      const filled = { ...spec, persistentVolumeReclaimPolicy, volumeMode: spec?.volumeMode ?? 'Filesystem' };
      result = { ...result, spec: filled };
    }
    return status?.phase ? result : { ...result, status: { ...status, phase: 'Pending' } };
  },
  prepareForCreate: (volume) => ({ ...volume, status: { phase: 'Pending' } }),
  prepareForUpdate: (volume, old, subresource) =>
    withFieldOf(volume, old, subresource === 'status' ? 'spec' : 'status'),
  validate: validateVolume,
  validateUpdate(volume, old, subresource) {
    const errors = subresource === 'status' ? [] : validateVolume(volume);
    append(errors, validateObjectMetaUpdate(volume.metadata, old.metadata, 'metadata'));
    if (volume.spec?.volumeMode !== old.spec?.volumeMode) {
      errors.push(invalid('volumeMode', volume.spec?.volumeMode ?? null, 'field is immutable'));
    }
    return errors;
  },
};
