/** Pods get the number behind the name of their priority class, so that schedulers need not look it up. */
import type { Pod, PodSpec } from '../../core/api/types/core-v1.ts';
import type { PriorityClass } from '../../core/api/types/scheduling-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';
import { type CommittedCache, createCommittedCache, perTenant } from '../cache/committed-cache.ts';

const GROUP = 'scheduling.k8s.io';
const RESOURCE = 'priorityclasses';
const ALLOWED: AdmissionResponse = { allowed: true };

interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: string | undefined;
}

/** Where there is no default class. */
const ORDINARY: Resolved = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

type Classes = CommittedCache<Stored<PriorityClass>>;

export function createPriority(store: Store): AdmissionPlugin {
  const classesOf = perTenant((tenant) =>
    createCommittedCache<Stored<PriorityClass>>(store, { tenant, group: GROUP, resource: RESOURCE }),
  );
  return {
    name: 'Priority',
    handles: ({ operation, resource, subresource }) =>
      subresource === '' &&
      (operation === 'CREATE' || operation === 'UPDATE') &&
      ((resource.group === '' && resource.resource === 'pods') ||
        (resource.group === GROUP && resource.resource === RESOURCE)),
    mutate(request) {
      if (request.resource.resource !== 'pods') return ALLOWED;
      return request.operation === 'UPDATE' ? keepPriority(request) : resolve(request, classesOf(request.tenant));
    },
    validate: (request) =>
      request.resource.resource === RESOURCE ? onlyOneDefault(request, classesOf(request.tenant)) : ALLOWED,
  };
}

function resolve(request: AdmissionRequest, classes: Classes): AdmissionResponse {
  const pod = request.object as Pod;
  const { spec } = pod;
  if (spec === undefined) return ALLOWED;
  const className = spec.priorityClassName ?? '';
  const found = className === '' ? defaultClass(classes) : classes.get(className);
  if (className !== '' && found === undefined) {
    return refuse(request, `no PriorityClass with name ${className} was found`);
  }
  const { name, preemptionPolicy, value } = found === undefined ? ORDINARY : resolved(found);
  if (spec.priority !== undefined && spec.priority !== value) {
    const text = `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`;
    return refuse(request, text);
  }
  if (
    preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== undefined &&
    spec.preemptionPolicy !== preemptionPolicy
  ) {
    const text = `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`;
    return refuse(request, text);
  }
  const completed: PodSpec = {
    ...spec,
    ...(name === '' ? {} : { priorityClassName: name }),
    priority: value,
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
  const object: Pod = { ...pod, spec: completed };
  return { allowed: true, object };
}

const resolved = (found: Stored<PriorityClass>): Resolved => ({
  name: found.metadata.name,
  value: valueOf(found),
  preemptionPolicy: found.preemptionPolicy,
});

const valueOf = (priorityClass: PriorityClass): number => priorityClass.value ?? 0;

/** Two defaults can only be left by a race; the lower one counts, as in Kubernetes. */
function defaultClass(classes: Classes): Stored<PriorityClass> | undefined {
  let chosen: Stored<PriorityClass> | undefined;
  for (const candidate of classes.values()) {
    if (candidate.globalDefault === true && (chosen === undefined || valueOf(candidate) < valueOf(chosen)))
      chosen = candidate;
  }
  return chosen;
}

/** An update by a client that does not know these fields must not remove them. */
function keepPriority(request: AdmissionRequest): AdmissionResponse {
  const pod = request.object as Pod;
  const old = request.oldObject as Pod;
  const { spec } = pod;
  if (spec === undefined) return ALLOWED;
  const priority = spec.priority ?? old.spec?.priority;
  const preemptionPolicy = spec.preemptionPolicy ?? old.spec?.preemptionPolicy;
  if (priority === spec.priority && preemptionPolicy === spec.preemptionPolicy) return ALLOWED;
  const completed: PodSpec = {
    ...spec,
    ...(priority === undefined ? {} : { priority }),
    ...(preemptionPolicy === undefined ? {} : { preemptionPolicy }),
  };
  const object: Pod = { ...pod, spec: completed };
  return { allowed: true, object };
}

function onlyOneDefault(request: AdmissionRequest, classes: Classes): AdmissionResponse {
  const wanted: Partial<PriorityClass> | undefined = request.object;
  if (wanted?.globalDefault !== true) return ALLOWED;
  const existing = defaultClass(classes);
  if (existing === undefined || (request.operation === 'UPDATE' && existing.metadata.name === wanted.metadata?.name)) {
    return ALLOWED;
  }
  const text = `PriorityClass ${existing.metadata.name} is already marked as default. Only one default can exist`;
  return refuse(request, text);
}

const refuse = (request: AdmissionRequest, why: string): AdmissionResponse => ({
  allowed: false,
  error: forbiddenRequest(request.resource, request.name, why),
});
