/**
 * JSON without losses. Integers beyond 2^53 become bigints and are written back digit for digit, `__proto__` is an
 * ordinary key, nesting is bounded, and a syntax error says where it is and what Go would have said.
 */
import { compareBytes } from './go-text.ts';
import { findSyntaxError, nestsDeeperThan } from './json-scan.ts';

/** A JSON value. Integers that a double cannot hold are bigints, so that no digit is lost between reading and writing. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Deeper documents are refused: everything that walks a value may then recurse without fear for the stack. */
export const MAX_JSON_DEPTH = 1000;

/** The reason of a `JsonSyntaxError` about a document that is nested too deep. */
export const TOO_DEEP = 'exceeded max depth';

export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly code = 'EN_KUBE_JSON_SYNTAX';
  /** The error in the words of Go's decoder: `invalid character 'x' after object key`. */
  readonly reason: string;
  /** Offset in UTF-16 units; line and column count from 1. */
  readonly offset: number;
  readonly line: number;
  readonly column: number;

  constructor(reason: string, text: string, offset: number, options?: ErrorOptions) {
    const before = text.slice(0, offset);
    const line = before.split('\n').length;
    const column = offset - (before.lastIndexOf('\n') + 1) + 1;
    super(`${reason} (line ${line}, column ${column})`, options);
    this.reason = reason;
    this.offset = offset;
    this.line = line;
    this.column = column;
  }
}

/**
 * A number that a double may not hold: sixteen digits, or an exponent. The pattern matches only where a number can
 * stand, so UUIDs and digests in strings do not send a document down the slow path. A text that *is* a number is tested
 * apart: an alternative for the start of the text would double the cost of the search.
 */
const UNSAFE_NUMBER = /[:,[\s]-?\d[\d.]*(?:\d{15}|[eE])/;
const mayLoseDigits = (text: string): boolean => text.charCodeAt(0) < 0x3a || UNSAFE_NUMBER.test(text);

type SourceReviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver?: SourceReviver) => Json;
const rawJson = (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON;

const INTEGER = /^-?\d+$/;

const keepDigits: SourceReviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value;
  if (INTEGER.test(source)) return BigInt(source);
  if (!Number.isFinite(value)) throw new RangeError(`number ${source} is out of range`);
  return value;
};

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Every escape, one after the other, so that a backslash which is itself escaped starts none. */
const ESCAPE = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|[^])/g;
const HALF_PAIR = 6;

/** Half a surrogate pair cannot be written as UTF-8: like Go, we read it as U+FFFD. The text keeps its length. */
const withoutHalfPairs = (text: string): string =>
  text.includes('\\u') && SURROGATE_ESCAPE.test(text)
    ? text.replace(ESCAPE, (escape) => (escape.length === HALF_PAIR ? '\\ufffd' : escape))
    : text;

export interface ParseOptions {
  /** Nesting allowed. `Infinity` skips the check, for text of our own making. */
  readonly maxDepth?: number;
}

/** Reads one JSON document. Throws `JsonSyntaxError`. Of a repeated key the last value counts, as in Go. */
export function parseJson(source: string, options?: ParseOptions): Json {
  const text = withoutHalfPairs(source);
  const maxDepth = options?.maxDepth ?? MAX_JSON_DEPTH;
  const deepAt = nestsDeeperThan(text, maxDepth);
  if (deepAt !== -1) throw new JsonSyntaxError(TOO_DEEP, text, deepAt);
  try {
    return mayLoseDigits(text) ? parseWithSource(text, keepDigits) : parseWithSource(text);
  } catch (cause) {
    if (cause instanceof RangeError) throw new JsonSyntaxError(cause.message, text, 0, { cause });
    const found = findSyntaxError(text);
    throw new JsonSyntaxError(found?.reason ?? (cause as Error).message, text, found?.offset ?? 0, { cause });
  }
}

const writeBigint = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? rawJson(value.toString()) : value;

/** Writes a value as compact JSON, bigints as plain integers. */
export function encodeJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Bigints are so rare that looking for them first would cost more than failing.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, writeBigint);
  }
}

/** Like `encodeJson`, on many lines. */
export const encodePrettyJson = (value: Json, indent: number): string => JSON.stringify(value, writeBigint, indent);

const HTML_UNSAFE = /[<>&\u2028\u2029]/g;
const escapeHtml = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Half a surrogate pair, as `JSON.stringify` spells it; Go has replaced such by U+FFFD when reading. */
const LONE_SURROGATE = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Writes JSON byte for byte as Go's `json.Marshal`: HTML characters escaped, and with `sortKeys` as it writes maps. */
export function encodeGoJson(value: Json, options?: { readonly sortKeys?: boolean }): string {
  const text = options?.sortKeys === true ? encodeWithSortedKeys(value) : encodeJson(value);
  // Of JSON, only strings can hold these characters, so the whole text is mended at once.
  return text.replace(HTML_UNSAFE, escapeHtml).replace(LONE_SURROGATE, '$1\ufffd');
}

const SURROGATE = /[\ud800-\udfff]/;

/** The engine's own order is much faster, and differs from Go's only when there are characters above U+FFFF. */
function encodeWithSortedKeys(value: Json): string {
  const text = encodeSorted(value, undefined);
  return SURROGATE.test(text) ? encodeSorted(value, compareBytes) : text;
}

type Order = ((a: string, b: string) => number) | undefined;

function encodeSorted(value: Json, order: Order): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Json) => encodeSorted(item, order)).join(',')}]`;
  const object = value as JsonObject;
  let text = '';
  for (const key of Object.keys(object).sort(order)) {
    const member = object[key];
    if (member === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${encodeSorted(member, order)}`;
  }
  return `{${text}}`;
}
