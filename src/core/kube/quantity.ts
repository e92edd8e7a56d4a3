/**
 * Resource quantities, exact: `100m`, `1.5Gi`, `2e3`. A quantity is mantissa × 10^scale and the family of suffixes it
 * is printed with. The mantissa is a plain number while that is exact and a bigint only beyond, so ordinary CPU and
 * memory never touch big arithmetic. Printing follows Kubernetes to the letter, its habit of keeping a text that
 * looked canonical included.
 *
 * Where Kubernetes loses a value, this does not: it prints 1000E as "1" and answers 0 for an amount beyond 2^63; here
 * the first stays 1000E and the second is the largest amount.
 */
import { parseQuantityText, type ParsedQuantity, type QuantityFormat } from './quantity-text.ts';

export type { QuantityFormat } from './quantity-text.ts';

export interface Quantity {
  /** value = mantissa × 10^scale. A bigint exactly when it is beyond the safe integers. */
  readonly mantissa: number | bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
}

/** Texts already printed. Beside the object, so that quantities stay plain values of one shape. */
const printedTexts = new WeakMap<Quantity, string>();
/** Parsed quantities that Kubernetes prints back as they were written, though it would write them otherwise itself. */
const keptAsWritten = new WeakSet<Quantity>();

const POWERS: readonly number[] = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
const MAX_INT64 = 9223372036854775807n;

const bigPower = (exponent: number): bigint => 10n ** BigInt(exponent);

const narrow = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

/** mantissa × 10^exponent, exactly. */
function scaleUp(mantissa: number | bigint, exponent: number): number | bigint {
  if (exponent === 0 || mantissa === 0) return mantissa;
  if (typeof mantissa === 'number') {
    const power = POWERS[exponent];
    if (power !== undefined) {
      const product = mantissa * power;
      if (Number.isSafeInteger(product)) return product;
    }
  }
  return BigInt(mantissa) * bigPower(exponent);
}

/** mantissa ÷ 10^exponent, rounded away from zero. */
function scaleDown(mantissa: number | bigint, exponent: number): number | bigint {
  if (typeof mantissa === 'number') {
    const power = POWERS[exponent];
    // Beyond the table every safe integer is a fraction of one.
    if (power === undefined) return Math.sign(mantissa);
    const quotient = Math.trunc(mantissa / power);
    return quotient * power === mantissa ? quotient : quotient + Math.sign(mantissa);
  }
  const power = bigPower(exponent);
  const quotient = mantissa / power;
  if (quotient * power === mantissa) return narrow(quotient);
  return narrow(mantissa < 0n ? quotient - 1n : quotient + 1n);
}

const make = (mantissa: number | bigint, scale: number, format: QuantityFormat): Quantity => ({
  mantissa,
  scale,
  format,
});

export const quantityOf = (value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity =>
  make(typeof value === 'bigint' ? narrow(value) : value, 0, format);

export const quantityOfMilli = (value: number, format: QuantityFormat = 'DecimalSI'): Quantity =>
  make(value, -3, format);

export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly code = 'EN_KUBE_QUANTITY_INVALID';
}

/*
 * Parsing is remembered: a cluster has few distinct amounts and asks for them constantly. Two generations bound the
 * memory; what is asked for again survives the change of generation.
 */
const GENERATION_SIZE = 4096;
let young = new Map<string, Quantity>();
let old = new Map<string, Quantity>();

function remember(text: string, quantity: Quantity): Quantity {
  if (young.size >= GENERATION_SIZE) {
    old = young;
    young = new Map();
  }
  young.set(text, quantity);
  return quantity;
}

/** Reads a quantity. Throws `QuantityError` with Kubernetes' message. The same text yields the same object. */
export function parseQuantity(text: string): Quantity {
  const known = young.get(text);
  if (known !== undefined) return known;
  const older = old.get(text);
  if (older !== undefined) return remember(text, older);
  const parsed = parseQuantityText(text);
  if (!parsed.ok) throw new QuantityError(parsed.error);
  return remember(text, fromParsed(parsed));
}

