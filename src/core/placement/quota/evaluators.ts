/**
 * quota/ — how much of a quota an object takes, and which quotas it belongs to. Admission and the status controller count
 * with the same functions, so what is shown is what is enforced.
 */
import { subtreeMemo } from '../../api/rules/memo.ts';
import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  ResourceQuota,
  ScopedResourceSelectorRequirement,
  Service,
} from '../../api/types/core-v1.ts';
import { compareQuantities, type Quantity, quantityFromJson, quantityOf, scaledValue } from '../../kube/quantity.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { masked, NOTHING, readUsage, type Usage } from './amounts-by-name.ts';
import { deviceClaims } from './device-claims.ts';
import {
  computeNames,
  isBestEffortPod,
  isExtendedQuota,
  isTerminatingPod,
  ONE,
  podUsage,
  reachesAcrossNamespaces,
  saysPodLevel,
} from './pod-usage.ts';

type Scope = ScopedResourceSelectorRequirement;

export interface QuotaEvaluator {
  /** Whether a write of this sort may change what is used. */
  handles(operation: string, subresource: string, object?: KubeObject, old?: KubeObject): boolean;
  /** Whether this evaluator counts what a quota calls by this name. */
  counts(name: string): boolean;
  /** Whether the object falls under the scope. */
  inScope(scope: Scope, object: KubeObject): boolean;
  usage(object: KubeObject, now: number): Usage;
  /** Names the required resources that the object does not specify, in upstream's words; undefined when it has all. */
  problem(required: readonly string[], object: KubeObject): string | undefined;
}

const noScope = (): boolean => false;
const noProblem = (): undefined => undefined;

const countName = (group: string, resource: string): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;

const POD_NAMES: ReadonlySet<string> = new Set([
  'count/pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
]);

/** A pod must name these where a quota counts them. That was a mistake, and is only kept for what had it. */
const REQUIRED: readonly string[] = ['cpu', 'limits.cpu', 'limits.memory', 'memory', 'requests.cpu', 'requests.memory'];

const pods: QuotaEvaluator = {
  handles(operation, subresource, object, old) {
    if (subresource === 'resize') return operation === 'UPDATE';
    if (subresource !== '') return false;
    if (operation !== 'UPDATE') return operation === 'CREATE';
    return (
      object === undefined || old === undefined || isTerminatingPod(object as Pod) !== isTerminatingPod(old as Pod)
    );
  },
  counts: (name) =>
    POD_NAMES.has(name) ||
    name.startsWith('hugepages-') ||
    name.startsWith('requests.hugepages-') ||
    isExtendedQuota(name),
  inScope: (scope, object) => podInScope(scope, object as Pod),
  usage: (object, now) => podUsage(object as Pod, now),
  problem: (required, object) => missingAmounts(required, object as Pod),
};

function podInScope(scope: Scope, pod: Pod): boolean {
  switch (scope.scopeName) {
    case 'Terminating':
      return isTerminatingPod(pod);
    case 'NotTerminating':
      return !isTerminatingPod(pod);
    case 'BestEffort':
      return isBestEffortPod(pod);
    case 'NotBestEffort':
      return !isBestEffortPod(pod);
    case 'PriorityClass':
      return valueMatches(scope, pod.spec?.priorityClassName ?? '');
    case 'CrossNamespacePodAffinity':
      return reachesAcrossNamespaces(pod);
    default:
      return false;
  }
}

/** As a label selector would judge a label with this value, or without one. */
function valueMatches({ operator, values = [] }: Scope, value: string): boolean {
  if (operator === 'Exists') return value !== '';
  if (operator === 'DoesNotExist') return value === '';
  if (operator === 'In') return value !== '' && values.includes(value);
  return operator === 'NotIn' && (value === '' || !values.includes(value));
}

interface KnownProblem {
  readonly initContainers: PodSpec['initContainers'];
  readonly resources: PodSpec['resources'];
  /** By the list of what is required, which is the same for the same quota. */
  readonly problems: Map<readonly string[], string | undefined>;
}

/** Quotas come and go; templates may outlive them. */
const MOST_LISTS = 16;
const problemMemo = subtreeMemo<readonly Container[], KnownProblem>();

function missingAmounts(required: readonly string[], pod: Pod): string | undefined {
  const { spec } = pod;
  if (spec === undefined) return undefined;
  const { containers, initContainers, resources } = spec;
  let known = problemMemo.get(containers);
  if (known === undefined || known.initContainers !== initContainers || known.resources !== resources) {
    known = { initContainers, resources, problems: new Map() };
    problemMemo.offer(containers, known);
  }
  if (known.problems.size > MOST_LISTS) known.problems.clear();
  if (!known.problems.has(required)) known.problems.set(required, findMissing(required, pod));
  return known.problems.get(required);
}

