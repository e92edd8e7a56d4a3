/** Fields the server sets in a pod, and fields it drops from a client's write. */
import type { LabelSelector, LabelSelectorRequirement, ObjectMeta } from '../../../kube/meta-v1.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type {
  Affinity,
  Container,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodCondition,
  PodSpec,
  PodStatus,
  TopologySpreadConstraint,
} from '../../types/core-v1.ts';
import { dropDisabledFields } from './disabled-fields.ts';
import type { StringMap } from '../../rules/findings.ts';
import { has, isSet, listOf, lookup } from '../../rules/findings.ts';
import { subtreeMemo } from '../../rules/memo.ts';
import type { QosClass } from './qos.ts';
import { qosClassOf } from './qos.ts';
import { mapIfAny, mapShared } from '../../rules/sharing.ts';
import { APP_ARMOR, appArmorFromAnnotation } from './validate-annotations.ts';
import { validateAppArmor } from './validate-security.ts';

/** Status of new pods, one shared object for each QoS class. */
const NEW_STATUS: { readonly [C in QosClass]: PodStatus } = {
  Guaranteed: Object.freeze({ phase: 'Pending', qosClass: 'Guaranteed' }),
  Burstable: Object.freeze({ phase: 'Pending', qosClass: 'Burstable' }),
  BestEffort: Object.freeze({ phase: 'Pending', qosClass: 'BestEffort' }),
};

interface Computed {
  readonly initContainers: readonly Container[] | undefined;
  readonly resources: PodSpec['resources'];
  readonly qos: QosClass;
}

const classes = subtreeMemo<readonly Container[], Computed>();

function rememberedQos(spec: PodSpec): QosClass {
  const { containers, initContainers, resources } = spec;
  if (containers === undefined) return qosClassOf(spec);
  const known = classes.get(containers);
  if (known !== undefined && known.initContainers === initContainers && known.resources === resources) return known.qos;
  const qos = qosClassOf(spec);
  classes.offer(containers, { initContainers, resources, qos });
  return qos;
}

export function preparePodForCreate(pod: Pod): Pod {
  const { labels, annotations, creationTimestamp } = pod.metadata;
  let spec = dropDisabledFields(pod.spec, undefined);
  const status = gatedStatus(NEW_STATUS[rememberedQos(spec)], spec, creationTimestamp);
  if (labels !== undefined) spec = mergeLabelKeys(spec, labels);
  if (annotations !== undefined) spec = adoptAppArmor(spec, annotations);
  return { ...pod, spec, status };
}

/** The status with condition PodScheduled=False while the pod has scheduling gates. */
function gatedStatus(status: PodStatus, spec: PodSpec, now: string | undefined): PodStatus {
  if (!isSet(spec.schedulingGates)) return status;
  const condition: PodCondition = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
    ...(now === undefined ? undefined : { lastTransitionTime: now }),
  };
  return { ...status, conditions: [condition] };
}

/** Merges `matchLabelKeys` into the selectors, as requirements with the values of this pod's labels. */
function mergeLabelKeys(spec: PodSpec, labels: StringMap): PodSpec {
  let merged = spec;
  if (spec.affinity !== undefined) merged = withMember(merged, 'affinity', mergeAffinity(spec.affinity, labels));
  if (spec.topologySpreadConstraints !== undefined) {
    const constraints = mapShared(spec.topologySpreadConstraints, (constraint) => mergeSpread(constraint, labels));
    merged = withMember(merged, 'topologySpreadConstraints', constraints);
  }
  return merged;
}

function mergeAffinity(affinity: Affinity, labels: StringMap): Affinity {
  let merged = affinity;
  for (const key of ['podAffinity', 'podAntiAffinity'] as const) {
    const rules = merged[key];
    if (rules !== undefined) merged = withMember(merged, key, mergeRules(rules, labels));
  }
  return merged;
}

