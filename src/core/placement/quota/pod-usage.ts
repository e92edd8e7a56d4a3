/** The usage of a pod in quotas and limit ranges. Computed once per set of containers. */
import { subtreeMemo } from '../../api/rules/memo.ts';
import { qosClassOf } from '../../api/kinds/pod/qos.ts';
import { isHugePages, isNative } from '../../api/rules/resource-names.ts';
import type { Container, ContainerStatus, Pod, PodAffinityTerm, PodSpec } from '../../api/types/core-v1.ts';
import { addQuantities, isZero, type Quantity, quantityOf } from '../../kube/quantity.ts';
import { parseTime } from '../../kube/time.ts';
import { podRequests, reportsRequests } from '../requests.ts';
import { readUsage, type Usage } from './amounts-by-name.ts';

export const ONE = quantityOf(1);
const DEVICE_CLASS = 'deviceclass.resource.kubernetes.io/';

/** As upstream's `PodLimits`: limits take the way of requests, but overhead only comes on top of a limit there is. */
export function podLimits(spec: PodSpec, status?: Pod['status']): Usage {
  const { overhead, ...rest } = spec;
  const swapped: PodSpec = {
    ...rest,
    containers: (spec.containers ?? []).map(limitsAsRequests),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(limitsAsRequests) }),
    ...(spec.resources === undefined ? {} : { resources: { requests: spec.resources.limits ?? {} } }),
  };
  const total = new Map(podRequests(swapped, status === undefined ? {} : { status: limitStatus(status) }));
  for (const [name, quantity] of readUsage(overhead)) {
    const limit = total.get(name);
    if (limit !== undefined && !isZero(limit)) total.set(name, addQuantities(limit, quantity));
  }
  return total;
}

const limitsAsRequests = (container: Container): Container => ({
  ...container,
  resources: { requests: container.resources?.limits ?? {} },
});

function limitStatus(status: NonNullable<Pod['status']>): NonNullable<Pod['status']> {
  const swap = (statuses: readonly ContainerStatus[] | undefined): readonly ContainerStatus[] =>
    (statuses ?? []).map((entry) => ({
      ...entry,
      allocatedResources: {},
      ...(entry.resources === undefined ? {} : { resources: { requests: entry.resources.limits ?? {} } }),
    }));
  const { resources, ...rest } = status;
  return {
    ...rest,
    allocatedResources: {},
    containerStatuses: swap(status.containerStatuses),
    initContainerStatuses: swap(status.initContainerStatuses),
    ...(resources === undefined ? {} : { resources: { requests: resources.limits ?? {} } }),
  };
}

interface Known {
  readonly initContainers: PodSpec['initContainers'];
  readonly resources: PodSpec['resources'];
  readonly overhead: PodSpec['overhead'];
  readonly usage: Usage;
}

const memo = subtreeMemo<readonly Container[], Known>();

/** Of a pod that lives; one that has ended counts as an object alone. */
function livingUsage({ spec, status }: Pod, isReported: boolean): Usage {
  if (spec === undefined) return ENDED;
  if (isReported) return compute(podRequests(spec, { status }), podLimits(spec, status));
  const { containers, initContainers, resources, overhead } = spec;
  const known = memo.get(containers);
  if (
    known !== undefined &&
    known.initContainers === initContainers &&
    known.resources === resources &&
    known.overhead === overhead
  ) {
    return known.usage;
  }
  const usage = compute(podRequests(spec), podLimits(spec));
  memo.offer(containers, { initContainers, resources, overhead, usage });
  return usage;
}

const ENDED: Usage = new Map([['count/pods', ONE]]);

export function podUsage(pod: Pod, now: number): Usage {
  return isCharged(pod, now) ? livingUsage(pod, reportsRequests(pod)) : ENDED;
}

/** Neither ended nor terminating past its grace period: the owner of a pod on a lost node may create a replacement. */
function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  if (deletionTimestamp === undefined || deletionTimestamp === null || grace === undefined) return true;
  return now <= (parseTime(deletionTimestamp) ?? now) + grace * 1000;
}

function compute(requests: Usage, limits: Usage): Usage {
  return new Map([['count/pods', ONE], ...computeNames(requests, limits)]);
}

/** The names under which quotas know requests and limits. */
export function computeNames(requests: Usage, limits: Usage): Usage {
  const usage = new Map<string, Quantity>([['pods', ONE]]);
  for (const name of ['cpu', 'memory', 'ephemeral-storage']) {
    const request = requests.get(name);
    if (request !== undefined) {
      usage.set(name, request);
      usage.set(`requests.${name}`, request);
    }
    const limit = limits.get(name);
    if (limit !== undefined) usage.set(`limits.${name}`, limit);
  }
  for (const [name, request] of requests) {
    if (isHugePages(name)) {
      usage.set(name, request);
      usage.set(`requests.${name}`, request);
    } else if (isExtendedRequest(name)) usage.set(`requests.${name}`, request);
  }
  return usage;
}

const isExtendedRequest = (name: string): boolean => !isNative(name) || name.startsWith(DEVICE_CLASS);

/** Extended resources are counted as requests alone. */
export const isExtendedQuota = (name: string): boolean =>
  name.startsWith('requests.') && (!isNative(name) || name.startsWith(`requests.${DEVICE_CLASS}`));

export const isTerminatingPod = ({ spec }: Pod): boolean => (spec?.activeDeadlineSeconds ?? -1) >= 0;

interface KnownQos {
  readonly initContainers: PodSpec['initContainers'];
  readonly resources: PodSpec['resources'];
  readonly isBestEffort: boolean;
}

const qosMemo = subtreeMemo<readonly Container[], KnownQos>();

export function isBestEffortPod({ spec }: Pod): boolean {
  if (spec === undefined) return false;
  const { containers, initContainers, resources } = spec;
  const known = qosMemo.get(containers);
  if (known !== undefined && known.initContainers === initContainers && known.resources === resources) {
    return known.isBestEffort;
  }
  const isBestEffort = qosClassOf(spec) === 'BestEffort';
  qosMemo.offer(containers, { initContainers, resources, isBestEffort });
  return isBestEffort;
}

/** Whether it asks for, or avoids, pods of other namespaces. */
export function reachesAcrossNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return [podAffinity, podAntiAffinity].some(
    (affinity) =>
      affinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(isAcross) === true ||
      affinity?.preferredDuringSchedulingIgnoredDuringExecution?.some(({ podAffinityTerm }) =>
        isAcross(podAffinityTerm),
      ) === true,
  );
}

const isAcross = (term: PodAffinityTerm | undefined): boolean =>
  term !== undefined && ((term.namespaces?.length ?? 0) > 0 || term.namespaceSelector !== undefined);

const POD_LEVEL = (name: string): boolean => name === 'cpu' || name === 'memory' || isHugePages(name);

/** Whether the pod as a whole says what it needs. */
export const saysPodLevel = ({ spec }: Pod): boolean =>
  Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).some(POD_LEVEL);
