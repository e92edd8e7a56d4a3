/** Changing a running pod's cpu and memory. Everything else must be as it was. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { forbidden, invalid } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { Container, Pod, PodSpec, ResourceRequirements } from '../../types/core-v1.ts';
import { isSidecar } from './defaults/default-pod-resources.ts';
import type { Findings, ResourceList } from '../../rules/findings.ts';
import { has, isSet, listOf } from '../../rules/findings.ts';
import { validateMetaUpdate } from '../../rules/meta-rules.ts';
import { optionsFromOld } from './options.ts';
import { qosClassOf } from './qos.ts';
import { mapShared } from '../../rules/sharing.ts';
import { MIRROR_POD } from './validate-annotations.ts';
import { validateMetaAndSpec } from './validate-pod.ts';

const ONLY_COMPUTE = 'only cpu and memory resources are mutable';

export function validatePodResize(pod: Pod, old: Pod): readonly FieldError[] {
  const found = validateMetaUpdate(pod.metadata, old.metadata);
  validateMetaAndSpec(found, pod, optionsFromOld(old.spec, old.metadata, true));
  if (has(old.metadata.annotations, MIRROR_POD)) return [forbidden('[]', 'static pods cannot be resized')];
  if (old.spec.os?.name === 'windows') return [forbidden('[]', 'windows pods cannot be resized')];
  if ((old.status?.qosClass || qosClassOf(old.spec)) !== qosClassOf(pod.spec)) {
    const text = 'Pod QOS Class may not change as a result of resizing';
    found.push(invalid('spec', pod.status?.qosClass ?? '', text));
  }
  if (!nodeCanResize(old)) found.push(forbidden('spec', 'Pod running on node without support for resize'));
  let rest = pod.spec;
  if (hasPodLevel(old.spec) || hasPodLevel(pod.spec)) rest = validatePodLevel(found, rest, old.spec);
  if (isSet(old.status?.nodeAllocatableResourceClaimStatuses)) {
    found.push(forbidden('spec', 'pods with node allocatable resource claims cannot be resized'));
  }
  if (!validateSameContainers(found, pod.spec, old.spec)) return found;
  validateNothingRemoved(found, pod.spec, old.spec);
  rest = withMember(rest, 'containers', validateRegular(found, listOf(rest.containers), listOf(old.spec.containers)));
  if (rest.initContainers !== undefined) {
    const initContainers = validateInit(found, rest.initContainers, listOf(old.spec.initContainers));
    rest = withMember(rest, 'initContainers', initContainers);
  }
  if (found.length === 0 && !deepEqual(rest, old.spec)) found.push(forbidden('spec', ONLY_COMPUTE));
  return found;
}

/** A kubelet that can resize reports what its containers have. */
function nodeCanResize({ status }: Pod): boolean {
  const running = listOf(status?.containerStatuses).find(({ state }) => state?.running !== undefined);
  return running === undefined || running.resources !== undefined;
}

const size = (list: ResourceList | undefined): number => Object.keys(list ?? {}).length;

const hasPodLevel = ({ resources }: PodSpec): boolean =>
  resources !== undefined && size(resources.requests) + size(resources.limits) > 0;

const lost = (list: ResourceList | undefined, old: ResourceList | undefined): boolean =>
  Object.keys(old ?? {}).some((name) => !has(list, name));

function validatePodLevel(found: Findings, spec: PodSpec, old: PodSpec): PodSpec {
  const before = old.resources;
  const after = spec.resources;
  if (before !== undefined && after === undefined) {
    found.push(forbidden('spec.resources', 'pod-level resources cannot be removed'));
    return spec;
  }
  if (before !== undefined && lost(after?.requests, before.requests)) {
    found.push(forbidden('spec.resources.requests', 'pod-level resource requests cannot be removed'));
  }
  if (before !== undefined && lost(after?.limits, before.limits)) {
    found.push(forbidden('spec.resources.limits', 'pod-level resource limits cannot be removed'));
  }
  let masked = after === undefined ? undefined : withComputeOf(after, before);
  if (before === undefined && masked !== undefined && isEmpty(masked)) masked = undefined;
  if (!sameResources(masked, before)) {
    found.push(forbidden('spec', 'only cpu and memory resources are mutable at pod-level'));
  }
  return withMember(spec, 'resources', sameResources(masked, before) ? before : masked);
}

