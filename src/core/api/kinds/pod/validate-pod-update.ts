/** Which changes to a pod are allowed. Nearly all of a pod's spec stays as it was created. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { goQuote } from '../../../kube/go-text.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type {
  Container,
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  Toleration,
} from '../../types/core-v1.ts';
import type { Findings, StringMap } from '../../rules/findings.ts';
import { has, isSet, listOf, lookup, MAX_INT32, rangeText } from '../../rules/findings.ts';
import { internalValue, prettyInternalJson } from './internal-form.ts';
import { validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from './options.ts';
import { optionsFromOld } from './options.ts';
import { mapShared } from '../../rules/sharing.ts';
import { unifiedHunks } from '../../../kube/diff/unified-diff.ts';
import { MIRROR_POD, validateAnnotationChanges, validatePodAnnotations } from './validate-annotations.ts';
import { validateMetaAndSpec } from './validate-pod.ts';
import { validateOnlyRemovedGates, validateTolerations } from './validate-scheduling.ts';

const CHANGEABLE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

/** Checks that precede every kind of update of a pod. */
function validateWhole(pod: Pod, old: Pod, options: PodOptions): FieldError[] {
  const found = validateMetaUpdate(pod.metadata, old.metadata);
  validateMetaAndSpec(found, pod, options);
  const { annotations } = pod.metadata;
  validateAnnotationChanges(found, annotations, old.metadata.annotations, 'metadata.annotations');
  validatePodAnnotations(found, annotations, pod.spec, options, 'metadata.annotations');
  return found;
}

export function validatePodUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  const options = optionsFromOld(old.spec, old.metadata, true);
  const found = validateWhole(pod, old, options);
  for (const list of ['containers', 'initContainers'] as const) {
    if (!validateImages(found, listOf(pod.spec[list]), listOf(old.spec[list]), `spec.${list}`)) return found;
  }
  if (!validateDeadline(found, pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds)) return found;
  validateAddedTolerations(found, listOf(pod.spec.tolerations), listOf(old.spec.tolerations), options);
  const gatesBefore = listOf(old.spec.schedulingGates);
  validateOnlyRemovedGates(found, listOf(pod.spec.schedulingGates), gatesBefore, 'spec.schedulingGates');
  if (deepEqual(pod.spec, old.spec)) return found;
  let rest = withoutAllowedChanges(pod.spec, old.spec);
  if (gatesBefore.length > 0) rest = withoutGatedChanges(found, rest, old.spec);
  if (!deepEqual(rest, old.spec)) {
    const diff = unifiedHunks(prettyInternalJson('core.PodSpec', old.spec), prettyInternalJson('core.PodSpec', rest));
    found.push(forbidden('spec', `pod updates may not change fields other than ${CHANGEABLE}\n${diff}`));
  }
  return found;
}

/** False if the lists differ in length, so that further comparison makes no sense. */
function validateImages(
  found: Findings,
  containers: readonly Container[],
  old: readonly Container[],
  path: string,
): boolean {
  if (containers.length !== old.length) {
    found.push(forbidden(path, 'pod updates may not add or remove containers'));
    return false;
  }
  for (const [index, { image = '' }] of containers.entries()) {
    const at = `${path}[${index}].image`;
    if (image === '') found.push(required(at, ''));
    if (image.trim() !== image) found.push(invalid(at, image, 'must not have leading or trailing whitespace'));
  }
  return true;
}

/** A deadline can be set or shortened. False if the deadline is invalid, which ends validation of the update. */
function validateDeadline(found: Findings, deadline: number | undefined, old: number | undefined): boolean {
  const path = 'spec.activeDeadlineSeconds';
  if (deadline === undefined) {
    if (old !== undefined) found.push(invalid(path, null, 'must not update from a positive integer to nil value'));
    return true;
  }
  if (deadline < 0 || deadline > MAX_INT32) {
    found.push(invalid(path, deadline, rangeText(0, MAX_INT32)));
    return false;
  }
  if (old === undefined || old >= deadline) return true;
  found.push(invalid(path, deadline, 'must be less than or equal to previous value'));
  return false;
}

const tolerationKey = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  JSON.stringify([key, operator, value, effect]);

function validateAddedTolerations(
  found: Findings,
  tolerations: readonly Toleration[],
  old: readonly Toleration[],
  options: PodOptions,
): void {
  if (tolerations !== old) {
    const kept = new Set(tolerations.map(tolerationKey));
    if (old.some((toleration) => !kept.has(tolerationKey(toleration)))) {
      const text = 'existing toleration can not be modified except its tolerationSeconds';
      found.push(forbidden('spec.tolerations', text));
      return;
    }
  }
  validateTolerations(found, tolerations, options, 'spec.tolerations');
}