function mergeRules(rules: PodAffinity, labels: StringMap): PodAffinity {
  const hard = mapIfAny(rules.requiredDuringSchedulingIgnoredDuringExecution, (term) => mergeTerm(term, labels));
  const soft = mapIfAny(rules.preferredDuringSchedulingIgnoredDuringExecution, (weighted) =>
    weighted.podAffinityTerm === undefined
      ? weighted
      : withMember(weighted, 'podAffinityTerm', mergeTerm(weighted.podAffinityTerm, labels)),
  );
  const merged = withMember(rules, 'requiredDuringSchedulingIgnoredDuringExecution', hard);
  return withMember(merged, 'preferredDuringSchedulingIgnoredDuringExecution', soft);
}

function mergeTerm(term: PodAffinityTerm, labels: StringMap): PodAffinityTerm {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
  if (labelSelector === undefined || (!isSet(matchLabelKeys) && !isSet(mismatchLabelKeys))) return term;
  const selector = withKeys(withKeys(labelSelector, matchLabelKeys, 'In', labels), mismatchLabelKeys, 'NotIn', labels);
  return withMember(term, 'labelSelector', selector);
}

function mergeSpread(constraint: TopologySpreadConstraint, labels: StringMap): TopologySpreadConstraint {
  const { labelSelector, matchLabelKeys } = constraint;
  if (labelSelector === undefined || !isSet(matchLabelKeys)) return constraint;
  return withMember(constraint, 'labelSelector', withKeys(labelSelector, matchLabelKeys, 'In', labels));
}

function withKeys(
  selector: LabelSelector,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: StringMap,
): LabelSelector {
  const added: LabelSelectorRequirement[] = [];
  for (const key of listOf(keys)) {
    if (has(labels, key)) added.push({ key, operator, values: [lookup(labels, key) ?? ''] });
  }
  if (added.length === 0) return selector;
  return { ...selector, matchExpressions: [...listOf(selector.matchExpressions), ...added] };
}

/** Copies AppArmor profiles from the annotations of older clients into the fields that replaced them. */
function adoptAppArmor(spec: PodSpec, annotations: StringMap): PodSpec {
  let used = false;
  for (const key in annotations) used ||= key.startsWith(APP_ARMOR);
  if (!used || spec.os?.name === 'windows') return spec;
  const podProfile = spec.securityContext?.appArmorProfile;
  const adopt = <C extends Container>(container: C): C => {
    const annotation = lookup(annotations, `${APP_ARMOR}${container.name}`);
    if (annotation === undefined || container.securityContext?.appArmorProfile !== undefined) return container;
    const appArmorProfile = appArmorFromAnnotation(annotation);
    const problems: never[] = [];
    validateAppArmor(problems, appArmorProfile, '');
    if (appArmorProfile === undefined || problems.length > 0 || deepEqual(appArmorProfile, podProfile))
      return container;
    return { ...container, securityContext: { ...container.securityContext, appArmorProfile } };
  };
  const adopted = withMember(spec, 'containers', mapShared(spec.containers, adopt));
  return adopted.initContainers === undefined
    ? adopted
    : withMember(adopted, 'initContainers', mapShared(adopted.initContainers, adopt));
}

export function preparePodForUpdate(pod: Pod, old: Pod, subresource: string): Pod {
  switch (subresource) {
    case 'status':
      return prepareStatus(pod, old);
    case 'ephemeralcontainers':
      return withDisabledDropped(onlyEphemeralContainers(pod, old), old);
    case 'resize':
      return withDisabledDropped(onlyResize(pod, old), old);
    default:
      return withDisabledDropped(withMember(pod, 'status', old.status), old);
  }
}

const withDisabledDropped = (pod: Pod, old: Pod): Pod =>
  withMember(pod, 'spec', dropDisabledFields(pod.spec, old.spec));

function prepareStatus(pod: Pod, old: Pod): Pod {
  let metadata: ObjectMeta = withMember(pod.metadata, 'ownerReferences', old.metadata.ownerReferences);
  metadata = withMember(metadata, 'deletionTimestamp', old.metadata.deletionTimestamp);
  let status = pod.status ?? {};
  if (!status.qosClass) status = withMember(status, 'qosClass', old.status?.qosClass);
  if (!status.observedGeneration) {
    status = withMember(status, 'observedGeneration', old.status?.observedGeneration);
  }
  status = keepObservedGenerations(status, listOf(old.status?.conditions));
  status = withoutDisabledStatus(status, old.status ?? {});
  return withMember(withMember(withMember(pod, 'spec', old.spec), 'metadata', metadata), 'status', status);
}

