/** Conditions of the type that newer kinds share; older kinds have looser ones of their own. */
import {
  duplicate,
  type FieldError,
  field,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../kube/field-errors.ts';
import { exceedsBytes } from '../../kube/go-text.ts';
import type { Condition } from '../../kube/meta-v1.ts';
import { conditionReasonProblems } from '../../kube/value-formats.ts';
import { append } from './append.ts';
import { validateLabelName } from './metadata.ts';

const NOTHING: readonly FieldError[] = [];
const CONDITION_STATUSES = ['False', 'True', 'Unknown'];
const MAX_CONDITION_REASON = 1024;
const MAX_CONDITION_MESSAGE = 32 * 1024;

export function validateConditions(conditions: readonly Condition[] | undefined, path: string): readonly FieldError[] {
  if (!conditions) return NOTHING;
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, condition] of conditions.entries()) {
    const at = field.index(path, index);
    if (seen.has(condition.type)) errors.push(duplicate(field.child(at, 'type'), condition.type));
    seen.add(condition.type);
    append(errors, validateCondition(condition, at));
  }
  return errors;
}

function validateCondition(condition: Condition, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { type, status, observedGeneration = 0, reason, message, lastTransitionTime } = condition;
  append(errors, validateLabelName(type, field.child(path, 'type')));
  if (!CONDITION_STATUSES.includes(status)) {
    errors.push(notSupported(field.child(path, 'status'), status, CONDITION_STATUSES));
  }
  if (observedGeneration < 0) {
    errors.push(
      invalid(field.child(path, 'observedGeneration'), observedGeneration, 'must be greater than or equal to zero'),
    );
  }
  if (!lastTransitionTime) errors.push(required(field.child(path, 'lastTransitionTime'), ''));
  const reasonPath = field.child(path, 'reason');
  if (reason === '') errors.push(required(reasonPath, ''));
  else {
    for (const text of conditionReasonProblems(reason)) errors.push(invalid(reasonPath, reason, text));
    if (exceedsBytes(reason, MAX_CONDITION_REASON)) errors.push(tooLong(reasonPath, MAX_CONDITION_REASON));
  }
  if (exceedsBytes(message, MAX_CONDITION_MESSAGE)) {
    errors.push(tooLong(field.child(path, 'message'), MAX_CONDITION_MESSAGE));
  }
  return errors;
}
