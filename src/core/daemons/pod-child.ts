/** Pods as children of a daemon. */
import type { Pod } from '../api/types/core-v1.ts';
import type { Stored } from '../kube/objects.ts';
import { labelOf } from '../kube/labels.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import { parseTime } from '../kube/time.ts';
import { type NodePin, pinOf } from '../placement/node-affinity.ts';
import { isTerminal } from '../placement/pod-record.ts';
import type { ChildAdapter } from './engine-types.ts';

export type DaemonPod = Stored<Pod>;

export const REVISION_LABEL = 'controller-revision-hash';
export const GENERATION_LABEL = 'pod-template-generation';

export const isTerminating = (pod: Pod): boolean => pod.metadata.deletionTimestamp !== undefined;
export const isScheduled = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '';

/** Since when the pod is Ready (epoch ms); undefined when it is not. */
export function readySince(pod: Pod): number | undefined {
  const conditions = pod.status?.conditions;
  if (conditions === undefined) return undefined;
  for (const condition of conditions) {
    if (condition.type !== 'Ready') continue;
    if (condition.status !== 'True') return undefined;
    return condition.lastTransitionTime === undefined ? 0 : timeOf(condition.lastTransitionTime);
  }
  return undefined;
}

let lastText = '';
let lastTime = 0;

/** Thousands of pods become ready in the same second. */
function timeOf(text: string): number {
  if (text === lastText) return lastTime;
  lastTime = parseTime(text) ?? 0;
  lastText = text;
  return lastTime;
}

export const isPodReady = (pod: Pod): boolean => readySince(pod) !== undefined;

/** Ready for long enough. A pod that became ready at no known time counts only where no time is asked for. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = readySince(pod);
  if (since === undefined) return false;
  return minReadySeconds === 0 || (since > 0 && since + minReadySeconds * 1000 <= now);
}

/** A container that does not come up: crashes again and again, or its image cannot be had. */
export function isCrashing(pod: Pod, maxRestarts: number): boolean {
  if (isPodReady(pod)) return false;
  for (const list of [pod.status?.containerStatuses, pod.status?.initContainerStatuses]) {
    for (const { state, restartCount } of list ?? []) {
      const reason = state?.waiting?.reason ?? '';
      if (STUCK.has(reason) || (restartCount >= maxRestarts && maxRestarts > 0)) return true;
    }
  }
  return pod.status?.phase === 'Failed';
}

const STUCK: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'ImagePullBackOff',
  'ErrImagePull',
  'InvalidImageName',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

/** Daemon pods are nearly all bound, or pinned in just the way their controller pins them; the rest is read with care. */
function pinOfPod({ spec }: DaemonPod): NodePin | undefined {
  if (spec.nodeName) return { by: 'name', value: spec.nodeName };
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = terms?.length === 1 ? terms[0]?.matchFields : undefined;
  const only = fields?.length === 1 ? fields[0] : undefined;
  const name =
    only?.key === 'metadata.name' && only.operator === 'In' && only.values?.length === 1 ? only.values[0] : undefined;
  return name === undefined ? pinOf(spec) : { by: 'name', value: name };
}

export const podChild: ChildAdapter<DaemonPod> = {
  uid: (pod) => pod.metadata.uid,
  pin: pinOfPod,
  isNewer(a, b) {
    const later = compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
    return later !== 0 ? later > 0 : a.metadata.name > b.metadata.name;
  },
  compare(a, b) {
    const scheduled = Number(isScheduled(b)) - Number(isScheduled(a));
    if (scheduled !== 0) return scheduled;
    const older = compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
    return older !== 0 ? older : compareText(a.metadata.name, b.metadata.name);
  },
  isNotOlder(a, b) {
    if (a === b) return true;
    return (compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) ?? -1) >= 0;
  },
  isOver: (pod) => pod.metadata.deletionTimestamp !== undefined && isTerminal(pod),
  revision: (pod) => labelOf(pod.metadata.labels, REVISION_LABEL) ?? '',
};

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
