import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './matching-runs.ts';

/** Applies a diff, line by line, to the text it was made from. */
function apply(before: string, diff: string): string {
  const source = before.split('\n');
  const result: string[] = [];
  let position = 0;
  for (const line of diff.split('\n').slice(0, -1)) {
    const header = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
    if (header) {
      const start = header[2] === '0' ? Number(header[1]) : Number(header[1]) - 1;
      result.push(...source.slice(position, start));
      position = start;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      if (source[position] !== line.slice(1)) throw new Error(`line ${position} is not ${line}`);
      if (line.startsWith(' ')) result.push(line.slice(1));
      position++;
    }
  }
  return [...result, ...source.slice(position)].join('\n');
}

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '{', '}', '"x": 1,'), { maxLength: 40 })
  .map((lines) => lines.join('\n'));

describe('a unified diff', () => {
  it('turns the one text into the other', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(apply(before, unifiedDiff(before, after))).toBe(after);
      }),
    );
  });

  it('is empty for equal texts', () => {
    expect(unifiedDiff('a\nb', 'a\nb')).toBe('');
  });

  it('shows three lines around a change', () => {
    const lines = Array.from({ length: 20 }, (_unused, index) => `line ${index}`);
    const diff = unifiedDiff(lines.join('\n'), lines.with(10, 'changed').join('\n'));
    expect(diff).toBe('@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n');
  });

  it('stays right when texts are too long to compare in full', () => {
    const lines = Array.from({ length: 9000 }, (_unused, index) => `line ${index % 7}`);
    const before = lines.join('\n');
    const after = lines.with(4000, 'x').with(5000, 'y').join('\n');
    expect(apply(before, unifiedDiff(before, after))).toBe(after);
  });
});
