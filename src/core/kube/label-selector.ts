/** LabelSelector objects: `matchLabels` and `matchExpressions`, as they stand in specs. */
import { goQuote } from './go-text.ts';
import { aggregateMessage, field, forbidden, invalid, required, type FieldError } from './field-errors.ts';
import { validateLabelName, validateLabels } from './labels.ts';
import type { LabelSelector, LabelSelectorRequirement } from './meta-v1.ts';
import { labelValueProblems } from './names.ts';
import { EVERYTHING, NOTHING, requirementErrors, selectorOf, SelectorError } from './selector.ts';
import type { Requirement, Selector, SelectorOperator } from './selector.ts';
import { parseSelector } from './selector-text.ts';

const OPERATORS = new Map<string, SelectorOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

const NAMES = new Map<SelectorOperator, string>([...OPERATORS].map(([name, operator]) => [operator, name]));

/** Compiled selectors by identity; label selectors are immutable. */
const compiled = new WeakMap<LabelSelector, Selector>();

/** Compiles once per object. An absent selector selects nothing, an empty one everything. Throws `SelectorError`. */
export function compileLabelSelector(selector: LabelSelector | null | undefined): Selector {
  if (selector === undefined || selector === null) return NOTHING;
  let result = compiled.get(selector);
  if (result === undefined) {
    result = compile(selector);
    compiled.set(selector, result);
  }
  return result;
}

function compile({ matchLabels, matchExpressions }: LabelSelector): Selector {
  const requirements: Requirement[] = [];
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    requirements.push(checked({ key, operator: '=', values: [value] }));
  }
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = OPERATORS.get(operator);
    if (known === undefined) throw new SelectorError(`${goQuote(operator)} is not a valid label selector operator`);
    requirements.push(checked({ key, operator: known, values: values ?? [] }));
  }
  return requirements.length === 0 ? EVERYTHING : selectorOf(requirements);
}

function checked(requirement: Requirement): Requirement {
  const errors = requirementErrors(requirement);
  if (errors.length > 0) throw new SelectorError(aggregateMessage(errors));
  return requirement;
}

/** The selector as `kubectl describe` prints it. */
export function formatLabelSelector(selector: LabelSelector | null | undefined): string {
  try {
    const text = compileLabelSelector(selector).toString();
    return text === '' ? '<none>' : text;
  } catch (error) {
    if (error instanceof SelectorError) return '<error>';
    throw error;
  }
}

/** The object form of a text. Throws `SelectorError`; comparisons have no object form. */
export function labelSelectorFromText(text: string): LabelSelector {
  let selector: Selector;
  try {
    selector = parseSelector(text);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw new SelectorError(`couldn't parse the selector string "${text}": ${error.message}`);
  }
  const matchLabels: [string, string][] = [];
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of selector.requirements) {
    if (operator === '=' || operator === '==') {
      matchLabels.push([key, values[0] ?? '']);
      continue;
    }
    const name = NAMES.get(operator);
    if (name === undefined) {
      const why = operator === '!=' ? 'is not a valid label selector operator' : "isn't supported in label selectors";
      throw new SelectorError(`${goQuote(operator)} ${why}`);
    }
    matchExpressions.push({ key, operator: name, ...(values.length === 0 ? {} : { values }) });
  }
  return {
    ...(matchLabels.length === 0 ? {} : { matchLabels: Object.fromEntries(matchLabels) }),
    ...(matchExpressions.length === 0 ? {} : { matchExpressions }),
  };
}

export interface LabelSelectorValidation {
  /** For updates of objects whose values were stored before values were checked. */
  readonly allowInvalidValues?: boolean;
}

export function validateLabelSelector(
  selector: LabelSelector | null | undefined,
  path: string,
  options: LabelSelectorValidation = {},
): readonly FieldError[] {
  if (selector === undefined || selector === null) return [];
  const errors: FieldError[] = [...validateLabels(selector.matchLabels, field.child(path, 'matchLabels'))];
  selector.matchExpressions?.forEach((expression, i) => {
    const at = field.index(field.child(path, 'matchExpressions'), i);
    errors.push(...validateLabelSelectorRequirement(expression, at, options));
  });
  return errors;
}

export function validateLabelSelectorRequirement(
  { key, operator, values = [] }: LabelSelectorRequirement,
  path: string,
  options: LabelSelectorValidation = {},
): readonly FieldError[] {
  const errors: FieldError[] = [];
  const valuesPath = field.child(path, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    }
  } else {
    errors.push(invalid(field.child(path, 'operator'), operator, 'not a valid selector operator'));
  }
  errors.push(...validateLabelName(key, field.child(path, 'key')));
  if (options.allowInvalidValues === true) return errors;
  values.forEach((value, i) => {
    for (const problem of labelValueProblems(value)) errors.push(invalid(field.index(valuesPath, i), value, problem));
  });
  return errors;
}
