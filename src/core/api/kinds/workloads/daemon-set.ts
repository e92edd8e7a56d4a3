/**
 * DaemonSets. Here: defaults, rules and the strategy of the workload kinds, one file a kind; the template's own rules are
 * in `template.ts` and in `pod/`.
 */
import type { FieldError } from '../../../kube/field-errors.ts';
import { invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { deepEqual, withMember } from '../../../kube/immutable.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import type { DaemonSet, DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy } from '../../types/apps-v1.ts';
import { defaultTemplate } from '../pod/defaults/default-spec.ts';
import { dropDisabledInTemplate } from '../pod/disabled-fields.ts';
import type { Findings } from '../../rules/findings.ts';
import { addAll, lookup, nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import { hasInvalidSelector, selectorFindings } from '../pod/label-keys.ts';
import { IMMUTABLE, validateMeta, validateMetaUpdate } from '../../rules/meta-rules.ts';
import type { PodOptions } from '../pod/options.ts';
import { CREATE_TEMPLATE, optionsFromOldTemplate } from '../pod/options.ts';
import { templateWarnings } from '../pod/warnings.ts';
import { amountOf, validateIntOrPercent, validateNotOver100 } from './int-or-percent.ts';
import { validateNotDecremented } from './replica-status.ts';
import {
  compiled,
  isEmptySelector,
  shownSelector,
  validateRunsForever,
  validateSelects,
  validateTemplate,
} from './template.ts';

/** Counts the template's versions. Older API versions had a field for it, which lives on as this annotation. */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const ROLLING_UPDATE = 'RollingUpdate';
const HISTORY_LIMIT = 10;

function defaultUpdateStrategy(strategy: DaemonSetUpdateStrategy | undefined): DaemonSetUpdateStrategy {
  const type = strategy?.type || ROLLING_UPDATE;
  if (type !== ROLLING_UPDATE) return strategy ?? {};
  const rolling = strategy?.rollingUpdate;
  if (strategy?.type && rolling?.maxUnavailable !== undefined && rolling.maxSurge !== undefined) return strategy;
  const rollingUpdate = {
    ...rolling,
    maxUnavailable: rolling?.maxUnavailable ?? 1,
    maxSurge: rolling?.maxSurge ?? 0,
  };
  return { ...strategy, type, rollingUpdate };
}

function defaults(set: DaemonSet): DaemonSet {
  const spec: Partial<DaemonSetSpec> = set.spec ?? {};
  let filled = withMember(spec, 'template', defaultTemplate(spec.template));
  filled = withMember(filled, 'updateStrategy', defaultUpdateStrategy(spec.updateStrategy));
  filled = withMember(filled, 'revisionHistoryLimit', spec.revisionHistoryLimit ?? HISTORY_LIMIT);
  return withMember(set, 'spec', filled as DaemonSetSpec);
}

function templateGeneration({ metadata }: DaemonSet): number {
  const text = lookup(metadata.annotations, TEMPLATE_GENERATION) ?? '0';
  return /^-?[0-9]{1,18}$/.test(text) ? Number(text) : 0;
}

function withTemplateGeneration(set: DaemonSet, generation: number): DaemonSet {
  const annotations = withMember(set.metadata.annotations ?? {}, TEMPLATE_GENERATION, String(generation));
  return withMember(set, 'metadata', withMember(set.metadata, 'annotations', annotations));
}

/** Upstream's internal type holds both limits as plain values: where one is given, the other is written as zero. */
function withWholeRollingUpdate(set: DaemonSet): DaemonSet {
  const strategy = set.spec.updateStrategy;
  const rolling = strategy?.rollingUpdate;
  if (strategy === undefined || rolling === undefined) return set;
  if (rolling.maxSurge !== undefined && rolling.maxUnavailable !== undefined) return set;
  const rollingUpdate = { maxUnavailable: 0, maxSurge: 0, ...rolling };
  return withMember(set, 'spec', withMember(set.spec, 'updateStrategy', { ...strategy, rollingUpdate }));
}

function prepareForCreate(set: DaemonSet): DaemonSet {
  const template = dropDisabledInTemplate(set.spec.template, undefined);
  const spec = withMember(set.spec, 'template', template);
  const created = withMember(withMember(set, 'spec', spec), 'status', NEW_STATUS);
  return withTemplateGeneration(created, Math.max(1, templateGeneration(set)));
}

/** Counts that a status always has. */
const NEW_STATUS: DaemonSetStatus = Object.freeze({
  currentNumberScheduled: 0,
  numberMisscheduled: 0,
  desiredNumberScheduled: 0,
  numberReady: 0,
});

function prepareForUpdate(set: DaemonSet, old: DaemonSet, subresource: string): DaemonSet {
  const generation = templateGeneration(old);
  if (subresource === 'status') {
    return withTemplateGeneration(withMember(set, 'spec', old.spec), generation);
  }
  const template = dropDisabledInTemplate(set.spec.template, old.spec.template);
  const spec = withMember(set.spec, 'template', template);
  const updated = withMember(withMember(set, 'spec', spec), 'status', old.status);
  return withTemplateGeneration(updated, deepEqual(template, old.spec.template) ? generation : generation + 1);
}

function validateSpec(found: Findings, spec: DaemonSetSpec, options: PodOptions): void {
  const { selector, template } = spec;
  const allowInvalidValues = options.allowInvalidSelectorValues;
  addAll(found, selectorFindings(selector, 'spec.selector', { allowInvalidValues }));
  const selects = compiled(selector);
  if (selects !== undefined) validateSelects(found, selects, template, 'spec.template');
  if (selector !== undefined && isEmptySelector(selector)) {
    found.push(invalid('spec.selector', shownSelector(selector), 'empty selector is invalid for daemonset'));
  }
  validateTemplate(found, template, options, 'spec.template');
  validateRunsForever(found, template, 'DaemonSet', 'spec.template');
  nonNegative(found, spec.minReadySeconds, 'spec.minReadySeconds');
  validateUpdateStrategy(found, spec.updateStrategy ?? {}, 'spec.updateStrategy');
  nonNegative(found, spec.revisionHistoryLimit, 'spec.revisionHistoryLimit');
}

function validateUpdateStrategy(found: Findings, strategy: DaemonSetUpdateStrategy, path: string): void {
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return;
  if (type !== ROLLING_UPDATE) {
    const shown = internalValue('apps.DaemonSetUpdateStrategy', strategy);
    found.push(notSupported(path, shown, [ROLLING_UPDATE, 'OnDelete']));
    return;
  }
  const at = `${path}.rollingUpdate`;
  if (rollingUpdate === undefined) {
    found.push(required(at, ''));
    return;
  }
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate;
  validateIntOrPercent(found, maxUnavailable, `${at}.maxUnavailable`);
  validateIntOrPercent(found, maxSurge, `${at}.maxSurge`);
  validateNotOver100(found, maxUnavailable, `${at}.maxUnavailable`);
  validateNotOver100(found, maxSurge, `${at}.maxSurge`);
  const takesDown = amountOf(maxUnavailable) !== 0;
  const surges = amountOf(maxSurge) !== 0;
  if (takesDown && surges) {
    found.push(invalid(`${at}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (!takesDown && !surges) found.push(required(`${at}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
}

function validate(set: DaemonSet): readonly FieldError[] {
  const found = validateMeta(set.metadata);
  validateSpec(found, set.spec, CREATE_TEMPLATE);
  return found;
}

function validateUpdate(set: DaemonSet, old: DaemonSet, subresource: string): readonly FieldError[] {
  const found = validateMetaUpdate(set.metadata, old.metadata);
  if (subresource === 'status') {
    validateStatus(found, set.status, old.status);
    return found;
  }
  if (!deepEqual(set.spec.selector, old.spec.selector)) {
    found.push(invalid('spec.selector', shownSelector(set.spec.selector), IMMUTABLE));
  }
  const options = optionsFromOldTemplate(old.spec.template);
  const allowInvalidSelectorValues = options.allowInvalidSelectorValues || hasInvalidSelector(old.spec.selector);
  validateSpec(found, set.spec, { ...options, allowInvalidSelectorValues });
  return found;
}

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

function validateStatus(found: Findings, status: DaemonSetStatus | undefined, old: DaemonSetStatus | undefined): void {
  for (const key of COUNTS) nonNegative(found, status?.[key], `status.${key}`);
  validateNotDecremented(found, status?.collisionCount, old?.collisionCount);
}

export const daemonSetStrategy: KindStrategy<DaemonSet> = {
  defaults,
  prepareForCreate,
  prepareForUpdate,
  converted: (set) => withTemplateGeneration(withWholeRollingUpdate(set), templateGeneration(set)),
  validate,
  validateUpdate,
  warnings: (set, old) =>
    old !== undefined && deepEqual(set.spec.template, old.spec.template)
      ? []
      : templateWarnings(set.spec.template, 'spec.template'),
  generationChanged: (set, old) => !deepEqual(set.spec, old.spec),
  allowUnconditionalUpdate: true,
};
