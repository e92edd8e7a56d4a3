/**
 * Defaults of pods and of the templates pods are made from. A template leaves open what depends on the pod; a pod made
 * from a defaulted template finds its parts remembered and gets only the pod's own fields.
 */
import { withMember } from '../../../../kube/immutable.ts';
import type { ObjectMeta } from '../../../../kube/meta-v1.ts';
import type { ContainerStatus, Pod, PodSpec, PodStatus, PodTemplateSpec } from '../../../types/core-v1.ts';
import { roundedList } from '../../../rules/amounts.ts';
import { defaultContainer, defaultContainers, roundResources } from './default-container.ts';
import { defaultPodLevelResources } from './default-pod-resources.ts';
import { defaultVolumes } from './default-volumes.ts';
import { isSet } from '../../../rules/findings.ts';
import { subtreeMemo } from '../../../rules/memo.ts';
import { mapIfAny } from '../../../rules/sharing.ts';

const NO_CONTEXT = Object.freeze({});
const GRACE_SECONDS = 30;

type Draft = { -readonly [K in keyof PodSpec]: PodSpec[K] };

/** Collects changed fields; the spec is copied only if there are any. */
function changesOf(spec: PodSpec): {
  set<K extends keyof PodSpec>(key: K, value: PodSpec[K]): void;
  result(): PodSpec;
} {
  let draft: Draft | undefined;
  return {
    set(key, value) {
      if (spec[key] === value) return;
      draft ??= { ...spec };
      draft[key] = value;
    },
    result: () => draft ?? spec,
  };
}

function defaultSharedParts(spec: PodSpec, mode: 'template' | 'pod'): PodSpec {
  const changes = changesOf(spec);
  const containerMode = mode === 'template' ? 'template' : spec.hostNetwork ? 'hostNetworkPod' : 'pod';
  if (spec.volumes !== undefined) changes.set('volumes', defaultVolumes(spec.volumes, mode === 'template'));
  if (spec.initContainers !== undefined) {
    changes.set('initContainers', defaultContainers(spec.initContainers, containerMode));
  }
  if (spec.containers !== undefined) changes.set('containers', defaultContainers(spec.containers, containerMode));
  if (isSet(spec.ephemeralContainers)) {
    changes.set('ephemeralContainers', mapIfAny(spec.ephemeralContainers, defaultContainer) ?? []);
  }
  if (!spec.dnsPolicy) changes.set('dnsPolicy', 'ClusterFirst');
  if (!spec.restartPolicy) changes.set('restartPolicy', 'Always');
  if (spec.securityContext === undefined) changes.set('securityContext', NO_CONTEXT);
  if (spec.terminationGracePeriodSeconds === undefined) changes.set('terminationGracePeriodSeconds', GRACE_SECONDS);
  if (!spec.schedulerName) changes.set('schedulerName', 'default-scheduler');
  const account = spec.serviceAccountName || spec.serviceAccount;
  if (account) {
    changes.set('serviceAccountName', account);
    changes.set('serviceAccount', account);
  }
  if (spec.overhead !== undefined) changes.set('overhead', roundedList(spec.overhead));
  if (spec.resources !== undefined) changes.set('resources', roundResources(spec.resources));
  return changes.result();
}

const EMPTY_SPEC: PodSpec = Object.freeze({ containers: Object.freeze([]) });

function defaultTemplateSpec(spec: PodSpec): PodSpec {
  return defaultSharedParts(spec, 'template');
}

const templates = subtreeMemo<PodTemplateSpec, PodTemplateSpec>();

/** The template of a workload. Defaulting it again returns it as it is. */
export function defaultTemplate(template: PodTemplateSpec | undefined): PodTemplateSpec {
  if (template === undefined) return { spec: defaultTemplateSpec(EMPTY_SPEC) };
  const known = templates.get(template);
  if (known !== undefined) return known;
  let filled = withMember(template, 'spec', defaultTemplateSpec(template.spec ?? EMPTY_SPEC));
  if (filled.metadata !== undefined) filled = withMember(filled, 'metadata', dropInitAnnotations(filled.metadata));
  templates.keep(template, filled);
  templates.keep(filled, filled);
  return filled;
}

const podSpecs = subtreeMemo<PodSpec, PodSpec>();

/**
 * The spec of a pod made from a template, with the pod's own defaults already in place. A controller that starts from
 * this (and adds, say, node affinity) makes pods that need no defaulting at all.
 */
export function podSpecFromTemplate(templateSpec: PodSpec): PodSpec {
  const known = podSpecs.get(templateSpec);
  if (known !== undefined) return known;
  const spec = defaultPodSpec(templateSpec);
  podSpecs.keep(templateSpec, spec);
  podSpecs.keep(spec, spec);
  return spec;
}

function defaultPodSpec(spec: PodSpec): PodSpec {
  const shared = defaultSharedParts(spec, 'pod');
  const changes = changesOf(shared);
  if (shared.enableServiceLinks === undefined) changes.set('enableServiceLinks', true);
  if ((shared.terminationGracePeriodSeconds ?? 0) < 0) changes.set('terminationGracePeriodSeconds', 1);
  if (shared.resources !== undefined) changes.set('resources', defaultPodLevelResources(shared));
  return changes.result();
}

export function defaultPod(pod: Pod): Pod {
  let filled = withMember(pod, 'spec', defaultPodSpec(pod.spec ?? EMPTY_SPEC));
  filled = withMember(filled, 'metadata', dropInitAnnotations(filled.metadata));
  if (filled.status !== undefined) filled = withMember(filled, 'status', defaultPodStatus(filled.status));
  return filled;
}

const INIT_ANNOTATIONS = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
];

/** Drops the annotations that held init containers before there was a field, so that no client revives them. */
function dropInitAnnotations(meta: ObjectMeta): ObjectMeta {
  let { annotations } = meta;
  if (annotations === undefined) return meta;
  for (const key of INIT_ANNOTATIONS) annotations = withMember(annotations, key, undefined);
  return withMember(meta, 'annotations', annotations);
}

/** Keeps the first address and the list of addresses in step, whichever of the two a client wrote. */
function defaultPodStatus(status: PodStatus): PodStatus {
  let filled = status;
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP && status.podIP !== first) filled = { ...filled, podIPs: [{ ip: status.podIP }] };
  else if (first && !status.podIP) filled = { ...filled, podIP: first };
  for (const key of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const) {
    const statuses = filled[key];
    if (statuses !== undefined) filled = withMember(filled, key, mapIfAny(statuses, defaultContainerStatus));
  }
  if (filled.allocatedResources !== undefined) {
    filled = withMember(filled, 'allocatedResources', roundedList(filled.allocatedResources));
  }
  return filled.resources === undefined ? filled : withMember(filled, 'resources', roundResources(filled.resources));
}

function defaultContainerStatus(status: ContainerStatus): ContainerStatus {
  if (status.allocatedResources === undefined && status.resources === undefined) return status;
  const rounded = withMember(status, 'allocatedResources', roundedList(status.allocatedResources));
  return withMember(rounded, 'resources', roundResources(rounded.resources));
}
