/**
 * Times as the API writes them. Inside the house an instant is milliseconds since 1970 (a number, with a fraction for
 * microseconds); on the wire it is RFC 3339 in UTC, to the second (`Time`) or to the microsecond (`MicroTime`).
 */
import { flatText } from './flat-text.ts';
import { goTimeQuote } from './go-text.ts';

export { parseGoDuration } from './go-duration.ts';

const MIN_YEAR_ZERO = -62167219200000;
const MAX_YEAR_9999 = 253402300799999;

/** The last second written, and its text: objects made together carry the same time. */
let lastSecond = Number.NaN;
let lastText = '';

/** Whether a moment lies in the years that can be written: 0000 to 9999. */
export const isWritableTime = (epochMs: number): boolean => epochMs >= MIN_YEAR_ZERO && epochMs <= MAX_YEAR_9999;

/** `2006-01-02T15:04:05Z`; fractions of a second are dropped. */
export function formatTime(epochMs: number): string {
  const second = Math.floor(epochMs / 1000);
  if (second !== lastSecond) {
    if (!isWritableTime(epochMs)) throw new RangeError(`time out of range: ${epochMs}`);
    lastText = flatText(`${new Date(second * 1000).toISOString().slice(0, 19)}Z`);
    lastSecond = second;
  }
  return lastText;
}

/** `2006-01-02T15:04:05.000000Z`. */
export function formatMicroTime(epochMs: number): string {
  // Rounded first: a double cannot hold every microsecond exactly, and 0.999999 must not print as 0.999998.
  const micros = Math.round(epochMs * 1000);
  const fraction = ((micros % 1_000_000) + 1_000_000) % 1_000_000;
  const text = formatTime((micros - fraction) / 1000);
  return flatText(`${text.slice(0, 19)}.${fraction.toString().padStart(6, '0')}Z`);
}

export type ParsedTime =
  | { readonly ok: true; readonly epochMs: number }
  /** In the words of Go's `time.Parse`. */
  | { readonly ok: false; readonly error: string };

const LAYOUT = '2006-01-02T15:04:05Z07:00';
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const daysIn = (year: number, month: number): number =>
  month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : (DAYS[month - 1] ?? 0);

const isDigit = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
};

/** Two digits as a number; NaN when they are none. */
function twoDigits(text: string, at: number): number {
  return isDigit(text, at) && isDigit(text, at + 1)
    ? text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 0x30 * 11
    : Number.NaN;
}

/** Days since 1970 in the Gregorian calendar, counting years from March so that the odd day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return era * 146097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719468;
}

/** The form we write ourselves, read without building anything; `undefined` for any other form or a bad date. */
function canonicalEpoch(text: string): number | undefined {
  if (
    text.length !== 20 ||
    text.charCodeAt(4) !== 0x2d ||
    text.charCodeAt(7) !== 0x2d ||
    text.charCodeAt(10) !== 0x54 ||
    text.charCodeAt(13) !== 0x3a ||
    text.charCodeAt(16) !== 0x3a ||
    text.charCodeAt(19) !== 0x5a
  ) {
    return undefined;
  }
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  const valid = year >= 0 && day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59 && second <= 59;
  if (!valid) return undefined;
  return daysSinceEpoch(year, month, day) * 86_400_000 + ((hour * 60 + minute) * 60 + second) * 1000;
}

/** Milliseconds since 1970 of an RFC 3339 time, any offset, any fraction; `undefined` when it is not one. */
export function parseTime(text: string): number | undefined {
  const canonical = canonicalEpoch(text);
  if (canonical !== undefined) return canonical;
  const parsed = readTime(text, LAYOUT);
  return parsed.ok ? parsed.epochMs : undefined;
}

/** Reads a `Time`, with the reason when it is none. */
export const parseTimeStrictly = (text: string): ParsedTime => readTime(text, LAYOUT);

/** Reads a `MicroTime`, which must carry six digits of a second. */
export const parseMicroTimeStrictly = (text: string): ParsedTime => readTime(text, MICRO_LAYOUT);

