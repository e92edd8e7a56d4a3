/** Judges a Job's state and plans which pods to create or delete. Pure: the Job and its pods in, decisions out. */
import type { Job } from '../../../../core/api/types/batch-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isPodReady } from '../../../../core/daemons/pod-child.ts';
import { findCondition, isConditionTrue } from '../../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { parseTime } from '../../../../core/kube/time.ts';
import { isActive } from '../common/pod-state.ts';
import { podsToDelete } from '../common/pod-rank.ts';
import { type Backoff, backoffLeft, nextBackoff } from './backoff.ts';
import { count, firstMissing, has, type Indexes, indexesOf, NO_INDEXES, parseIndexes, union } from './indexes.ts';
import {
  failuresOf,
  hasLimitPerIndex,
  INDEX_FAILURES,
  INDEX_IGNORED_FAILURES,
  indexOf,
  indexWithin,
  isFailed,
  isIndexed,
  isSucceeded,
  isSuspended,
  isTracked,
  finishedAt,
  replacesFailedOnly,
} from './job-pods.ts';
import { judgeFailure, metSuccess } from './policies.ts';

type JobPod = Stored<Pod>;

/** The end of a Job; terminating pods may still delay its report. */
export interface Ending {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export const COMPLETED: Ending = {
  type: 'Complete',
  reason: 'CompletionsReached',
  message: 'Reached expected number of succeeded pods',
};

export interface Judgement {
  readonly active: readonly JobPod[];
  readonly ready: number;
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly ending: Ending | undefined;
  /** Succeeded indexes according to the status, and (`succeededIndexes`) with the present pods besides. */
  readonly previouslySucceeded: Indexes;
  readonly succeededIndexes: Indexes;
  readonly failedIndexes: Indexes | undefined;
  /** The failed pod that the next pod of its index replaces; it is kept until that one exists. */
  readonly replaced: ReadonlyMap<number, JobPod>;
  readonly backoff: Backoff;
  /** Milliseconds until the deadline is to be checked. */
  readonly deadlineMs: number | undefined;
}

const DEFAULT_BACKOFF_LIMIT = 6;

export const isFinished = ({ status }: Job): boolean =>
  isConditionTrue(status?.conditions, 'Complete') || isConditionTrue(status?.conditions, 'Failed');

export function judge(job: Job, pods: readonly JobPod[], record: Backoff, now: number): Judgement {
  const { status } = job;
  const uncounted = {
    succeeded: new Set(status?.uncountedTerminatedPods?.succeeded),
    failed: new Set(status?.uncountedTerminatedPods?.failed),
  };
  const valid = pods.filter((pod) => isTracked(pod) && (!isIndexed(job) || indexWithin(pod, job) !== undefined));
  const newSucceeded = valid.filter((pod) => isSucceeded(pod) && !uncounted.succeeded.has(pod.metadata.uid));
  const newFailed = valid.filter((pod) => isFailed(pod, job) && !uncounted.failed.has(pod.metadata.uid));
  const counted = newFailed.filter((pod) => judgeFailure(job, pod).counts).length;
  const failed = (status?.failed ?? 0) + counted + uncounted.failed.size;
  const active = pods.filter(isActive);
  const indexes = isIndexed(job) ? judgeIndexes(job, pods, active) : NO_INDEX_STATE;
  const succeeded = isIndexed(job)
    ? count(indexes.succeededIndexes)
    : (status?.succeeded ?? 0) + newSucceeded.length + uncounted.succeeded.size;
  const ending =
    knownEnding(job) ??
    policyEnding(job, pods) ??
    limitEnding(job, pods, failed, now) ??
    (isIndexed(job) ? indexEnding(job, indexes) : undefined);
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter((pod) => isBeingDeleted(pod) && !isEnded(pod)).length,
    succeeded,
    failed,
    ending,
    ...indexes,
    backoff: nextBackoff(record, newSucceeded, newFailed),
    deadlineMs: ending === undefined ? untilDeadline(job, now) : undefined,
  };
}

const isEnded = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

interface IndexState {
  readonly previouslySucceeded: Indexes;
  readonly succeededIndexes: Indexes;
  readonly failedIndexes: Indexes | undefined;
  readonly replaced: ReadonlyMap<number, JobPod>;
}

const NO_INDEX_STATE: IndexState = {
  previouslySucceeded: NO_INDEXES,
  succeededIndexes: NO_INDEXES,
  failedIndexes: undefined,
  replaced: new Map(),
};

