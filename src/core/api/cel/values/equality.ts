/** Equality and order of values, across number types, as cel-go has them. */
import { compareBytes } from '../../../kube/go-text.ts';
import type { Json, JsonObject } from '../../../kube/json.ts';
import { SchemaMap } from './schema-map.ts';
import {
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOpaque,
  CelOptional,
  CelStruct,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  CelUnknownData,
  isError,
  JsonList,
  NO_OVERLOAD,
  type CelValue,
  type ListRule,
  type Val,
} from './values.ts';
import { opaqueEquals } from './opaque.ts';
import { sameJson, toJson } from './to-json.ts';
import { work } from './work.ts';

/** `a == b`. Null equals only null; other types decide, and some know no equality with strangers. */
export function equals(a: Val, b: Val): boolean | CelError {
  if (a === null || b === null) return a === b;
  return equalTo(a, b);
}

function equalTo(a: Val, b: Val): boolean | CelError {
  if (typeof a === 'object') return a === null ? b === null : objectsEqual(a, b);
  return typeof a === 'bigint' || typeof a === 'number' ? sameNumber(a, b) : a === b;
}

function objectsEqual(a: Exclude<Val, null | string | number | bigint | boolean>, b: Val): boolean | CelError {
  if (a instanceof CelMap) return mapsEqual(a, b);
  if (a instanceof CelList) return listsEqual(a, b);
  if (a instanceof CelUint) return sameNumber(a, b);
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos;
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareByteArrays(a, b) === 0;
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && a.name === b.name;
  if (a instanceof CelOptional) {
    if (!(b instanceof CelOptional)) return false;
    if (a.value === undefined || b.value === undefined) return a.value === b.value;
    return equalTo(a.value, b.value);
  }
  if (a instanceof CelOpaque) return isError(b) ? b : opaqueEquals(a, b);
  if (a instanceof CelUnknownData) return isError(b) ? false : sameJson(a.json, toJson(b));
  return a;
}

type Numeric = bigint | number | CelUint;

function sameNumber(a: Numeric, b: Val): boolean {
  if (typeof b !== 'bigint' && typeof b !== 'number' && !(b instanceof CelUint)) return false;
  const x = a instanceof CelUint ? a.value : a;
  const y = b instanceof CelUint ? b.value : b;
  // Upstream compares a double with an integer as doubles, so large integers are equal to their neighbours.
  if (typeof x === typeof y) return x === y;
  return Number(x) === Number(y);
}

