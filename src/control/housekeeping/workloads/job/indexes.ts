/** Sets of completion indexes as ordered intervals, and their texts: `1,3-5,7`. A million indexes may be one interval. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

export type Indexes = readonly Interval[];

export const NO_INDEXES: Indexes = Object.freeze([]);

/** Parses the indexes of a status or policy; parts that are malformed or beyond the completions are left out. */
export function parseIndexes(text: string | undefined, completions: number): Indexes {
  if (text === undefined || text === '') return NO_INDEXES;
  const found: Interval[] = [];
  for (const part of text.split(',')) {
    const match = /^([0-9]{1,15})(?:-([0-9]{1,15}))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    const last = Math.min(match[2] === undefined ? first : Number(match[2]), completions - 1);
    if (first < completions && first <= last) found.push({ first, last });
  }
  return union(found, NO_INDEXES);
}

export const indexesOf = (numbers: Iterable<number>): Indexes =>
  [...new Set(numbers)].sort((a, b) => a - b).map((index) => ({ first: index, last: index }));

/** All indexes of both; adjacent intervals become one. */
export function union(a: Indexes, b: Indexes): Indexes {
  const all = [...a, ...b].sort((x, y) => x.first - y.first);
  const merged: Interval[] = [];
  for (const interval of all) {
    const last = merged.at(-1);
    if (last === undefined || interval.first > last.last + 1) merged.push(interval);
    else if (interval.last > last.last) merged[merged.length - 1] = { first: last.first, last: interval.last };
  }
  return merged;
}

export const count = (indexes: Indexes): number => indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);

export function has(indexes: Indexes, index: number): boolean {
  let low = 0;
  let high = indexes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((indexes[middle]?.last ?? 0) >= index) high = middle;
    else low = middle + 1;
  }
  const interval = indexes[low];
  return interval !== undefined && interval.first <= index;
}

/** The number of indexes in both. */
export function countCommon(a: Indexes, b: Indexes): number {
  let common = 0;
  for (let i = 0, j = 0; ;) {
    const x = a[i];
    const y = b[j];
    if (x === undefined || y === undefined) return common;
    common += Math.max(0, Math.min(x.last, y.last) - Math.max(x.first, y.first) + 1);
    if (x.last < y.last) i += 1;
    else j += 1;
  }
}

export const formatIndexes = (indexes: Indexes): string =>
  indexes
    .map(({ first, last }) => (first === last ? `${first}` : `${first}${last === first + 1 ? ',' : '-'}${last}`))
    .join(',');

/** The first `limit` indexes below `completions` that are not in the set. */
export function firstMissing(indexes: Indexes, limit: number, completions: number): readonly number[] {
  const missing: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...indexes, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && missing.length < limit; candidate += 1) missing.push(candidate);
    if (missing.length >= limit) break;
    candidate = Math.max(candidate, last + 1);
  }
  return missing;
}