function judgeIndexes(job: Job, pods: readonly JobPod[], active: readonly JobPod[]): IndexState {
  const completions = job.spec.completions ?? 0;
  const previouslySucceeded = parseIndexes(job.status?.completedIndexes, completions);
  const indexesWhere = (test: (pod: JobPod) => boolean): Indexes => {
    const found: number[] = [];
    for (const pod of pods) {
      const index = indexWithin(pod, job);
      if (index !== undefined && isTracked(pod) && test(pod)) found.push(index);
    }
    return indexesOf(found);
  };
  const succeededIndexes = union(previouslySucceeded, indexesWhere(isSucceeded));
  if (!hasLimitPerIndex(job))
    return { previouslySucceeded, succeededIndexes, failedIndexes: undefined, replaced: new Map() };
  const before = parseIndexes(job.status?.failedIndexes, completions);
  const failedIndexes = union(
    before,
    indexesWhere((pod) => failsItsIndex(job, pod)),
  );
  const activeIndexes = new Set(active.map(indexOf));
  const replaced = new Map<number, JobPod>();
  for (const pod of pods) {
    const index = indexWithin(pod, job);
    if (index === undefined || !isTracked(pod) || !isFailed(pod, job)) continue;
    if (has(succeededIndexes, index) || has(failedIndexes, index) || activeIndexes.has(index)) continue;
    const other = replaced.get(index);
    if (other === undefined || isLater(pod, other)) replaced.set(index, pod);
  }
  return { previouslySucceeded, succeededIndexes, failedIndexes, replaced };
}

const allFailures = (pod: Pod): number => failuresOf(pod, INDEX_FAILURES) + failuresOf(pod, INDEX_IGNORED_FAILURES);
const isLater = (a: Pod, b: Pod): boolean => allFailures(b) <= allFailures(a) && finishedAt(a) >= finishedAt(b);

function failsItsIndex(job: Job, pod: JobPod): boolean {
  if (!isFailed(pod, job)) return false;
  const verdict = judgeFailure(job, pod);
  return (
    verdict.failsIndex || (verdict.counts && failuresOf(pod, INDEX_FAILURES) >= (job.spec.backoffLimitPerIndex ?? 0))
  );
}

/** The ending that an earlier reconcile wrote into the status. */
function knownEnding({ status }: Job): Ending | undefined {
  const success = findCondition(status?.conditions, 'SuccessCriteriaMet');
  const failure = findCondition(status?.conditions, 'FailureTarget');
  const found = success?.status === 'True' ? success : failure?.status === 'True' ? failure : undefined;
  if (found === undefined) return undefined;
  const { reason = '', message = '' } = found;
  return { type: found === success ? 'Complete' : 'Failed', reason, message };
}

function policyEnding(job: Job, pods: readonly JobPod[]): Ending | undefined {
  if (job.spec.podFailurePolicy === undefined) return undefined;
  for (const pod of pods) {
    const message = isFailed(pod, job) ? judgeFailure(job, pod).failsJob : undefined;
    if (message !== undefined) return { type: 'Failed', reason: 'PodFailurePolicy', message };
  }
  return undefined;
}

const failure = (reason: string, message: string): Ending => ({ type: 'Failed', reason, message });

function limitEnding(job: Job, pods: readonly JobPod[], failed: number, now: number): Ending | undefined {
  const limit = job.spec.backoffLimit ?? (hasLimitPerIndex(job) ? Infinity : DEFAULT_BACKOFF_LIMIT);
  if (failed > limit || isPastRestarts(job, pods, limit))
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  const left = untilDeadline(job, now);
  return left !== undefined && left <= 0
    ? failure('DeadlineExceeded', 'Job was active longer than specified deadline')
    : undefined;
}

/** Where containers are restarted in place, their restarts are the failures. */
function isPastRestarts({ spec: { template } }: Job, pods: readonly JobPod[], limit: number): boolean {
  if (template.spec?.restartPolicy !== 'OnFailure') return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== 'Running' && status?.phase !== 'Pending') continue;
    for (const list of [status.initContainerStatuses, status.containerStatuses])
      for (const { restartCount } of list ?? []) restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function untilDeadline(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const start = parseTime(job.status?.startTime ?? '');
  if (activeDeadlineSeconds === undefined || isSuspended(job)) return undefined;
  return start === undefined ? activeDeadlineSeconds * 1000 : start + activeDeadlineSeconds * 1000 - now;
}

