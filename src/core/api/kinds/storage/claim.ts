/** PersistentVolumeClaims. */
import { field, forbidden, immutableField, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { nameIsDnsSubdomain, qualifiedNameProblems } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../../kind/generic-strategy.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimStatus,
  TypedLocalObjectReference,
} from '../../types/core-v1.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { roundedList } from '../../rules/amounts.ts';
import { addAll, addTexts, type Findings, has, listOf, lookup } from '../../rules/findings.ts';
import { prettyInternalJson } from '../pod/internal-form.ts';
import { isNative } from '../../rules/resource-names.ts';
import { unifiedHunks } from '../../../kube/diff/unified-diff.ts';
import { type ClaimLeniency, validateClaimSpec } from '../pod/validate-claim.ts';
import { claimWarnings } from '../pod/warnings.ts';
import { amountText, compareAmounts, int64Of } from '../../rules/quantities.ts';
import { CLASS_ANNOTATION_TEXT, STORAGE_CLASS_ANNOTATION } from './access.ts';

const RULES = { namespaced: true, name: nameIsDnsSubdomain };
const RESIZE_STATUSES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** References that `dataSource` alone may hold. Others are dropped, as before `dataSourceRef` could name any kind. */
const isClaimOrSnapshot = ({ apiGroup = '', kind }: TypedLocalObjectReference): boolean =>
  apiGroup === ''
    ? kind === 'PersistentVolumeClaim'
    : apiGroup === 'snapshot.storage.k8s.io' && kind === 'VolumeSnapshot';

/** Copies `dataSource` to `dataSourceRef` or back, whichever the client left out. */
function withBothSources(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined && dataSourceRef === undefined) return { ...spec, dataSourceRef: dataSource };
  if (dataSource !== undefined || dataSourceRef === undefined || dataSourceRef.namespace) return spec;
  const { namespace: _, ...local } = dataSourceRef;
  return { ...spec, dataSource: local };
}

function prepareSpec(given: PersistentVolumeClaimSpec, old?: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  let spec = given;
  // Sources in other namespaces are a feature that 1.36 has switched off.
  if (spec.dataSourceRef?.namespace && old?.dataSourceRef === undefined) {
    spec = withMember(spec, 'dataSourceRef', undefined);
  }
  const inUse = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  const { dataSource, dataSourceRef } = spec;
  if (!inUse && dataSourceRef === undefined && dataSource !== undefined && !isClaimOrSnapshot(dataSource)) {
    spec = withMember(spec, 'dataSource', undefined);
  }
  return withBothSources(spec);
}

/** Amounts finer than a thousandth are rounded up. */
function withRoundedAmounts(claim: PersistentVolumeClaim): PersistentVolumeClaim {
  const { spec, status } = claim;
  let result = claim;
  if (spec?.resources !== undefined) {
    const { resources } = spec;
    const rounded = withMember(
      withMember(resources, 'limits', roundedList(resources.limits)),
      'requests',
      roundedList(resources.requests),
    );
    result = withMember(result, 'spec', withMember(spec, 'resources', rounded));
  }
  if (status?.capacity === undefined && status?.allocatedResources === undefined) return result;
  const counted = withMember(status, 'capacity', roundedList(status.capacity));
  return withMember(
    result,
    'status',
    withMember(counted, 'allocatedResources', roundedList(counted.allocatedResources)),
  );
}

/** An apiGroup in the stored reference relaxes the rule for groups on update. */
const hasGroup = (reference: { readonly apiGroup?: string } | undefined): boolean => reference?.apiGroup !== undefined;

function validateClaim(claim: PersistentVolumeClaim, lenient?: ClaimLeniency): Findings {
  const found = validateObjectMeta(claim.metadata, RULES, 'metadata');
  validateClaimSpec(found, claim.spec ?? {}, 'spec', lenient);
  return found;
}

type Annotations = { readonly [key: string]: string } | undefined;

/** Whether the update may set the class: none was named before, or only the legacy annotation named this one. */
function classMayBeSet(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec, before: Annotations): boolean {
  const annotated = lookup(before, STORAGE_CLASS_ANNOTATION);
  const { storageClassName: name } = spec;
  return name !== undefined && old.storageClassName === undefined && (annotated === undefined || annotated === name);
}

function validateChanges(found: Findings, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
  const spec = claim.spec ?? {};
  const stored = withBothSources(old.spec ?? {});
  const annotations = claim.metadata.annotations;
  const wasAnnotated = lookup(old.metadata.annotations, STORAGE_CLASS_ANNOTATION);
  const isAnnotated = lookup(annotations, STORAGE_CLASS_ANNOTATION);
  const mayBeSet = classMayBeSet(spec, stored, old.metadata.annotations);
  const moved = mayBeSet && wasAnnotated !== undefined && (isAnnotated === undefined || isAnnotated === wasAnnotated);
  if (!moved && (isAnnotated ?? '') !== (wasAnnotated ?? '')) {
    found.push(immutableField(`metadata.annotations.${STORAGE_CLASS_ANNOTATION}`, isAnnotated ?? ''));
  }
  let [next, before] = [spec, stored];
  if (!stored.volumeName) before = withMember(before, 'volumeName', spec.volumeName);
  if (mayBeSet) next = withMember(next, 'storageClassName', stored.storageClassName);
  const [size, was] = [storageOf(spec), storageOf(stored)];
  if (claim.status?.phase === 'Bound') {
    if (next.resources?.requests !== undefined) {
      const requests = withMember(next.resources.requests, 'storage', was);
      next = { ...next, resources: { ...next.resources, requests } };
    }
    next = withMember(next, 'volumeAttributesClassName', stored.volumeAttributesClassName);
  }
  if (!deepEqual(canonical(next), canonical(before))) {
    const print = (value: PersistentVolumeClaimSpec): string =>
      prettyInternalJson('core.PersistentVolumeClaimSpec', value);
    const why =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    found.push(forbidden('spec', `${why}\n${unifiedHunks(print(before), print(next))}`));
  }
  if (compareAmounts(size ?? 0, was ?? 0) < 0) {
    if (compareAmounts(size ?? 0, old.status?.capacity?.['storage'] ?? 0) <= 0) {
      found.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
    }
  }
  if (spec.volumeMode !== stored.volumeMode) found.push(immutableField('volumeMode', spec.volumeMode));
  validateAttributesClass(found, spec.volumeAttributesClassName, stored.volumeAttributesClassName, old.status);
}