function fromParsed(parsed: Extract<ParsedQuantity, { ok: true }>): Quantity {
  const quantity = make(narrow(parsed.mantissa), parsed.scale, parsed.format);
  if (parsed.canonical !== undefined) {
    printedTexts.set(quantity, parsed.canonical);
    if (parsed.canonical !== canonicalText(quantity)) keptAsWritten.add(quantity);
  }
  return quantity;
}

/** The error in Kubernetes' words for a text that is no quantity; `undefined` for a valid one. */
export function quantityProblem(text: string): string | undefined {
  if (young.has(text) || old.has(text)) return undefined;
  const parsed = parseQuantityText(text);
  return parsed.ok ? undefined : parsed.error;
}

/** Reads a quantity as it stands in JSON, where numbers are allowed and text may have spaces around it. */
export function quantityFromJson(value: string | number | bigint | null | undefined): Quantity {
  if (value === null || value === undefined) return ZERO;
  return parseQuantity(typeof value === 'string' ? value.trim() : String(value));
}

export const ZERO: Quantity = make(0, 0, 'DecimalSI');

/** The whole value, rounded away from zero; a plain number, so exact up to 2^53 and never above 2^63. */
export const quantityValue = (quantity: Quantity): number => scaledValue(quantity, 0);

/** The value in thousandths, rounded away from zero: CPU in millicores. */
export const quantityMilliValue = (quantity: Quantity): number => scaledValue(quantity, -3);

/** The value in units of 10^scale, rounded away from zero. */
export function scaledValue(quantity: Quantity, scale: number): number {
  const shift = quantity.scale - scale;
  const { mantissa } = quantity;
  const value = shift >= 0 ? scaleUp(mantissa, shift) : scaleDown(mantissa, -shift);
  return typeof value === 'number' ? value : Number(clampInt64(value));
}

/** As `quantityValue`, for callers that must not lose a unit beyond 2^53. */
export function exactValue(quantity: Quantity): bigint {
  const { mantissa, scale } = quantity;
  return clampInt64(BigInt(scale >= 0 ? scaleUp(mantissa, scale) : scaleDown(mantissa, -scale)));
}

/** As Go's `Value` has it, whose digits are lost beyond 64 bits: for findings that quote it. */
export function goValue({ mantissa, scale }: Quantity): bigint {
  const value = BigInt(scale >= 0 ? scaleUp(mantissa, scale) : scaleDown(mantissa, -scale));
  if (clampInt64(value) === value) return value;
  return clampInt64(BigInt(mantissa)) === BigInt(mantissa) ? 0n : BigInt.asIntN(64, value);
}

const clampInt64 = (value: bigint): bigint => (value > MAX_INT64 ? MAX_INT64 : value < -MAX_INT64 ? -MAX_INT64 : value);

/** The value as a double; for ratios and scores, not for sums. */
export const approximateValue = (quantity: Quantity): number => Number(quantity.mantissa) * 10 ** quantity.scale;

export const isZero = (quantity: Quantity): boolean => quantity.mantissa === 0;

export const signOf = (quantity: Quantity): -1 | 0 | 1 =>
  quantity.mantissa === 0 ? 0 : quantity.mantissa > 0 ? 1 : -1;

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  let x = a.mantissa;
  let y = b.mantissa;
  if (a.scale > b.scale) x = scaleUp(x, a.scale - b.scale);
  else if (b.scale > a.scale) y = scaleUp(y, b.scale - a.scale);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** A result of arithmetic is printed canonically, even when it equals something that was written otherwise. */
const asComputed = (quantity: Quantity): Quantity =>
  keptAsWritten.has(quantity) ? make(quantity.mantissa, quantity.scale, quantity.format) : quantity;

