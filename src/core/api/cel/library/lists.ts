/** Functions on lists and sets. */
import { compare, equals } from '../values/equality.ts';
import type { Fn, FunctionTable } from '../values/function-table.ts';
import { add, contains } from '../values/operators.ts';
import {
  ArrayList,
  CelDuration,
  CelError,
  CelList,
  CelTimestamp,
  CelUint,
  isError,
  NO_OVERLOAD,
  typeNameOf,
  type CelValue,
  type Val,
} from '../values/values.ts';
import { OutOfBudget, work } from '../values/work.ts';

const COMPARABLE = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;
/** A longer range costs more than every limit. */
const MAX_RANGE = 2_000_000n;

/** The elements, or the first error among them. */
function itemsOf(list: CelList): readonly CelValue[] | CelError {
  if (list instanceof ArrayList) return list.items;
  const items: CelValue[] = [];
  work(list.size);
  for (let i = 0; i < list.size; i++) {
    const item = list.at(i);
    if (isError(item)) return item;
    items.push(item);
  }
  return items;
}

const onItems =
  (use: (items: readonly CelValue[], b: CelValue, c: CelValue) => Val): Fn =>
  (list, b, c) => {
    const items = itemsOf(list as CelList);
    return items instanceof CelError ? items : use(items, b, c);
  };

const isSorted = onItems((items) => {
  for (let i = 1; i < items.length; i++) {
    const order = compare(items[i - 1] ?? null, items[i] ?? null);
    if (order === NO_OVERLOAD) return NO_OVERLOAD;
    if (typeof order === 'number' && order > 0) return false;
  }
  return true;
});

const extreme = (name: 'min' | 'max'): Fn =>
  onItems((items) => {
    const [first, ...rest] = items;
    if (first === undefined) return new CelError(`${name} called on empty list`);
    let best = first;
    for (const item of rest) {
      const order = compare(best, item);
      if (typeof order === 'number' && (name === 'min' ? order > 0 : order < 0)) best = item;
    }
    return best;
  });

const summing = (zero: CelValue): Fn =>
  onItems((items) => {
    let sum: Val = zero;
    for (const item of items) {
      sum = add(sum, item);
      if (isError(sum)) return sum;
    }
    return sum;
  });

const ZEROS: readonly (readonly [string, CelValue])[] = [
  ['int', 0n],
  ['uint', new CelUint(0n)],
  ['double', 0],
  ['duration', new CelDuration(0n)],
];

function indexOf(list: CelList, element: CelValue, from: number, step: 1 | -1): Val {
  for (let i = from; i >= 0 && i < list.size; i += step) {
    work(1);
    if (equals(list.at(i), element) === true) return BigInt(i);
  }
  return -1n;
}

function slice(list: CelList, start: bigint, end: bigint): Val {
  const range = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return new CelError(`${range}, negative indexes not supported`);
  if (start > end) return new CelError(`${range}, start index must be less than or equal to end index`);
  if (BigInt(list.size) < end) return new CelError(`${range}, list is length ${list.size}`);
  const items: CelValue[] = [];
  work(Number(end - start));
  for (let i = Number(start); i < Number(end); i++) {
    const item = list.at(i);
    if (isError(item)) return item;
    items.push(item);
  }
  return new ArrayList(items);
}

function flattenInto(list: CelList, depth: number, into: CelValue[]): CelError | undefined {
  for (let i = 0; i < list.size; i++) {
    work(1);
    const item = list.at(i);
    if (isError(item)) return item;
    if (item instanceof CelList && depth > 0) {
      const problem = flattenInto(item, depth - 1, into);
      if (problem) return problem;
    } else into.push(item);
  }
  return undefined;
}

function flatten(list: CelValue, depth: bigint): Val {
  if (!(list instanceof CelList)) return new CelError(`no such overload: ${typeNameOf(list)}.flatten()`);
  if (depth < 0n) return new CelError('level must be non-negative');
  const items: CelValue[] = [];
  return flattenInto(list, Number(depth), items) ?? new ArrayList(items);
}

