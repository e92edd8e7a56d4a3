/** Validation of a Job's spec, shared by Jobs and by the template of a CronJob. */
import { duplicate, field, invalid, notSupported, required, tooLong, tooMany } from '../../../kube/field-errors.ts';
import { exceedsBytes } from '../../../kube/go-text.ts';
import { dns1123SubdomainProblems, patternProblem, qualifiedNameProblems } from '../../../kube/names.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../types/batch-v1.ts';
import type { FieldError } from '../../../kube/field-errors.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, isSet, listOf, nonNegative } from '../../rules/findings.ts';
import { internalValue } from '../pod/internal-form.ts';
import type { PodOptions } from '../pod/options.ts';
import { parseIndexes } from './job-indexes.ts';
import { validateTemplate } from './template.ts';

const MAX_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
const MANY_COMPLETIONS = 100_000;
const MAX_WITH_MANY_COMPLETIONS = 10_000;
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const MAX_PATTERNS = 20;
const MAX_MANAGED_BY = 63;
const MAX_INDEXES_BYTES = 64 * 1024;

const MODES = ['NonIndexed', 'Indexed'];

/** A finding that quotes no value. */
export const invalidWithoutValue = (path: string, text: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: path,
  message: `Invalid value: ${text}`,
});

export function validateJobSpec(found: Findings, spec: Partial<JobSpec>, options: PodOptions, path: string): void {
  for (const key of ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit'] as const) {
    nonNegative(found, spec[key], `${path}.${key}`);
  }
  nonNegative(found, spec.ttlSecondsAfterFinished, `${path}.ttlSecondsAfterFinished`);
  nonNegative(found, spec.backoffLimitPerIndex, `${path}.backoffLimitPerIndex`);
  if (spec.maxFailedIndexes !== undefined) {
    nonNegative(found, spec.maxFailedIndexes, `${path}.maxFailedIndexes`);
    if (spec.backoffLimitPerIndex === undefined) {
      found.push(required(`${path}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
    }
  }
  if (spec.managedBy !== undefined) validateManagedBy(found, spec.managedBy, `${path}.managedBy`);
  validateCompletionMode(found, spec, path);
  const { podFailurePolicy, successPolicy } = spec;
  if (podFailurePolicy !== undefined) validateFailurePolicy(found, spec, `${path}.podFailurePolicy`);
  if (successPolicy !== undefined && spec.completionMode !== 'Indexed') {
    const shown = internalValue('batch.SuccessPolicy', successPolicy);
    found.push(invalid(`${path}.successPolicy`, shown, 'requires indexed completion mode'));
  } else if (successPolicy !== undefined) {
    validateSuccessPolicy(found, listOf(successPolicy.rules), spec.completions ?? 0, `${path}.successPolicy.rules`);
  }
  validateReplacement(found, spec, `${path}.podReplacementPolicy`);
  validateTemplate(found, spec.template, options, `${path}.template`);
  validateJobRestartPolicy(found, spec, `${path}.template.spec.restartPolicy`);
}

const PATH_PATTERN = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const PATH_CHARACTERS = new RegExp(`^${PATH_PATTERN}$`);

function validateManagedBy(found: Findings, name: string, path: string): void {
  const slash = name.indexOf('/');
  if (name === '') found.push(required(path, ''));
  else if (slash <= 0 || slash === name.length - 1) {
    found.push(invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")'));
  } else {
    const domain = name.slice(0, slash);
    const rest = name.slice(slash + 1);
    addTexts(found, path, domain, dns1123SubdomainProblems(domain));
    if (!PATH_CHARACTERS.test(rest)) found.push(invalid(path, rest, patternProblem('Invalid path', PATH_PATTERN)));
  }
  if (exceedsBytes(name, MAX_MANAGED_BY)) found.push(tooLong(path, MAX_MANAGED_BY));
}

function validateCompletionMode(found: Findings, spec: Partial<JobSpec>, path: string): void {
  const { completionMode: mode, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (mode !== undefined && !MODES.includes(mode)) found.push(notSupported(`${path}.completionMode`, mode, MODES));
  if (mode === 'Indexed') validateIndexed(found, spec, path);
  if (mode !== undefined && mode !== 'NonIndexed') return;
  if (backoffLimitPerIndex !== undefined) {
    found.push(invalid(`${path}.backoffLimitPerIndex`, backoffLimitPerIndex, 'requires indexed completion mode'));
  }
  if (maxFailedIndexes !== undefined) {
    found.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'requires indexed completion mode'));
  }
}

function validateIndexed(found: Findings, spec: Partial<JobSpec>, path: string): void {
  const { completions, parallelism = 0, maxFailedIndexes } = spec;
  const limited = (key: 'parallelism' | 'maxFailedIndexes', value: number, limit: number, when: string): void => {
    if (value <= limit) return;
    found.push(invalid(`${path}.${key}`, value, `must be less than or equal to ${limit}${when}`));
  };
  if (completions === undefined) found.push(required(`${path}.completions`, 'when completion mode is Indexed'));
  limited('parallelism', parallelism, MAX_PARALLELISM, ' when completion mode is Indexed');
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions) {
    found.push(invalid(`${path}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  limited('maxFailedIndexes', maxFailedIndexes ?? 0, MAX_FAILED_INDEXES, '');
  if (completions === undefined || completions <= MANY_COMPLETIONS || spec.backoffLimitPerIndex === undefined) return;
  if (maxFailedIndexes === undefined) {
    const text = `must be specified when completions is above ${MANY_COMPLETIONS}`;
    found.push(required(`${path}.maxFailedIndexes`, text));
  }
  const when = ` when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  limited('parallelism', parallelism, MAX_WITH_MANY_COMPLETIONS, when);
  limited('maxFailedIndexes', maxFailedIndexes ?? 0, MAX_WITH_MANY_COMPLETIONS, when);
}

const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];

const validValues = (values: readonly string[]): string =>
  `valid values: [${values.map((value) => `"${value}"`).join(' ')}]`;

function validateFailurePolicy(found: Findings, spec: Partial<JobSpec>, path: string): void {
  const rules = listOf(spec.podFailurePolicy?.rules);
  if (rules.length > MAX_RULES) found.push(tooMany(`${path}.rules`, rules.length, MAX_RULES));
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = new Set([...listOf(containers), ...listOf(initContainers)].map(({ name }) => name));
  const perIndex = spec.backoffLimitPerIndex !== undefined;
  for (const [index, rule] of rules.entries()) {
    validateFailureRule(found, rule, perIndex, names, field.index(`${path}.rules`, index));
  }
}

function validateFailureRule(
  found: Findings,
  { action, onExitCodes, onPodConditions }: PodFailurePolicyRule,
  perIndex: boolean,
  names: ReadonlySet<string>,
  path: string,
): void {
  if (!action) found.push(required(`${path}.action`, validValues(ACTIONS)));
  else if (action === 'FailIndex' && !perIndex) {
    found.push(invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  } else if (!ACTIONS.includes(action)) found.push(notSupported(`${path}.action`, action, ACTIONS));
  if (onExitCodes !== undefined) validateExitCodes(found, onExitCodes, names, `${path}.onExitCodes`);
  if (isSet(onPodConditions)) validatePatterns(found, listOf(onPodConditions), `${path}.onPodConditions`);
  if (onExitCodes !== undefined && isSet(onPodConditions)) {
    found.push(invalidWithoutValue(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (onExitCodes === undefined && !isSet(onPodConditions)) {
    found.push(invalidWithoutValue(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
}

function validatePatterns(
  found: Findings,
  patterns: readonly PodFailurePolicyOnPodConditionsPattern[],
  path: string,
): void {
  if (patterns.length > MAX_PATTERNS) found.push(tooMany(path, patterns.length, MAX_PATTERNS));
  for (const [index, { type, status }] of patterns.entries()) {
    const at = field.index(path, index);
    addTexts(found, `${at}.type`, type, qualifiedNameProblems(type));
    if (!status) found.push(required(`${at}.status`, validValues(CONDITION_STATUSES)));
    else if (!CONDITION_STATUSES.includes(status)) {
      found.push(notSupported(`${at}.status`, status, CONDITION_STATUSES));
    }
  }
}

function validateExitCodes(
  found: Findings,
  requirement: PodFailurePolicyOnExitCodesRequirement,
  names: ReadonlySet<string>,
  path: string,
): void {
  const { operator, containerName } = requirement;
  const values = listOf(requirement.values);
  if (!operator) found.push(required(`${path}.operator`, validValues(OPERATORS)));
  else if (!OPERATORS.includes(operator)) found.push(notSupported(`${path}.operator`, operator, OPERATORS));
  if (containerName !== undefined && !names.has(containerName)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    found.push(invalid(`${path}.containerName`, containerName, text));
  }
  const at = `${path}.values`;
  if (values.length === 0) found.push(invalid(at, requirement.values ?? null, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) found.push(tooMany(at, values.length, MAX_EXIT_CODES));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (operator === 'In' && value === 0) {
      found.push(invalid(field.index(at, index), value, 'must not be 0 for the In operator'));
    }
    if (seen.has(value)) found.push(duplicate(field.index(at, index), value));
    seen.add(value);
  }
  if (values.some((value, index) => (values[index - 1] ?? value) > value)) {
    found.push(invalid(at, values, 'must be ordered'));
  }
}

function validateSuccessPolicy(
  found: Findings,
  rules: readonly SuccessPolicyRule[],
  completions: number,
  path: string,
): void {
  if (rules.length === 0) {
    found.push(required(path, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (rules.length > MAX_RULES) found.push(tooMany(path, rules.length, MAX_RULES));
  for (const [index, rule] of rules.entries()) validateSuccessRule(found, rule, completions, field.index(path, index));
}

function validateSuccessRule(found: Findings, rule: SuccessPolicyRule, completions: number, path: string): void {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (count === undefined && indexes === undefined) {
    found.push(required(path, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let total = 0;
  if (indexes !== undefined) {
    const at = `${path}.succeededIndexes`;
    if (exceedsBytes(indexes, MAX_INDEXES_BYTES)) found.push(tooLong(at, MAX_INDEXES_BYTES));
    const parsed = parseIndexes(indexes, completions);
    if (parsed.ok) total = parsed.total;
    else found.push(invalid(at, indexes, `error parsing succeededIndexes: ${parsed.error}`));
  }
  if (count === undefined) return;
  const at = `${path}.succeededCount`;
  nonNegative(found, count, at);
  if (count > completions) {
    const text = `must be less than or equal to ${completions} (the number of specified completions)`;
    found.push(invalid(at, count, text));
  }
  if (indexes !== undefined && count > total) {
    const text = `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`;
    found.push(invalid(at, count, text));
  }
}

const REPLACEMENTS = ['Failed', 'TerminatingOrFailed'];

function validateReplacement(found: Findings, spec: Partial<JobSpec>, path: string): void {
  const policy = spec.podReplacementPolicy;
  if (policy === undefined) return;
  const allowed = spec.podFailurePolicy === undefined ? REPLACEMENTS : ['Failed'];
  if (!allowed.includes(policy)) found.push(notSupported(path, policy, allowed));
}

/** A Job ends, so its pods may not be restarted for ever. */
function validateJobRestartPolicy(found: Findings, spec: Partial<JobSpec>, path: string): void {
  const policy = spec.template?.spec?.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') found.push(required(path, 'valid values: "OnFailure", "Never"'));
  else if (policy !== 'OnFailure' && policy !== 'Never') {
    found.push(notSupported(path, policy, ['OnFailure', 'Never']));
  } else if (spec.podFailurePolicy !== undefined && policy !== 'Never') {
    found.push(invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified'));
  }
}
