/** Numbers that may be written as a share: `maxUnavailable: 1` or `maxUnavailable: 25%`. */
import { invalid } from '../../../kube/field-errors.ts';
import { atoi } from '../../../kube/go-text.ts';
import { percentProblems } from '../../../kube/value-formats.ts';
import type { Findings } from '../../rules/findings.ts';
import { addTexts, nonNegative } from '../../rules/findings.ts';

export type IntOrPercent = number | string;

const percentOf = (value: IntOrPercent): number | undefined =>
  typeof value === 'string' && percentProblems(value).length === 0 ? Number(value.slice(0, -1)) : undefined;

/** The number in front, whatever it is a number of. */
export function amountOf(value: IntOrPercent): number {
  if (typeof value === 'number') return value;
  const percent = percentOf(value);
  if (percent !== undefined) return percent;
  const parsed = atoi(value);
  return parsed.ok ? Number(parsed.value) : 0;
}

export function validateIntOrPercent(found: Findings, value: IntOrPercent, path: string): void {
  if (typeof value === 'number') nonNegative(found, value, path);
  else addTexts(found, path, value, percentProblems(value));
}

export function validateNotOver100(found: Findings, value: IntOrPercent, path: string): void {
  if ((percentOf(value) ?? 0) > 100) found.push(invalid(path, value, 'must not be greater than 100%'));
}
