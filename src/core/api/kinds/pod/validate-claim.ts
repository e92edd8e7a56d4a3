/** Claims for storage that are written inside something else: in an ephemeral volume or a StatefulSet. */
import type { ObjectMeta } from '../../../kube/meta-v1.ts';
import { field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { dns1123SubdomainProblems, nameIsDnsLabel, nameIsDnsSubdomain } from '../../../kube/names.ts';
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../types/core-v1.ts';
import { validateAnnotations, validateLabels } from '../../rules/metadata.ts';
import { amountText, isPositive } from '../../rules/amounts.ts';
import { selectorFindings } from './label-keys.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, addTexts, listOf, lookup } from '../../rules/findings.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

export function validateClaimTemplate(found: Findings, template: PersistentVolumeClaimTemplate, path: string): void {
  if (template.metadata !== undefined) validateTemplateMeta(found, template.metadata, `${path}.metadata`);
  validateClaimSpec(found, template.spec ?? {}, `${path}.spec`);
}

/** Only labels and annotations are copied to the claim, so nothing else may be written here. */
function validateTemplateMeta(found: Findings, meta: ObjectMeta, path: string): void {
  addAll(found, validateAnnotations(meta.annotations, `${path}.annotations`));
  addAll(found, validateLabels(meta.labels, `${path}.labels`));
  for (const key of UNSET_META) {
    const value = meta[key];
    if (value === undefined || value === '' || value === 0) continue;
    found.push(forbidden(field.child(path, META_NAMES[key] ?? key), 'cannot be set'));
  }
}

const UNSET_META = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

/** Upstream's message spells `uid` as `uID`. */
const META_NAMES: { readonly [key: string]: string } = { uid: 'uID' };

/** Violations of the current rules that the stored claim has, and its update may therefore keep. */
export interface ClaimLeniency {
  readonly selectorValues: boolean;
  readonly sourceGroups: boolean;
}

const STRICT: ClaimLeniency = { selectorValues: false, sourceGroups: false };

export function validateClaimSpec(
  found: Findings,
  spec: PersistentVolumeClaimSpec,
  path: string,
  lenient: ClaimLeniency = STRICT,
): void {
  const { accessModes, selector, storageClassName, volumeMode, volumeAttributesClassName } = spec;
  if (listOf(accessModes).length === 0)
    found.push(required(`${path}.accessModes`, 'at least 1 access mode is required'));
  addAll(found, selectorFindings(selector, `${path}.selector`, { allowInvalidValues: lenient.selectorValues }));
  for (const mode of listOf(accessModes)) {
    if (!ACCESS_MODES.includes(mode)) found.push(notSupported(`${path}.accessModes`, mode, ACCESS_MODES));
  }
  const exclusive = listOf(accessModes).includes('ReadWriteOncePod');
  if (exclusive && listOf(accessModes).some((mode) => mode !== 'ReadWriteOncePod' && ACCESS_MODES.includes(mode))) {
    found.push(forbidden(`${path}.accessModes`, 'may not use ReadWriteOncePod with other access modes'));
  }
  validateStorage(found, lookup(spec.resources?.requests, 'storage'), `${path}.resources[storage]`);
  validateClassName(found, storageClassName, `${path}.storageClassName`);
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode)) {
    found.push(notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES));
  }
  validateSources(found, spec, lenient.sourceGroups, path);
  validateClassName(found, volumeAttributesClassName, `${path}.volumeAttributesClassName`);
}

function validateStorage(found: Findings, amount: string | number | undefined, path: string): void {
  if (amount === undefined) found.push(required(path, ''));
  else if (!isPositive(amount)) found.push(invalid(path, amountText(amount), 'must be greater than zero'));
}

function validateClassName(found: Findings, name: string | undefined, path: string): void {
  if (name) addTexts(found, path, name, nameIsDnsSubdomain(name, false));
}

function validateSources(
  found: Findings,
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  anyGroup: boolean,
  path: string,
): void {
  if (dataSource !== undefined) validateReference(found, dataSource, anyGroup, `${path}.dataSource`);
  if (dataSourceRef !== undefined) {
    validateReference(found, dataSourceRef, anyGroup, `${path}.dataSourceRef`);
    const { namespace } = dataSourceRef;
    if (namespace) addTexts(found, `${path}.dataSourceRef.namespace`, namespace, nameIsDnsLabel(namespace, false));
  }
  if (dataSource === undefined || dataSourceRef === undefined) return;
  // The quoted value is the path itself in its in-memory form, which prints as an empty object.
  if (dataSourceRef.namespace) {
    found.push(invalid(path, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (
    dataSource.apiGroup !== dataSourceRef.apiGroup ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    found.push(invalid(path, {}, 'must match dataSourceRef'));
  }
}

function validateReference(
  found: Findings,
  reference: Partial<TypedObjectReference>,
  anyGroup: boolean,
  path: string,
): void {
  const { name, kind = '', apiGroup = '' } = reference;
  if (!name) found.push(required(`${path}.name`, ''));
  if (kind === '') found.push(required(`${path}.kind`, ''));
  if (apiGroup === '' && kind !== 'PersistentVolumeClaim') {
    found.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (apiGroup !== '' && !anyGroup) addTexts(found, `${path}.apiGroup`, apiGroup, dns1123SubdomainProblems(apiGroup));
}