const isEmpty = ({ requests, limits, claims }: ResourceRequirements): boolean =>
  size(requests) === 0 && size(limits) === 0 && !isSet(claims);

/** cpu and memory as they were; all the rest as it is now. */
function withComputeOf(resources: ResourceRequirements, old: ResourceRequirements | undefined): ResourceRequirements {
  const mask = (list: ResourceList | undefined, before: ResourceList | undefined): ResourceList | undefined => {
    if (list === undefined && before === undefined) return undefined;
    const { cpu: _cpu, memory: _memory, ...rest } = list ?? {};
    return {
      ...rest,
      ...(before?.['cpu'] === undefined ? undefined : { cpu: before['cpu'] }),
      ...(before?.['memory'] === undefined ? undefined : { memory: before['memory'] }),
    };
  };
  const masked = withMember(resources, 'requests', mask(resources.requests, old?.requests));
  return withMember(masked, 'limits', mask(resources.limits, old?.limits));
}

/** Missing and empty are the same. */
const sameResources = (a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean =>
  (a === undefined) === (b === undefined) &&
  deepEqual(a?.requests ?? {}, b?.requests ?? {}) &&
  deepEqual(a?.limits ?? {}, b?.limits ?? {}) &&
  deepEqual(listOf(a?.claims), listOf(b?.claims));

function validateSameContainers(found: Findings, spec: PodSpec, old: PodSpec): boolean {
  const before = found.length;
  for (const list of ['containers', 'initContainers'] as const) {
    const now = listOf(spec[list]);
    const then = listOf(old[list]);
    if (now.length !== then.length) {
      found.push(forbidden(`spec.${list}`, `${list} may not be added or removed on resize`));
      continue;
    }
    for (const [index, { name }] of then.entries()) {
      if (now[index]?.name === name) continue;
      found.push(forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`));
    }
  }
  return found.length === before;
}

function validateNothingRemoved(found: Findings, spec: PodSpec, old: PodSpec): void {
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [index, { resources: before }] of listOf(old[list]).entries()) {
      const after = spec[list]?.[index]?.resources;
      const path = `spec.${list}[${index}].resources`;
      if (lost(after?.requests, before?.requests)) {
        found.push(forbidden(`${path}.requests`, 'resource requests cannot be removed'));
      }
      if (lost(after?.limits, before?.limits)) {
        found.push(forbidden(`${path}.limits`, 'resource limits cannot be removed'));
      }
    }
  }
}

/** The container with its old cpu and memory; upstream's reset drops the container's claims too. */
function masked(container: Container, old: Container | undefined): Container {
  const { claims: _claims, ...resources } = withComputeOf(container.resources ?? {}, old?.resources);
  const before: ResourceRequirements = old?.resources ?? {};
  return withMember(container, 'resources', sameResources(resources, before) ? old?.resources : resources);
}

function validateRegular(
  found: Findings,
  containers: readonly Container[],
  old: readonly Container[],
): readonly Container[] {
  return mapShared(containers, (container, index) => {
    const rest = masked(container, old[index]);
    if (!deepEqual(rest, old[index])) found.push(forbidden('spec', ONLY_COMPUTE));
    return rest;
  });
}

function validateInit(
  found: Findings,
  containers: readonly Container[],
  old: readonly Container[],
): readonly Container[] {
  return mapShared(containers, (container, index) => {
    const path = `spec.initContainers[${index}]`;
    const rest = masked(container, old[index]);
    if (!deepEqual(rest, old[index])) {
      const text = 'only cpu and memory resources for init or sidecar containers are mutable';
      found.push(forbidden(path, text));
    }
    if (!isSidecar(container) && !deepEqual(container, old[index])) {
      for (const { restartPolicy } of listOf(container.resizePolicy)) {
        if (restartPolicy !== 'RestartContainer') continue;
        const text = 'non-sidecar init containers with a resize policy of RestartContainer cannot be resized';
        found.push(forbidden(path, text));
      }
    }
    return rest;
  });
}