/** The new spec with everything that may change set back to what it was. */
function withoutAllowedChanges(spec: PodSpec, old: PodSpec): PodSpec {
  const images = (containers: readonly Container[], before: readonly Container[]): readonly Container[] =>
    mapShared(containers, (container, index) => withMember(container, 'image', before[index]?.image));
  let rest = spec;
  if (spec.containers !== undefined) {
    rest = withMember(rest, 'containers', images(spec.containers, listOf(old.containers)));
  }
  if (spec.initContainers !== undefined) {
    rest = withMember(rest, 'initContainers', images(spec.initContainers, listOf(old.initContainers)));
  }
  rest = withMember(rest, 'activeDeadlineSeconds', old.activeDeadlineSeconds);
  rest = withMember(rest, 'schedulingGates', old.schedulingGates);
  rest = withMember(rest, 'tolerations', old.tolerations);
  const grace = old.terminationGracePeriodSeconds;
  return grace !== undefined && grace < 0 && rest.terminationGracePeriodSeconds === 1
    ? withMember(rest, 'terminationGracePeriodSeconds', grace)
    : rest;
}

/** While a pod has scheduling gates, its node selector and node affinity may still be narrowed. */
function withoutGatedChanges(found: Findings, spec: PodSpec, old: PodSpec): PodSpec {
  let rest = spec;
  if (!deepEqual(spec.nodeSelector ?? {}, old.nodeSelector ?? {})) {
    validateNodeSelectorAdditions(found, spec.nodeSelector, old.nodeSelector);
    rest = withMember(rest, 'nodeSelector', old.nodeSelector);
  }
  const before = old.affinity?.nodeAffinity;
  const after = spec.affinity?.nodeAffinity;
  if (deepEqual(before, after)) return rest;
  validateNodeAffinityAdditions(found, after, before);
  const { affinity } = spec;
  if (affinity === undefined) {
    return before === undefined ? rest : withMember(rest, 'affinity', { nodeAffinity: before });
  }
  const onlyNodes = affinity.podAffinity === undefined && affinity.podAntiAffinity === undefined;
  if (old.affinity === undefined && onlyNodes) return withMember(rest, 'affinity', undefined);
  return withMember(rest, 'affinity', withMember(affinity, 'nodeAffinity', before));
}

function validateNodeSelectorAdditions(
  found: Findings,
  selector: StringMap | undefined,
  old: StringMap | undefined,
): void {
  for (const key of Object.keys(old ?? {})) {
    if (has(selector, key) && lookup(selector, key) === lookup(old, key)) continue;
    const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    found.push(invalid('spec.nodeSelector', internalValue('{s', selector), text));
    return;
  }
}

function validateNodeAffinityAdditions(
  found: Findings,
  affinity: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): void {
  const before = listOf(old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);
  const after = listOf(affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms);
  const path = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';
  if (before.length > 0 && before.length !== after.length) {
    const shown = after.length === 0 ? null : internalValue('[core.NodeSelectorTerm', after);
    found.push(invalid(path, shown, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed'));
    return;
  }
  for (const [index, term] of before.entries()) {
    const next = after[index] ?? {};
    if (onlyAdds(next, term)) continue;
    const shown = internalValue('core.NodeSelectorTerm', next);
    found.push(invalid(field.index(path, index), shown, 'only additions are allowed (no mutations or deletions)'));
  }
}

type Requirements = readonly NodeSelectorRequirement[] | undefined;

function onlyAdds(term: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  if (!isSet(old.matchExpressions) && !isSet(old.matchFields)) {
    // An empty term matches nothing; requirements would make it match something.
    if (isSet(term.matchExpressions) || isSet(term.matchFields)) return false;
  }
  const starts = (list: Requirements, head: Requirements): boolean =>
    listOf(head).every((requirement, index) => deepEqual(requirement, list?.[index]));
  return starts(term.matchExpressions, old.matchExpressions) && starts(term.matchFields, old.matchFields);
}

/** Ephemeral containers can be added and nothing else. */
export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): readonly FieldError[] {
  const found = validateWhole(pod, old, optionsFromOld(old.spec, old.metadata, true));
  if (has(old.metadata.annotations, MIRROR_POD)) {
    return [forbidden('[]', 'static pods do not support ephemeral containers')];
  }
  const path = 'spec.ephemeralContainers';
  const byName = new Map(listOf(pod.spec.ephemeralContainers).map((container) => [container.name, container]));
  for (const before of listOf(old.spec.ephemeralContainers)) {
    const after = byName.get(before.name);
    const name = goQuote(before.name ?? '');
    if (after === undefined) found.push(forbidden(path, `existing ephemeral containers ${name} may not be removed\n`));
    else if (!deepEqual(before, after)) {
      const print = (container: unknown): string => prettyInternalJson('core.EphemeralContainer', container);
      const diff = unifiedHunks(print(before), print(after));
      found.push(forbidden(path, `existing ephemeral containers ${name} may not be changed\n${diff}`));
    }
  }
  return found;
}
