/**
 * Label selectors as placement uses them: what cannot be read is a value to act on, not an exception, because one
 * unreadable term of a pod must not stop the judgement of the others.
 */
import { compileLabelSelector } from '../kube/label-selector.ts';
import type { Labels as LabelMap } from '../kube/labels.ts';
import type { LabelSelector } from '../kube/meta-v1.ts';
import { type Requirement, requirementErrors, type Selector, SelectorError, selectorOf } from '../kube/selector.ts';
import type { SelectorOperator } from '../kube/selector.ts';

/** The labels of an object, which may have none. */
export type Labels = LabelMap | undefined;

/** No selector selects nothing, `{}` everything. */
export function readSelector(selector: LabelSelector | undefined): Selector | 'invalid' {
  try {
    return compileLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) return 'invalid';
    throw error;
  }
}

/** Both must hold. A selector that selects nothing stays so, whatever is added. */
export function narrow(selector: Selector, further: readonly Requirement[]): Selector {
  if (further.length === 0 || selector.selectsNothing) return selector;
  return selectorOf([...selector.requirements, ...further]);
}

const NODE_OPERATORS = new Map<string, SelectorOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

export interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Node selector expressions, all of which must hold; `'invalid'` when one of them cannot be read. */
export function readExpressions(expressions: readonly Expression[]): Selector | 'invalid' {
  const requirements: Requirement[] = [];
  for (const { key, operator, values } of expressions) {
    const known = NODE_OPERATORS.get(operator);
    if (known === undefined) return 'invalid';
    const requirement: Requirement = { key, operator: known, values: values ?? [] };
    if (requirementErrors(requirement).length > 0) return 'invalid';
    requirements.push(requirement);
  }
  return selectorOf(requirements);
}
