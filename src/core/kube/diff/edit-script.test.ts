import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editScript, type Edit } from './edit-script.ts';

const LINES = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

/** The longest common subsequence by the textbook table. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = 1; i <= a.length; i += 1)
    for (let j = 1; j <= b.length; j += 1)
      (table[i] as number[])[j] =
        a[i - 1] === b[j - 1]
          ? (table[i - 1]?.[j - 1] ?? 0) + 1
          : Math.max(table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0);
  return table[a.length]?.[b.length] ?? 0;
}

function applied(a: readonly string[], b: readonly string[], edits: readonly Edit[]): readonly string[] {
  const result: string[] = [];
  let at = 0;
  for (const { aStart, aEnd, bStart, bEnd } of edits) {
    result.push(...a.slice(at, aStart), ...b.slice(bStart, bEnd));
    at = aEnd;
  }
  return [...result, ...a.slice(at)];
}

const costOf = (edits: readonly Edit[]): number =>
  edits.reduce((sum, { aStart, aEnd, bStart, bEnd }) => sum + (aEnd - aStart) + (bEnd - bStart), 0);

describe('the way from one text to another', () => {
  it('leads there, and no way is shorter', () => {
    fc.assert(
      fc.property(LINES, LINES, (a, b) => {
        const edits = editScript(a, b);
        expect(applied(a, b, edits)).toEqual(b);
        expect(costOf(edits)).toBe(a.length + b.length - 2 * commonLength(a, b));
      }),
      { numRuns: 1000 },
    );
  });

  it('comes in order, and edits never touch', () => {
    fc.assert(
      fc.property(LINES, LINES, (a, b) => {
        const edits = editScript(a, b);
        for (let i = 1; i < edits.length; i += 1) {
          const [before, edit] = [edits[i - 1] as Edit, edits[i] as Edit];
          expect(edit.aStart).toBeGreaterThan(before.aEnd);
          expect(edit.aStart - before.aEnd).toBe(edit.bStart - before.bEnd);
        }
      }),
    );
  });

  it('is empty for equal texts', () => {
    expect(editScript(['a', 'b'], ['a', 'b'])).toEqual([]);
  });

  it('is given up where nothing is common, and still leads there', () => {
    const a = Array.from({ length: 20_000 }, (_, i) => `old ${i}`);
    const b = Array.from({ length: 20_000 }, (_, i) => `new ${i}`);
    expect(editScript(a, b)).toEqual([{ aStart: 0, aEnd: 20_000, bStart: 0, bEnd: 20_000 }]);
    const mixed = a.map((line, i) => (i % 3 === 0 ? line : `new ${i}`));
    expect(applied(a, mixed, editScript(a, mixed))).toEqual(mixed);
  });

  it('takes names of inherited things for lines', () => {
    expect(editScript(['__proto__', 'constructor'], ['constructor'])).toEqual([
      { aStart: 0, aEnd: 1, bStart: 0, bEnd: 0 },
    ]);
  });
});
