/** Values of the operator's flags; invalid ones are reported in the words of the flag. */
import { parseGoDuration } from '../core/kube/go-duration.ts';
import { dns1123SubdomainProblems } from '../core/kube/names.ts';
import { CliError } from './support/cli-error.ts';

export const MAX_PORT = 65_535;
export const MAX_RATE = 1_000_000;

export const expected = (flag: string, text: string, what: string): CliError =>
  new CliError(`invalid argument ${JSON.stringify(text.slice(0, 100))} for ${flag}: expected ${what}`);

export function truth(flag: string, value: string | boolean): boolean {
  if (value === true || value === 'true') return true;
  if (value === 'false') return false;
  throw expected(flag, String(value), 'true or false');
}

export function duration(flag: string, text: string): number {
  const ms = parseGoDuration(text);
  if (ms === undefined || ms <= 0) throw expected(flag, text, 'a time such as 15s');
  return ms;
}

export function whole(flag: string, text: string, max: number, min = 0): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw expected(flag, text, `a whole number from ${min} to ${max}`);
}

export function amount(flag: string, text: string): number {
  const value = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && value <= MAX_RATE) return value;
  throw expected(flag, text, `a number from 0 to ${MAX_RATE}`);
}

export function objectName(flag: string, text: string): string {
  if (dns1123SubdomainProblems(text).length > 0) throw expected(flag, text, 'the name of an object');
  return text;
}
