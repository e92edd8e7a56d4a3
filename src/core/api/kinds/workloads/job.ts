/** Jobs. A Job finds its pods by labels that the server makes from the Job's own identity. */
import type { FieldError } from '../../../kube/field-errors.ts';
import { invalid, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import { dns1123LabelProblems } from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { Job, JobSpec, PodFailurePolicy } from '../../types/batch-v1.ts';
import type { Container, PodSpec, PodTemplateSpec } from '../../types/core-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings, StringMap } from '../../rules/findings.ts';
import { addAll, has, listOf, lookup, MAX_INT32 } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { hasInvalidSelector, selectorFindings } from '../pod/label-keys.ts';
import { IMMUTABLE, validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { mapIfAny, mapShared } from '../../rules/sharing.ts';
import { templateWarnings } from '../pod/warnings.ts';
import { validateJobSpec } from './job-spec.ts';
import { isJobSuspended, validateJobStatus } from './job-status.ts';
import { nameWarnings } from './replica-set.ts';
import { compiled, shownSelector, validateSelects } from './template.ts';
import { createdOrChanged } from './told-once.ts';

const OLD_UID = 'controller-uid';
const OLD_NAME = 'job-name';
const UID = 'batch.kubernetes.io/controller-uid';
const NAME = 'batch.kubernetes.io/job-name';

/** Also applied to the spec inside a CronJob's template, since these defaults belong to the policy's own type. */
export function defaultFailurePolicy(policy: PodFailurePolicy | undefined): PodFailurePolicy | undefined {
  if (policy === undefined) return policy;
  const rules = mapShared(listOf(policy.rules), (rule) => {
    const patterns = mapIfAny(rule.onPodConditions, (pattern) =>
      pattern.status ? pattern : { ...pattern, status: 'True' },
    );
    return withMember(rule, 'onPodConditions', patterns);
  });
  return policy.rules === undefined ? policy : withMember(policy, 'rules', rules);
}

function defaults(job: Job): Job {
  const given: Partial<JobSpec> = job.spec ?? {};
  let spec = withMember(given, 'template', defaultTemplate(given.template));
  if (given.parallelism === undefined && given.completions === undefined) spec = withMember(spec, 'completions', 1);
  spec = withMember(spec, 'parallelism', given.parallelism ?? 1);
  const backoff = given.backoffLimitPerIndex === undefined ? 6 : MAX_INT32;
  spec = withMember(spec, 'backoffLimit', given.backoffLimit ?? backoff);
  spec = withMember(spec, 'completionMode', given.completionMode ?? 'NonIndexed');
  spec = withMember(spec, 'suspend', given.suspend ?? false);
  spec = withMember(spec, 'podFailurePolicy', defaultFailurePolicy(given.podFailurePolicy));
  const replacement = given.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec = withMember(spec, 'podReplacementPolicy', given.podReplacementPolicy ?? replacement);
  spec = withMember(spec, 'manualSelector', given.manualSelector ?? false);
  return withTemplateLabels(withMember(job, 'spec', spec as JobSpec));
}

/** A Job without labels has those of its pods, also the ones the server made for them. */
function withTemplateLabels(job: Job): Job {
  const labels = job.spec.template?.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata.labels ?? {}).length > 0) return job;
  return withMember(job, 'metadata', withMember(job.metadata, 'labels', labels));
}

/** Labels that no other Job's pods have. Labels the author wrote stay; validation compares them. */
function withGeneratedSelector(job: Job): Job {
  if (job.spec.manualSelector === true) return job;
  const { name, uid = '' } = job.metadata;
  const template = job.spec.template ?? {};
  const labels: StringMap = {
    [OLD_NAME]: name,
    [NAME]: name,
    [OLD_UID]: uid,
    [UID]: uid,
    ...template.metadata?.labels,
  };
  const metadata = { ...template.metadata, labels } as NonNullable<PodTemplateSpec['metadata']>;
  const selector = job.spec.selector ?? {};
  const matchLabels = has(selector.matchLabels, UID) ? selector.matchLabels : { ...selector.matchLabels, [UID]: uid };
  return {
    ...job,
    spec: {
      ...job.spec,
      template: { ...template, metadata },
      selector: { ...selector, ...(matchLabels === undefined ? undefined : { matchLabels }) },
    },
  };
}

function withCleanTemplate(job: Job, old: Job | undefined): Job {
  const template = dropDisabledInTemplate(job.spec.template ?? {}, old?.spec.template);
  return withMember(job, 'spec', withMember(job.spec, 'template', template));
}

