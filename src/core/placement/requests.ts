/**
 * The requests of a pod. Per resource: the larger of (all containers and sidecars together) and (any init
 * container with the sidecars started before it); pod-level requests replace cpu, memory and hugepages; overhead comes
 * on top. Computed once per set of containers, which all pods of a template share.
 */
import type { Container, ContainerStatus, Pod, PodSpec } from '../api/types/core-v1.ts';
import { qualifiedNameProblems } from '../kube/names.ts';
import { addQuantities, maxQuantity, type Quantity, quantityOf, quantityOfMilli, ZERO } from '../kube/quantity.ts';
import { type Amount, larger } from './amounts.ts';
import { type Quantities, readQuantity, toAmount } from './resource-amounts.ts';

/** Quantities by resource name. Sums are made of quantities and rounded once at the end, as upstream. */
export type ResourceList = ReadonlyMap<string, Quantity>;

/** Requests as fit and scores read them. */
export interface Requests {
  readonly cpu: Amount;
  readonly memory: Amount;
  readonly ephemeralStorage: Amount;
  /** Extended resources, hugepages and attachable volumes; empty for most pods. */
  readonly scalars: ReadonlyMap<string, Amount>;
  /** Nothing but the pod count can stand in the way. */
  readonly nothing: boolean;
  /** With defaults for containers without requests, so that scoring spreads them too. */
  readonly nonZeroCpu: Amount;
  readonly nonZeroMemory: Amount;
}

/** Defaults for scoring a container without requests: 100m and 200Mi. */
const DEFAULT_CPU = quantityOfMilli(100);
const DEFAULT_MEMORY = quantityOf(200 * 1024 * 1024, 'BinarySI');

const EMPTY: ResourceList = new Map();
const NO_SCALARS: ReadonlyMap<string, Amount> = new Map();

/** Whether the scheduler counts this name at all beside cpu, memory and ephemeral-storage. */
export function isScalarResource(name: string): boolean {
  if (name.startsWith('hugepages-') || name.startsWith('attachable-volumes-') || name.includes('kubernetes.io/')) {
    return true;
  }
  return name.includes('/') && !name.startsWith('requests.') && qualifiedNameProblems(`requests.${name}`).length === 0;
}

const isPodLevelResource = (name: string): boolean =>
  name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

type MutableList = Map<string, Quantity>;

const toList = (quantities: Quantities | undefined): ResourceList => {
  if (quantities === undefined) return EMPTY;
  const list: MutableList = new Map();
  for (const name of Object.keys(quantities)) list.set(name, readQuantity(quantities[name]));
  return list;
};

const addAll = (into: MutableList, list: ResourceList): void => {
  for (const [name, quantity] of list) {
    const sum = into.get(name);
    into.set(name, sum === undefined ? quantity : addQuantities(sum, quantity));
  }
};

const maxAll = (into: MutableList, list: ResourceList): void => {
  for (const [name, quantity] of list) {
    const most = into.get(name);
    into.set(name, most === undefined ? quantity : maxQuantity(most, quantity));
  }
};

export interface RequestOptions {
  /** Stand-ins for cpu and memory where a container names none. */
  readonly defaults?: ResourceList;
  readonly skipPodLevel?: boolean;
  /** For pods on a node: an in-place resize counts as the most of what is wanted, allocated and in effect. */
  readonly status?: Pod['status'];
}

/** The sum as upstream's `PodRequests` computes it, by resource name. */
export function podRequests(spec: PodSpec, options: RequestOptions = {}): ResourceList {
  const total = containerRequests(spec, options);
  const podLevel = spec.resources?.requests;
  if (podLevel !== undefined && options.skipPodLevel !== true) {
    const { status } = options;
    const wanted = toList(podLevel);
    const effective =
      status?.resources === undefined
        ? wanted
        : effectiveRequests(status, wanted, toList(status.resources.requests), toList(status.allocatedResources));
    for (const name of wanted.keys()) if (isPodLevelResource(name)) total.set(name, effective.get(name) ?? ZERO);
  }
  addAll(total, toList(spec.overhead));
  return total;
}

function containerRequests(spec: PodSpec, options: RequestOptions): MutableList {
  const statuses = statusesByName(options.status);
  const requestsOf = (container: Container): ResourceList => {
    const wanted = toList(container.resources?.requests);
    const reported = statuses?.get(container.name);
    const list =
      reported?.resources === undefined
        ? wanted
        : effectiveRequests(
            options.status,
            wanted,
            toList(reported.resources.requests),
            toList(reported.allocatedResources),
          );
    return options.defaults === undefined ? list : new Map([...options.defaults, ...list]);
  };

  const total: MutableList = new Map();
  for (const container of spec.containers) addAll(total, requestsOf(container));
  const sidecars: MutableList = new Map();
  const initPeak: MutableList = new Map();
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === 'Always';
    const list = requestsOf(isSidecar ? container : { ...container, name: '' });
    if (isSidecar) {
      addAll(total, list);
      addAll(sidecars, list);
      maxAll(initPeak, sidecars);
    } else {
      const whileItRuns: MutableList = new Map(sidecars);
      addAll(whileItRuns, list);
      maxAll(initPeak, whileItRuns);
    }
  }
  maxAll(total, initPeak);
  return total;
}

