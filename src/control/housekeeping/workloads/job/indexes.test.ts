import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, countCommon, firstMissing, formatIndexes, has, indexesOf, parseIndexes, union } from './indexes.ts';

const numbers = fc.uniqueArray(fc.nat({ max: 60 }));

describe('sets of indexes', () => {
  it('behave as sets', () => {
    fc.assert(
      fc.property(numbers, numbers, fc.nat({ max: 60 }), (a, b, probe) => {
        const both = union(indexesOf(a), indexesOf(b));
        const oracle = new Set([...a, ...b]);
        expect(count(both)).toBe(oracle.size);
        expect(has(both, probe)).toBe(oracle.has(probe));
        expect(countCommon(union(indexesOf(a), []), union(indexesOf(b), []))).toBe(
          a.filter((each) => b.includes(each)).length,
        );
      }),
    );
  });

  it('are the same after writing and reading', () => {
    fc.assert(
      fc.property(numbers, (list) => {
        const indexes = union(indexesOf(list), []);
        expect(parseIndexes(formatIndexes(indexes), 100)).toEqual(indexes);
      }),
    );
  });

  it('find what is missing, lowest first', () => {
    fc.assert(
      fc.property(numbers, fc.nat({ max: 20 }), fc.nat({ max: 80 }), (list, limit, completions) => {
        const oracle: number[] = [];
        for (let i = 0; i < completions && oracle.length < limit; i += 1) if (!list.includes(i)) oracle.push(i);
        expect(firstMissing(union(indexesOf(list), []), limit, completions)).toEqual(oracle);
      }),
    );
  });

  it.each([
    [[], ''],
    [[1], '1'],
    [[1, 2], '1,2'],
    [[0, 1, 2, 5, 7, 8], '0-2,5,7,8'],
  ])('%j are written %j', (list, text) => {
    expect(formatIndexes(union(indexesOf(list), []))).toBe(text);
  });

  it('leave out what cannot be read or lies beyond', () => {
    expect(parseIndexes('0,x,2-3,9-20,30', 11)).toEqual([
      { first: 0, last: 0 },
      { first: 2, last: 3 },
      { first: 9, last: 10 },
    ]);
  });

  it('of a million are one interval', () => {
    expect(count(parseIndexes('0-999999', 1_000_000))).toBe(1_000_000);
    expect(firstMissing(parseIndexes('0-999998', 1_000_000), 5, 1_000_000)).toEqual([999_999]);
  });
});
