/** Checks of single values: each answers with the value as Kubernetes would write it, or complains. */
import { formatNanos, readGoDuration } from '../../kube/go-duration.ts';
import { QuantityError, formatQuantity, quantityFromJson } from '../../kube/quantity.ts';
import { parseBase64 } from './base64.ts';
import { fatallyMistyped, mistyped, note, refuse, wordFor } from './check-pass.ts';
import type { Scalar } from './parse-facts.ts';
import { canonicalTime, isCanonicalTime } from './times.ts';

/** Returns the value to store (the same where nothing had to change); undefined if there is none or it was refused. */
export type Check = (value: unknown) => unknown;

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

const integer =
  (low: number, high: number, goType: string): Check =>
  (value) => {
    if (typeof value === 'number') {
      return Number.isInteger(value) && value >= low && value <= high ? value : mistyped(`number ${value}`, goType);
    }
    if (typeof value === 'bigint') return mistyped(`number ${value}`, goType);
    return mistyped(wordFor(value), goType);
  };

const int64 =
  (goType: string): Check =>
  (value) => {
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) return value;
      // A number made in this process, where a double may hold a large integer exactly.
      if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value);
      return mistyped(`number ${value}`, goType);
    }
    if (typeof value === 'bigint') {
      return value >= MIN_INT64 && value <= MAX_INT64 ? value : mistyped(`number ${value}`, goType);
    }
    return mistyped(wordFor(value), goType);
  };

/** Spellings that were found canonical; a cluster has few distinct amounts. */
const canonicalTexts = new Set<string>();
const MAX_CANONICAL_TEXTS = 4096;

const quantity: Check = (value) => {
  if (typeof value === 'string' && canonicalTexts.has(value)) return value;
  const readable = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  try {
    const text = formatQuantity(quantityFromJson(readable ? value : '{}'));
    if (canonicalTexts.size >= MAX_CANONICAL_TEXTS) canonicalTexts.clear();
    canonicalTexts.add(text);
    return text;
  } catch (error) {
    if (error instanceof QuantityError) return refuse(error.message);
    throw error;
  }
};

const time =
  (micros: boolean): Check =>
  (value) => {
    if (typeof value !== 'string') return fatallyMistyped(wordFor(value), 'string');
    if (isCanonicalTime(value, micros)) return value;
    const parsed = canonicalTime(value, micros);
    if ('error' in parsed) return refuse(parsed.error);
    return parsed.text === '' ? undefined : parsed.text;
  };

const duration: Check = (value) => {
  if (typeof value !== 'string') return fatallyMistyped(wordFor(value), 'string');
  const parsed = readGoDuration(value);
  return parsed.ok ? formatNanos(parsed.nanos) : refuse(parsed.error);
};

const intOrString: Check = (value) => {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') {
    return (value | 0) === value ? value : fatallyMistyped(`number ${value}`, 'int32');
  }
  return fatallyMistyped(typeof value === 'bigint' ? `number ${value}` : wordFor(value), 'int32');
};

const bytes: Check = (value) => {
  if (typeof value === 'string') {
    const parsed = parseBase64(value);
    return 'error' in parsed ? note(parsed.error) : parsed.text;
  }
  if (!Array.isArray(value)) return mistyped(wordFor(value), '[]uint8');
  const uint8 = (byte: unknown): boolean =>
    typeof byte === 'number' && Number.isInteger(byte) && byte >= 0 && byte < 256;
  const wrong = value.findIndex((byte) => !uint8(byte));
  if (wrong === -1) return Buffer.from(value as number[]).toString('base64');
  const found: unknown = value[wrong];
  return mistyped(typeof found === 'number' ? `number ${found}` : wordFor(found), 'uint8');
};

/** Any JSON: it was parsed with bounded depth, or checked when it entered the process. */
const anything: Check = (value) => value;

/** The check of a scalar that Go calls `goType`. The types of JSON schemas are composed in check.ts. */
export function scalarCheck(scalar: Scalar, goType: string): Check {
  switch (scalar) {
    case 'duration':
      return duration;
    case 'string':
      return (value) => (typeof value === 'string' ? value : mistyped(wordFor(value), goType));
    case 'bool':
      return (value) => (typeof value === 'boolean' ? value : mistyped(wordFor(value), goType));
    case 'int32':
      return integer(-2147483648, 2147483647, goType);
    case 'uint8':
      return integer(0, 255, goType);
    case 'int64':
      return int64(goType);
    case 'double':
      return (value) => (typeof value === 'number' ? value : mistyped(wordFor(value), goType));
    case 'bytes':
      return bytes;
    case 'quantity':
      return quantity;
    case 'intorstring':
      return intOrString;
    case 'time':
      return time(false);
    case 'microtime':
      return time(true);
    case 'raw':
    case 'json':
    case 'fieldsv1':
      return anything;
    case 'schemaorbool':
    case 'schemaorarray':
    case 'schemaorstrings':
      throw new Error(`${scalar} is not a single value`);
  }
}
