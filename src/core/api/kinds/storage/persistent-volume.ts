/** PersistentVolumes. */
import { field, forbidden, immutableField, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { labelValueProblems, nameIsDnsSubdomain } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../../kind/generic-strategy.ts';
import type {
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeSpec,
  VolumeNodeAffinity,
} from '../../types/core-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { fromEntries } from '../../rules/objects.ts';
import { roundedList } from '../../rules/amounts.ts';
import { defaultPersistentSource } from '../pod/defaults/default-volumes.ts';
import { addAll, type Findings, has, listOf } from '../../rules/findings.ts';
import { internalValue, prettyInternalJson } from '../pod/internal-form.ts';
import { unifiedHunks } from '../../../kube/diff/unified-diff.ts';
import { validateNodeSelector } from '../pod/validate-affinity.ts';
import { addTermWarnings } from '../pod/warnings.ts';
import { amountText, compareAmounts, int64Of } from '../../rules/quantities.ts';
import {
  CLASS_ANNOTATION_TEXT,
  STORAGE_CLASS_ANNOTATION,
  validateAccessModes,
  validateClassName,
  VOLUME_MODES,
} from './access.ts';
import { SOURCES, validateSource } from './volume-sources.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const RECLAIM_POLICIES = ['Delete', 'Recycle', 'Retain'];
const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';

/** A volume written inside a VolumeAttachment is no object of its own: it has neither a capacity nor a claim. */
function validateInline(found: Findings, spec: PersistentVolumeSpec, path: string): void {
  const inline = 'in the context of inline volumes';
  const absent = `may not be specified ${inline}`;
  if (spec.claimRef !== undefined) found.push(forbidden(`${path}.claimRef`, absent));
  if (Object.keys(spec.capacity ?? {}).length > 0) found.push(forbidden(`${path}.capacity`, absent));
  if (spec.csi === undefined) found.push(required(`${path}.csi`, `has to be specified ${inline}`));
  if (spec.persistentVolumeReclaimPolicy && spec.persistentVolumeReclaimPolicy !== 'Retain') {
    found.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, `may only be Retain ${inline}`));
  }
  if (spec.nodeAffinity !== undefined) found.push(forbidden(`${path}.nodeAffinity`, absent));
  if (spec.storageClassName) found.push(forbidden(`${path}.storageClassName`, absent));
  if (spec.volumeMode !== undefined && spec.volumeMode !== 'Filesystem') {
    found.push(forbidden(`${path}.volumeMode`, `may not specify volumeMode other than Filesystem ${inline}`));
  }
}

