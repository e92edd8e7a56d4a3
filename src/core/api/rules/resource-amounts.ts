/** Amounts of resources, as nodes, quotas and claims carry them. */
import { type FieldError, invalid } from '../../kube/field-errors.ts';
import { isWholeNumbered } from './resource-names.ts';
import { type Amount, amountText, isNegative, isWhole } from './quantities.ts';

const NOTHING: readonly FieldError[] = [];

export function validateResourceAmount(resource: string, amount: Amount, path: () => string): readonly FieldError[] {
  const negative = isNegative(amount);
  const broken = !isWhole(amount) && isWholeNumbered(resource);
  if (!negative && !broken) return NOTHING;
  const errors: FieldError[] = [];
  if (negative) errors.push(invalid(path(), amountText(amount), 'must be greater than or equal to 0'));
  if (broken) errors.push(invalid(path(), amountText(amount), 'must be an integer'));
  return errors;
}