function findMissing(required: readonly string[], pod: Pod): string | undefined {
  if (saysPodLevel(pod)) return undefined;
  const wanted = REQUIRED.filter((name) => required.includes(name));
  if (wanted.length === 0) return undefined;
  const missing = new Map<string, string[]>();
  for (const { name, resources } of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    const said = computeNames(readUsage(resources?.requests), readUsage(resources?.limits));
    for (const what of wanted) {
      if (said.has(what)) continue;
      const names = missing.get(what);
      if (names === undefined) missing.set(what, [name]);
      else if (!names.includes(name)) names.push(name);
    }
  }
  if (missing.size === 0) return undefined;
  const parts = wanted.flatMap((what) => {
    const names = missing.get(what);
    return names === undefined ? [] : [`${what} for: ${names.toSorted().join(',')}`];
  });
  return `must specify ${parts.join('; ')}`;
}

const SERVICE_NAMES: ReadonlySet<string> = new Set([
  'count/services',
  'services',
  'services.nodeports',
  'services.loadbalancers',
]);

const services: QuotaEvaluator = {
  handles: (operation, subresource) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  counts: (name) => SERVICE_NAMES.has(name),
  inScope: noScope,
  problem: noProblem,
  usage(object) {
    const { spec } = object as Service;
    const ports = spec?.ports ?? [];
    const isBalanced = spec?.type === 'LoadBalancer';
    const named = ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length;
    const hasNodePorts = isBalanced || spec?.type === 'NodePort';
    const onlyNamed = isBalanced && spec.allocateLoadBalancerNodePorts === false;
    const nodePorts = onlyNamed ? named : hasNodePorts ? ports.length : 0;
    return new Map([
      ['count/services', ONE],
      ['services', ONE],
      ['services.nodeports', quantityOf(nodePorts)],
      ['services.loadbalancers', quantityOf(isBalanced ? 1 : 0)],
    ]);
  },
};

const BY_CLASS = '.storageclass.storage.k8s.io/';
const CLAIM_NAMES: ReadonlySet<string> = new Set([
  'count/persistentvolumeclaims',
  'persistentvolumeclaims',
  'requests.storage',
]);

const claims: QuotaEvaluator = {
  handles: (operation, subresource) =>
    (subresource === '' && (operation === 'CREATE' || operation === 'UPDATE')) ||
    (subresource === 'status' && operation === 'UPDATE'),
  counts: (name) =>
    CLAIM_NAMES.has(name) ||
    name.endsWith(`${BY_CLASS}persistentvolumeclaims`) ||
    name.endsWith(`${BY_CLASS}requests.storage`),
  inScope(scope, object) {
    if (scope.scopeName !== 'VolumeAttributesClass') return false;
    const names = attributeClasses(object as PersistentVolumeClaim);
    return names.length === 0 ? valueMatches(scope, '') : names.some((name) => valueMatches(scope, name));
  },
  problem: noProblem,
  usage(object) {
    const claim = object as PersistentVolumeClaim;
    const usage = new Map<string, Quantity>([
      ['persistentvolumeclaims', ONE],
      ['count/persistentvolumeclaims', ONE],
    ]);
    const storageClass =
      claim.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? claim.spec?.storageClassName ?? '';
    if (storageClass !== '') usage.set(`${storageClass}${BY_CLASS}persistentvolumeclaims`, ONE);
    const storage = claimedStorage(claim);
    if (storage === undefined) return usage;
    usage.set('requests.storage', storage);
    if (storageClass !== '') usage.set(`${storageClass}${BY_CLASS}requests.storage`, storage);
    return usage;
  },
};

/** In whole bytes; what was already allocated beyond the wish counts. */
function claimedStorage({ spec, status }: PersistentVolumeClaim): Quantity | undefined {
  const wanted = spec?.resources?.requests?.['storage'];
  if (wanted === undefined) return undefined;
  const asked = whole(quantityFromJson(wanted));
  const given = status?.allocatedResources?.['storage'];
  const allocated = given === undefined ? undefined : whole(quantityFromJson(given));
  return allocated !== undefined && compareQuantities(allocated, asked) > 0 ? allocated : asked;
}

const whole = (quantity: Quantity): Quantity =>
  quantity.scale >= 0 ? quantity : quantityOf(scaledValue(quantity, 0), quantity.format);

const attributeClasses = ({ spec, status }: PersistentVolumeClaim): readonly string[] =>
  [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ].filter((name): name is string => name !== undefined && name !== '');

