import type { CronJob, Job } from '../types/batch-v1.ts';
import { AGE, containers, flag, int, NAME, printer, selector, text } from './columns.ts';
import { humanDuration } from '../../kube/time.ts';
import { conditionStatus, NONE, since, UNSET } from './text.ts';

function completions(job: Job): string {
  const succeeded = job.status?.succeeded ?? 0;
  const wanted = job.spec?.completions;
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = job.spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: Job, now: number): string {
  const start = job.status?.startTime;
  if (!start) return '';
  const end = job.status?.completionTime;
  return humanDuration((end ? Date.parse(end) : now) - Date.parse(start));
}

function status(job: Job): string {
  const has = (type: string): boolean => conditionStatus(job.status?.conditions, type) === 'True';
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp) return 'Terminating';
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) if (has(type)) return type;
  return 'Running';
}

export const jobPrinter = printer<Job>([
  NAME,
  text('Status', 'How far the job is', status),
  text('Completions', 'Pods that succeeded of those that must', completions),
  text('Duration', 'Time from start to end, or until now', duration),
  AGE,
  ...containers<Job>(({ spec }) => spec?.template?.spec?.containers),
  selector(({ spec }) => spec?.selector),
]);

const suspendText = (suspend: boolean | undefined): string =>
  suspend === undefined ? UNSET : suspend ? 'True' : 'False';

function lastSchedule(object: CronJob, now: number): string {
  const last = object.status?.lastScheduleTime;
  return last ? since(last, now) : NONE;
}

export const cronJobPrinter = printer<CronJob>([
  NAME,
  text('Schedule', 'When jobs are made, in cron notation', ({ spec }) => spec?.schedule ?? ''),
  text('Timezone', 'Time zone of the schedule', ({ spec }) => spec?.timeZone ?? NONE),
  flag('Suspend', 'Whether no more jobs are made for now', ({ spec }) => suspendText(spec?.suspend)),
  int('Active', 'Jobs running', (object) => object.status?.active?.length ?? 0),
  text('Last Schedule', 'Time since a job was last made', lastSchedule),
  AGE,
  ...containers<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec?.containers),
  selector(({ spec }) => spec?.jobTemplate?.spec?.selector),
]);
