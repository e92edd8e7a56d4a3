/**
 * Selectors over labels. A selector is compiled once into requirements whose test is a closure; matching is then a
 * handful of property reads. The text forms are read and printed in `selector-text.ts` and `label-selector.ts`.
 */
import { compareBytes, parseInt64 } from './go-text.ts';
import { field, invalid, type FieldError } from './field-errors.ts';
import type { Labels } from './labels.ts';
import { labelValueProblems, qualifiedNameProblems } from './names.ts';

export type SelectorOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

export interface Requirement {
  readonly key: string;
  readonly operator: SelectorOperator;
  readonly values: readonly string[];
}

export interface Selector {
  /** Sorted by key; all must hold. */
  readonly requirements: readonly Requirement[];
  /** Selects nothing at all: the selector of a field that is not set. */
  readonly selectsNothing: boolean;
  /** Selects everything. */
  readonly isEmpty: boolean;
  matches(labels: Labels | undefined): boolean;
  /** The canonical text. */
  toString(): string;
  /** The one value that the label must have, if the selector demands one. */
  requiredValue(key: string): string | undefined;
}

export class SelectorError extends Error {
  override readonly name = 'SelectorError';
  readonly code = 'EN_KUBE_SELECTOR_INVALID';
}

type Test = (labels: Labels) => boolean;

function testOf({ key, operator, values }: Requirement): Test {
  const [first = ''] = values;
  switch (operator) {
    case '=':
    case '==':
      return (labels) => labels[key] === first;
    case 'in': {
      if (values.length === 1) return (labels) => labels[key] === first;
      const set: ReadonlySet<unknown> = new Set(values);
      return (labels) => set.has(labels[key]);
    }
    case '!=':
      return (labels) => labels[key] !== first;
    case 'notin': {
      const set: ReadonlySet<unknown> = new Set(values);
      return (labels) => !set.has(labels[key]);
    }
    // Only strings are labels; members that an object inherits are not.
    case 'exists':
      return (labels) => typeof labels[key] === 'string';
    case '!':
      return (labels) => typeof labels[key] !== 'string';
    case 'gt':
      return compareTo(key, first, (value, bound) => value > bound);
    case 'lt':
      return compareTo(key, first, (value, bound) => value < bound);
  }
}

/** Everything that a selector of many requirements says of one key. */
interface KeyRule {
  /** The label must be there. */
  present: boolean;
  absent: boolean;
  /** The values that all sets (`in`, `=`) have in common. */
  allowed: ReadonlySet<string> | undefined;
  readonly denied: Set<string>;
  /** The highest `gt` and the lowest `lt`. */
  above: bigint | undefined;
  below: bigint | undefined;
}

/**
 * Matches by the labels that an object has: a label is absent for all but a few of hundreds of requirements, and what
 * those say of an absent label is known beforehand. The cost follows the object's labels, not the selector's length.
 */
function matcherByKey(requirements: readonly Requirement[]): (labels: Labels | undefined) => boolean {
  const rules = new Map<string, KeyRule>();
  for (const requirement of requirements) {
    let rule = rules.get(requirement.key);
    if (rule === undefined) {
      rule = {
        present: false,
        absent: false,
        allowed: undefined,
        denied: new Set(),
        above: undefined,
        below: undefined,
      };
      rules.set(requirement.key, rule);
    }
    addToRule(rule, requirement);
  }
  let required = 0;
  for (const { present } of rules.values()) if (present) required += 1;
  return (labels = NO_LABELS) => {
    let found = 0;
    for (const key in labels) {
      const rule = rules.get(key);
      if (rule === undefined) continue;
      if (!holds(rule, labels[key])) return false;
      if (rule.present) found += 1;
    }
    return found === required;
  };
}

function addToRule(rule: KeyRule, { operator, values }: Requirement): void {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      rule.present = true;
      rule.allowed = new Set(values).intersection(rule.allowed ?? new Set(values));
      return;
    case '!=':
    case 'notin':
      for (const value of values) rule.denied.add(value);
      return;
    case 'exists':
      rule.present = true;
      return;
    case '!':
      rule.absent = true;
      return;
    case 'gt':
    case 'lt':
      rule.present = true;
      addBound(rule, operator, values[0] ?? '');
  }
}

function addBound(rule: KeyRule, operator: 'gt' | 'lt', text: string): void {
  const bound = parseInt64(text);
  if (!bound.ok) rule.allowed = new Set();
  else if (operator === 'gt')
    rule.above = rule.above === undefined || bound.value > rule.above ? bound.value : rule.above;
  else rule.below = rule.below === undefined || bound.value < rule.below ? bound.value : rule.below;
}

