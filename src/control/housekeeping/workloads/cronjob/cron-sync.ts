/** Reconciles one CronJob: its Jobs are read, the one that is due is created, old ones are deleted. */
import { CRON_JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJobStatus } from '../../../../core/api/types/batch-v1.ts';
import type { ObjectReference } from '../../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import { formatTime, parseTime } from '../../../../core/kube/time.ts';
import { requeueAfter } from '../../../../machinery/children/turn.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { createJob, jobName, readJobs, referenceTo, removeJob, trimJobs } from './cron-jobs.ts';
import { type CronOwner, type CronRun, type CronSyncOptions, emit, warnOnce } from './cron-run.ts';
import { mostRecent, readSchedule, type Schedule } from '../../../../core/kube/cron/schedule.ts';
import { isTimeZone } from '../../../../core/kube/cron/schedule-problem.ts';

/** A reconcile for a scheduled time comes a little after it, so that the time has certainly come. */
const SLACK_MS = 100;

interface Step {
  readonly status: CronJobStatus;
  readonly result: ReconcileResult;
}

export const createCronSync =
  (options: CronSyncOptions) =>
  async (owner: CronOwner): Promise<ReconcileResult> => {
    const run: CronRun = { ...options, owner, jobs: owner.jobs.over(options.index.of(owner.uid)) };
    const before = owner.object.status ?? {};
    const seen = await readJobs(run, before);
    let step: Step = { status: seen, result: {} };
    let failure: { readonly error: unknown } | undefined;
    try {
      step = await start(run, seen);
      await trimJobs(run);
    } catch (error) {
      failure = { error };
    }
    const { active = [], ...rest } = step.status;
    const status: CronJobStatus = active.length === 0 ? rest : { ...rest, active };
    if (!deepEqual(status, before))
      owner.object = await options.client.update(CRON_JOBS, { ...owner.object, status }, { subresource: 'status' });
    if (failure !== undefined) throw failure.error;
    return step.result;
  };

/** Creates the Job that is due, unless the schedule, the deadline or the concurrency policy says otherwise. */
async function start(run: CronRun, status: CronJobStatus): Promise<Step> {
  const cron = run.owner.object;
  if (isBeingDeleted(cron)) return { status, result: {} };
  const schedule = scheduleOf(run);
  if (schedule === undefined || cron.spec.suspend === true) return { status, result: {} };
  const now = run.clock.now();
  const last = parseTime(status.lastScheduleTime ?? cron.metadata.creationTimestamp) ?? now;
  const time = dueTime(run, schedule, status, last, now);
  if (time === undefined)
    return { status, result: untilNext(schedule, mostRecent(schedule, last, now).time ?? last, now) };
  const running = await makeRoom(run, status.active ?? []);
  const made = await createJob(run, time);
  if (made === undefined) return { status: { ...status, active: running }, result: untilNext(schedule, now, now) };
  return {
    status: { ...status, active: [...running, referenceTo(made)], lastScheduleTime: formatTime(time) },
    result: untilNext(schedule, Math.max(time, now), now),
  };
}

/** The scheduled time whose Job is to be created now; undefined for none. */
function dueTime(
  run: CronRun,
  schedule: Schedule,
  status: CronJobStatus,
  last: number,
  now: number,
): number | undefined {
  const cron = run.owner.object;
  const { startingDeadlineSeconds, concurrencyPolicy } = cron.spec;
  const window = startingDeadlineSeconds === undefined ? -Infinity : now - startingDeadlineSeconds * 1000;
  const { time, isLong } = mostRecent(schedule, Math.max(last, window), now);
  if (time === undefined) return undefined;
  if (isLong) {
    const note = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
    emit(run, 'Warning', 'TooManyMissedTimes', note);
  }
  if (time < window) {
    emit(run, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(time)}`);
    return undefined;
  }
  const { active = [] } = status;
  const name = jobName(cron, time);
  if (active.some((each) => each.name === name) || parseTime(status.lastScheduleTime ?? '') === time) return undefined;
  if (concurrencyPolicy === 'Forbid' && active.length > 0) {
    const note = 'Not starting job because prior execution is running and concurrency policy is Forbid';
    emit(run, 'Normal', 'JobAlreadyActive', note);
    return undefined;
  }
  return time;
}

/** With the concurrency policy Replace, deletes the Jobs under way. Returns those that go on. */
async function makeRoom(run: CronRun, active: readonly ObjectReference[]): Promise<readonly ObjectReference[]> {
  if (run.owner.object.spec.concurrencyPolicy !== 'Replace') return active;
  for (const reference of active) {
    const job = run.jobs.find(({ metadata }) => metadata.uid === reference.uid);
    if (job !== undefined) await removeJob(run, job);
  }
  return [];
}

function scheduleOf(run: CronRun): Schedule | undefined {
  const { owner } = run;
  const { schedule: text, timeZone: zone } = owner.object.spec;
  if (zone !== undefined && !isTimeZone(zone)) {
    warnOnce(run, 'UnknownTimeZone', `invalid timeZone: "${zone}": unknown time zone ${zone}`);
    return undefined;
  }
  if (owner.read === undefined || owner.read.text !== text || owner.read.zone !== zone)
    owner.read = { text, zone, result: readSchedule(text, zone) };
  const { result } = owner.read;
  if (result.ok) return result.schedule;
  warnOnce(run, 'UnparseableSchedule', `unparseable schedule: "${text}" : ${result.error}`);
  return undefined;
}

function untilNext(schedule: Schedule, after: number, now: number): ReconcileResult {
  const next = schedule.next(after);
  return requeueAfter(next === undefined ? undefined : Math.max(1, next + SLACK_MS - now));
}

/** `Mon, 02 Jan 2006 15:04:05 +0000` */
const rfc1123 = (time: number): string => new Date(time).toUTCString().replace('GMT', '+0000');