function statusesByName(status: Pod['status']): ReadonlyMap<string, ContainerStatus> | undefined {
  if (status?.containerStatuses === undefined && status?.initContainerStatuses === undefined) return undefined;
  const byName = new Map<string, ContainerStatus>();
  for (const entry of status.containerStatuses ?? []) byName.set(entry.name, entry);
  for (const entry of status.initContainerStatuses ?? []) byName.set(entry.name, entry);
  return byName;
}

/** A resize the node called infeasible is not coming, so the wish no longer counts. */
function effectiveRequests(
  status: Pod['status'],
  wanted: ResourceList,
  actuated: ResourceList,
  allocated: ResourceList,
): ResourceList {
  const pending = status?.conditions?.find((condition) => condition.type === 'PodResizePending');
  const list: MutableList = new Map(pending?.reason === 'Infeasible' ? [] : wanted);
  maxAll(list, actuated);
  maxAll(list, allocated);
  return list;
}

const BOTH_DEFAULTS: ResourceList = new Map([
  ['cpu', DEFAULT_CPU],
  ['memory', DEFAULT_MEMORY],
]);

/** With pod-level requests, only what neither the pod nor a container names is made up. */
function defaultsFor(spec: PodSpec, total: ResourceList): ResourceList {
  const podLevelSet = Object.keys(spec.resources?.requests ?? {}).some(isPodLevelResource);
  if (!podLevelSet) return BOTH_DEFAULTS;
  return new Map([...BOTH_DEFAULTS].filter(([name]) => !total.has(name)));
}

const read = (list: ResourceList, name: string): Amount => larger(toAmount(name, list.get(name) ?? ZERO), 0);

function toRequests(spec: PodSpec, status: Pod['status']): Requests {
  const basis: RequestOptions = status === undefined ? {} : { status };
  const total = podRequests(spec, basis);
  const nonZero = podRequests(spec, { ...basis, defaults: defaultsFor(spec, total) });
  const scalars = new Map<string, Amount>();
  for (const [name, quantity] of total) {
    if (isScalarResource(name)) scalars.set(name, larger(toAmount(name, quantity), 0));
  }
  const cpu = read(total, 'cpu');
  const memory = read(total, 'memory');
  const ephemeralStorage = read(total, 'ephemeral-storage');
  return {
    cpu,
    memory,
    ephemeralStorage,
    scalars: scalars.size === 0 ? NO_SCALARS : scalars,
    nothing: cpu === 0 && memory === 0 && ephemeralStorage === 0 && scalars.size === 0,
    nonZeroCpu: read(nonZero, 'cpu'),
    nonZeroMemory: read(nonZero, 'memory'),
  };
}

interface MemoEntry {
  readonly initContainers: PodSpec['initContainers'];
  readonly resources: PodSpec['resources'];
  readonly overhead: PodSpec['overhead'];
  readonly requests: Requests;
}
const byContainers = new WeakMap<readonly Container[], MemoEntry>();

/**
 * The requests of a pod before it has a node. Memoised on the identity of the container list: specs are never changed
 * in place, and the pods of a template share theirs.
 */
export function requestsOfSpec(spec: PodSpec): Requests {
  const found = byContainers.get(spec.containers);
  if (
    found !== undefined &&
    found.initContainers === spec.initContainers &&
    found.resources === spec.resources &&
    found.overhead === spec.overhead
  ) {
    return found.requests;
  }
  const requests = toRequests(spec, undefined);
  const { initContainers, resources, overhead } = spec;
  byContainers.set(spec.containers, { initContainers, resources, overhead, requests });
  return requests;
}

const reportsResources = (entry: ContainerStatus): boolean => entry.resources !== undefined;

/** Whether the pod's status reports allocated resources: then those count too. */
export function reportsRequests({ status }: Pod): boolean {
  return (
    status !== undefined &&
    (status.resources !== undefined ||
      status.containerStatuses?.some(reportsResources) === true ||
      status.initContainerStatuses?.some(reportsResources) === true)
  );
}

/** The requests of an assigned pod: those of its spec, unless its status reports an in-place resize. */
export const requestsOfPod = (pod: Pod): Requests =>
  reportsRequests(pod) ? toRequests(pod.spec, pod.status) : requestsOfSpec(pod.spec);

const LEAST_ALLOCATED: RequestOptions = { defaults: BOTH_DEFAULTS, skipPodLevel: true };

/** The incoming pod as LeastAllocated sees it: kube-scheduler 1.36 leaves pod-level requests out of this one sum. */
export function leastAllocatedRequests(spec: PodSpec): ResourceList {
  return podRequests(spec, LEAST_ALLOCATED);
}