function range(count: bigint): Val {
  if (count > MAX_RANGE) throw new OutOfBudget();
  return new ArrayList(Array.from({ length: Math.max(0, Number(count)) }, (_, index) => BigInt(index)));
}

const distinct = onItems((items) => {
  const unique: CelValue[] = [];
  for (const item of items) {
    work(unique.length);
    if (!unique.some((other) => equals(item, other) === true)) unique.push(item);
  }
  return new ArrayList(unique);
});

const isComparable = (value: CelValue): boolean =>
  (typeof value !== 'object' && value !== undefined) ||
  value instanceof CelUint ||
  value instanceof Uint8Array ||
  value instanceof CelDuration ||
  value instanceof CelTimestamp;

export const sortList: Fn = (list) => sorted(list, list);
export const sortByKeys: Fn = (list, keys) => sorted(list, keys);

function sorted(list: CelValue, by: CelValue): Val {
  if (!(list instanceof CelList) || !(by instanceof CelList)) return NO_OVERLOAD;
  const items = itemsOf(list);
  const keys = itemsOf(by);
  if (items instanceof CelError) return items;
  if (keys instanceof CelError) return keys;
  if (items.length !== keys.length) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${items.length} and ${keys.length} elements respectively`,
    );
  }
  const [first] = keys;
  if (first === undefined) return list;
  if (!isComparable(first)) return new CelError('list elements must be comparable');
  const type = typeNameOf(first);
  if (keys.length > 1 && keys.some((key) => typeNameOf(key) !== type)) {
    return new CelError('list elements must have the same type');
  }
  work(keys.length * 8);
  const order = keys.map((_, index) => index);
  order.sort((x, y) => {
    const compared = compare(keys[x] ?? null, keys[y] ?? null);
    return typeof compared === 'number' ? compared : 0;
  });
  return new ArrayList(order.map((index) => items[index] ?? null));
}

function isSubset(list: CelList, part: CelList): Val {
  for (let i = 0; i < part.size; i++) {
    const item = part.at(i);
    const found = isError(item) ? item : contains(list, item);
    if (found !== true) return found;
  }
  return true;
}

function intersects(a: CelList, b: CelList): Val {
  for (let i = 0; i < a.size; i++) {
    const item = a.at(i);
    if (!isError(item) && contains(b, item) === true) return true;
  }
  return false;
}

function equivalent(a: CelList, b: CelList): Val {
  const within = isSubset(a, b);
  return within === true ? isSubset(b, a) : within;
}

export const LIST_FUNCTIONS: FunctionTable = [
  ...COMPARABLE.flatMap((type): FunctionTable => [
    [`list_${type}_is_sorted_bool`, isSorted],
    [`list_${type}_min_${type}`, extreme('min')],
    [`list_${type}_max_${type}`, extreme('max')],
  ]),
  ...ZEROS.map(([type, zero]): FunctionTable[number] => [`list_${type}_sum_${type}`, summing(zero)]),
  ['list_a_index_of_int', (list, element) => indexOf(list as CelList, element, 0, 1)],
  ['list_a_last_index_of_int', (list, element) => indexOf(list as CelList, element, (list as CelList).size - 1, -1)],
  ['list_slice', (list, start, end) => slice(list as CelList, start as bigint, end as bigint)],
  ['list_flatten', (list) => flatten(list, 1n)],
  ['list_flatten_int', (list, depth) => flatten(list, depth as bigint)],
  ['list_reverse', onItems((items) => new ArrayList(items.toReversed()))],
  ['list_distinct', distinct],
  ['lists_range', (count) => range(count as bigint)],
  ['list_sets_contains_list', (a, b) => isSubset(a as CelList, b as CelList)],
  ['list_sets_intersects_list', (a, b) => intersects(a as CelList, b as CelList)],
  ['list_sets_equivalent_list', (a, b) => equivalent(a as CelList, b as CelList)],
];