const storageOf = ({ resources }: PersistentVolumeClaimSpec): string | number | undefined =>
  lookup(resources?.requests, 'storage');

/** Amounts are compared by what they are worth. */
function canonical(spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec {
  const size = storageOf(spec);
  if (size === undefined) return spec;
  return {
    ...spec,
    resources: { ...spec.resources, requests: { ...spec.resources?.requests, storage: amountText(size) } },
  };
}

/** A class that was once applied cannot be taken away again. */
function validateAttributesClass(
  found: Findings,
  name: string | undefined,
  before: string | undefined,
  status: PersistentVolumeClaimStatus | undefined,
): void {
  if (name === before || status?.currentVolumeAttributesClassName === undefined || name) return;
  const to = name === undefined ? 'nil' : 'empty string';
  const text = `update to ${to} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  found.push(forbidden('spec.volumeAttributesClassName', text));
}

function validateStatus(found: Findings, claim: PersistentVolumeClaim): void {
  if (!claim.metadata.resourceVersion) found.push(required('resourceVersion', ''));
  if (listOf(claim.spec?.accessModes).length === 0) found.push(required('Spec.accessModes', ''));
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = claim.status ?? {};
  for (const [name, amount] of Object.entries(capacity)) {
    validateAmount(found, amount, field.key('status.capacity', name));
  }
  const statuses = 'status.allocatedResourceStatuses';
  for (const [name, status] of Object.entries(allocatedResourceStatuses)) {
    validateResourceKey(found, name, statuses);
    // Upstream quotes the resource, not its status.
    if (!RESIZE_STATUSES.includes(status)) found.push(notSupported(statuses, name, RESIZE_STATUSES));
  }
  for (const [name, amount] of Object.entries(allocatedResources)) {
    if (!validateResourceKey(found, name, 'status.allocatedResources')) continue;
    validateAmount(found, amount, field.key('status.allocatedResources', name));
  }
}

function validateAmount(found: Findings, amount: string | number, path: string): void {
  const value = int64Of(amount);
  if (value < 0n) found.push(invalid(path, value, 'must be a valid resource quantity'));
}

/** Of Kubernetes' own resources only storage makes sense. */
function validateResourceKey(found: Findings, name: string, path: string): boolean {
  const problems = qualifiedNameProblems(name);
  addTexts(found, path, name, problems);
  if (problems.length > 0) return false;
  if (!isNative(name) || name === 'storage') return true;
  found.push(notSupported(path, name, ['storage']));
  return false;
}

export const persistentVolumeClaimStrategy: KindStrategy<PersistentVolumeClaim> = {
  ...createGenericStrategy<PersistentVolumeClaim>({ namespaced: true, hasStatus: true, hasGeneration: false }),
  defaults(claim) {
    let result = withRoundedAmounts(claim);
    if (result.spec?.volumeMode === undefined)
      result = { ...result, spec: { ...result.spec, volumeMode: 'Filesystem' } };
    if (!result.status?.phase) result = { ...result, status: { ...result.status, phase: 'Pending' } };
    return result;
  },
  prepareForCreate: (claim) => ({ ...claim, spec: prepareSpec(claim.spec ?? {}), status: { phase: 'Pending' } }),
  prepareForUpdate(claim, old, subresource) {
    if (subresource === 'status') return withFieldOf(claim, old, 'spec');
    return withMember(withFieldOf(claim, old, 'status'), 'spec', prepareSpec(claim.spec ?? {}, old.spec));
  },
  validate: (claim) => validateClaim(claim),
  validateUpdate(claim, old, subresource) {
    const found = validateObjectMetaUpdate(claim.metadata, old.metadata, 'metadata');
    if (subresource === 'status') {
      validateStatus(found, claim);
      return found;
    }
    const lenient = {
      selectorValues: validateLabelSelector(old.spec?.selector, '').length > 0,
      sourceGroups: hasGroup(old.spec?.dataSource) || hasGroup(old.spec?.dataSourceRef),
    };
    addAll(found, validateClaim(claim, lenient));
    validateChanges(found, claim, old);
    return found;
  },
  warnings: ({ metadata, spec }) => [
    ...(has(metadata.annotations, STORAGE_CLASS_ANNOTATION)
      ? [`${field.key('metadata.annotations', STORAGE_CLASS_ANNOTATION)}: ${CLASS_ANNOTATION_TEXT}`]
      : []),
    ...claimWarnings(spec ?? {}, 'spec'),
  ],
};
