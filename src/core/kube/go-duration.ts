/** Go's durations, as `metav1.Duration` and flags write them: `1h30m`, `1.5s`, `-2ms`. Exact to the nanosecond. */
import { goTimeQuote } from './go-text.ts';

const MAX_NANOS = 9223372036854775807n;

const UNITS = new Map<string, bigint>([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

export type ParsedDuration =
  | { readonly ok: true; readonly nanos: bigint }
  /** In the words of Go's `time.ParseDuration`. */
  | { readonly ok: false; readonly error: string };

const ELEMENT = /(\d*)(?:(\.)(\d*))?([^\d.]*)/y;

export function readGoDuration(text: string): ParsedDuration {
  const wrong = (what: string): ParsedDuration => ({ ok: false, error: `time: ${what} ${goTimeQuote(text)}` });
  const invalid = wrong('invalid duration');
  const negative = text.startsWith('-');
  const start = negative || text.startsWith('+') ? 1 : 0;
  if (text.slice(start) === '0') return { ok: true, nanos: 0n };
  if (text.length === start || text.length > 1000) return invalid;

  const limit = negative ? MAX_NANOS + 1n : MAX_NANOS;
  let total = 0n;
  ELEMENT.lastIndex = start;
  while (ELEMENT.lastIndex < text.length) {
    const match = ELEMENT.exec(text);
    if (match === null) return invalid;
    const [, whole = '', , fraction = '', unit = ''] = match;
    if (whole === '' && fraction === '') return invalid;
    if (BigInt(whole === '' ? '0' : whole) > MAX_NANOS + 1n) return invalid;
    if (unit === '') return wrong('missing unit in duration');
    const scale = UNITS.get(unit);
    if (scale === undefined) {
      return { ok: false, error: `time: unknown unit ${goTimeQuote(unit)} in duration ${goTimeQuote(text)}` };
    }
    total += BigInt(whole === '' ? '0' : whole) * scale + fractionOf(fraction, scale);
    if (total > limit) return invalid;
  }
  return { ok: true, nanos: negative ? -total : total };
}

/** The fraction in nanoseconds, cut off. Go computes it with a double; below eighteen digits the two agree. */
function fractionOf(fraction: string, scale: bigint): bigint {
  const digits = fraction.slice(0, 18);
  return digits === '' ? 0n : (BigInt(digits) * scale) / 10n ** BigInt(digits.length);
}

/** Milliseconds, or `undefined` when the text is no duration. */
export function parseGoDuration(text: string): number | undefined {
  const parsed = readGoDuration(text);
  return parsed.ok ? Number(parsed.nanos) / 1e6 : undefined;
}

/** `1h30m0s`, as Go prints a duration. */
export const formatGoDuration = (ms: number): string => formatNanos(BigInt(Math.round(ms * 1e6)));

export function formatNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < 1000n) return `${sign}${size}ns`;
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** value ÷ 10^places without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const power = 10n ** BigInt(places);
  const fraction = (value % power).toString().padStart(places, '0').replace(/0+$/, '');
  return fraction === '' ? `${value / power}` : `${value / power}.${fraction}`;
}
