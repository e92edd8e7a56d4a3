/**
 * The quick reader against the full parser: both read the same from every text that the quick reader takes, offsets
 * included.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readQuickly } from './quick-yaml.ts';
import { quickReaderAgrees as agrees, YAML_MAPS } from './testing/yaml-texts.ts';

const folder = fileURLToPath(new URL('../../../../examples/components/', import.meta.url));
const EXAMPLES = globSync('*.yaml', { cwd: folder }).map((file) => readFileSync(folder + file, 'utf8'));

describe('the quick reader', () => {
  it.each(EXAMPLES.map((text, index) => [index, text] as const))('reads example %i', (_, text) => {
    expect(agrees(text)).toBe(true);
  });

  it.each([
    'a: 1\nb:\n- x\n- y: 2\n  z: 3\nc:\n  - d\n',
    "# only\n\na: \"b\"   # c\n---\nd: 'it''s'\n---\n",
    'a: |\n  one\n\n   two\n\nb: |-\n    x\n',
    'a: {b: [1, "2", x y], c: {}, d: []}\n',
    'a:\nb: ~\nc: --flag=1\nd: http://x:80/y\n',
    '"quoted key": 1\n-a: 2\n'.replace('-a', 'a-b'),
    'a: 0440\nb: true\nc: 1.5\n',
    '- a\n-\n  b: 1\n- {c: 2}\n',
  ])('reads %j', (text) => {
    expect(agrees(text)).toBe(true);
  });

  it.each([
    'a: &x 1\n',
    'a: *x\n',
    'a: !t 1\n',
    'a: >\n  x\n',
    'a: |+\n  x\n',
    'a: |2\n  x\n',
    'a: b\n  c\n',
    'a:\tb\n',
    'a: [1,\n  2]\n',
    'a: 1\na: 2\n',
    'a: b: c\n',
    '? a\n: b\n',
    '<<: {a: 1}\n',
    'a: "x\n  y"\n',
    '%YAML 1.2\n---\na: 1\n',
    'a: 1\n...\n',
    'a: "\\x41"\n',
    'a: @b\n',
    'text\n',
    'a: 1',
    '1: x\n',
    'true: x\n',
    'a: [b: c]\n',
  ])('leaves %j to the full parser', (text) => {
    expect(readQuickly(text)).toBeUndefined();
  });

  it('agrees on whatever the YAML library prints', () => {
    fc.assert(
      fc.property(YAML_MAPS, fc.constantFrom(2, 4), fc.boolean(), (value, indent, indentSeq) => {
        agrees(stringify(value, { indent, indentSeq, lineWidth: 0 }));
      }),
      { numRuns: 200 },
    );
  });

  it('agrees on examples that somebody has damaged', () => {
    const pieces = fc.constantFrom(
      ' ',
      '  ',
      '\n',
      ':',
      ': ',
      '- ',
      '-',
      '#',
      ' #',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '|',
      '|-',
      '>',
      '&a',
      '*a',
      '!',
      '?',
      '? ',
      '---\n',
      '...\n',
      'x',
      '0',
      '\\',
      '%',
      '<<: ',
      '~',
    );
    const lines = EXAMPLES.flatMap((text) => text.split('\n'));
    let read = 0;
    fc.assert(
      fc.property(
        fc.nat({ max: lines.length - 1 }),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), pieces), { maxLength: 3 }),
        (from, count, edits) => {
          let text = `${lines.slice(from, from + count).join('\n')}\n`;
          const margin = /^ */.exec(text)?.[0] ?? '';
          text = text.replaceAll(new RegExp(`^${margin}`, 'gm'), '');
          for (const [at, remove, insert] of edits) {
            const place = at % text.length;
            text = `${text.slice(0, place)}${insert}${text.slice(place + remove)}\n`.replace(/\n+$/, '\n');
          }
          if (agrees(text)) read += 1;
        },
      ),
      { numRuns: 600 },
    );
    expect(read).toBeGreaterThan(60);
  });
});
