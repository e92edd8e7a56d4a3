import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCommonIndex, parseIndexes } from './job-indexes.ts';

/** Writes a set of indexes the short way. */
function write(indexes: readonly number[]): string {
  const parts: string[] = [];
  for (let i = 0; i < indexes.length; i++) {
    const first = indexes[i] ?? 0;
    let last = first;
    while (indexes[i + 1] === last + 1) last = indexes[++i] ?? 0;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}

const sets = fc.uniqueArray(fc.nat({ max: 60 }), { maxLength: 25 }).map((list) => list.toSorted((a, b) => a - b));

describe('indexes of a job', () => {
  it('are counted', () => {
    fc.assert(
      fc.property(sets, (indexes) => {
        expect(parseIndexes(write(indexes), 100)).toEqual({ ok: true, total: indexes.length });
      }),
    );
  });

  it('have a first one in common, or none', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(firstCommonIndex(write(a), write(b), 100)).toBe(a.find((index) => b.includes(index)));
      }),
    );
  });

  it.each([
    [
      '1-2-3',
      `the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
    ['x', 'cannot convert string to integer for index: "x"'],
    ['5', 'too large index: "5"'],
    ['3-1', 'non-increasing order, previous: 3, current: 1'],
    ['2,1', 'non-increasing order, previous: 2, current: 1'],
  ])('are not %s', (text, error) => {
    expect(parseIndexes(text, 5)).toEqual({ ok: false, error });
  });
});
