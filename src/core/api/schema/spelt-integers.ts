/**
 * Go reads `80` into an integer field and refuses `80.0` and `8e1`; once parsed, nobody can tell them apart. So whoever
 * still has the text asks here, and only such numbers are looked at twice.
 */
import { checkObject } from './check.ts';

/** A number with a point or an exponent, where a number can stand; in a string only if that looks like one. */
const SPELT_OUT = /(?:":|[[,])\s*-?\d+[.eE]/;
const PLAIN = /^-?\d+$/;

type SourceReviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** No fraction anybody writes; exact in binary, so that it is printed as it stands. */
const FRACTION = 2 ** -10;

/** What the decoder would say of whole numbers in that text that are not spelt as integers are; undefined if nothing. */
export function speltIntegerProblem(schemaName: string, text: string): string | undefined {
  if (!SPELT_OUT.test(text)) return undefined;
  const sources: string[] = [];
  // Each becomes a fraction that tells which one it was: where that is refused, an integer is wanted.
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
