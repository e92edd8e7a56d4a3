/** Formats of strings that Kubernetes checks; every other format is only a hint for readers. */
import { readGoDuration } from '../../../kube/go-duration.ts';
import { parseCIDR, parseIP } from '../../../kube/ip.ts';

export type FormatCheck = (text: string) => boolean;

/** For patterns without nesting, which take linear time in any engine. */
const matches =
  (pattern: RegExp, longest = Infinity): FormatCheck =>
  (text) =>
    text.length <= longest && pattern.test(text);

const isIPv4: FormatCheck = (text) => text.includes('.') && parseIP(text) !== undefined;
const isIPv6: FormatCheck = (text) => text.includes(':') && parseIP(text) !== undefined;

const SCHEME = /^[a-zA-Z][a-zA-Z0-9+.-]*:/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/;
const HOST = /^[^\s<>"`{}|\\^]*$/;

/** An absolute address, or a path from the root. */
function isRequestUri(text: string): boolean {
  if (text === '' || CONTROL.test(text)) return false;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  if (!rest.startsWith('/')) return scheme !== '';
  const path = rest.split('?', 1)[0] ?? '';
  if (BAD_ESCAPE.test(path)) return false;
  if (scheme === '' || !rest.startsWith('//')) return true;
  const authority = path.slice(2).split('/', 1)[0] ?? '';
  return HOST.test(authority) && /^(?:[^:]*|.*\]|.*:\d*)$/.test(authority.replace(/^.*@/, ''));
}

const ATOM = '[^\\s()<>\\[\\]:;@\\\\,."\\u0000-\\u001f\\u007f]+';
const ADDRESS = new RegExp(
  `^(?:${ATOM}(?:\\.${ATOM})*|"(?:[^"\\\\]|\\\\.)*")@(?:${ATOM}(?:\\.${ATOM})*|\\[[^\\[\\]]*\\])$`,
);
const LONGEST_EMAIL = 2_000;

/** `a@b`, or with a name before it. */
function isEmail(text: string): boolean {
  if (text.length > LONGEST_EMAIL) return false;
  const trimmed = text.trim();
  const open = trimmed.lastIndexOf('<');
  const address = open >= 0 && trimmed.endsWith('>') ? trimmed.slice(open + 1, -1) : trimmed;
  return ADDRESS.test(address);
}

const LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const ONLY_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:-?[a-zA-Z0-9\p{S}\p{L}]{0,62})$/u;
const TOP_LEVEL = /^[a-zA-Z\p{L}]{2,63}$/u;

function isHostname(text: string): boolean {
  const encoded = new TextEncoder();
  const bytes = (part: string): number => encoded.encode(part).length;
  if (text.length > 255 || bytes(text) > 255) return false;
  const labels = text.split('.');
  if (labels.some((label) => bytes(label) > 63)) return false;
  const top = labels.at(-1) ?? '';
  if (labels.length === 1) return ONLY_LABEL.test(text);
  return TOP_LEVEL.test(top) && labels.slice(0, -1).every((label) => LABEL.test(label));
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 1 : 0;
  return day >= 1 && day <= (DAYS[month - 1] ?? 0) + leap;
}

const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/;

function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hour = '99', minute = '99', second = '99'] = TIME.exec(time) ?? [];
  return hour <= '23' && minute <= '59' && second <= '59';
}

const DIGITS = /\d+/g;
/**
 * Matched only at the end of the digits: in one pattern with them, a long number would be tried from each of its
 * digits.
 */
const AFTER_DIGITS = /[\t\n\f\r ]*([A-Za-zµ]+)/y;
const DURATION_UNIT = /^(?:ns|nano.*|us|µs|micro.*|ms|milli.*|s|sec.*|m|min.*|h|hr|hour.*|d|day.*|w|wk|week.*)$/i;
const MAX_FACTOR = 2n ** 63n - 1n;

/** Go's durations, or words such as `3 days`. */
function isDuration(text: string): boolean {
  if (readGoDuration(text).ok) return true;
  let found = false;
  for (const { 0: digits, index } of text.matchAll(DIGITS)) {
    AFTER_DIGITS.lastIndex = index + digits.length;
    const unit = AFTER_DIGITS.exec(text)?.[1];
    if (unit === undefined) continue;
    const factor = digits.replace(/^0+/, '');
    if (factor.length > 19 || BigInt(factor === '' ? '0' : factor) > MAX_FACTOR) return false;
    found ||= DURATION_UNIT.test(unit);
  }
  return found;
}

const digitsOf = (text: string): readonly number[] =>
  Array.from(text.replace(/[\s-]+/g, ''), (c) => (c === 'X' ? 10 : Number(c)));

const isIsbn10: FormatCheck = (text) =>
  /^(?:[0-9]{9}X|[0-9]{10})$/.test(text.replace(/[\s-]+/g, '')) &&
  digitsOf(text).reduce((sum, digit, i) => sum + (i + 1) * digit, 0) % 11 === 0;

const isIsbn13: FormatCheck = (text) =>
  /^[0-9]{13}$/.test(text.replace(/[\s-]+/g, '')) &&
  digitsOf(text).reduce((sum, digit, i) => sum + (i % 2 === 0 ? 1 : 3) * digit, 0) % 10 === 0;

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|(?:222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720)[0-9]{12}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11}|6[27][0-9]{14})$/;

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  const sum = Array.from(digits)
    .toReversed()
    .map(Number)
    .reduce((total, digit, i) => total + (i % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2), 0);
  return sum % 10 === 0;
}

const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', matches(/^[0-9a-fA-F]{24}$/)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', isIPv4],
  ['ipv6', isIPv6],
  ['cidr', (text) => parseCIDR(text) !== undefined],
  [
    'mac',
    matches(
      /^(?:[0-9a-fA-F]{2}([:-])[0-9a-fA-F]{2}(?:\1[0-9a-fA-F]{2}){4}(?:(?:\1[0-9a-fA-F]{2}){2}|(?:\1[0-9a-fA-F]{2}){14})?|[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}|(?:\.[0-9a-fA-F]{4}){7})?)$/,
    ),
  ],
  ['uuid', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid3', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i)],
  ['uuid4', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['uuid5', matches(/^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/, 11)],
  ['hexcolor', matches(/^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)],
  [
    'rgbcolor',
    matches(
      /^rgb\(\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/,
      1_000,
    ),
  ],
  ['byte', matches(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', matches(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/, 63)],
  ['k8slongname', matches(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/, 253)],
]);

/** Dashes do not count: `date-time` is `datetime`. */
const normalized = (format: string): string => format.replaceAll('-', '');

/** The format where it means something for values of these types; empty otherwise. */
export function recognizedFormat(types: readonly string[], format: string): string {
  if (format === '') return '';
  const type = types.length === 1 ? (types[0] ?? '') : '';
  switch (type) {
    case '':
    case 'string':
      return CHECKS.has(normalized(format)) ? format : '';
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : '';
    case 'number':
      return format === 'float' || format === 'double' ? format : '';
    default:
      return '';
  }
}

export const formatCheck = (format: string): FormatCheck | undefined => CHECKS.get(normalized(format));