function validateOwn(found: Findings, spec: PersistentVolumeSpec, anyAffinityValue: boolean, path: string): void {
  const { capacity = {}, nodeAffinity, persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  const names = Object.keys(capacity).toSorted();
  if (names.length === 0) found.push(required(`${path}.capacity`, ''));
  if (names.length !== 1 || names[0] !== 'storage') {
    const shown = names.length === 0 ? null : fromEntries(names.map((name) => [name, capacity[name]] as const));
    found.push(notSupported(`${path}.capacity`, shown, ['storage']));
  }
  for (const name of names) {
    const amount = capacity[name] ?? 0;
    const at = field.key(`${path}.capacity`, name);
    const value = int64Of(amount);
    if (value < 0n) found.push(invalid(at, value, 'must be a valid resource quantity'));
    if (compareAmounts(amount, 0) <= 0) found.push(invalid(at, amountText(amount), 'must be greater than zero'));
  }
  if (policy && !RECLAIM_POLICIES.includes(policy)) {
    found.push(notSupported(`${path}.persistentVolumeReclaimPolicy`, policy, RECLAIM_POLICIES));
  }
  if (nodeAffinity?.required !== undefined) {
    validateNodeSelector(found, nodeAffinity.required, anyAffinityValue, `${path}.nodeAffinity.required`);
  } else if (nodeAffinity !== undefined) {
    found.push(required(`${path}.nodeAffinity.required`, 'must specify required node constraints'));
  }
  validateClassName(found, spec.storageClassName, `${path}.storageClassName`);
  if (volumeMode !== undefined && !VOLUME_MODES.includes(volumeMode)) {
    found.push(notSupported(`${path}.volumeMode`, volumeMode, VOLUME_MODES));
  }
  validateAttributesClass(found, spec, path);
}

function validateAttributesClass(found: Findings, spec: PersistentVolumeSpec, path: string): void {
  const { volumeAttributesClassName: name } = spec;
  if (name === undefined) return;
  const at = `${path}.volumeAttributesClassName`;
  if (name === '') found.push(required(at, 'an empty string is disallowed'));
  else validateClassName(found, name, at);
  if (spec.csi === undefined) {
    found.push(required(`${path}.csi`, 'has to be specified when using volumeAttributesClassName'));
  }
}

export interface VolumeSpecOptions {
  readonly name: string;
  readonly inline: boolean;
  readonly anyAffinityValue?: boolean;
}

export function validateVolumeSpec(
  found: Findings,
  spec: PersistentVolumeSpec,
  { name, inline, anyAffinityValue = false }: VolumeSpecOptions,
  path: string,
): void {
  const modes = listOf(spec.accessModes);
  if (modes.length === 0) found.push(required(`${path}.accessModes`, ''));
  validateAccessModes(found, modes, `${path}.accessModes`);
  if (inline) validateInline(found, spec, path);
  else validateOwn(found, spec, anyAffinityValue, path);
  const hasAffinity = spec.nodeAffinity !== undefined && !inline;
  validateSource(found, spec, { volumeName: name, hasAffinity, path });
  if (isRoot(spec.hostPath?.path) && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    found.push(forbidden(`${path}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
  }
}

/** `/x/..` is the root too. */
function isRoot(path: string | undefined): boolean {
  if (path === undefined || !path.startsWith('/')) return false;
  let depth = 0;
  for (const step of path.split('/')) {
    if (step === '..') depth = Math.max(0, depth - 1);
    else if (step !== '' && step !== '.') depth++;
  }
  return depth === 0;
}

/** Volume types that take mount options; they used to be an annotation. */
const MOUNTED = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

function validateVolume(volume: PersistentVolume, anyAffinityValue: boolean): Findings {
  const { metadata } = volume;
  const spec = volume.spec ?? {};
  const found = validateObjectMeta(metadata, RULES, 'metadata');
  validateVolumeSpec(found, spec, { name: metadata.name ?? '', inline: false, anyAffinityValue }, 'spec');
  if (has(metadata.annotations, MOUNT_OPTIONS) && MOUNTED.every((key) => spec[key] === undefined)) {
    const text = 'may not specify mount options for this volume type';
    found.push(forbidden(`metadata.annotations.${MOUNT_OPTIONS}`, text));
  }
  return found;
}

type Sources = { readonly [key in keyof PersistentVolumeSpec]?: unknown };

const sourcesOf = (spec: PersistentVolumeSpec): Sources => {
  const sources: { [key: string]: unknown } = {};
  for (const key of SOURCES) if (spec[key] !== undefined) sources[key] = spec[key];
  return sources;
};

const GA_LABELS: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['beta.kubernetes.io/os', 'kubernetes.io/os'],
  ['beta.kubernetes.io/arch', 'kubernetes.io/arch'],
  ['beta.kubernetes.io/instance-type', 'node.kubernetes.io/instance-type'],
]);

/** Labels of the beta days may give way to their successors. */
function sameAffinity(next: VolumeNodeAffinity | undefined, old: VolumeNodeAffinity): boolean {
  const [now, before] = [listOf(next?.required?.nodeSelectorTerms), listOf(old.required?.nodeSelectorTerms)];
  if (next === undefined || now.length !== before.length) return false;
  const same = (a: readonly NodeSelectorRequirement[], b: readonly NodeSelectorRequirement[]): boolean =>
    a.length === b.length &&
    a.every((requirement, index) => {
      const { key = '', ...rest } = b[index] ?? {};
      const { key: newKey, ...newRest } = requirement;
      return (key === newKey || GA_LABELS.get(key) === newKey) && deepEqual(newRest, rest);
    });
  return now.every(
    (term, index) =>
      same(listOf(term.matchExpressions), listOf(before[index]?.matchExpressions)) &&
      same(listOf(term.matchFields), listOf(before[index]?.matchFields)),
  );
}

function validateChanges(found: Findings, given: PersistentVolumeSpec, old: PersistentVolumeSpec): void {
  // A secret for growing the volume may be added later.
  const adds = old.csi !== undefined && old.csi.controllerExpandSecretRef === undefined && given.csi !== undefined;
  const spec = adds ? { ...given, csi: withMember(given.csi, 'controllerExpandSecretRef', undefined) } : given;
  const [before, after] = [sourcesOf(old), sourcesOf(spec)];
  if (!deepEqual(before, after)) {
    const print = (sources: Sources): string => prettyInternalJson('core.PersistentVolumeSource', sources);
    const diff = unifiedHunks(print(before), print(after));
    const text = `spec.persistentvolumesource is immutable after creation\n${diff}`;
    found.push(forbidden('spec.persistentvolumesource', text));
  }
  if (spec.volumeMode !== old.volumeMode) found.push(immutableField('volumeMode', spec.volumeMode));
  if (old.nodeAffinity !== undefined && !sameAffinity(spec.nodeAffinity, old.nodeAffinity)) {
    const { nodeAffinity } = spec;
    const shown = nodeAffinity === undefined ? null : internalValue('core.VolumeNodeAffinity', nodeAffinity);
    found.push(invalid('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA'));
  }
  if (old.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined) {
    found.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  }
}

const hasOddAffinityValue = ({ nodeAffinity }: PersistentVolumeSpec): boolean =>
  listOf(nodeAffinity?.required?.nodeSelectorTerms).some(({ matchExpressions }) =>
    listOf(matchExpressions).some(({ values }) => listOf(values).some((value) => labelValueProblems(value).length > 0)),
  );

const DEAD_SOURCES: readonly (readonly [key: keyof PersistentVolumeSpec, printed: string, text: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

function warnings(volume: PersistentVolume): readonly string[] {
  const { metadata } = volume;
  const spec = volume.spec ?? {};
  const found: string[] = [];
  const annotated = (key: string, text: string): void => {
    if (has(metadata.annotations, key)) found.push(`${field.key('metadata.annotations', key)}: ${text}`);
  };
  annotated(STORAGE_CLASS_ANNOTATION, CLASS_ANNOTATION_TEXT);
  annotated(MOUNT_OPTIONS, 'deprecated since v1.31; use "mountOptions" attribute instead');
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const text =
      'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
    found.push(`spec.persistentVolumeReclaimPolicy: ${text}`);
  }
  for (const [index, term] of listOf(spec.nodeAffinity?.required?.nodeSelectorTerms).entries()) {
    addTermWarnings(found, term, false, field.index('spec.nodeAffinity.required.nodeSelectorTerms', index));
  }
  for (const [key, printed, text] of DEAD_SOURCES) {
    if (spec[key] !== undefined) found.push(`spec.${printed}: ${text}`);
  }
  return found;
}

export const persistentVolumeStrategy: KindStrategy<PersistentVolume> = {
  ...createGenericStrategy<PersistentVolume>({ namespaced: false, hasStatus: true, hasGeneration: false }),
  defaults(volume) {
    const { status } = volume;
    let result = volume.spec === undefined ? volume : withMember(volume, 'spec', defaultPersistentSource(volume.spec));
    if (result.spec?.capacity !== undefined) {
      result = withMember(result, 'spec', withMember(result.spec, 'capacity', roundedList(result.spec.capacity)));
    }
    const { spec } = result;
    if (!spec?.persistentVolumeReclaimPolicy || spec.volumeMode === undefined) {
      const persistentVolumeReclaimPolicy = spec?.persistentVolumeReclaimPolicy || 'Retain';
      const filled = { ...spec, persistentVolumeReclaimPolicy, volumeMode: spec?.volumeMode ?? 'Filesystem' };
      result = { ...result, spec: filled };
    }
    return status?.phase ? result : { ...result, status: { ...status, phase: 'Pending' } };
  },
  prepareForCreate: (volume) => ({
    ...volume,
    status: {
      phase: 'Pending',
      ...(volume.metadata.creationTimestamp ? { lastPhaseTransitionTime: volume.metadata.creationTimestamp } : {}),
    },
  }),
  stamp(volume, old, now) {
    const [status, before] = [volume.status ?? {}, old.status ?? {}];
    const { lastPhaseTransitionTime: known } = before;
    const mayStay = status.phase === before.phase ? status.lastPhaseTransitionTime : undefined;
    if (status.lastPhaseTransitionTime !== undefined && status.lastPhaseTransitionTime !== known) return volume;
    const since = status.phase === before.phase ? (mayStay ?? known) : now;
    return withMember(volume, 'status', withMember(status, 'lastPhaseTransitionTime', since));
  },
  prepareForUpdate: (volume, old, subresource) =>
    withFieldOf(volume, old, subresource === 'status' ? 'spec' : 'status'),
  validate: (volume) => validateVolume(volume, false),
  validateUpdate(volume, old, subresource) {
    if (subresource === 'status') {
      const found = validateObjectMetaUpdate(volume.metadata, old.metadata, 'metadata');
      if (!volume.metadata.resourceVersion) found.push(required('resourceVersion', ''));
      return found;
    }
    const before = old.spec ?? {};
    const found = validateVolume(volume, hasOddAffinityValue(before));
    addAll(found, validateObjectMetaUpdate(volume.metadata, old.metadata, 'metadata'));
    validateChanges(found, volume.spec ?? {}, before);
    return found;
  },
  warnings,
};
