import type { CronJob, Job } from '../types/batch-v1.ts';
import { AGE, CONTAINERS, flag, IMAGES, int, NAME, printer, SELECTOR, text } from './columns.ts';
import { humanDuration } from '../../kube/time.ts';
import { age, conditionStatus, containerCells, NONE, selectorCell, since, UNSET } from './text.ts';

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

export const jobPrinter = printer<Job>(
  [
    NAME,
    text('Status', 'How far the job is'),
    text('Completions', 'Pods that succeeded of those that must'),
    text('Duration', 'Time from start to end, or until now'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (job, now) => [
    job.metadata.name,
    status(job),
    completions(job),
    duration(job, now),
    age(job, now),
    ...containerCells(job.spec?.template?.spec?.containers),
    selectorCell(job.spec?.selector),
  ],
);

const suspendText = (suspend: boolean | undefined): string =>
  suspend === undefined ? UNSET : suspend ? 'True' : 'False';

export const cronJobPrinter = printer<CronJob>(
  [
    NAME,
    text('Schedule', 'When jobs are made, in cron notation'),
    text('Timezone', 'Time zone of the schedule'),
    flag('Suspend', 'Whether no more jobs are made for now'),
    int('Active', 'Jobs running'),
    text('Last Schedule', 'Time since a job was last made'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  (object, now) => {
    const last = object.status?.lastScheduleTime;
    const job = object.spec?.jobTemplate?.spec;
    return [
      object.metadata.name,
      object.spec?.schedule ?? '',
      object.spec?.timeZone ?? NONE,
      suspendText(object.spec?.suspend),
      object.status?.active?.length ?? 0,
      last ? since(last, now) : NONE,
      age(object, now),
      ...containerCells(job?.template?.spec?.containers),
      selectorCell(job?.selector),
    ];
  },
);
