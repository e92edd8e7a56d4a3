/**
 * The status of a Job as pods are counted: first noted by UID, then the finalizer is removed, then added to the sums.
 * Pure.
 */
import type { Job, JobCondition, JobStatus } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { formatTime } from '../../../../core/kube/time.ts';
import { formatIndexes, has, indexesOf, union, count } from './indexes.ts';
import { hasLimitPerIndex, indexWithin, isFailed, isIndexed, isSucceeded, isTracked } from './job-pods.ts';
import type { Ending, Judgement } from './judge.ts';
import { judgeFailure } from './policies.ts';

type JobPod = Stored<Pod>;
type Conditions = readonly JobCondition[] | undefined;

/** Upper bound on pods noted before their sums are written. */
const MOST_UNCOUNTED = 500;

function condition(type: string, status: string, reason: string, message: string, now: number): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** The same list when the condition is there already; an absent condition is not written as False. */
export function ensured(
  conditions: Conditions,
  type: string,
  status: 'True' | 'False',
  reason: string,
  message: string,
  now: number,
): Conditions {
  const present = findCondition(conditions, type);
  if (present === undefined)
    return status === 'False' ? conditions : [...(conditions ?? []), condition(type, status, reason, message, now)];
  if (present.status === status && present.reason === reason && present.message === message) return conditions;
  return conditions?.map((each) => (each === present ? condition(type, status, reason, message, now) : each));
}

/** Moves noted pods without the tracking finalizer into the sums. */
export function withoutReleased(status: JobStatus, held: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const stillSucceeded = succeeded.filter((uid) => held.has(uid));
  const stillFailed = failed.filter((uid) => held.has(uid));
  const moved = { succeeded: succeeded.length - stillSucceeded.length, failed: failed.length - stillFailed.length };
  if (moved.succeeded === 0 && moved.failed === 0) return status;
  return {
    ...status,
    ...(moved.succeeded === 0 ? {} : { succeeded: (status.succeeded ?? 0) + moved.succeeded }),
    ...(moved.failed === 0 ? {} : { failed: (status.failed ?? 0) + moved.failed }),
    uncountedTerminatedPods: listed(stillSucceeded, stillFailed),
  };
}

const listed = (succeeded: readonly string[], failed: readonly string[]) => ({
  ...(succeeded.length === 0 ? {} : { succeeded }),
  ...(failed.length === 0 ? {} : { failed }),
});

export interface Noted {
  readonly status: JobStatus;
  /** Pods whose finalizer may be removed once the status is written. */
  readonly release: readonly JobPod[];
  /** More pods are to be noted; the Job is not at its end yet. */
  readonly isPartial: boolean;
}

/** Notes pods that have ended, and how the Job will end. */
export function note(
  job: Job,
  status: JobStatus,
  pods: readonly JobPod[],
  state: Judgement,
  ending: Ending | undefined,
  now: number,
): Noted {
  const succeeded = [...(status.uncountedTerminatedPods?.succeeded ?? [])];
  const failed = [...(status.uncountedTerminatedPods?.failed ?? [])];
  const noted = new Set([...succeeded, ...failed]);
  const newIndexes: number[] = [];
  const release: JobPod[] = [];
  let isPartial = false;
  for (const pod of isIndexed(job) ? byIndex(job, pods) : pods) {
    if (!isTracked(pod) || !mayRelease(job, pod, state, ending)) continue;
    release.push(pod);
    const index = indexWithin(pod, job);
    const { uid } = pod.metadata;
    if (isSucceeded(pod) && !failed.includes(uid)) {
      if (!isIndexed(job)) {
        if (!noted.has(uid)) succeeded.push(uid);
      } else if (index !== undefined && !has(state.previouslySucceeded, index)) newIndexes.push(index);
    } else if (isFailed(pod, job) || ending?.type === 'Failed') {
      const isCounted = !noted.has(uid) && (!isIndexed(job) || index !== undefined) && judgeFailure(job, pod).counts;
      if (isCounted) failed.push(uid);
    }
    isPartial = newIndexes.length + succeeded.length + failed.length >= MOST_UNCOUNTED;
    if (isPartial) break;
  }
  let next: JobStatus = { ...status, uncountedTerminatedPods: listed(succeeded, failed) };
  if (isIndexed(job)) next = withIndexes(job, next, state, newIndexes);
  return { status: withTarget(next, ending, now), release, isPartial };
}

const byIndex = (job: Job, pods: readonly JobPod[]): readonly JobPod[] =>
  pods.toSorted((a, b) => (indexWithin(a, job) ?? -1) - (indexWithin(b, job) ?? -1));

function mayRelease(job: Job, pod: JobPod, state: Judgement, ending: Ending | undefined): boolean {
  if (isBeingDeleted(job) || ending !== undefined || isSucceeded(pod)) return true;
  if (!isFailed(pod, job)) return false;
  const index = hasLimitPerIndex(job) ? indexWithin(pod, job) : undefined;
  return index === undefined || state.replaced.get(index)?.metadata.uid !== pod.metadata.uid;
}

function withIndexes(job: Job, status: JobStatus, state: Judgement, added: readonly number[]): JobStatus {
  const completed = union(state.previouslySucceeded, indexesOf(added));
  const all = union(completed, state.succeededIndexes);
  const { completedIndexes: _, ...rest } = status;
  const text = formatIndexes(all);
  const total = count(all);
  return {
    ...rest,
    ...(total === 0 && rest.succeeded === undefined ? {} : { succeeded: total }),
    ...(text === '' ? {} : { completedIndexes: text }),
    ...(state.failedIndexes === undefined || !hasLimitPerIndex(job)
      ? {}
      : { failedIndexes: formatIndexes(state.failedIndexes) }),
  };
}

/** Adds the condition that the end is certain, before the last pods are gone. */
function withTarget(status: JobStatus, ending: Ending | undefined, now: number): JobStatus {
  if (ending === undefined) return status;
  const type = ending.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  if (findCondition(status.conditions, type)?.status === 'True') return status;
  const target = condition(type, 'True', ending.reason, ending.message, now);
  return { ...status, conditions: [...(status.conditions ?? []), target] };
}

/** The status with the final condition; undefined while a pod is still to be counted or terminating. */
export function ended(
  status: JobStatus,
  ending: Ending | undefined,
  terminating: number,
  now: number,
): JobStatus | undefined {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  if (ending === undefined || terminating > 0 || succeeded.length + failed.length > 0) return undefined;
  const conditions = ensured(status.conditions, ending.type, 'True', ending.reason, ending.message, now);
  return {
    ...status,
    ...(conditions === undefined ? {} : { conditions }),
    ...(ending.type === 'Complete' ? { completionTime: formatTime(now) } : {}),
  };
}

const COUNTS = ['active', 'succeeded', 'failed'] as const;
const EXACT = ['ready', 'terminating', 'startTime', 'completionTime', 'completedIndexes', 'failedIndexes'] as const;

export function saysSame(a: JobStatus | undefined, b: JobStatus): boolean {
  if (!COUNTS.every((key) => (a?.[key] ?? 0) === (b[key] ?? 0))) return false;
  if (!EXACT.every((key) => (a?.[key] ?? '') === (b[key] ?? ''))) return false;
  const before = a?.uncountedTerminatedPods;
  const after = b.uncountedTerminatedPods;
  const same = (x: readonly string[] = [], y: readonly string[] = []): boolean =>
    x.length === y.length && x.every((uid, index) => y[index] === uid);
  return (
    same(before?.succeeded, after?.succeeded) &&
    same(before?.failed, after?.failed) &&
    (a?.conditions ?? b.conditions) === b.conditions
  );
}
