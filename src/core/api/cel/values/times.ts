/** Timestamps and durations: reading, printing, arithmetic within the years 1 to 9999 and 64 bits of nanoseconds. */
import { readGoDuration } from '../../../kube/go-duration.ts';
import { parseTimeStrictly } from '../../../kube/time.ts';
import { CelDuration, CelError, CelTimestamp } from './values.ts';

export const MIN_INT64 = -9223372036854775808n;
export const MAX_INT64 = 9223372036854775807n;
const MIN_SECONDS = -62135596800;
const MAX_SECONDS = 253402300799;
const NANOS_PER_SECOND = 1_000_000_000n;

const TIMESTAMP_OVERFLOW = new CelError('timestamp overflow');
const DURATION_OVERFLOW = new CelError('duration overflow');
const INT_OVERFLOW = new CelError('integer overflow');

const FRACTION = /[.,]([0-9]+)/;
const OFFSET = /([+-])([0-9]{2}):([0-9]{2})$/;

/** An RFC 3339 time with its nanoseconds and the offset it was written with; `undefined` when it is none. */
export function parseTimestamp(text: string): CelTimestamp | CelError | undefined {
  if (text.length > 64) return undefined;
  const parsed = parseTimeStrictly(text);
  if (!parsed.ok) return undefined;
  const seconds = Math.floor(parsed.epochMs / 1000);
  const digits = FRACTION.exec(text)?.[1] ?? '';
  const nanos = Number(digits.slice(0, 9).padEnd(9, '0'));
  const offset = OFFSET.exec(text);
  const minutes = offset ? (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === '-' ? -1 : 1) : 0;
  return timestampOf(seconds, nanos, minutes);
}

export function timestampOf(seconds: number, nanos: number, offsetMinutes = 0): CelTimestamp | CelError {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) return TIMESTAMP_OVERFLOW;
  return new CelTimestamp(seconds, nanos, offsetMinutes);
}

export function parseDuration(text: string): CelDuration | undefined {
  const parsed = readGoDuration(text);
  return parsed.ok ? new CelDuration(parsed.nanos) : undefined;
}

/** Go prints the seconds as the shortest double that reads back the same. */
export function formatDuration(duration: CelDuration): string {
  const whole = duration.nanos / NANOS_PER_SECOND;
  const seconds = Number(whole) + Number(duration.nanos % NANOS_PER_SECOND) / 1e9;
  return `${plainDecimal(seconds)}s`;
}

/** A double without an exponent. */
export function plainDecimal(value: number): string {
  const text = String(value);
  const found = /^(-?)([0-9]+)(?:\.([0-9]+))?e([+-][0-9]+)$/.exec(text);
  if (!found) return text;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = found;
  const exponent = Number(exponentText);
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - whole.length)}${whole}${fraction}`;
  return sign + whole + fraction.padEnd(exponent, '0');
}

/** RFC 3339 with as many digits of the second as needed. */
export function formatTimestamp(time: CelTimestamp): string {
  const local = new Date((time.seconds + time.offsetMinutes * 60) * 1000).toISOString().slice(0, 19);
  const digits = time.nanos === 0 ? '' : `.${String(time.nanos).padStart(9, '0').replace(/0+$/, '')}`;
  return local + digits + formatOffset(time.offsetMinutes);
}

function formatOffset(minutes: number): string {
  if (minutes === 0) return 'Z';
  const size = Math.abs(minutes);
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

const within64 = (value: bigint): boolean => value >= MIN_INT64 && value <= MAX_INT64;

export const durationOf = (nanos: bigint): CelDuration | CelError =>
  within64(nanos) ? new CelDuration(nanos) : DURATION_OVERFLOW;

export function addToTimestamp(time: CelTimestamp, nanos: bigint): CelTimestamp | CelError {
  const total = BigInt(time.nanos) + nanos;
  const carried = ((total % NANOS_PER_SECOND) + NANOS_PER_SECOND) % NANOS_PER_SECOND;
  const seconds = BigInt(time.seconds) + (total - carried) / NANOS_PER_SECOND;
  return timestampOf(Number(seconds), Number(carried), time.offsetMinutes);
}

export function betweenTimestamps(a: CelTimestamp, b: CelTimestamp): CelDuration | CelError {
  const nanos = BigInt(a.seconds - b.seconds) * NANOS_PER_SECOND + BigInt(a.nanos - b.nanos);
  return within64(nanos) ? new CelDuration(nanos) : INT_OVERFLOW;
}

/** Minutes are what offsets are made of; zones by name come from the platform's tables. */
export function zoneOffsetMinutes(time: CelTimestamp, zone: string): number | CelError {
  const colon = zone.indexOf(':');
  if (colon < 0) return namedZoneOffset(time, zone);
  const hours = readInt(zone.slice(0, colon));
  if (hours instanceof CelError) return hours;
  const minutes = readInt(zone.slice(colon + 1));
  if (minutes instanceof CelError) return minutes;
  return zone.startsWith('-') ? hours * 60 - minutes : hours * 60 + minutes;
}

function readInt(text: string): number | CelError {
  if (/^[+-]?[0-9]{1,9}$/.test(text)) return Number(text);
  return new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const zoneFormats = new Map<string, Intl.DateTimeFormat | undefined>();
const MAX_ZONES = 600;

function zoneFormat(zone: string): Intl.DateTimeFormat | undefined {
  if (zoneFormats.has(zone)) return zoneFormats.get(zone);
  let format: Intl.DateTimeFormat | undefined;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    format = undefined;
  }
  if (zoneFormats.size < MAX_ZONES) zoneFormats.set(zone, format);
  return format;
}

function namedZoneOffset(time: CelTimestamp, zone: string): number | CelError {
  if (zone === '' || zone === 'UTC') return 0;
  // Go's tables tell capital letters apart, the platform's do not; offsets such as "+02" are no names to Go.
  const format = /^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone) && zone.length < 64 ? zoneFormat(zone) : undefined;
  if (!format) return new CelError(`unknown time zone ${zone}`);
  const parts = new Map(format.formatToParts(time.seconds * 1000).map((part) => [part.type as string, part.value]));
  const part = (name: string): number => Number(parts.get(name));
  const year = parts.get('era') === 'BC' ? 1 - part('year') : part('year');
  const local = new Date(0);
  local.setUTCFullYear(year, part('month') - 1, part('day'));
  local.setUTCHours(part('hour'), part('minute'), part('second'));
  return (local.getTime() / 1000 - time.seconds) / 60;
}
