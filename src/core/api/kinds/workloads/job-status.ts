/** Which reports about a Job make sense. Rules about a field apply when that field changes. */
import { duplicate, field, invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import type { Job, JobStatus, UncountedTerminatedPods } from '../../types/batch-v1.ts';
import type { Findings } from '../../rules/findings.ts';
import { isSet, listOf, nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { firstCommonIndex, parseIndexes } from './job-indexes.ts';
import { invalidWithoutValue } from './job-spec.ts';

const isTrue = (status: JobStatus, type: string): boolean =>
  listOf(status.conditions).some((condition) => condition.type === type && condition.status === 'True');
const isFalse = (status: JobStatus, type: string): boolean =>
  listOf(status.conditions).some((condition) => condition.type === type && condition.status === 'False');

export const isJobSuspended = (status: JobStatus): boolean => isTrue(status, 'Suspended');
const isFinished = (status: JobStatus): boolean => isTrue(status, 'Complete') || isTrue(status, 'Failed');

/** Which of the fields that the rules ask about differ between the two statuses. */
function changesBetween(status: JobStatus, old: JobStatus) {
  const differs = (test: (status: JobStatus) => unknown): boolean => !deepEqual(test(status), test(old));
  const flag = (type: string): boolean => differs((s) => isTrue(s, type));
  return {
    finished: differs(isFinished),
    complete: flag('Complete'),
    failed: flag('Failed'),
    failureTarget: flag('FailureTarget'),
    successCriteriaMet: flag('SuccessCriteriaMet'),
    completedIndexes: differs((s) => s.completedIndexes ?? ''),
    failedIndexes: differs((s) => s.failedIndexes),
    active: differs((s) => s.active ?? 0),
    startTime: differs((s) => s.startTime),
    completionTime: differs((s) => s.completionTime),
    uncounted: differs((s) => s.uncountedTerminatedPods),
    ready: differs((s) => s.ready),
    terminating: differs((s) => s.terminating),
  };
}

export function validateJobStatus(found: Findings, job: Job, old: Job): void {
  const status = job.status ?? {};
  const before = old.status ?? {};
  const changed = changesBetween(status, before);
  for (const key of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const) {
    nonNegative(found, status[key], `status.${key}`);
  }
  if (status.uncountedTerminatedPods !== undefined) validateUncounted(found, status.uncountedTerminatedPods);
  validateConclusion(found, job, status, changed);
  validateIndexes(found, job, status, changed);
  validateSuccess(found, job, status);
  validateTransition(found, job, status, before, changed);
}

type Changes = ReturnType<typeof changesBetween>;

const CONDITIONS = 'status.conditions';

function validateUncounted(found: Findings, uncounted: UncountedTerminatedPods): void {
  const seen = new Set<string>();
  for (const key of ['succeeded', 'failed'] as const) {
    for (const [index, uid] of listOf(uncounted[key]).entries()) {
      const at = field.index(`status.uncountedTerminatedPods.${key}`, index);
      if (uid === '') found.push(invalid(at, uid, 'must not be empty'));
      else if (seen.has(uid)) found.push(duplicate(at, uid));
      seen.add(uid);
    }
  }
}

function validateConclusion(found: Findings, job: Job, status: JobStatus, changed: Changes): void {
  const complete = isTrue(status, 'Complete');
  const failed = isTrue(status, 'Failed');
  const finished = complete || failed;
  const refuse = (applies: boolean, text: string): void => {
    if (applies) found.push(invalidWithoutValue(CONDITIONS, text));
  };
  refuse(
    (changed.complete || changed.failed) && complete && failed,
    'cannot set Complete=True and Failed=true conditions',
  );
  refuse(
    (changed.complete || changed.failureTarget) && complete && isTrue(status, 'FailureTarget'),
    'cannot set Complete=True and FailureTarget=true conditions',
  );
  validateTimes(found, status, complete, changed);
  refuse(
    (changed.failed || changed.failedIndexes) && failed && !isTrue(status, 'FailureTarget'),
    'cannot set Failed=True condition without the FailureTarget=true condition',
  );
  refuse(
    (changed.complete || changed.successCriteriaMet) && complete && !isTrue(status, 'SuccessCriteriaMet'),
    'cannot set Complete=True condition without the SuccessCriteriaMet=true condition',
  );
  if (!finished) return;
  const { active = 0, terminating = 0, startTime, uncountedTerminatedPods: uncounted } = status;
  if ((changed.finished || changed.active) && active > 0) {
    found.push(invalid('status.active', active, 'active>0 is invalid for finished job'));
  }
  const neverRan = job.spec.suspend === true && job.spec.completions === 0;
  if ((changed.finished || changed.startTime) && !neverRan && startTime === undefined) {
    found.push(required('status.startTime', 'startTime is required for finished job'));
  }
  if ((changed.finished || changed.uncounted) && (isSet(uncounted?.failed) || isSet(uncounted?.succeeded))) {
    const shown = internalValue('batch.UncountedTerminatedPods', uncounted);
    found.push(invalid('status.uncountedTerminatedPods', shown, 'must be empty for finished job'));
  }
  if ((changed.finished || changed.terminating) && terminating > 0) {
    found.push(invalid('status.terminating', terminating, 'terminating>0 is invalid for finished job'));
  }
}

function validateTimes(found: Findings, status: JobStatus, complete: boolean, changed: Changes): void {
  const { startTime, completionTime } = status;
  const path = 'status.completionTime';
  if (changed.complete || changed.completionTime) {
    if (completionTime !== undefined && !complete) {
      const text = 'cannot set completionTime when there is no Complete=True condition';
      found.push(invalid(path, completionTime, text));
    }
    if (completionTime === undefined && complete) {
      found.push(required(path, 'completionTime is required for Complete jobs'));
    }
  }
  if (!changed.startTime && !changed.completionTime) return;
  if (startTime !== undefined && completionTime !== undefined && Date.parse(completionTime) < Date.parse(startTime)) {
    found.push(invalid(path, completionTime, 'must be equal to or after `startTime`'));
  }
}

function validateIndexes(found: Findings, job: Job, status: JobStatus, changed: Changes): void {
  const { completions, backoffLimitPerIndex, completionMode } = job.spec;
  const { completedIndexes: completed = '', failedIndexes: failed } = status;
  if (changed.completedIndexes && completions !== undefined) {
    const parsed = parseIndexes(completed, completions);
    if (!parsed.ok) {
      found.push(invalid('status.completedIndexes', completed, `error parsing completedIndexes: ${parsed.error}`));
    }
  }
  if (
    changed.failedIndexes &&
    completions !== undefined &&
    backoffLimitPerIndex !== undefined &&
    failed !== undefined
  ) {
    const parsed = parseIndexes(failed, completions);
    if (!parsed.ok) found.push(invalid('status.failedIndexes', failed, `error parsing failedIndexes: ${parsed.error}`));
  }
  if (changed.completedIndexes && completed !== '' && completionMode !== 'Indexed') {
    const text = 'cannot set non-empty completedIndexes when non-indexed completion mode';
    found.push(invalid('status.completedIndexes', completed, text));
  }
  if (changed.failedIndexes && backoffLimitPerIndex === undefined && failed !== undefined) {
    const text = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
    found.push(invalid('status.failedIndexes', failed, text));
  }
  if ((changed.failedIndexes || changed.completedIndexes) && completions !== undefined && failed !== undefined) {
    const common = firstCommonIndex(completed, failed, completions);
    if (common !== undefined) {
      const text = `failedIndexes and completedIndexes overlap at index: ${common}`;
      found.push(invalid('status.failedIndexes', failed, text));
    }
  }
  const { ready, active = 0 } = status;
  if ((changed.ready || changed.active) && ready !== undefined && ready > active) {
    found.push(invalid('status.ready', ready, 'cannot set more ready pods than active'));
  }
}

function validateSuccess(found: Findings, job: Job, status: JobStatus): void {
  const met = isTrue(status, 'SuccessCriteriaMet');
  const refuse = (applies: boolean, text: string): void => {
    if (applies) found.push(invalidWithoutValue(CONDITIONS, text));
  };
  refuse(met && isTrue(status, 'Failed'), 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  refuse(
    met && isTrue(status, 'FailureTarget'),
    'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
  );
  refuse(
    job.spec.successPolicy !== undefined && !met && isTrue(status, 'Complete'),
    'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
  );
}

function validateTransition(found: Findings, job: Job, status: JobStatus, before: JobStatus, changed: Changes): void {
  for (const type of ['Failed', 'Complete', 'FailureTarget']) {
    if (!isTrue(before, type) || isTrue(status, type)) continue;
    found.push(invalidWithoutValue(CONDITIONS, `cannot disable the terminal ${type}=True condition`));
  }
  const { failed = 0, succeeded = 0, completionTime, startTime } = status;
  if (failed < (before.failed ?? 0)) found.push(invalid('status.failed', failed, 'cannot decrease the failed counter'));
  const { completionMode, completions, parallelism, suspend } = job.spec;
  const mayShrink = completionMode === 'Indexed' && completions === parallelism;
  if (!mayShrink && succeeded < (before.succeeded ?? 0)) {
    found.push(invalid('status.succeeded', succeeded, 'cannot decrease the succeeded counter'));
  }
  if (completionTime !== undefined && before.completionTime !== undefined && completionTime !== before.completionTime) {
    found.push(invalid('status.completionTime', completionTime, 'field is immutable'));
  }
  const resuming = isJobSuspended(before) && isFalse(status, 'Suspended');
  if (changed.startTime && !resuming && before.startTime !== undefined && suspend !== true) {
    found.push(invalid('status.startTime', startTime ?? null, 'field is immutable for unsuspended job once set'));
  }
  const met = isTrue(status, 'SuccessCriteriaMet');
  const wasMet = isTrue(before, 'SuccessCriteriaMet');
  if (wasMet && !met) {
    found.push(invalidWithoutValue(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition'));
  }
  if (isTrue(before, 'Complete') && !wasMet && met) {
    const text = 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions';
    found.push(invalidWithoutValue(CONDITIONS, text));
  }
}
