/**
 * Label tests for the hot path: one closure a requirement, no allocation per call. Labels come from users, so a key may
 * be `constructor` or `__proto__`: only own string values count.
 */
import { parseInt64 } from '../kube/go-text.ts';
import type { LabelSelector } from '../kube/meta-v1.ts';
import { labelValueProblems, qualifiedNameProblems } from '../kube/names.ts';

export type Labels = { readonly [key: string]: string } | undefined;
export type LabelTest = (labels: Labels) => boolean;

/** Inherited properties are never strings, so the type check is an own-property check without its cost. */
export function labelOf(labels: Labels, key: string): string | undefined {
  if (labels === undefined) return undefined;
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

const isLabelKey = (key: string): boolean => qualifiedNameProblems(key).length === 0;
const isLabelValue = (value: string): boolean => labelValueProblems(value).length === 0;

/** Any integer a double holds exactly, without building a bigint for it. */
const SHORT_INTEGER = /^-?\d{1,15}$/;

function integerOf(text: string): number | bigint | undefined {
  if (SHORT_INTEGER.test(text)) return Number(text);
  const parsed = parseInt64(text);
  return parsed.ok ? parsed.value : undefined;
}

/** `undefined` when the requirement is invalid (unknown operator, wrong number of values, impossible key or value). */
export function compileRequirement(
  key: string,
  operator: string,
  values: readonly string[] | undefined,
): LabelTest | undefined {
  const list = values ?? [];
  if (!isLabelKey(key) || !list.every(isLabelValue)) return undefined;
  switch (operator) {
    case 'In':
      return list.length === 0 ? undefined : inTest(key, list);
    case 'NotIn': {
      if (list.length === 0) return undefined;
      const isIn = inTest(key, list);
      return (labels) => !isIn(labels);
    }
    case 'Exists':
      return list.length > 0 ? undefined : (labels) => labelOf(labels, key) !== undefined;
    case 'DoesNotExist':
      return list.length > 0 ? undefined : (labels) => labelOf(labels, key) === undefined;
    case 'Gt':
    case 'Lt':
      return compareTest(key, operator, list);
    default:
      return undefined;
  }
}

function inTest(key: string, values: readonly string[]): LabelTest {
  const [only] = values;
  if (values.length === 1) return (labels) => labelOf(labels, key) === only;
  const set = new Set(values);
  return (labels) => {
    const value = labelOf(labels, key);
    return value !== undefined && set.has(value);
  };
}

function compareTest(key: string, operator: 'Gt' | 'Lt', values: readonly string[]): LabelTest | undefined {
  const limit = values.length === 1 && values[0] !== undefined ? integerOf(values[0]) : undefined;
  if (limit === undefined) return undefined;
  return (labels) => {
    const text = labelOf(labels, key);
    const value = text === undefined ? undefined : integerOf(text);
    if (value === undefined) return false;
    return operator === 'Gt' ? value > limit : value < limit;
  };
}

export interface LabelMatcher {
  readonly matches: LabelTest;
  /** True for a selector without requirements, which matches everything; several rules treat that one specially. */
  readonly empty: boolean;
  readonly tests: readonly LabelTest[];
}

export const matcherOf = (tests: readonly LabelTest[]): LabelMatcher => ({
  tests,
  empty: tests.length === 0,
  matches: (labels) => {
    for (const test of tests) if (!test(labels)) return false;
    return true;
  },
});

export const MATCHES_EVERYTHING: LabelMatcher = matcherOf([]);
/** An absent selector: matches nothing, and is not "empty". */
export const MATCHES_NOTHING: LabelMatcher = { tests: [() => false], empty: false, matches: () => false };

const compiledSelectors = new WeakMap<LabelSelector, LabelMatcher | 'invalid'>();

/** No selector matches nothing, `{}` everything. `'invalid'` when an expression cannot be read. */
export function compileLabelSelector(selector: LabelSelector | undefined): LabelMatcher | 'invalid' {
  if (selector === undefined) return MATCHES_NOTHING;
  let matcher = compiledSelectors.get(selector);
  if (matcher === undefined) compiledSelectors.set(selector, (matcher = compileSelector(selector)));
  return matcher;
}

function compileSelector(selector: LabelSelector): LabelMatcher | 'invalid' {
  const tests: LabelTest[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    const test = compileRequirement(key, 'In', [value]);
    if (test === undefined) return 'invalid';
    tests.push(test);
  }
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const test = operator === 'Gt' || operator === 'Lt' ? undefined : compileRequirement(key, operator, values);
    if (test === undefined) return 'invalid';
    tests.push(test);
  }
  return tests.length === 0 ? MATCHES_EVERYTHING : matcherOf(tests);
}

/** A further requirement that holds the pod's own value, from `matchLabelKeys`. Values of real labels need no check. */
export const equalsTest = (key: string, value: string): LabelTest => {
  return (labels) => labelOf(labels, key) === value;
};
