import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit } from './edit-script.ts';
import { editsByRuns } from './matching-runs.ts';

const LINES = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

function applied(a: readonly string[], b: readonly string[], edits: readonly Edit[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of edits) {
    result.push(...a.slice(at, aStart), ...b.slice(bStart, bEnd));
    at = aEnd;
  }
  return [...result, ...a.slice(at)];
}

describe('edits between the longest common runs', () => {
  it('turn the one list into the other, in order, and never touch', () => {
    fc.assert(
      fc.property(LINES, LINES, (a, b) => {
        const edits = editsByRuns(a, b);
        expect(applied(a, b, edits)).toEqual(b);
        for (let i = 1; i < edits.length; i += 1) {
          const [before, edit] = [edits[i - 1] as Edit, edits[i] as Edit];
          expect(edit.aStart).toBeGreaterThan(before.aEnd);
          expect(edit.aStart - before.aEnd).toBe(edit.bStart - before.bEnd);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('keep the longest run, although a shorter script may exist', () => {
    const a = ['x', 'a', 'b', 'c'];
    const b = ['a', 'b', 'c', 'x'];
    expect(editsByRuns(a, b)).toEqual([
      { aStart: 0, aEnd: 1, bStart: 0, bEnd: 0 },
      { aStart: 4, aEnd: 4, bStart: 3, bEnd: 4 },
    ]);
  });

  it('are none for equal lists', () => {
    expect(editsByRuns(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('take names of inherited things for lines', () => {
    expect(editsByRuns(['__proto__', 'constructor'], ['constructor'])).toEqual([
      { aStart: 0, aEnd: 1, bStart: 0, bEnd: 0 },
    ]);
  });
});