function sum(a: Quantity, b: Quantity, sign: 1 | -1): Quantity {
  // A zero takes the format of the other operand, so a total that starts from nothing looks like its parts.
  const format = a.mantissa === 0 ? b.format : a.format;
  if (b.mantissa === 0) return format === a.format ? asComputed(a) : make(a.mantissa, a.scale, format);
  if (a.mantissa === 0) return sign === 1 ? asComputed(b) : make(-b.mantissa, b.scale, format);
  const scale = Math.min(a.scale, b.scale);
  const x = scaleUp(a.mantissa, a.scale - scale);
  const y = scaleUp(b.mantissa, b.scale - scale);
  if (typeof x === 'number' && typeof y === 'number') {
    const total = x + sign * y;
    if (Number.isSafeInteger(total)) return make(total, scale, format);
  }
  return make(narrow(BigInt(x) + BigInt(sign) * BigInt(y)), scale, format);
}

export const addQuantities = (a: Quantity, b: Quantity): Quantity => sum(a, b, 1);
export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => sum(a, b, -1);
export const negateQuantity = (a: Quantity): Quantity => (a.mantissa === 0 ? a : make(-a.mantissa, a.scale, a.format));

/** `factor` must be an integer. */
export function multiplyQuantity(a: Quantity, factor: number): Quantity {
  if (factor === 1) return a;
  if (typeof a.mantissa === 'number') {
    const product = a.mantissa * factor;
    if (Number.isSafeInteger(product)) return make(product === 0 ? 0 : product, a.scale, a.format);
  }
  return make(narrow(BigInt(a.mantissa) * BigInt(factor)), a.scale, a.format);
}

export const maxQuantity = (a: Quantity, b: Quantity): Quantity => (compareQuantities(a, b) >= 0 ? a : b);

const DECIMAL_SUFFIXES = new Map([
  [-9, 'n'],
  [-6, 'u'],
  [-3, 'm'],
  [0, ''],
  [3, 'k'],
  [6, 'M'],
  [9, 'G'],
  [12, 'T'],
  [15, 'P'],
  [18, 'E'],
]);
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;

/** The text Kubernetes prints for this quantity. */
export function formatQuantity(quantity: Quantity): string {
  const known = printedTexts.get(quantity);
  if (known !== undefined) return known;
  const text = canonicalText(quantity);
  printedTexts.set(quantity, text);
  return text;
}

/** The canonical spelling of a quantity's text: `1.5Gi` → `1536Mi`. */
export const canonicalQuantity = (text: string): string => formatQuantity(parseQuantity(text));

function canonicalText(quantity: Quantity): string {
  const { mantissa, scale, format } = quantity;
  if (mantissa === 0) return '0';
  if (format === 'BinarySI') {
    const whole = wholeOrUndefined(mantissa, scale);
    // Small or fractional amounts print in decimal, so that nothing is lost.
    if (whole !== undefined && (whole >= 1024 || whole <= -1024)) return binaryText(whole);
  }
  return decimalText(mantissa, scale, format === 'DecimalExponent');
}

function wholeOrUndefined(mantissa: number | bigint, scale: number): number | bigint | undefined {
  if (scale >= 0) return scaleUp(mantissa, scale);
  const rounded = scaleDown(mantissa, -scale);
  return compareQuantities(make(rounded, 0, 'DecimalSI'), make(mantissa, scale, 'DecimalSI')) === 0
    ? rounded
    : undefined;
}

function binaryText(whole: number | bigint): string {
  let times = 0;
  let rest = whole;
  if (typeof rest === 'bigint') {
    let big: bigint = rest;
    for (; times < 6 && big % 1024n === 0n; times++) big /= 1024n;
    rest = big;
  } else {
    let small: number = rest;
    for (; times < 6 && small % 1024 === 0; times++) small /= 1024;
    rest = small;
  }
  return `${rest}${BINARY_SUFFIXES[times] ?? ''}`;
}

function decimalText(mantissa: number | bigint, scale: number, exponential: boolean): string {
  let digits = mantissa.toString();
  let exponent = scale;
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end--;
  exponent += digits.length - end;
  digits = digits.slice(0, end);
  // Exponents are multiples of three, and suffixes end at E.
  const target = Math.min(Math.floor(exponent / 3) * 3, exponential ? Infinity : 18);
  digits += '0'.repeat(exponent - target);
  if (!exponential) return digits + (DECIMAL_SUFFIXES.get(target) ?? '');
  return target === 0 ? digits : `${digits}e${target}`;
}
