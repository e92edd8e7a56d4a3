/** Facts that a Job reads from its pods. Pure. */
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import type { ContainerStatus, Pod } from '../../../../core/api/types/core-v1.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import { hasFinalizer } from '../../../../core/kube/finalizers.ts';
import { labelOf } from '../../../../core/kube/labels.ts';
import { parseTime } from '../../../../core/kube/time.ts';

export const TRACKING = 'batch.kubernetes.io/job-tracking';
export const INDEX = 'batch.kubernetes.io/job-completion-index';
export const INDEX_FAILURES = 'batch.kubernetes.io/job-index-failure-count';
export const INDEX_IGNORED_FAILURES = 'batch.kubernetes.io/job-index-ignored-failure-count';

export const isTracked = (pod: Pod): boolean => hasFinalizer(pod, TRACKING);
export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === 'Indexed';
export const isSuspended = ({ spec }: Job): boolean => spec.suspend === true;
export const hasLimitPerIndex = (job: Job): boolean => isIndexed(job) && job.spec.backoffLimitPerIndex !== undefined;

/** Whether a replacement pod is created only after the terminating one has failed. */
export const replacesFailedOnly = ({ spec }: Job): boolean =>
  spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;

export const isSucceeded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded';

export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status?.phase === 'Failed') return true;
  return !replacesFailedOnly(job) && pod.metadata.deletionTimestamp !== undefined && !isSucceeded(pod);
}

/** The pod's completion index; undefined when it has none that can be read. */
export function indexOf(pod: Pod): number | undefined {
  const text = labelOf(pod.metadata.annotations, INDEX);
  return text !== undefined && /^\+?[0-9]{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The pod's index, if the Job has it. */
export function indexWithin(pod: Pod, job: Job): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < (job.spec.completions ?? 0) ? index : undefined;
}

export function failuresOf(pod: Pod | undefined, annotation: string): number {
  const text = labelOf(pod?.metadata.annotations, annotation);
  return text !== undefined && /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

/** The pod's end time, as exactly as its status tells. */
export function finishedAt(pod: Pod): number {
  const ended = containersEnded(pod);
  if (ended !== undefined) return ended;
  const ready = findCondition(pod.status?.conditions, 'Ready');
  const since = ready?.status === 'False' ? parseTime(ready.lastTransitionTime ?? '') : undefined;
  if (since !== undefined) return since;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = pod.metadata;
  const deleted = deletionTimestamp === undefined ? undefined : parseTime(deletionTimestamp);
  return deleted === undefined ? (parseTime(creationTimestamp) ?? 0) : deleted - deletionGracePeriodSeconds * 1000;
}

/** When the last container ended; undefined while one has not. */
function containersEnded({ spec, status }: Pod): number | undefined {
  const sidecars = new Set(
    spec.initContainers?.filter((each) => each.restartPolicy === 'Always').map(({ name }) => name),
  );
  const counted: ContainerStatus[] = [...(status?.containerStatuses ?? [])];
  counted.push(...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)));
  let latest: number | undefined;
  for (const { state } of counted) {
    const ended = parseTime(state?.terminated?.finishedAt ?? '');
    if (ended === undefined) return undefined;
    latest = Math.max(latest ?? 0, ended);
  }
  return latest;
}
