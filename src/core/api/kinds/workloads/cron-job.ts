/** CronJobs. */
import { invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from '../../types/batch-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings } from '../../rules/findings.ts';
import { nonNegative } from '../../rules/findings.ts';
import { validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { isTimeZone, scheduleProblem } from '../../../kube/cron/schedule-problem.ts';
import { defaultFailurePolicy, jobSpecWarnings } from './job.ts';
import { validateJobSpec } from './job-spec.ts';
import { nameWarnings } from './replica-set.ts';
import { shownSelector } from './template.ts';
import { createdOrChanged } from './told-once.ts';

/** Names of Jobs get a suffix of eleven characters, and must fit a label. */
const ZONE_IN_SCHEDULE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

const MAX_NAME = 52;
const POLICIES = ['Allow', 'Forbid', 'Replace'];

function defaultJobTemplate(template: JobTemplateSpec | undefined): JobTemplateSpec {
  const given: Partial<JobSpec> = template?.spec ?? {};
  let spec = withMember(given, 'template', defaultTemplate(given.template));
  spec = withMember(spec, 'podFailurePolicy', defaultFailurePolicy(given.podFailurePolicy));
  return withMember(template ?? {}, 'spec', spec as JobSpec);
}

function validateSpec(found: Findings, spec: CronJobSpec, old: CronJobSpec | undefined, options: PodOptions): void {
  if (!spec.schedule) found.push(required('spec.schedule', ''));
  else validateSchedule(found, spec, old);
  nonNegative(found, spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds');
  if (spec.timeZone !== undefined && (old === undefined || old.timeZone !== spec.timeZone)) {
    validateTimeZone(found, spec.timeZone);
  }
  const { concurrencyPolicy: policy } = spec;
  if (!policy) found.push(required('spec.concurrencyPolicy', ''));
  else if (!POLICIES.includes(policy)) found.push(notSupported('spec.concurrencyPolicy', policy, POLICIES));
  validateJobTemplate(found, spec.jobTemplate?.spec ?? {}, options);
  nonNegative(found, spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit');
  nonNegative(found, spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit');
}

/** Selectors are made for each Job when it is created. */
function validateJobTemplate(found: Findings, spec: Partial<JobSpec>, options: PodOptions): void {
  const path = 'spec.jobTemplate.spec';
  validateJobSpec(found, spec, options, path);
  if (spec.selector !== undefined) {
    found.push(invalid(`${path}.selector`, shownSelector(spec.selector), '`selector` will be auto-generated'));
  }
  if (spec.manualSelector === true) found.push(notSupported(`${path}.manualSelector`, true, ['nil', 'false']));
}

function validateSchedule(found: Findings, { schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined): void {
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) found.push(invalid('spec.schedule', schedule, problem));
  if (!schedule.includes('TZ')) return;
  const hadZone = old?.schedule.includes('TZ') ?? false;
  if (!hadZone) {
    const text = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    found.push(invalid('spec.schedule', schedule, text));
  } else if (timeZone !== undefined) {
    found.push(invalid('spec.schedule', schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
}

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

function validateTimeZone(found: Findings, zone: string): void {
  const path = 'spec.timeZone';
  if (zone === '') {
    found.push(invalid(path, zone, 'timeZone must be nil or non-empty string'));
    return;
  }
  const wellFormed = zone
    .split('/')
    .every((part) => part !== '.' && part !== '..' && !part.startsWith('-') && ZONE_PART.test(part));
  if (!wellFormed) {
    found.push(invalid(path, zone, `unknown time zone ${zone}`));
    return;
  }
  if (zone.toLowerCase() === 'local') {
    const text = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    found.push(invalid(path, zone, text));
  }
  if (!isTimeZone(zone)) found.push(invalid(path, zone, `unknown time zone ${zone}`));
}

function withCleanTemplate(cron: CronJob, old: CronJob | undefined): CronJob {
  const { jobTemplate } = cron.spec;
  if (jobTemplate?.spec?.template === undefined) return cron;
  const template = dropDisabledInTemplate(jobTemplate.spec.template, old?.spec.jobTemplate?.spec?.template);
  const spec = withMember(jobTemplate.spec, 'template', template);
  return withMember(cron, 'spec', withMember(cron.spec, 'jobTemplate', withMember(jobTemplate, 'spec', spec)));
}

const NEW_STATUS = Object.freeze({});

export const cronJobStrategy: KindStrategy<CronJob> = {
  defaults(cron) {
    const given: Partial<CronJobSpec> = cron.spec ?? {};
    let spec = withMember(given, 'jobTemplate', defaultJobTemplate(given.jobTemplate));
    if (!given.concurrencyPolicy) spec = withMember(spec, 'concurrencyPolicy', 'Allow');
    spec = withMember(spec, 'suspend', given.suspend ?? false);
    spec = withMember(spec, 'successfulJobsHistoryLimit', given.successfulJobsHistoryLimit ?? 3);
    spec = withMember(spec, 'failedJobsHistoryLimit', given.failedJobsHistoryLimit ?? 1);
    return withMember(cron, 'spec', spec as CronJobSpec);
  },
  prepareForCreate: (cron) => withMember(withCleanTemplate(cron, undefined), 'status', NEW_STATUS),
  prepareForUpdate(cron, old, subresource) {
    if (subresource === 'status') return withMember(cron, 'spec', old.spec);
    return withMember(withCleanTemplate(cron, old), 'status', old.status);
  },
  validate(cron) {
    const found = validateMeta(cron.metadata);
    validateSpec(found, cron.spec, undefined, CREATE_TEMPLATE);
    const name = cron.metadata.name ?? '';
    if (exceedsBytes(name, MAX_NAME)) {
      found.push(invalid('metadata.name', name, `must be no more than ${MAX_NAME} characters`));
    }
    return found;
  },
  validateUpdate(cron, old, subresource) {
    if (subresource === 'status') return [];
    const found = validateMetaUpdate(cron.metadata, old.metadata);
    validateSpec(found, cron.spec, old.spec, optionsFromOldTemplate(old.spec.jobTemplate?.spec?.template));
    return found;
  },
  warnings: (cron, old) => [
    ...createdOrChanged(cron, old, nameWarnings, () =>
      jobSpecWarnings(cron.spec.jobTemplate?.spec, 'spec.jobTemplate.spec'),
    ),
    ...(cron.spec.schedule?.includes('TZ') ? [ZONE_IN_SCHEDULE] : []),
  ],
  generationChanged: (cron, old) => !deepEqual(cron.spec, old.spec),
  allowUnconditionalUpdate: true,
};
