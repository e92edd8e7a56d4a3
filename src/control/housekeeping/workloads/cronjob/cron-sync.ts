/** One CronJob brought up to date: its Jobs looked through, the one that is due made, old ones deleted. */
import { CRON_JOBS, JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJob, CronJobStatus, Job } from '../../../../core/api/types/batch-v1.ts';
import type { ObjectReference } from '../../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference, isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import { formatTime, parseTime } from '../../../../core/kube/time.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { ReconcileResult } from '../../../../machinery/controller/controller.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import type { Children } from '../../../../machinery/children/child-index.ts';
import { isNamespaceTerminating, textOf } from '../../../../machinery/children/write-outcomes.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { Owner } from '../../../../machinery/children/owners.ts';
import type { Severity, Tell } from '../../../../machinery/children/tell.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import { isTimeZone, mostRecent, type ReadSchedule, readSchedule, type Schedule, zonedTime } from './schedule.ts';

export interface CronOwner extends Owner<CronJob> {
  readonly jobs: Overlay<Job>;
  /** The schedule as it was read. */
  read: { readonly text: string; readonly zone: string | undefined; readonly result: ReadSchedule } | undefined;
  /** What was said of the schedule, so that it is said once. */
  told: string;
}

export interface CronSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly children: Children<Job>;
}

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** After the time itself, so that it has certainly come. */
const SLACK_MS = 100;
const SUCCESSFUL_KEPT = 3;
const FAILED_KEPT = 1;

const endOf = ({ status }: Job): string | undefined =>
  status?.conditions?.find((each) => (each.type === 'Complete' || each.type === 'Failed') && each.status === 'True')
    ?.type;

/** Named after the minute it is for. */
export const jobName = (cron: CronJob, time: number): string => `${cron.metadata.name}-${Math.floor(time / 60_000)}`;

