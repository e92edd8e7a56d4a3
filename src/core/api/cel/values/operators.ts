/** Operators of the language on values. An operand of a type that has no such operator is an error, never an exception. */
import { compare, equals, keyOfElement } from './equality.ts';
import { JsonMap } from './schema-map.ts';
import { addToTimestamp, betweenTimestamps, durationOf, MAX_INT64, MIN_INT64 } from './times.ts';
import { toJson } from './to-json.ts';
import {
  ArrayList,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelTimestamp,
  CelUint,
  ConcatList,
  GrowingList,
  isError,
  JsonList,
  NO_OVERLOAD,
  type CelValue,
  type Val,
} from './values.ts';
import { textLength, work, workText } from './work.ts';

const MAX_UINT64 = 18446744073709551615n;
const INT_OVERFLOW = new CelError('integer overflow');
const UINT_OVERFLOW = new CelError('unsigned integer overflow');
const DIVISION = new CelError('division by zero');
const MODULUS = new CelError('modulus by zero');

const int = (value: bigint): Val => (value > MAX_INT64 || value < MIN_INT64 ? INT_OVERFLOW : value);
const uint = (value: bigint): Val => (value < 0n || value > MAX_UINT64 ? UINT_OVERFLOW : new CelUint(value));

/** Types that upstream calls receivers: their errors do not name the operator. */
const isReceiver = (value: CelValue): boolean =>
  typeof value === 'string' || value instanceof CelDuration || value instanceof CelTimestamp;

const withoutOperator = (value: CelValue, name: string): CelError =>
  isReceiver(value) ? NO_OVERLOAD : new CelError(`no such overload: ${name}`);

export function add(a: CelValue, b: CelValue): Val {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a + b) : NO_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a + b : NO_OVERLOAD;
  if (typeof a !== 'string') return addObjects(a, b);
  if (typeof b !== 'string') return NO_OVERLOAD;
  workText(a.length + b.length);
  return a + b;
}

function addObjects(a: CelValue, b: CelValue): Val {
  if (a instanceof CelList) return b instanceof CelList ? concat(a, b) : NO_OVERLOAD;
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value + b.value) : NO_OVERLOAD;
  if (a instanceof Uint8Array) {
    if (!(b instanceof Uint8Array)) return NO_OVERLOAD;
    workText(a.length + b.length);
    return new Uint8Array(Buffer.concat([a, b]));
  }
  if (a instanceof CelDuration) {
    if (b instanceof CelDuration) return intDuration(a.nanos + b.nanos);
    return b instanceof CelTimestamp ? addToTimestamp(b, a.nanos) : NO_OVERLOAD;
  }
  if (a instanceof CelTimestamp) return b instanceof CelDuration ? addToTimestamp(a, b.nanos) : NO_OVERLOAD;
  return withoutOperator(a, '_+_');
}

/** Durations overflow like 64-bit integers. */
const intDuration = (nanos: bigint): Val => {
  const sum = durationOf(nanos);
  return isError(sum) ? INT_OVERFLOW : sum;
};

/** Sums of lists up to this size are copied into one list, longer ones stay sums. */
const SHORT = 64;

function concat(a: CelList, b: CelList): Val {
  if (a instanceof GrowingList) {
    for (let i = 0; i < b.size; i++) {
      const item = b.at(i);
      if (isError(item)) return item;
      a.items.push(item);
    }
    work(b.size);
    return a;
  }
  if (a instanceof JsonList && a.rule.type !== 'atomic') return merge(a, b);
  if (a.size === 0) return b;
  if (b.size === 0) return a;
  const sum = new ConcatList(a, b);
  if (sum.size > SHORT && sum.depth < SHORT) return sum;
  const items: CelValue[] = [];
  work(sum.size);
  for (let i = 0; i < sum.size; i++) {
    const item = sum.at(i);
    if (isError(item)) return item;
    items.push(item);
  }
  return new ArrayList(items);
}

/** Sets unite; of maps, items of the right list win, at the place of the left one's. */
function merge(a: JsonList, b: CelList): Val {
  const elements = [...a.elements];
  const places = new Map(elements.map((element, index) => [keyOfElement(element, a.rule), index]));
  work(a.size + b.size);
  for (let i = 0; i < b.size; i++) {
    const item = b.at(i);
    if (isError(item)) return item;
    const json = toJson(item);
    const key = keyOfElement(json, a.rule);
    const place = places.get(key);
    if (place === undefined) {
      if (a.rule.type === 'set') places.set(key, elements.length);
      elements.push(json);
    } else if (a.rule.type === 'map') elements[place] = json;
  }
  return new JsonList(elements, a.adapt, a.rule);
}

