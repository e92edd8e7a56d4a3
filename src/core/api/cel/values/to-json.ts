/** Values back as JSON, for comparing with data that has no schema and for results that leave the language. */
import type { Json, JsonObject } from '../../../kube/json.ts';
import { printGo } from './print-go.ts';
import { formatDuration, formatTimestamp } from './times.ts';
import { NativeList } from './native.ts';
import { JsonMap, SchemaMap } from './schema-map.ts';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  CelUnknownData,
  isError,
  JsonList,
  type CelValue,
} from './values.ts';
import { work } from './work.ts';

const narrow = (value: bigint): number | bigint =>
  value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;

export function toJson(value: CelValue): Json {
  if (typeof value === 'bigint') return narrow(value);
  return typeof value === 'object' && value !== null ? objectToJson(value) : value;
}

function objectToJson(value: Exclude<CelValue, null | string | number | bigint | boolean>): Json {
  if (value instanceof SchemaMap || value instanceof JsonMap) return value.value;
  if (value instanceof JsonList || value instanceof NativeList) return value.elements;
  if (value instanceof CelMap) return mapToJson(value);
  if (value instanceof CelList) return listToJson(value);
  if (value instanceof CelUint) return narrow(value.value);
  if (value instanceof CelDuration) return formatDuration(value);
  if (value instanceof CelTimestamp) return formatTimestamp(value);
  if (value instanceof CelUnknownData) return value.json;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof CelTypeValue) return value.name;
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  return null;
}

function listToJson(list: CelList): Json {
  const items: Json[] = [];
  for (let i = 0; i < list.size; i++) {
    work(1);
    const item = list.at(i);
    items.push(isError(item) ? null : toJson(item));
  }
  return items;
}

function mapToJson(map: CelMap): Json {
  const entries: [string, Json][] = [];
  for (const key of map.keys()) {
    work(1);
    const value = map.find(key);
    entries.push([printGo(key), value === undefined || isError(value) ? null : toJson(value)]);
  }
  return Object.fromEntries(entries);
}

export function sameJson(a: Json, b: Json): boolean {
  work(1);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item: Json, index) => sameJson(item, b[index] as Json));
  }
  const left = a as JsonObject;
  const right = b as JsonObject;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameJson(left[name] ?? null, right[name] ?? null))
  );
}