function validateGenerated(found: Findings, job: Job, prefixed: boolean): void {
  const { spec, metadata } = job;
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const uid = metadata.uid ?? '';
  if (uid === '') found.push(required('metadata.uid', ''));
  const labels = spec.template?.metadata?.labels;
  const expected: { [key: string]: string } = { [OLD_UID]: uid, [OLD_NAME]: metadata.name };
  if (prefixed) {
    expected[UID] = uid;
    expected[NAME] = metadata.name;
  }
  for (const key of Object.keys(expected)) {
    const text = `must be '${expected[key] ?? ''}'`;
    const path = `spec.template.metadata.labels[${key}]`;
    const actual = lookup(labels, key);
    if (actual === undefined) found.push(required(path, text));
    else if (actual !== expected[key]) found.push(invalid(path, internalValue('{s', labels), text));
  }
  const selector = compiled(spec.selector);
  if (selector !== undefined && !selector.matches(expected)) {
    found.push(invalid('spec.selector', shownSelector(spec.selector), '`selector` not auto-generated'));
  }
}

function validateSpec(found: Findings, { selector, template, ...rest }: JobSpec, options: PodOptions): void {
  validateJobSpec(found, { ...rest, template }, options, 'spec');
  if (selector === undefined) found.push(required('spec.selector', ''));
  else {
    const allowInvalidValues = options.allowInvalidSelectorValues;
    addAll(found, selectorFindings(selector, 'spec.selector', { allowInvalidValues }));
  }
  const selects = compiled(selector);
  if (selects !== undefined) validateSelects(found, selects, template, 'spec.template');
}

function validateJob(found: Findings, job: Job, options: PodOptions, prefixed: boolean): void {
  addAll(found, validateMeta(job.metadata));
  validateGenerated(found, job, prefixed);
  validateSpec(found, job.spec, options);
  const { completionMode, completions = 0 } = job.spec;
  if (completionMode !== 'Indexed' || completions <= 0) return;
  const hostname = `${job.metadata.name}-${completions - 1}`;
  if (dns1123LabelProblems(hostname).length > 0) {
    const text = `will not able to create pod with invalid DNS label: ${hostname}`;
    found.push(invalid('metadata.name', job.metadata.name, text));
  }
}

/**
 * Whether the template's scheduling directives and resources may still change: the Job is suspended and has no pods.
 */
function templateIsOpen({ spec, status }: Job): boolean {
  const atRest = status?.startTime === undefined || isJobSuspended(status);
  return spec.suspend === true && atRest && (status?.active ?? 0) === 0;
}

function validateChanges(found: Findings, spec: JobSpec, old: Job): void {
  const before = old.spec;
  const refuse = (path: string, shown: unknown): void => {
    found.push(invalid(path, shown, IMMUTABLE));
  };
  validateCompletions(found, spec, before);
  if (!deepEqual(spec.selector, before.selector)) refuse('spec.selector', shownSelector(spec.selector));
  validateTemplateChanges(found, spec, old);
  if (spec.completionMode !== before.completionMode) refuse('spec.completionMode', spec.completionMode ?? null);
  if (!deepEqual(spec.podFailurePolicy, before.podFailurePolicy)) {
    refuse('spec.podFailurePolicy', internalValue('*batch.PodFailurePolicy', spec.podFailurePolicy));
  }
  if (spec.backoffLimitPerIndex !== before.backoffLimitPerIndex) {
    refuse('spec.backoffLimitPerIndex', spec.backoffLimitPerIndex ?? null);
  }
  if (spec.managedBy !== before.managedBy) refuse('spec.managedBy', spec.managedBy ?? null);
  if (!deepEqual(spec.successPolicy, before.successPolicy)) {
    refuse('spec.successPolicy', internalValue('*batch.SuccessPolicy', spec.successPolicy));
  }
}