/** Drops fields of features that 1.36 has switched off, unless the stored status has them. */
function withoutDisabledStatus(status: PodStatus, old: PodStatus): PodStatus {
  let kept = status;
  if (
    kept.nodeAllocatableResourceClaimStatuses !== undefined &&
    old.nodeAllocatableResourceClaimStatuses === undefined
  ) {
    kept = withMember(kept, 'nodeAllocatableResourceClaimStatuses', undefined);
  }
  for (const key of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'] as const) {
    const statuses = kept[key];
    if (statuses === undefined || statuses === old[key]) continue;
    const next = mapShared(statuses, (each) =>
      each.volumeMounts === undefined
        ? each
        : withMember(
            each,
            'volumeMounts',
            mapShared(each.volumeMounts, (mount) => withMember(mount, 'volumeStatus', undefined)),
          ),
    );
    kept = withMember(kept, key, next);
  }
  return kept;
}

/** A client that does not know about observed generations must not erase them. */
function keepObservedGenerations(status: PodStatus, old: readonly PodCondition[]): PodStatus {
  if (status.conditions === undefined || !old.some(({ observedGeneration }) => observedGeneration)) return status;
  const known = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration } of old) {
    const list = known.get(type);
    if (list) list.push(observedGeneration);
    else known.set(type, [observedGeneration]);
  }
  const conditions = mapShared(status.conditions, (condition) => {
    const before = known.get(condition.type)?.shift();
    return condition.observedGeneration || !before ? condition : { ...condition, observedGeneration: before };
  });
  return withMember(status, 'conditions', conditions);
}

/**
 * The stored metadata for writes of a part (ephemeral containers, resize), which may not change labels and the like.
 */
function metaOf(pod: Pod, old: Pod): ObjectMeta {
  let meta = pod.metadata;
  for (const key of ['deletionTimestamp', 'generation', 'selfLink', 'labels', 'annotations'] as const) {
    meta = withMember(meta, key, old.metadata[key]);
  }
  return withMember(
    withMember(meta, 'finalizers', old.metadata.finalizers),
    'ownerReferences',
    old.metadata.ownerReferences,
  );
}

const partOf = (pod: Pod, old: Pod, spec: PodSpec): Pod =>
  withMember(withMember(withMember(pod, 'metadata', metaOf(pod, old)), 'status', old.status), 'spec', spec);

const onlyEphemeralContainers = (pod: Pod, old: Pod): Pod =>
  partOf(pod, old, withMember(old.spec, 'ephemeralContainers', pod.spec.ephemeralContainers));

/** Added, removed or reordered containers are left as the client wrote them, for validation to reject. */
function onlyResize(pod: Pod, old: Pod): Pod {
  const { containers, initContainers, resources } = pod.spec;
  const sameCount =
    listOf(containers).length === listOf(old.spec.containers).length &&
    listOf(initContainers).length === listOf(old.spec.initContainers).length;
  if (!sameCount) return pod;
  let spec = withMember(old.spec, 'resources', resources);
  spec = withMember(spec, 'containers', withResources(listOf(containers), listOf(old.spec.containers)));
  if (initContainers !== undefined) {
    spec = withMember(spec, 'initContainers', withResources(initContainers, listOf(old.spec.initContainers)));
  }
  return partOf(pod, old, spec);
}

function withResources(containers: readonly Container[], old: readonly Container[]): readonly Container[] {
  if (containers.some(({ name }, index) => name !== old[index]?.name)) return containers;
  return mapShared(old, (container, index) => {
    const resized = withMember(container, 'resources', containers[index]?.resources);
    return withMember(resized, 'resizePolicy', containers[index]?.resizePolicy);
  });
}
