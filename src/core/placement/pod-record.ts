/** The facts about one pod that accounting needs; the expensive parts are shared by all pods of a template. */
import type { Pod } from '../api/types/core-v1.ts';
import { type AffinityTerms, compileAffinityTerms } from './affinity-terms.ts';
import { type HostPort, hostPortsOf, NO_PORTS } from './host-ports.ts';
import type { Labels } from './label-match.ts';
import { reportsRequests, type Requests, requestsOfPod } from './requests.ts';

export interface PodRecord {
  readonly pod: Pod;
  /** The UID, or namespace and name for a pod that was never stored. */
  readonly key: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Requests;
  readonly ports: readonly HostPort[];
  /** `undefined` for pods that have no pod affinity of any kind. */
  readonly affinity: AffinityTerms | undefined;
  readonly terminating: boolean;
  /** Persistent volume claims the pod mounts, as `namespace/name`. */
  readonly claims: readonly string[];
}

export const podNamespace = (pod: Pod): string => pod.metadata.namespace ?? 'default';
export const podKey = (pod: Pod): string => pod.metadata.uid ?? `${podNamespace(pod)}/${pod.metadata.name}`;

/** A pod that has ended holds nothing on its node; one that is terminating still holds everything. */
export const isTerminal = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** Told by identity: true only if two versions of a pod certainly have the same record but for the pod itself. */
export function countsAlike(a: Pod, b: Pod): boolean {
  return (
    a.metadata.labels === b.metadata.labels &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    (a.spec === b.spec || isSameSpec(a.spec, b.spec)) &&
    isTerminal(a) === isTerminal(b) &&
    !reportsRequests(a) &&
    !reportsRequests(b)
  );
}

/** A pod that is bound has another spec than before, made of the same parts. */
const isSameSpec = (a: Pod['spec'], b: Pod['spec']): boolean =>
  a.containers === b.containers &&
  a.initContainers === b.initContainers &&
  a.affinity === b.affinity &&
  a.volumes === b.volumes &&
  a.resources === b.resources &&
  a.overhead === b.overhead &&
  a.priority === b.priority;

const NO_CLAIMS: readonly string[] = Object.freeze([]);
type Containers = Pod['spec']['containers'];
const portsByContainers = new WeakMap<
  Containers,
  { init: Pod['spec']['initContainers']; ports: readonly HostPort[] }
>();

function portsOf(pod: Pod): readonly HostPort[] {
  const { containers, initContainers } = pod.spec;
  const found = portsByContainers.get(containers);
  if (found !== undefined && found.init === initContainers) return found.ports;
  const ports = hostPortsOf(pod.spec);
  portsByContainers.set(containers, { init: initContainers, ports: ports.length === 0 ? NO_PORTS : ports });
  return ports;
}

function claimsOf(pod: Pod, namespace: string): readonly string[] {
  let claims: string[] | undefined;
  for (const volume of pod.spec.volumes ?? []) {
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined) (claims ??= []).push(`${namespace}/${claim}`);
  }
  return claims ?? NO_CLAIMS;
}

/** Only of pods with pod affinity, whose records cost something: an entry for every pod there is would cost more. */
const records = new WeakMap<Pod, PodRecord>();
/** The last answer: one pod is asked about several times in a row. */
let last: PodRecord | undefined;

export function recordOf(pod: Pod): PodRecord {
  if (last?.pod === pod) return last;
  const { affinity } = pod.spec;
  if (affinity?.podAffinity === undefined && affinity?.podAntiAffinity === undefined) return (last = describe(pod));
  let record = records.get(pod);
  if (record === undefined) records.set(pod, (record = describe(pod)));
  return (last = record);
}

function describe(pod: Pod): PodRecord {
  const namespace = podNamespace(pod);
  const { labels } = pod.metadata;
  return {
    pod,
    key: podKey(pod),
    namespace,
    labels,
    priority: pod.spec.priority ?? 0,
    requests: requestsOfPod(pod),
    ports: portsOf(pod),
    affinity: compileAffinityTerms(pod.spec, namespace, labels),
    terminating: pod.metadata.deletionTimestamp !== undefined,
    claims: claimsOf(pod, namespace),
  };
}
