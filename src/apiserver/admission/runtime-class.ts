/** Pods of a RuntimeClass cost what it costs to run them so, and go where that can be done. */
import type { Pod, PodSpec, Toleration } from '../../core/api/types/core-v1.ts';
import type { RuntimeClass, Scheduling } from '../../core/api/types/node-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import { compareQuantities, quantityFromJson } from '../../core/kube/quantity.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { forbiddenRequest } from '../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../machinery/ports/admission.ts';
import type { Store } from '../store/store.ts';

const ALLOWED: AdmissionResponse = { allowed: true };
const OTHER = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const WITHOUT = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

type Overhead = NonNullable<PodSpec['overhead']>;

export function createRuntimeClassAdmission(store: Store): AdmissionPlugin {
  const classOf = ({ tenant }: AdmissionRequest, name: string): Stored<RuntimeClass> | undefined => {
    const key = { tenant, group: 'node.k8s.io', resource: 'runtimeclasses', namespace: '', name };
    return store.accepted(key) as Stored<RuntimeClass> | undefined;
  };
  return {
    name: 'RuntimeClass',
    handles: ({ operation, resource, subresource }) =>
      operation === 'CREATE' && subresource === '' && resource.group === '' && resource.resource === 'pods',
    mutate(request) {
      const pod = request.object as Pod;
      const { runtimeClassName } = pod.spec ?? {};
      if (runtimeClassName === undefined) return ALLOWED;
      const found = classOf(request, runtimeClassName);
      if (found === undefined) return refuse(request, notFound(runtimeClassName));
      const spec = completed(pod.spec, found);
      if (typeof spec === 'string') return refuse(request, spec);
      if (spec === pod.spec) return ALLOWED;
      const object: Pod = { ...pod, spec };
      return { allowed: true, object };
    },
    validate(request) {
      const { runtimeClassName, overhead } = (request.object as Pod).spec ?? {};
      if (runtimeClassName === undefined) return overhead === undefined ? ALLOWED : refuse(request, WITHOUT);
      const found = classOf(request, runtimeClassName);
      if (found === undefined) return refuse(request, notFound(runtimeClassName));
      if (found.overhead === undefined) return overhead === undefined ? ALLOWED : refuse(request, WITHOUT);
      return isSame(found.overhead.podFixed ?? {}, overhead ?? {}) ? ALLOWED : refuse(request, OTHER);
    },
  };
}

const notFound = (name: string): string => `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`;

/** The spec with what the class adds to it, or why they do not go together. */
function completed(spec: PodSpec, { overhead, scheduling }: RuntimeClass): PodSpec | string {
  const cost = overhead?.podFixed;
  if (overhead !== undefined && spec.overhead !== undefined && !isSame(cost ?? {}, spec.overhead)) return OTHER;
  const priced = cost === undefined || spec.overhead !== undefined ? spec : { ...spec, overhead: cost };
  return scheduling === undefined ? priced : placed(priced, scheduling);
}

function placed(spec: PodSpec, scheduling: Scheduling): PodSpec | string {
  const { nodeSelector: own } = spec;
  const theirs = scheduling.nodeSelector ?? {};
  for (const [key, value] of Object.entries(theirs)) {
    const said = own !== undefined && Object.hasOwn(own, key) ? own[key] : undefined;
    if (said !== undefined && said !== value)
      return `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${said}`;
  }
  const nodeSelector = own === undefined ? scheduling.nodeSelector : { ...own, ...theirs };
  const tolerations = merged(spec.tolerations ?? NONE, scheduling.tolerations ?? NONE);
  return {
    ...spec,
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  };
}

const NONE: readonly Toleration[] = Object.freeze([]);
/** By both lists, which pods of one template and class share, so that they share the result. */
const mergedLists = new WeakMap<readonly Toleration[], WeakMap<readonly Toleration[], readonly Toleration[]>>();

function merged(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  if (second.length === 0) return first;
  let known = mergedLists.get(second);
  if (known === undefined) mergedLists.set(second, (known = new WeakMap()));
  let result = known.get(first);
  if (result === undefined) known.set(first, (result = mergeTolerations(first, second)));
  return result;
}

/** Each toleration is compared with each, so the number is bounded. */
const MOST_COMPARED = 500;

/** Both lists, without tolerations that another one includes. Of equals the first stays. */
function mergeTolerations(first: readonly Toleration[], second: readonly Toleration[]): readonly Toleration[] {
  const all = [...first, ...second];
  if (all.length > MOST_COMPARED) return Object.freeze(all);
  const kept: Toleration[] = [];
  all.forEach((each, index) => {
    const isSaid = kept.some((other) => includes(other, each));
    const later = all.slice(index + 1);
    if (!isSaid && !later.some((other) => !deepEqual(other, each) && includes(other, each))) kept.push(each);
  });
  return Object.freeze(kept);
}

/** Whether `wide` tolerates all taints that `narrow` does. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (deepEqual(wide, narrow)) return true;
  const { key = '', operator = 'Equal', effect = '', value = '', tolerationSeconds } = wide;
  if ((narrow.key ?? '') !== key && (key !== '' || operator !== 'Exists')) return false;
  if ((narrow.effect ?? '') !== effect && effect !== '') return false;
  if (effect === 'NoExecute' && tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > tolerationSeconds) return false;
  }
  if (operator === 'Exists') return true;
  return operator === 'Equal' && narrow.operator === 'Equal' && (narrow.value ?? '') === value;
}

/** Amounts are the same however they are written. */
function isSame(one: Overhead, other: Overhead): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [a, b] = [one[name], other[name]];
      return a !== undefined && b !== undefined && compareQuantities(quantityFromJson(a), quantityFromJson(b)) === 0;
    })
  );
}

const refuse = (request: AdmissionRequest, why: string): AdmissionResponse => ({
  allowed: false,
  error: forbiddenRequest(request.resource, request.name, why),
});
