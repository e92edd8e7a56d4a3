/** Lists of indexes in a Job's status and policies: `1,3-5,7`. */
import { atoi, goQuote } from '../../../kube/go-text.ts';

interface Interval {
  readonly first: number;
  readonly last: number;
}

type ParsedInterval =
  | { readonly ok: true; readonly interval: Interval }
  | { readonly ok: false; readonly error: string };

function parseInterval(text: string, completions: number): ParsedInterval {
  const limits = text.split('-');
  if (limits.length > 2) {
    const why = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { ok: false, error: `the fragment ${goQuote(text)} ${why}` };
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    const parsed = atoi(limit);
    if (!parsed.ok) return { ok: false, error: `cannot convert string to integer for index: ${goQuote(limit)}` };
    if (parsed.value >= completions) return { ok: false, error: `too large index: ${goQuote(limit)}` };
    numbers.push(Number(parsed.value));
  }
  const [first = 0, last] = numbers;
  if (last === undefined) return { ok: true, interval: { first, last: first } };
  if (first >= last) return { ok: false, error: `non-increasing order, previous: ${first}, current: ${last}` };
  return { ok: true, interval: { first, last } };
}

export type ParsedIndexes =
  | { readonly ok: true; readonly total: number }
  | { readonly ok: false; readonly error: string };

export function parseIndexes(text: string, completions: number): ParsedIndexes {
  if (text === '') return { ok: true, total: 0 };
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const parsed = parseInterval(part, completions);
    if (!parsed.ok) return parsed;
    const { first, last } = parsed.interval;
    if (previous !== undefined && previous >= first) {
      return { ok: false, error: `non-increasing order, previous: ${previous}, current: ${first}` };
    }
    total += last - first + 1;
    previous = last;
  }
  return { ok: true, total };
}

/** The first index in both lists. Parts that cannot be read are left out: they are reported elsewhere. */
export function firstCommonIndex(a: string, b: string, completions: number): number | undefined {
  if (a === '' || b === '') return undefined;
  const read = (text: string): readonly Interval[] =>
    text.split(',').flatMap((part) => {
      const parsed = parseInterval(part, completions);
      return parsed.ok ? [parsed.interval] : [];
    });
  const left = read(a);
  const right = read(b);
  let i = 0;
  let j = 0;
  for (;;) {
    const x = left[i];
    const y = right[j];
    if (x === undefined || y === undefined) return undefined;
    if (x.first <= y.last && y.first <= x.last) return Math.max(x.first, y.first);
    if (x.first <= y.first) i++;
    else j++;
  }
}
