/** Optional values: of, none, value, and the lists of them; also what maps of macros need. */
import type { FunctionTable } from '../values/function-table.ts';
import {
  ArrayList,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  EntryMap,
  GrowingMap,
  isError,
  mapKeyOf,
  NONE,
  type CelValue,
  type Val,
} from '../values/values.ts';
import { printGo } from '../values/print-go.ts';
import { work } from '../values/work.ts';

/** Seconds of the year 1, which is where Go's time begins. */
const ZERO_TIME = -62135596800;

function isZero(value: CelValue): boolean {
  if (value === null) return true;
  // Empty texts, zeros and false.
  if (typeof value !== 'object') return !value && !Number.isNaN(value);
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  return value instanceof CelTimestamp && value.seconds === ZERO_TIME && value.nanos === 0;
}

const NOTHING_THERE = new CelError('optional.none() dereference');

const optionalAt = (list: CelList, index: number): Val => {
  if (list.size === 0) return NONE;
  const item = list.at(index);
  return isError(item) ? item : new CelOptional(item);
};

function unwrap(list: CelList): Val {
  const items: CelValue[] = [];
  work(list.size);
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (isError(item)) return item;
    if (!(item instanceof CelOptional)) return new CelError(`value ${printGo(item)} is not optional`);
    if (item.value !== undefined) items.push(item.value);
  }
  return new ArrayList(items);
}

/** A map with one more entry; the map a macro builds grows in place. */
function insert(map: EntryMap, key: CelValue, value: CelValue): Val {
  const text = mapKeyOf(key);
  if (text === undefined) return new CelError(`unsupported key type: ${printGo(key)}`);
  if (map.entries.has(text)) return new CelError(`insert failed: key ${printGo(key)} already exists`);
  if (map instanceof GrowingMap) {
    map.growing.set(text, [key, value]);
    return map;
  }
  work(map.size);
  return new EntryMap(new Map(map.entries).set(text, [key, value]));
}

function insertAll(map: EntryMap, added: CelMap): Val {
  let result: Val = map;
  for (const key of added.keys()) {
    const value = added.find(key) ?? null;
    if (isError(value)) return value;
    result = insert(result as EntryMap, key, value);
    if (isError(result)) return result;
  }
  return result;
}

export const OPTIONAL_FUNCTIONS: FunctionTable = [
  ['optional_of', (value) => new CelOptional(value)],
  ['optional_ofNonZeroValue', (value) => (isZero(value) ? NONE : new CelOptional(value))],
  ['optional_none', () => NONE],
  ['optional_value', (optional) => (optional as CelOptional).value ?? noneOrNull(optional as CelOptional)],
  ['optional_hasValue', (optional) => (optional as CelOptional).value !== undefined],
  ['list_first', (list) => optionalAt(list as CelList, 0)],
  ['list_last', (list) => optionalAt(list as CelList, (list as CelList).size - 1)],
  ['optional_unwrap', (list) => unwrap(list as CelList)],
  ['optional_unwrapOpt', (list) => unwrap(list as CelList)],
  ['@mapInsert_map_key_value', (map, key, value) => insert(map as EntryMap, key, value)],
  ['@mapInsert_map_map', (map, added) => insertAll(map as EntryMap, added as CelMap)],
];

/** Null inside an optional is a value, and not an absent one. */
function noneOrNull(optional: CelOptional): Val {
  return optional.value === null ? null : NOTHING_THERE;
}