export function subtract(a: CelValue, b: CelValue): Val {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a - b) : NO_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a - b : NO_OVERLOAD;
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value - b.value) : NO_OVERLOAD;
  if (a instanceof CelDuration) return b instanceof CelDuration ? intDuration(a.nanos - b.nanos) : NO_OVERLOAD;
  if (a instanceof CelTimestamp) {
    if (b instanceof CelTimestamp) return betweenTimestamps(a, b);
    return b instanceof CelDuration ? addToTimestamp(a, -b.nanos) : NO_OVERLOAD;
  }
  return withoutOperator(a, '_-_');
}

export function multiply(a: CelValue, b: CelValue): Val {
  if (typeof a === 'bigint') return typeof b === 'bigint' ? int(a * b) : NO_OVERLOAD;
  if (typeof a === 'number') return typeof b === 'number' ? a * b : NO_OVERLOAD;
  if (a instanceof CelUint) return b instanceof CelUint ? uint(a.value * b.value) : NO_OVERLOAD;
  return withoutOperator(a, '_*_');
}

export function divide(a: CelValue, b: CelValue): Val {
  if (typeof a === 'bigint') return typeof b !== 'bigint' ? NO_OVERLOAD : b === 0n ? DIVISION : int(a / b);
  if (typeof a === 'number') return typeof b === 'number' ? a / b : NO_OVERLOAD;
  if (a instanceof CelUint) {
    if (!(b instanceof CelUint)) return NO_OVERLOAD;
    return b.value === 0n ? DIVISION : new CelUint(a.value / b.value);
  }
  return withoutOperator(a, '_/_');
}

export function modulo(a: CelValue, b: CelValue): Val {
  if (typeof a === 'bigint') {
    if (typeof b !== 'bigint') return NO_OVERLOAD;
    if (b === 0n) return MODULUS;
    return a === MIN_INT64 && b === -1n ? INT_OVERFLOW : a % b;
  }
  if (a instanceof CelUint) {
    if (!(b instanceof CelUint)) return NO_OVERLOAD;
    return b.value === 0n ? MODULUS : new CelUint(a.value % b.value);
  }
  return withoutOperator(a, '_%_');
}

export function negate(a: CelValue): Val {
  if (typeof a === 'bigint') return int(-a);
  if (typeof a === 'number') return -a;
  if (a instanceof CelDuration) return intDuration(-a.nanos);
  return typeof a === 'boolean' ? !a : withoutOperator(a, '-_');
}

export const not = (a: CelValue): Val => (typeof a === 'boolean' ? !a : NO_OVERLOAD);

const isOrdered = (value: CelValue): boolean =>
  typeof value !== 'object' ||
  value instanceof CelUint ||
  value instanceof Uint8Array ||
  value instanceof CelDuration ||
  value instanceof CelTimestamp;

/** An operator of order, by what the comparison must yield. */
const ordering =
  (name: string, accepts: (order: number) => boolean) =>
  (a: CelValue, b: CelValue): Val => {
    if (!isOrdered(a)) return new CelError(`no such overload: ${name}`);
    const order = compare(a, b);
    return typeof order === 'number' ? accepts(order) : order;
  };

export const less = ordering('_<_', (order) => order < 0);
export const lessOrEqual = ordering('_<=_', (order) => order <= 0);
export const greater = ordering('_>_', (order) => order > 0);
export const greaterOrEqual = ordering('_>=_', (order) => order >= 0);

export function isIn(element: CelValue, container: CelValue): Val {
  if (container instanceof CelMap) return hasKey(container, element);
  return container instanceof CelList ? contains(container, element) : NO_OVERLOAD;
}

function hasKey(map: CelMap, key: CelValue): Val {
  const found = map.find(key);
  if (found === undefined) return false;
  // A value that does not fit its schema still counts as present.
  return isError(found) && !(map instanceof JsonMap) ? found : true;
}

export function contains(list: CelList, element: CelValue): Val {
  let error: CelError | undefined;
  const strict = list instanceof JsonList;
  for (let i = 0; i < list.size; i++) {
    work(1);
    const equal = strict ? equals(list.at(i), element) : equals(element, list.at(i));
    if (equal === true) return true;
    if (strict && isError(equal)) error ??= equal;
  }
  return error ?? false;
}

/** `size()`: code points of texts, bytes, elements, entries. */
export function size(value: CelValue): Val {
  if (typeof value === 'string') return BigInt(textLength(value));
  if (value instanceof CelList || value instanceof CelMap) return BigInt(value.size);
  if (value instanceof Uint8Array) return BigInt(value.length);
  return withoutOperator(value, 'size');
}