function indexEnding(job: Job, { succeededIndexes, failedIndexes }: IndexState): Ending | undefined {
  const { maxFailedIndexes, completions = 0 } = job.spec;
  const failed = count(failedIndexes ?? NO_INDEXES);
  if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  if (failed > 0 && failed + count(succeededIndexes) >= completions)
    return failure('FailedIndexes', 'Job has failed indexes');
  const message = metSuccess(job, succeededIndexes);
  return message === undefined ? undefined : { type: 'Complete', reason: 'SuccessPolicy', message };
}

export type PodPlan =
  | { readonly do: 'nothing' }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'remove'; readonly pods: readonly JobPod[] }
  /** One pod for each entry; undefined where the Job has no indexes. */
  | { readonly do: 'create'; readonly indexes: readonly (number | undefined)[] };

/** Pods made or deleted in one go. */
const MOST_AT_ONCE = 500;

export function planPods(job: Job, pods: readonly JobPod[], state: Judgement, now: number): PodPlan {
  const { active, succeeded } = state;
  if (isSuspended(job)) return active.length === 0 ? { do: 'nothing' } : { do: 'remove', pods: active };
  const { parallelism = 1, completions } = job.spec;
  const wanted =
    completions === undefined
      ? succeeded > 0
        ? active.length
        : parallelism
      : Math.max(0, Math.min(completions - succeeded, parallelism));
  const surplus = forRemoval(job, active, Math.max(0, active.length - wanted), now);
  if (surplus.length > 0) return { do: 'remove', pods: surplus.slice(0, MOST_AT_ONCE) };
  const missing = wanted - active.length - (replacesFailedOnly(job) ? state.terminating : 0);
  if (missing <= 0) return { do: 'nothing' };
  const wait = hasLimitPerIndex(job) ? 0 : backoffLeft(state.backoff, now);
  if (wait > 0) return { do: 'wait', ms: wait };
  if (!isIndexed(job))
    return { do: 'create', indexes: Array.from({ length: Math.min(missing, MOST_AT_ONCE) }, () => undefined) };
  return planIndexes(job, pods, state, Math.min(missing, MOST_AT_ONCE), now);
}

function planIndexes(job: Job, pods: readonly JobPod[], state: Judgement, most: number, now: number): PodPlan {
  const taken = state.active.concat(
    replacesFailedOnly(job) ? pods.filter((pod) => isBeingDeleted(pod) && !isEnded(pod)) : [],
  );
  const busy = indexesOf(taken.map(indexOf).filter((index) => index !== undefined));
  const pending = union(union(state.succeededIndexes, busy), state.failedIndexes ?? NO_INDEXES);
  const indexes = firstMissing(pending, most, job.spec.completions ?? 0);
  if (!hasLimitPerIndex(job)) return indexes.length === 0 ? { do: 'nothing' } : { do: 'create', indexes };
  const due: number[] = [];
  let soonest = Infinity;
  for (const index of indexes) {
    const before = state.replaced.get(index);
    const left =
      before === undefined ? 0 : backoffLeft({ failures: allFailures(before) + 1, last: finishedAt(before) }, now);
    if (left === 0) due.push(index);
    else soonest = Math.min(soonest, left);
  }
  if (due.length > 0) return { do: 'create', indexes: due };
  return soonest === Infinity ? { do: 'nothing' } : { do: 'wait', ms: soonest };
}

/** At least `atLeast` pods; of an Indexed Job also all pods without a valid index and all duplicates of an index. */
function forRemoval(job: Job, active: readonly JobPod[], atLeast: number, now: number): readonly JobPod[] {
  if (!isIndexed(job)) return atLeast === 0 ? [] : podsToDelete(active, [], atLeast, now);
  const removed: JobPod[] = [];
  const kept: JobPod[] = [];
  for (const [index, same] of Map.groupBy(active, (pod) => indexWithin(pod, job))) {
    if (index === undefined) removed.push(...same);
    else {
      const extra = podsToDelete(same, [], same.length - 1, now);
      removed.push(...extra);
      kept.push(...same.filter((pod) => !extra.includes(pod)));
    }
  }
  if (removed.length >= atLeast) return removed;
  return [...removed, ...podsToDelete(kept, [], atLeast - removed.length, now)];
}
