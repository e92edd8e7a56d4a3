/** The Jobs of a CronJob: reads their states, creates and deletes them. */
import { JOBS } from '../../../../core/api/registry/resources.ts';
import type { CronJob, CronJobStatus, Job } from '../../../../core/api/types/batch-v1.ts';
import type { ObjectReference } from '../../../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import { controllerReference, isControlledBy } from '../../../../core/kube/owner-references.ts';
import { isStatus } from '../../../../core/kube/status-error.ts';
import { keyOf } from '../../../../machinery/cache/object-keys.ts';
import { isNamespaceTerminating, textOf, unlessGone } from '../../../../machinery/children/write-outcomes.ts';
import { type CronRun, emit, named, warnOnce } from './cron-run.ts';
import { zonedTime } from '../../../../core/kube/cron/schedule.ts';

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
const SUCCESSFUL_KEPT = 3;
const FAILED_KEPT = 1;

const endOf = ({ status }: Job): string | undefined =>
  status?.conditions?.find((each) => (each.type === 'Complete' || each.type === 'Failed') && each.status === 'True')
    ?.type;

/** The Job's name, after the minute it is for. */
export const jobName = (cron: CronJob, time: number): string => `${cron.metadata.name}-${Math.floor(time / 60_000)}`;

/** The status with the Jobs under way and the last success as the Jobs themselves show them. */
export async function readJobs(run: CronRun, before: CronJobStatus): Promise<CronJobStatus> {
  let active = before.active ?? [];
  let { lastSuccessfulTime } = before;
  for (const job of run.jobs) {
    const isListed = active.some(({ uid }) => uid === job.metadata.uid);
    const end = endOf(job);
    if (end === undefined) {
      if (!isListed && !isNamedAfterMinute(run, job)) {
        const note = `Saw a job that the controller did not create or forgot: ${job.metadata.name}`;
        warnOnce(run, 'UnexpectedJob', note);
      }
      continue;
    }
    if (isListed) {
      active = active.filter(({ uid }) => uid !== job.metadata.uid);
      emit(run, 'Normal', 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${end}`);
    }
    const completed = job.status?.completionTime;
    if (end === 'Complete' && completed !== undefined && (lastSuccessfulTime ?? '') < completed)
      lastSuccessfulTime = completed;
  }
  active = await withoutMissing(run, active);
  return { ...before, active, ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }) };
}

const isNamedAfterMinute = ({ owner }: CronRun, { metadata }: Job): boolean =>
  /^-[0-9]+$/.test(metadata.name.slice(owner.object.metadata.name.length));

/** The references without those to Jobs that are gone. The server is asked, since the cache may only be late. */
async function withoutMissing(run: CronRun, active: readonly ObjectReference[]): Promise<readonly ObjectReference[]> {
  const present = new Set(run.jobs.map(({ metadata }) => metadata.uid));
  let found = active;
  for (const reference of active) {
    if (present.has(reference.uid ?? '')) continue;
    const { namespace = '', name = '' } = reference;
    const job = await unlessGone(run.client.get(JOBS, { namespace, name }));
    if (job?.metadata.uid === reference.uid) continue;
    emit(run, 'Normal', 'MissingJob', `Active job went missing: ${name}`);
    found = found.filter(({ uid }) => uid !== reference.uid);
  }
  return found;
}

export async function removeJob(run: CronRun, job: Stored<Job>): Promise<void> {
  const { uid, name } = job.metadata;
  const options = { propagationPolicy: 'Background', preconditions: { uid } } as const;
  try {
    await unlessGone(run.client.delete(JOBS, keyOf(job), options));
  } catch (error) {
    emit(run, 'Warning', 'FailedDelete', `Deleted job: ${textOf(error)}`);
    throw error;
  }
  run.owner.jobs.gone(job);
  emit(run, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
}

/** Creates the Job for this time; undefined where an object that the CronJob does not control has its name. */
export async function createJob(run: CronRun, time: number): Promise<Stored<Job> | undefined> {
  const { owner, client } = run;
  const made = jobFor(named(run), time);
  try {
    const created = await client.create(JOBS, made);
    owner.jobs.wrote(created);
    emit(run, 'Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`);
    return created;
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) {
      if (!isNamespaceTerminating(error)) emit(run, 'Warning', 'FailedCreate', `Error creating job: ${textOf(error)}`);
      throw error;
    }
    // Most likely an own Job, made by an attempt whose answer was lost.
    const present = await client.get(JOBS, keyOf(made));
    return isControlledBy(present, owner.object) ? present : undefined;
  }
}

/** Deletes the oldest finished Jobs beyond the limits. */
export async function trimJobs(run: CronRun): Promise<void> {
  const { successfulJobsHistoryLimit = SUCCESSFUL_KEPT, failedJobsHistoryLimit = FAILED_KEPT } = run.owner.object.spec;
  const limits = [
    ['Complete', successfulJobsHistoryLimit],
    ['Failed', failedJobsHistoryLimit],
  ] as const;
  for (const [end, limit] of limits) {
    const finished = run.jobs.filter((job) => endOf(job) === end && !isBeingDeleted(job)).toSorted(byStart);
    for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await removeJob(run, job);
  }
}

const byStart = (a: Stored<Job>, b: Stored<Job>): number => {
  const start = ({ status }: Job): string => status?.startTime ?? '~';
  return compare(start(a), start(b)) || compare(a.metadata.name, b.metadata.name);
};
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** @param cron with kind and apiVersion. */
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

export function referenceTo({ metadata }: Stored<Job>): ObjectReference {
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
