/** Conversions: `int(x)`, `string(x)`, `duration(x)` and their kin, with cel-go's words for what does not convert. */
import { parseInt64, parseUint64 } from '../../../kube/go-text.ts';
import { formatGoFloat } from '../../../kube/go-float.ts';
import { CIDR_TYPE, IP_TYPE, type Comparable } from './opaque.ts';
import { formatDuration, formatTimestamp, MAX_INT64, parseDuration, parseTimestamp, timestampOf } from './times.ts';
import {
  CelDuration,
  CelError,
  CelOpaque,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  typeNameOf,
  type CelValue,
  type Val,
} from './values.ts';

export type ConversionName = 'bool' | 'bytes' | 'double' | 'duration' | 'int' | 'string' | 'timestamp' | 'uint';

const TARGETS: { readonly [name in ConversionName]: string } = {
  bool: 'bool',
  bytes: 'bytes',
  double: 'double',
  duration: 'google.protobuf.Duration',
  int: 'int',
  string: 'string',
  timestamp: 'google.protobuf.Timestamp',
  uint: 'uint',
};

const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');

export function convert(value: CelValue, to: ConversionName): Val {
  const target = TARGETS[to];
  const from = typeNameOf(value);
  if (from === target) return value;
  return converters[to](value) ?? new CelError(`type conversion error from '${from}' to '${target}'`);
}

type Converter = (value: CelValue) => Val | undefined;

const converters: { readonly [name in ConversionName]: Converter } = {
  bool: (value) => (typeof value === 'string' ? parseBool(value) : undefined),
  bytes: (value) => (typeof value === 'string' ? new TextEncoder().encode(value) : undefined),
  double: toDouble,
  // Upstream declares a conversion from int and does not implement it.
  duration: (value) => (typeof value === 'string' ? parseDuration(value) : undefined),
  int: toInt,
  string: toText,
  timestamp: (value) => {
    if (typeof value === 'string') return parseTimestamp(value);
    return typeof value === 'bigint' ? timestampOf(Number(value), 0) : undefined;
  },
  uint: toUint,
};

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

const parseBool = (text: string): boolean | undefined => (TRUE.has(text) ? true : FALSE.has(text) ? false : undefined);

function toDouble(value: CelValue): Val | undefined {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  return typeof value === 'string' ? parseFloatText(value) : undefined;
}

const DECIMAL = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
const INFINITY = /^([+-]?)(?:inf|infinity)$/i;

/** As strconv.ParseFloat reads decimal numbers. */
function parseFloatText(text: string): number | undefined {
  if (DECIMAL.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  if (/^nan$/i.test(text)) return Number.NaN;
  const infinite = INFINITY.exec(text);
  return infinite ? (infinite[1] === '-' ? -Infinity : Infinity) : undefined;
}

function toInt(value: CelValue): Val | undefined {
  if (typeof value === 'number') {
    // The bounds themselves are refused: as doubles they may stand for integers beyond.
    if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return INT_OVERFLOW;
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') {
    const parsed = parseInt64(value);
    return parsed.ok ? parsed.value : undefined;
  }
  if (value instanceof CelUint) return value.value > MAX_INT64 ? INT_OVERFLOW : value.value;
  if (value instanceof CelDuration) return value.nanos;
  return value instanceof CelTimestamp ? BigInt(value.seconds) : undefined;
}

function toUint(value: CelValue): Val | undefined {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value < 0 || value >= 2 ** 64) return UINT_OVERFLOW;
    return new CelUint(BigInt(Math.trunc(value)));
  }
  if (typeof value === 'string') {
    const parsed = parseUint64(value);
    return parsed.ok ? new CelUint(parsed.value) : undefined;
  }
  return typeof value === 'bigint' ? (value < 0n ? UINT_OVERFLOW : new CelUint(value)) : undefined;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function bytesToText(bytes: Uint8Array): Val {
  try {
    return UTF8.decode(bytes);
  } catch {
    return new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function toText(value: CelValue): Val | undefined {
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return formatGoFloat(value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Uint8Array) return bytesToText(value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOpaque && (value.type === IP_TYPE || value.type === CIDR_TYPE)) {
    return (value.payload as Comparable).identity;
  }
  return undefined;
}
