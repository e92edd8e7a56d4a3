/** Values whose words YAML readers like to misread, and the comparison of the quick reader with the full one. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { readQuickly } from '../quick-yaml.ts';
import { readThoroughly } from '../read-yaml.ts';
import type { SourceNode } from '../source-node.ts';

/** The tree without the offsets of nulls: where nothing is written, the two readers choose different offsets. */
function comparable(node: SourceNode): unknown {
  if (node.kind === 'scalar') return node.value === null ? null : [node.value, node.at];
  if (node.kind === 'list') return { at: node.at, items: node.items.map(comparable) };
  return { at: node.at, entries: node.entries.map(({ key, keyAt, value }) => [key, keyAt, comparable(value)]) };
}

/** Fails where the quick reader reads the text in another way than the full one. True if the quick reader took the text. */
export function quickReaderAgrees(text: string): boolean {
  const quick = readQuickly(text);
  if (quick === undefined) return false;
  const { documents, problems } = readThoroughly(text);
  expect(problems, text).toEqual([]);
  expect(quick.map(comparable), text).toEqual(documents.map(comparable));
  return true;
}

const word = fc.constantFrom(
  'a',
  'b c',
  '1',
  '0x1',
  '007',
  'true',
  'null',
  '~',
  '-',
  '--x',
  'x:y',
  'x: y',
  'x #y',
  '#',
  '',
  'é',
  "it's",
  '"',
  '\\',
  'a\nb\n',
  'a\n\n b',
  '\n',
  ' a',
  'a ',
  '[',
  '{}',
  ',',
  'http://a:1/b',
  '$(X)',
  '*',
  '&',
  '!',
  '%',
  '@',
  '|',
  '>',
  '2024-01-01',
  '1:30',
  '.5',
  '1e3',
  'yes',
);
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(word, tie('value'), { maxKeys: 3 }),
  ),
})).value;

export const YAML_MAPS = fc.dictionary(word, tree, { minKeys: 1, maxKeys: 4 });