/** Names of former times for counts of objects. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['configmaps', 'configmaps'],
  ['resourcequotas', 'resourcequotas'],
  ['replicationcontrollers', 'replicationcontrollers'],
  ['secrets', 'secrets'],
]);

function countOf(group: string, resource: string): QuotaEvaluator {
  const name = countName(group, resource);
  const alias = group === '' ? ALIASES.get(resource) : undefined;
  const usage: Usage = new Map([[name, ONE], ...(alias === undefined ? [] : [[alias, ONE] as const])]);
  return {
    handles: (operation, subresource) => subresource === '' && operation === 'CREATE',
    counts: (other) => other === name || other === alias,
    inScope: noScope,
    problem: noProblem,
    usage: () => usage,
  };
}

const SPECIAL: ReadonlyMap<string, QuotaEvaluator> = new Map([
  ['pods', pods],
  ['services', services],
  ['persistentvolumeclaims', claims],
]);

/** Kinds that are answers rather than objects, and news. */
const IGNORED: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'tokenreviews',
  'selfsubjectreviews',
  'subjectaccessreviews',
  'selfsubjectaccessreviews',
  'localsubjectaccessreviews',
  'selfsubjectrulesreviews',
]);

const isDeviceClaim = (group: string, resource: string): boolean =>
  group === 'resource.k8s.io' && resource === 'resourceclaims';

const made = new Map<string, QuotaEvaluator>();

/** The evaluator of this kind; undefined for kinds that are never counted. */
export function evaluatorOf(group: string, resource: string): QuotaEvaluator | undefined {
  if (IGNORED.has(resource)) return undefined;
  const special = group === '' ? SPECIAL.get(resource) : isDeviceClaim(group, resource) ? deviceClaims : undefined;
  if (special !== undefined) return special;
  const id = `${group}/${resource}`;
  let evaluator = made.get(id);
  if (evaluator === undefined) made.set(id, (evaluator = countOf(group, resource)));
  return evaluator;
}

/** The kind whose objects a quota counts by this name, where that follows from the name. */
export function countedKind(name: string): { readonly group: string; readonly resource: string } | undefined {
  if (pods.counts(name)) return { group: '', resource: 'pods' };
  if (services.counts(name)) return { group: '', resource: 'services' };
  if (claims.counts(name)) return { group: '', resource: 'persistentvolumeclaims' };
  if (deviceClaims.counts(name)) return { group: 'resource.k8s.io', resource: 'resourceclaims' };
  if (ALIASES.has(name)) return { group: '', resource: name };
  if (!name.startsWith('count/')) return undefined;
  const rest = name.slice('count/'.length);
  const dot = rest.indexOf('.');
  return dot < 0 ? { group: '', resource: rest } : { group: rest.slice(dot + 1), resource: rest.slice(0, dot) };
}

export interface CompiledQuota {
  readonly hard: Usage;
  readonly scopes: readonly Scope[];
}

const compiled = new WeakMap<object, CompiledQuota>();

/** Once per spec, which quotas share through all changes of their status. */
export function compileQuota({ spec }: ResourceQuota): CompiledQuota {
  if (spec === undefined) return { hard: NOTHING, scopes: [] };
  let result = compiled.get(spec);
  if (result === undefined) {
    const plain = (spec.scopes ?? []).map((scopeName): Scope => ({ scopeName, operator: 'Exists' }));
    result = { hard: readUsage(spec.hard), scopes: [...plain, ...(spec.scopeSelector?.matchExpressions ?? [])] };
    compiled.set(spec, result);
  }
  return result;
}

/** The names of the quota that this kind of object counts for; none when the object is out of its scope. */
export function countedNames(quota: CompiledQuota, evaluator: QuotaEvaluator, object: KubeObject): readonly string[] {
  const names = namesFor(quota, evaluator);
  if (names.length === 0 || quota.scopes.length === 0) return names;
  return quota.scopes.every((scope) => evaluator.inScope(scope, object)) ? names : [];
}

/** The part of a usage that the quota limits, without zeros. Computed once per template and quota. */
export function takenFrom(quota: CompiledQuota, usage: Usage): Usage {
  let known = taken.get(usage);
  if (known === undefined) taken.set(usage, (known = new WeakMap()));
  let result = known.get(quota);
  if (result === undefined) known.set(quota, (result = masked(usage, quota.hard)));
  return result;
}

const taken = new WeakMap<Usage, WeakMap<CompiledQuota, Usage>>();
const byQuota = new WeakMap<CompiledQuota, Map<QuotaEvaluator, readonly string[]>>();

function namesFor(quota: CompiledQuota, evaluator: QuotaEvaluator): readonly string[] {
  let known = byQuota.get(quota);
  if (known === undefined) byQuota.set(quota, (known = new Map()));
  let names = known.get(evaluator);
  if (names === undefined) {
    names = [...quota.hard.keys()].filter((name) => evaluator.counts(name));
    known.set(evaluator, names);
  }
  return names;
}
