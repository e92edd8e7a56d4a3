import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff, unifiedHunks } from './unified-diff.ts';

const NAMES = { oldName: 'old', newName: 'new' };
const lines = (...all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
const TEXT = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x', '+ y'), { maxLength: 25 }).map((all) => lines(...all));

/** Applies the diff as `patch` does: by the numbers in the headers, checking the lines it removes. */
function patched(before: string, diff: string): string {
  if (diff === '') return before;
  const old = before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const result: string[] = [];
  let at = 0;
  for (const line of diff.replace(/\n$/, '').split('\n').slice(2)) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      result.push(...old.slice(at, start));
      at = start;
    } else if (line.startsWith('+')) result.push(line.slice(1));
    else {
      expect(old[at]).toBe(line.slice(1));
      if (line.startsWith(' ')) result.push(line.slice(1));
      at += 1;
    }
  }
  return lines(...result, ...old.slice(at));
}

describe('a unified diff', () => {
  it('can be applied', () => {
    fc.assert(
      fc.property(TEXT, TEXT, fc.integer({ min: 0, max: 4 }), (before, after, context) => {
        expect(patched(before, unifiedDiff(before, after, { ...NAMES, context }))).toBe(after);
      }),
      { numRuns: 500 },
    );
  });

  it('reads as everybody knows it', () => {
    const before = lines('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l');
    const after = lines('a', 'B', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm');
    expect(unifiedDiff(before, after, NAMES)).toBe(
      lines(
        '--- old',
        '+++ new',
        '@@ -1,5 +1,5 @@',
        ' a',
        '-b',
        '+B',
        ' c',
        ' d',
        ' e',
        '@@ -10,3 +10,4 @@',
        ' j',
        ' k',
        ' l',
        '+m',
      ),
    );
  });

  it('shows what is new and what is gone whole', () => {
    expect(unifiedDiff('', lines('a', 'b'), NAMES)).toBe(lines('--- old', '+++ new', '@@ -0,0 +1,2 @@', '+a', '+b'));
    expect(unifiedDiff(lines('a'), '', NAMES)).toBe(lines('--- old', '+++ new', '@@ -1 +0,0 @@', '-a'));
    expect(unifiedDiff(lines('a'), lines('a'), NAMES)).toBe('');
  });

  it('shows a missing end of the last line', () => {
    expect(unifiedDiff('a', 'a\n', NAMES)).toBe(
      lines('--- old', '+++ new', '@@ -1 +1 @@', '-a', '\\ No newline at end of file', '+a'),
    );
  });
});

/** Applies a diff, line by line, to the text it was made from. */
function applied(before: string, diff: string): string {
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

const JSON_LINES = fc
  .array(fc.constantFrom('a', 'b', 'c', '{', '}', '"x": 1,'), { maxLength: 40 })
  .map((lines) => lines.join('\n'));

describe('hunks as Kubernetes quotes them', () => {
  it('turn the one text into the other', () => {
    fc.assert(
      fc.property(JSON_LINES, JSON_LINES, (before, after) => {
        expect(applied(before, unifiedHunks(before, after))).toBe(after);
      }),
    );
  });

  it('are empty for equal texts', () => {
    expect(unifiedHunks('a\nb', 'a\nb')).toBe('');
  });

  it('show three lines around a change', () => {
    const lines = Array.from({ length: 20 }, (_unused, index) => `line ${index}`);
    const diff = unifiedHunks(lines.join('\n'), lines.with(10, 'changed').join('\n'));
    expect(diff).toBe('@@ -8,7 +8,7 @@\n line 7\n line 8\n line 9\n-line 10\n+changed\n line 11\n line 12\n line 13\n');
  });

  it('stay right when texts are too long for the search of runs', () => {
    const lines = Array.from({ length: 9000 }, (_unused, index) => `line ${index % 7}`);
    const before = lines.join('\n');
    const after = lines.with(4000, 'x').with(5000, 'y').join('\n');
    expect(applied(before, unifiedHunks(before, after))).toBe(after);
  });
});