function compareByteArrays(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  work(length >> 4);
  for (let i = 0; i < length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(a.length - b.length);
}

function listsEqual(a: CelList, b: Val): boolean | CelError {
  const rule = a instanceof JsonList ? a.rule : undefined;
  if (!(b instanceof CelList)) return rule ? (isError(b) ? b : NO_OVERLOAD) : false;
  // Lists that an update did not change are identical.
  if (rule && b instanceof JsonList && a instanceof JsonList && a.elements === b.elements && a.adapt === b.adapt)
    return true;
  if (a.size !== b.size) return false;
  if (rule && rule.type !== 'atomic') return unorderedEqual(a as JsonList, b, rule);
  for (let i = 0; i < a.size; i++) {
    work(1);
    // Lists with a schema compare by the element's own equality; other lists tolerate null and errors.
    const equal = rule ? schemaElementEquals(a.at(i), b.at(i)) : equals(a.at(i), b.at(i));
    if (equal === false) return false;
    if (rule && equal !== true) return equal;
  }
  return true;
}

function schemaElementEquals(a: Val, b: Val): boolean | CelError {
  return a === null || b === null ? a === b : equalTo(a, b);
}

/** Sets and maps of items compare by their elements, whatever the order. */
function unorderedEqual(a: JsonList, b: CelList, rule: Exclude<ListRule, { type: 'atomic' }>): boolean | CelError {
  const byKey = new Map<string, Json>();
  for (const element of a.elements) byKey.set(keyOfElement(element, rule), element);
  for (let i = 0; i < b.size; i++) {
    work(1);
    const other = b.at(i);
    if (isError(other)) return other;
    const mine = byKey.get(keyOfElement(toJson(other), rule));
    if (mine === undefined) return false;
    if (rule.type === 'set') continue;
    const equal = equals(a.adapt(mine), other);
    if (equal !== true) return equal;
  }
  return true;
}

const scalarKey = (json: Json | undefined): string =>
  typeof json === 'object' ? 'object' : `${typeof json}:${String(json)}`;

export function keyOfElement(element: Json, rule: ListRule): string {
  if (rule.type !== 'map') return scalarKey(element);
  if (typeof element !== 'object' || element === null || Array.isArray(element)) return scalarKey(element);
  const object = element as JsonObject;
  return JSON.stringify(rule.keys.map((key) => scalarKey(Object.hasOwn(object, key) ? object[key] : undefined)));
}

function mapsEqual(a: CelMap, b: Val): boolean | CelError {
  const schema = a instanceof SchemaMap;
  if (a instanceof CelStruct || b instanceof CelStruct) {
    if (!(a instanceof CelStruct && b instanceof CelStruct && a.type === b.type)) return false;
  }
  if (!(b instanceof CelMap)) return schema ? (isError(b) ? b : NO_OVERLOAD) : false;
  if (schema && b instanceof SchemaMap && a.value === b.value && a.members === b.members) return true;
  if (a.size !== b.size) return false;
  if (schema) return schemaMapsEqual(a, b);
  for (const key of a.keys()) {
    work(1);
    const other = b.find(key);
    if (other === undefined) return false;
    if (equals(a.find(key) ?? null, other) === false) return false;
  }
  return true;
}

function schemaMapsEqual(a: SchemaMap, b: CelMap): boolean | CelError {
  for (const name of a.names()) {
    work(1);
    if (!a.knows(name)) {
      const other = b instanceof SchemaMap ? b.raw(name) : undefined;
      if (other !== undefined && !sameJson(a.raw(name) ?? null, other)) return false;
      continue;
    }
    const mine = a.find(name);
    const theirs = b.find(name);
    if ((mine === undefined) !== (theirs === undefined)) return false;
    if (mine === undefined || theirs === undefined) continue;
    const equal = schemaElementEquals(mine, theirs);
    if (equal !== true) return equal;
  }
  return true;
}

/** Negative, zero or positive; an error where there is no order. */
export function compare(a: CelValue, b: CelValue): number | CelError {
  if (typeof a === 'string') {
    if (typeof b !== 'string') return NO_OVERLOAD;
    work((Math.min(a.length, b.length) >> 6) + 1);
    return Math.sign(compareBytes(a, b));
  }
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : NO_OVERLOAD;
  return typeof a === 'object' ? compareObjects(a, b) : compareNumbers(a, b);
}

function compareObjects(a: CelValue, b: CelValue): number | CelError {
  if (a instanceof CelUint) return compareNumbers(a, b);
  if (a instanceof CelDuration) return b instanceof CelDuration ? order(a.nanos, b.nanos) : NO_OVERLOAD;
  if (a instanceof CelTimestamp) {
    if (!(b instanceof CelTimestamp)) return NO_OVERLOAD;
    return order(a.seconds, b.seconds) || order(a.nanos, b.nanos);
  }
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareByteArrays(a, b) : NO_OVERLOAD;
  return NO_OVERLOAD;
}

const order = (x: bigint | number, y: bigint | number): number => (x < y ? -1 : x > y ? 1 : 0);

const NOT_A_NUMBER = new CelError('NaN values cannot be ordered');

function compareNumbers(a: Numeric, b: CelValue): number | CelError {
  if (Number.isNaN(a)) return NOT_A_NUMBER;
  if (typeof b !== 'bigint' && typeof b !== 'number' && !(b instanceof CelUint)) return NO_OVERLOAD;
  if (Number.isNaN(b)) return NOT_A_NUMBER;
  const x = a instanceof CelUint ? a.value : a;
  const y = b instanceof CelUint ? b.value : b;
  if (typeof x === typeof y) return order(x, y);
  return order(Number(x), Number(y));
}