/** Whether the rule holds for a label that is present. */
function holds({ above, absent, allowed, below, denied }: KeyRule, value: string | undefined): boolean {
  if (absent || typeof value !== 'string' || denied.has(value) || allowed?.has(value) === false) return false;
  if (above === undefined && below === undefined) return true;
  const number = parseInt64(value);
  if (!number.ok) return false;
  return (above === undefined || number.value > above) && (below === undefined || number.value < below);
}

function compareTo(key: string, bound: string, holds: (value: bigint, bound: bigint) => boolean): Test {
  const limit = parseInt64(bound);
  if (!limit.ok) return () => false;
  return (labels) => {
    const text: unknown = labels[key];
    if (typeof text !== 'string') return false;
    const value = parseInt64(text);
    return value.ok && holds(value.value, limit.value);
  };
}

const NO_LABELS: Labels = Object.freeze({});

/** Fewer requirements are tested one after the other, which is quicker than looking up every label of an object. */
const MOST_TESTED_SINGLY = 8;

function matcherOf(requirements: readonly Requirement[]): (labels: Labels | undefined) => boolean {
  const tests = requirements.map(testOf);
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return (labels) => only(labels ?? NO_LABELS);
  if (tests.length > MOST_TESTED_SINGLY) return matcherByKey(requirements);
  return (labels = NO_LABELS) => {
    for (const test of tests) if (!test(labels)) return false;
    return true;
  };
}

/** Compiles requirements that have been checked. */
export function selectorOf(requirements: readonly Requirement[]): Selector {
  if (requirements.length === 0) return EVERYTHING;
  const sorted = requirements.toSorted((a, b) => compareBytes(a.key, b.key));
  let text: string | undefined;
  return {
    requirements: sorted,
    selectsNothing: false,
    isEmpty: false,
    matches: matcherOf(sorted),
    toString: () => (text ??= sorted.map(formatRequirement).join(',')),
    requiredValue: (key) => {
      const first = sorted.find((requirement) => requirement.key === key);
      if (first === undefined || first.values.length !== 1) return undefined;
      return first.operator === '=' || first.operator === '==' || first.operator === 'in' ? first.values[0] : undefined;
    },
  };
}

const trivial = (selectsNothing: boolean): Selector =>
  Object.freeze({
    requirements: [],
    selectsNothing,
    isEmpty: !selectsNothing,
    matches: () => !selectsNothing,
    toString: () => '',
    requiredValue: () => undefined,
  });

export const EVERYTHING: Selector = trivial(false);
export const NOTHING: Selector = trivial(true);

/** The selector of a plain map such as `spec.nodeSelector` or a Service's: every pair must be there. */
export const selectorFromLabels = (labels: Labels | undefined): Selector =>
  selectorOf(Object.entries(labels ?? {}).map(([key, value]) => ({ key, operator: '=', values: [value] })));

function formatRequirement({ key, operator, values }: Requirement): string {
  const list = values.length < 2 ? (values[0] ?? '') : values.toSorted(compareBytes).join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    case '=':
    case '==':
    case '!=':
      return `${key}${operator}${list}`;
  }
}

/** Errors of a requirement, with upstream's paths and words. */
export function requirementErrors({ key, operator, values }: Requirement): readonly FieldError[] {
  const errors: FieldError[] = [];
  const keyProblems = qualifiedNameProblems(key);
  if (keyProblems.length > 0) errors.push(invalid('key', key, keyProblems.join('; ')));
  const wrongCount = countProblem(operator, values.length);
  if (wrongCount !== undefined) errors.push(invalid('values', values.length === 0 ? null : values, wrongCount));
  if (operator === 'gt' || operator === 'lt') {
    values.forEach((value, i) => {
      if (parseInt64(value).ok) return;
      errors.push(invalid(field.index('values', i), value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    });
  }
  values.forEach((value, i) => {
    const problems = labelValueProblems(value);
    if (problems.length > 0) {
      errors.push(invalid(field.key(field.index('values', i), key), value, problems.join('; ')));
    }
  });
  return errors;
}

function countProblem(operator: SelectorOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'exists':
    case '!':
      return count === 0 ? undefined : 'values set must be empty for exists and does not exist';
    case 'gt':
    case 'lt':
      return count === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}