export function createCronSync(options: CronSyncOptions): (owner: CronOwner) => Promise<ReconcileResult> {
  const { client, clock, children } = options;
  const tell = (owner: CronOwner, type: Severity, reason: string, note: string): void =>
    options.tell(withType(CRON_JOBS, owner.object), type, reason, note);

  /** What is known of Jobs under way and last successes, from the Jobs themselves. */
  async function lookThrough(
    owner: CronOwner,
    jobs: readonly Stored<Job>[],
    before: CronJobStatus,
  ): Promise<CronJobStatus> {
    let active = before.active ?? [];
    let { lastSuccessfulTime } = before;
    for (const job of jobs) {
      const isListed = active.some(({ uid }) => uid === job.metadata.uid);
      const end = endOf(job);
      if (end === undefined) {
        const isByHand = !/^-[0-9]+$/.test(job.metadata.name.slice(owner.object.metadata.name.length));
        if (!isListed && isByHand)
          tellOnce(
            owner,
            'UnexpectedJob',
            `Saw a job that the controller did not create or forgot: ${job.metadata.name}`,
          );
        continue;
      }
      if (isListed) {
        active = active.filter(({ uid }) => uid !== job.metadata.uid);
        tell(owner, 'Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${end}`);
      }
      const completed = job.status?.completionTime;
      if (end === 'Complete' && completed !== undefined && (lastSuccessfulTime ?? '') < completed)
        lastSuccessfulTime = completed;
    }
    const present = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const reference of active) {
      if (present.has(reference.uid ?? '')) continue;
      // The cache may only be late.
      const { namespace = '', name = '' } = reference;
      const found = await client.get(JOBS, { namespace, name }).catch((error: unknown) => {
        if (isStatus(error, 'NotFound')) return undefined;
        throw error;
      });
      if (found?.metadata.uid === reference.uid) continue;
      tell(owner, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
      active = active.filter(({ uid }) => uid !== reference.uid);
    }
    return { ...before, active, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) };
  }

  function tellOnce(owner: CronOwner, reason: string, note: string): void {
    if (owner.told === note) return;
    owner.told = note;
    tell(owner, 'Warning', reason, note);
  }

  function scheduleOf(owner: CronOwner): Schedule | undefined {
    const { schedule: text, timeZone: zone } = owner.object.spec;
    if (zone !== undefined && !isTimeZone(zone)) {
      tellOnce(owner, 'UnknownTimeZone', `invalid timeZone: "${zone}": unknown time zone ${zone}`);
      return undefined;
    }
    if (owner.read === undefined || owner.read.text !== text || owner.read.zone !== zone)
      owner.read = { text, zone, result: readSchedule(text, zone) };
    const { result } = owner.read;
    if (result.ok) return result.schedule;
    tellOnce(owner, 'UnparseableSchedule', `unparseable schedule: "${text}" : ${result.error}`);
    return undefined;
  }

  const untilNext = (schedule: Schedule, after: number, now: number): ReconcileResult => {
    const next = schedule.next(after);
    return next === undefined ? {} : { requeueAfterMs: Math.max(1, next + SLACK_MS - now) };
  };

  async function remove(owner: CronOwner, job: Stored<Job>): Promise<void> {
    const { uid, name } = job.metadata;
    try {
      await client.delete(JOBS, keyOf(job), { propagationPolicy: 'Background', preconditions: { uid } });
    } catch (error) {
      if (!isStatus(error, 'NotFound')) {
        tell(owner, 'Warning', 'FailedDelete', `Deleted job: ${textOf(error)}`);
        throw error;
      }
    }
    owner.jobs.gone(job);
    tell(owner, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  }

  /** Makes the Job; undefined where somebody else has one of that name. */
  async function create(owner: CronOwner, time: number): Promise<Stored<Job> | undefined> {
    const cron = withType(CRON_JOBS, owner.object);
    const made = jobFor(cron, time);
    try {
      const created = await client.create(JOBS, made);
      owner.jobs.wrote(created);
      tell(owner, 'Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`);
      return created;
    } catch (error) {
      if (!isStatus(error, 'AlreadyExists')) {
        if (!isNamespaceTerminating(error))
          tell(owner, 'Warning', 'FailedCreate', `Error creating job: ${textOf(error)}`);
        throw error;
      }
      // Most likely our own, made by an attempt whose answer was lost.
      const present = await client.get(JOBS, keyOf(made));
      return isControlledBy(present, owner.object) ? present : undefined;
    }
  }

  interface Step {
    readonly status: CronJobStatus;
    readonly result: ReconcileResult;
  }

  async function start(owner: CronOwner, jobs: readonly Stored<Job>[], status: CronJobStatus): Promise<Step> {
    const cron = owner.object;
    const rest: Step = { status, result: {} };
    if (isBeingDeleted(cron)) return rest;
    const schedule = scheduleOf(owner);
    if (schedule === undefined || cron.spec.suspend === true) return rest;
    const now = clock.now();
    const { startingDeadlineSeconds } = cron.spec;
    const last = parseTime(status.lastScheduleTime ?? cron.metadata.creationTimestamp) ?? now;
    const window = startingDeadlineSeconds === undefined ? -Infinity : now - startingDeadlineSeconds * 1000;
    const due = mostRecent(schedule, Math.max(last, window), now);
    const later = (): Step => ({
      status,
      result: untilNext(schedule, mostRecent(schedule, last, now).time ?? last, now),
    });
    if (due.time === undefined) return later();
    const time = due.time;
    if (due.isLong)
      tell(
        owner,
        'Warning',
        'TooManyMissedTimes',
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      );
    if (time < window) {
      tell(owner, 'Warning', 'MissSchedule', `Missed scheduled time to start a job: ${rfc1123(time)}`);
      return later();
    }
    const { active = [] } = status;
    const name = jobName(cron, time);
    if (active.some((each) => each.name === name) || parseTime(status.lastScheduleTime ?? '') === time) return later();
    const policy = cron.spec.concurrencyPolicy ?? 'Allow';
    if (policy === 'Forbid' && active.length > 0) {
      tell(
        owner,
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return later();
    }
    let running = active;
    if (policy === 'Replace') {
      for (const reference of active) {
        const job = jobs.find(({ metadata }) => metadata.uid === reference.uid);
        if (job !== undefined) await remove(owner, job);
        running = running.filter((each) => each !== reference);
      }
    }
    const made = await create(owner, time);
    if (made === undefined) return { status: { ...status, active: running }, result: untilNext(schedule, now, now) };
    return {
      status: { ...status, active: [...running, referenceTo(made)], lastScheduleTime: formatTime(time) },
      result: untilNext(schedule, Math.max(time, now), now),
    };
  }

  /** Deletes the oldest finished Jobs beyond the limits. */
  async function cleanUp(owner: CronOwner, jobs: readonly Stored<Job>[]): Promise<void> {
    const { successfulJobsHistoryLimit = SUCCESSFUL_KEPT, failedJobsHistoryLimit = FAILED_KEPT } = owner.object.spec;
    const limits = [
      ['Complete', successfulJobsHistoryLimit],
      ['Failed', failedJobsHistoryLimit],
    ] as const;
    for (const [end, limit] of limits) {
      const finished = jobs.filter((job) => endOf(job) === end && !isBeingDeleted(job)).toSorted(byStart);
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await remove(owner, job);
    }
  }

  return async (owner) => {
    const jobs = owner.jobs.over(children.of(owner.uid));
    const before = owner.object.status ?? {};
    const seen = await lookThrough(owner, jobs, before);
    let step: Step = { status: seen, result: {} };
    let failure: { readonly error: unknown } | undefined;
    try {
      step = await start(owner, jobs, seen);
      await cleanUp(owner, jobs);
    } catch (error) {
      failure = { error };
    }
    const { active = [], ...rest } = step.status;
    const status: CronJobStatus = active.length === 0 ? rest : { ...rest, active };
    if (!deepEqual(status, before))
      owner.object = await client.update(CRON_JOBS, { ...owner.object, status }, { subresource: 'status' });
    if (failure !== undefined) throw failure.error;
    return step.result;
  };
}

const byStart = (a: Stored<Job>, b: Stored<Job>): number => {
  const start = ({ status }: Job): string => status?.startTime ?? '~';
  return compare(start(a), start(b)) || compare(a.metadata.name, b.metadata.name);
};
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function jobFor(cron: CronJob, time: number): Job {
  const { jobTemplate, timeZone } = cron.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { namespace } = cron.metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: jobName(cron, time),
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [SCHEDULED]: zonedTime(time, timeZone) },
      ownerReferences: [controllerReference(cron)],
    },
    spec: jobTemplate.spec ?? { template: {} },
  };
}

function referenceTo({ metadata }: Stored<Job>): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    resourceVersion,
  };
}

/** `Mon, 02 Jan 2006 15:04:05 +0000` */
const rfc1123 = (time: number): string => new Date(time).toUTCString().replace('GMT', '+0000');
