import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SecretText } from '../../api/component/secret-text.ts';
import { parseManifests } from '../read/parse-manifests.ts';
import type { SourceNode } from '../../kube/yaml/source-node.ts';
import { quickReaderAgrees, YAML_MAPS } from '../../kube/yaml/testing/yaml-texts.ts';
import { printObjects, printYaml } from './print-yaml.ts';

describe('printYaml', () => {
  it('is read alike by the quick reader and the full one', () => {
    fc.assert(
      fc.property(YAML_MAPS, (value) => void quickReaderAgrees(printYaml(value))),
      { numRuns: 200 },
    );
  });

  it('writes as people like to read', () => {
    expect(
      printYaml({
        a: 1,
        b: 'text',
        c: ['x', { d: true, e: [] }, [1]],
        f: { g: {} },
        h: 'one\ntwo\n',
        i: 'true',
        j: '1',
        k: '',
      }),
    ).toBe(`a: 1
b: text
c:
- x
- d: true
  e: []
- - 1
f:
  g: {}
h: |
  one
  two
i: "true"
j: "1"
k: ""
`);
  });

  it('masks secrets unless asked', () => {
    const secret = { data: { A: SecretText.literal('hunter2') } };
    expect(printYaml(secret)).toBe('data:\n  A: "<masked>"\n');
    expect(printYaml(secret, { showSecrets: true })).toBe(
      `data:\n  A: ${JSON.stringify('aHVudGVyMg==')}\n`.replace('"aHVudGVyMg=="', 'aHVudGVyMg=='),
    );
    expect(printYaml({ A: SecretText.written('env:X') }, { showSecrets: true })).toBe('A: "<masked>"\n');
  });

  it('separates documents', () => {
    expect(printObjects([{ a: 1 }, { b: 2 }])).toBe('a: 1\n---\nb: 2\n');
  });

  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom(
      'a: b',
      '- x',
      'yes',
      'null',
      '~',
      '1e3',
      '0x1',
      '012',
      ' x',
      'x ',
      'a\n',
      'a\n\n',
      '\na',
      'a\n b\n',
      '#c',
      'a #c',
      '|',
      '>',
      '!t',
      '&a',
      '*a',
      '%',
      '@',
      '`',
      '2024-01-01',
      '1:2',
      'a:',
      '---',
      '...',
      '\t',
      'a\tb\n',
      '<<',
      '=',
      'é\n',
      '.inf',
    ),
  );
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  it('is read back as it was, by another reader', () => {
    fc.assert(
      fc.property(fc.dictionary(text, tree, { maxKeys: 4, minKeys: 1 }), (value) => {
        expect(parse(printYaml(value), { version: '1.2', merge: false })).toEqual(value);
      }),
    );
  });

  const plain = (node: SourceNode): unknown => {
    if (node.kind === 'scalar') return node.value;
    if (node.kind === 'list') return node.items.map(plain);
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
  };

  it('is read back as it was, by our own', () => {
    fc.assert(
      fc.property(fc.dictionary(text, tree, { maxKeys: 4, minKeys: 1 }), (value) => {
        const printable = JSON.stringify(value);
        fc.pre(!/\\u00[01][0-9a-f]|\\u007f|\\b|\\f|\ufffe|\uffff/.test(printable));
        const { documents, problems } = parseManifests(printYaml(value), 'x');
        expect(problems).toEqual([]);
        expect(documents.map(({ root }) => plain(root))).toEqual([value]);
      }),
    );
  });
});