/** The time as the API server writes it back: in UTC, to the second. The same text when it already is. */
export function normalizeTime(text: string): string | undefined {
  const epochMs = parseTime(text);
  return epochMs === undefined ? undefined : formatTime(epochMs);
}

function readTime(text: string, layout: string): ParsedTime {
  let at = 0;
  const unparsable = (element: string): ParsedTime => ({
    ok: false,
    error: `parsing time ${goTimeQuote(text)} as ${goTimeQuote(layout)}: cannot parse ${goTimeQuote(text.slice(at))} as ${goTimeQuote(element)}`,
  });
  const outOfRange = (what: string): ParsedTime => ({
    ok: false,
    error: `parsing time ${goTimeQuote(text)}: ${what} out of range`,
  });
  /** Two digits; hours may come as one, an old leniency of Go's. */
  const number = (digits: number, atLeast = digits): number | undefined => {
    let end = at;
    while (end < at + digits && isDigit(text, end)) end++;
    if (end - at < atLeast) return undefined;
    const value = Number(text.slice(at, end));
    at = end;
    return value;
  };
  const literal = (character: string): boolean => {
    if (text[at] !== character) return false;
    at++;
    return true;
  };

  const year = number(4);
  if (year === undefined) return unparsable('2006');
  if (!literal('-')) return unparsable('-');
  const month = number(2);
  if (month === undefined) return unparsable('01');
  if (month < 1 || month > 12) return outOfRange('month');
  if (!literal('-')) return unparsable('-');
  const day = number(2);
  if (day === undefined) return unparsable('02');
  if (!literal('T')) return unparsable('T');
  const hour = number(2, 1);
  if (hour === undefined) return unparsable('15');
  if (hour > 23) return outOfRange('hour');
  if (!literal(':')) return unparsable(':');
  const minute = number(2);
  if (minute === undefined) return unparsable('04');
  if (minute > 59) return outOfRange('minute');
  if (!literal(':')) return unparsable(':');
  const second = number(2);
  if (second === undefined) return unparsable('05');
  if (second > 59) return outOfRange('second');

  let fraction = 0;
  const start = at;
  if ((text[at] === '.' || text[at] === ',') && isDigit(text, at + 1)) {
    let end = at + 1;
    while (isDigit(text, end)) end++;
    if (layout === MICRO_LAYOUT) end = Math.min(end, at + 7);
    // To the nanosecond and no finer, as Go keeps it.
    fraction = Number(`0.${text.slice(at + 1, Math.min(end, at + 10))}`) * 1000;
    at = end;
  }
  if (layout === MICRO_LAYOUT && at - start !== 7) {
    at = start;
    return unparsable('.000000');
  }

  let offsetMinutes = 0;
  if (!literal('Z')) {
    const sign = text[at];
    const shape = (sign === '+' || sign === '-') && text[at + 3] === ':' && at + 6 <= text.length;
    const zone = at;
    at++;
    const hours = shape ? number(2) : undefined;
    at++;
    const minutes = hours === undefined ? undefined : number(2);
    if (hours === undefined || minutes === undefined) {
      at = zone;
      return unparsable('Z07:00');
    }
    if (hours > 24) return outOfRange('time zone offset hour');
    if (minutes > 60) return outOfRange('time zone offset minute');
    offsetMinutes = (hours * 60 + minutes) * (sign === '-' ? -1 : 1);
  }
  if (at < text.length) {
    return { ok: false, error: `parsing time ${goTimeQuote(text)}: extra text: ${goTimeQuote(text.slice(at))}` };
  }
  if (day < 1 || day > daysIn(year, month)) return outOfRange('day');

  const minutes = daysSinceEpoch(year, month, day) * 1440 + hour * 60 + minute - offsetMinutes;
  return { ok: true, epochMs: (minutes * 60 + second) * 1000 + fraction };
}

/** An age as kubectl prints it: two or three figures, `5m10s`, `3d4h`, `2y30d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  // A time slightly in the future comes from clocks that disagree, and is no error.
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

const pair = (major: number, majorUnit: string, minor: number, minorUnit: string): string =>
  minor === 0 ? `${major}${majorUnit}` : `${major}${majorUnit}${minor}${minorUnit}`;
