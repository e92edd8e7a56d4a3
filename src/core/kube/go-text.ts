/**
 * Text as Go writes and reads it. Kubernetes' messages are made with Go's `%q`, `strconv` and byte lengths; clients and
 * tests compare them letter by letter, so the few rules live here once.
 */

const SHORT_ESCAPES: { readonly [character: string]: string } = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

const NEEDS_ESCAPE = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** A string quoted as `%q` does: printable characters stay, the rest is escaped. */
export function goQuote(text: string): string {
  return `"${text.toWellFormed().replace(NEEDS_ESCAPE, escapeForGo)}"`;
}

function escapeForGo(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

const TIME_UNSAFE = /["\\]|[^ -~\x7f]/gu;

/** A string quoted as Go's `time` package does, which spells every byte that is not ASCII. */
export function goTimeQuote(text: string): string {
  return `"${text.replace(TIME_UNSAFE, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : Array.from(new TextEncoder().encode(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  )}"`;
}

/** Bytes of the text in UTF-8, as Go's `len` counts them. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    if (code < 0x800) bytes += 1;
    else {
      bytes += 2;
      // A pair of surrogates is four bytes: the high one was counted as three, the low one is the fourth.
      if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) i++;
    }
  }
  return bytes;
}

/** Whether the text is longer than `limit` bytes, without counting when the answer is clear. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  return text.length * 3 > limit && utf8Length(text) > limit;
}

/** Order of strings by their UTF-8 bytes, as Go's `sort.Strings`; JavaScript's own order differs above U+FFFF. */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    // Surrogates stand for code points above every other unit.
    const highX = x >= 0xd800 && x <= 0xdfff;
    const highY = y >= 0xd800 && y <= 0xdfff;
    if (highX !== highY) return highX ? 1 : -1;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

const MAX_INT64 = 9223372036854775807n;
const MIN_INT64 = -9223372036854775808n;
const MAX_UINT64 = 18446744073709551615n;

export type ParsedInteger =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly error: string };

function parseInteger(fn: string, text: string, signed: boolean, low: bigint, high: bigint): ParsedInteger {
  const first = text.charCodeAt(0);
  const start = signed && (first === 0x2b || first === 0x2d) ? 1 : 0;
  let valid = text.length > start;
  for (let i = start; i < text.length && valid; i++) {
    const code = text.charCodeAt(i);
    valid = code >= 0x30 && code <= 0x39;
  }
  if (!valid) return { ok: false, error: `strconv.${fn}: parsing ${goQuote(text)}: invalid syntax` };
  // No 64-bit number has more digits than this after its leading zeros; do not build a huge bigint to find out.
  const digits = text.slice(start).replace(/^0+/, '');
  const magnitude = digits.length > 20 ? MAX_UINT64 + 1n : BigInt(digits === '' ? '0' : digits);
  const value = first === 0x2d ? -magnitude : magnitude;
  if (value < low || value > high) {
    return { ok: false, error: `strconv.${fn}: parsing ${goQuote(text)}: value out of range` };
  }
  return { ok: true, value };
}

/** `strconv.ParseInt(text, 10, 64)`, with its error text. */
export const parseInt64 = (text: string): ParsedInteger => parseInteger('ParseInt', text, true, MIN_INT64, MAX_INT64);

/** `strconv.ParseUint(text, 10, 64)`, with its error text. */
export const parseUint64 = (text: string): ParsedInteger => parseInteger('ParseUint', text, false, 0n, MAX_UINT64);

/** `strconv.Atoi(text)`, with its error text. */
export const atoi = (text: string): ParsedInteger => parseInteger('Atoi', text, true, MIN_INT64, MAX_INT64);
