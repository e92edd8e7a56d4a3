/**
 * Go reads `80` into an integer field and refuses `80.0` and `8e1`; parsed values no longer show the difference.
 * Callers that still have the text check it here, and only such numbers are looked at twice.
 */
import { checkObject } from './check.ts';

/** A number with a point or an exponent, where a number can stand; a match within a string only costs a closer look. */
const SPELT_OUT = /(?:":|[[,])\s*-?\d+[.eE]/;
const PLAIN = /^-?\d+$/;

type SourceReviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** A fraction that no client writes; exact in binary, so that it is printed unchanged. */
const FRACTION = 2 ** -10;

/** The decoder's message about a whole number that is not spelt as an integer; undefined if there is none. */
export function speltIntegerProblem(schemaName: string, text: string): string | undefined {
  if (!SPELT_OUT.test(text)) return undefined;
  const sources: string[] = [];
  // Each such number becomes a fraction with its ordinal: a refused fraction means that the field wants an integer.
  const marked = parseWithSource(text, (_key, value, { source }) => {
    if (typeof value !== 'number' || source === undefined || !Number.isSafeInteger(value) || PLAIN.test(source)) {
      return value;
    }
    sources.push(source);
    return sources.length + FRACTION;
  });
  if (sources.length === 0) return undefined;
  const { error } = checkObject(schemaName, marked);
  const [, whole, which] = /^(json: cannot unmarshal number (\d+)\.0009765625) /.exec(error ?? '') ?? [];
  const source = sources[Number(which) - 1];
  if (error === undefined || whole === undefined || source === undefined) return undefined;
  return `json: cannot unmarshal number ${source}${error.slice(whole.length)}`;
}