function validateCompletions(found: Findings, spec: JobSpec, old: JobSpec): void {
  const { completions, parallelism } = spec;
  if (completions === old.completions) return;
  if (spec.completionMode !== 'Indexed') found.push(invalid('spec.completions', completions ?? null, IMMUTABLE));
  else if (completions !== undefined && completions !== parallelism) {
    found.push(invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism'));
  }
}

function validateTemplateChanges(found: Findings, spec: JobSpec, old: Job): void {
  const open = templateIsOpen(old);
  const template = spec.template ?? {};
  const before = open ? withNewPlacement(old.spec.template ?? {}, template) : (old.spec.template ?? {});
  if (old.spec.suspend !== true || !open) {
    if (deepEqual(template, before)) return;
    found.push(invalid('spec.template', internalValue('core.PodTemplateSpec', template), IMMUTABLE));
    return;
  }
  const comparable = before.spec === undefined ? undefined : withNewResources(before.spec, template.spec);
  if (deepEqual(template.spec, comparable)) return;
  found.push(invalid('spec.template.spec', internalValue('core.PodSpec', template.spec), IMMUTABLE));
}

/** The old template with the new one's directives for the scheduler. */
function withNewPlacement(old: PodTemplateSpec, template: PodTemplateSpec): PodTemplateSpec {
  const { spec, metadata } = template;
  if (old.spec === undefined || spec === undefined) return old;
  let placed = withMember(old.spec, 'affinity', newAffinity(old.spec, spec));
  placed = withMember(placed, 'nodeSelector', spec.nodeSelector);
  placed = withMember(placed, 'tolerations', spec.tolerations);
  placed = withMember(placed, 'schedulingGates', spec.schedulingGates);
  let meta = old.metadata ?? ({} as NonNullable<PodTemplateSpec['metadata']>);
  meta = withMember(withMember(meta, 'annotations', metadata?.annotations), 'labels', metadata?.labels);
  return { ...old, spec: placed, metadata: meta };
}

function newAffinity({ affinity: old }: PodSpec, { affinity }: PodSpec): PodSpec['affinity'] {
  if (affinity === undefined) {
    if (old === undefined) return undefined;
    const rest = withMember(old, 'nodeAffinity', undefined);
    return Object.keys(rest).length === 0 ? undefined : rest;
  }
  return withMember(old ?? {}, 'nodeAffinity', affinity.nodeAffinity);
}

function withNewResources(old: PodSpec, spec: PodSpec | undefined): PodSpec {
  const resized = (before: readonly Container[], after: readonly Container[]): readonly Container[] =>
    before.length !== after.length
      ? before
      : mapShared(before, (container, index) =>
          container.name === after[index]?.name
            ? withMember(container, 'resources', after[index]?.resources)
            : container,
        );
  const changed = withMember(old, 'containers', resized(listOf(old.containers), listOf(spec?.containers)));
  if (old.initContainers === undefined) return changed;
  return withMember(changed, 'initContainers', resized(old.initContainers, listOf(spec?.initContainers)));
}

const NEW_STATUS = Object.freeze({});

export const jobStrategy: KindStrategy<Job> = {
  defaults,
  /** Name and uid are known by now. */
  prepareForCreate: (job) =>
    withMember(withTemplateLabels(withCleanTemplate(withGeneratedSelector(job), undefined)), 'status', NEW_STATUS),
  prepareForUpdate(job, old, subresource) {
    if (subresource === 'status') return withMember(job, 'spec', old.spec);
    return withMember(withCleanTemplate(job, old), 'status', old.status);
  },
  validate(job): readonly FieldError[] {
    const found: FieldError[] = [];
    validateJob(found, job, CREATE_TEMPLATE, true);
    return found;
  },
  validateUpdate(job, old, subresource) {
    if (subresource === 'status') {
      const found = validateMetaUpdate(job.metadata, old.metadata);
      validateJobStatus(found, job, old);
      return found;
    }
    const fromOld = optionsFromOldTemplate(old.spec.template);
    const allowInvalidSelectorValues = fromOld.allowInvalidSelectorValues || hasInvalidSelector(old.spec.selector);
    const options = { ...fromOld, allowInvalidSelectorValues };
    const labels = old.spec.template?.metadata?.labels;
    const found: FieldError[] = [];
    validateJob(found, job, options, has(labels, NAME) && has(labels, UID));
    addAll(found, validateMetaUpdate(job.metadata, old.metadata));
    validateSpec(found, job.spec, options);
    validateChanges(found, job.spec, old);
    return found;
  },
  warnings: (job, old) => createdOrChanged(job, old, nameWarnings, () => jobSpecWarnings(job.spec, 'spec')),
  generationChanged: (job, old) => !deepEqual(job.spec, old.spec),
  allowUnconditionalUpdate: true,
};

const MANY_COMPLETIONS = 100_000;
const MANY_PODS = 10_000;

export function jobSpecWarnings(spec: Partial<JobSpec> | undefined, path: string): readonly string[] {
  const warnings = templateWarnings(spec?.template, `${path}.template`);
  const { completionMode, completions = 0, parallelism = 0 } = spec ?? {};
  if (completionMode !== 'Indexed' || completions <= MANY_COMPLETIONS || parallelism <= MANY_PODS) return warnings;
  const text =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [`${path}: ${text}`, ...warnings];
}
