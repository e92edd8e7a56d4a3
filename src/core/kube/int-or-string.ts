/** IntOrString: a number or a percentage, as in `maxUnavailable: 10%`. */
import { atoi, goQuote } from './go-text.ts';
import { percentProblems } from './value-formats.ts';

export type IntOrString = number | string;

export type ScaledValue =
  | { readonly ok: true; readonly value: number }
  /** In upstream's words. */
  | { readonly ok: false; readonly error: string };

/** The percentage, when the text is one. */
export function percentOf(value: IntOrString): number | undefined {
  return typeof value === 'string' && percentProblems(value).length === 0 ? Number(value.slice(0, -1)) : undefined;
}

/** The number that the value stands for, out of `total`; `rounding` is for percentages. */
export function scaledIntOrPercent(value: IntOrString, total: number, rounding: 'up' | 'down'): ScaledValue {
  if (typeof value === 'number') return { ok: true, value };
  if (!value.endsWith('%')) {
    return { ok: false, error: 'invalid value for IntOrString: invalid type: string is not a percentage' };
  }
  const parsed = atoi(value.slice(0, -1));
  if (!parsed.ok) {
    return { ok: false, error: `invalid value for IntOrString: invalid value ${goQuote(value)}: ${parsed.error}` };
  }
  const exact = (Number(parsed.value) * total) / 100;
  // Adding zero turns a negative zero into zero.
  return { ok: true, value: (rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)) + 0 };
}
