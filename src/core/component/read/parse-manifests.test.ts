import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TEXT } from '../../kube/yaml/read-yaml.ts';
import { plainScalar } from '../../kube/yaml/plain-scalar.ts';
import { parseManifests } from './parse-manifests.ts';
import type { SourceNode } from '../../kube/yaml/source-node.ts';

const parse = (text: string) => parseManifests(text, 'm.yaml');
const plain = (node: SourceNode): unknown => {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, plain(value)]));
};
const values = (text: string): unknown[] => parse(text).documents.map(({ root }) => plain(root));
const problem = (text: string) => {
  const [first] = parse(text).problems;
  return first && { code: first.code, line: first.place.line, column: first.place.column, message: first.message };
};

describe('documents', () => {
  it('are read one by one, empty ones left out', () => {
    expect(values('---\na: 1\n---\n---\n# nothing\n---\nb: [2]\n')).toEqual([{ a: 1 }, { b: [2] }]);
  });

  it('may be JSON, with tabs between things', () => {
    expect(values('{\n\t"a":\t[1, "x"],\n\t"b": {"c": null}\n}')).toEqual([{ a: [1, 'x'], b: { c: null } }]);
  });

  it('keep the good ones when one is bad', () => {
    const { documents, problems } = parse('a: 1\n---\nb: [\n---\nc: 3\n');
    expect(documents).toHaveLength(2);
    expect(problems.length).toBeGreaterThan(0);
  });

  it('may merge and refer', () => {
    expect(values('base: &b {x: 1, y: 2}\nown: {<<: *b, y: 3}\nmany: {<<: [*b, {z: 4}]}')).toEqual([
      { base: { x: 1, y: 2 }, own: { y: 3, x: 1 }, many: { x: 1, y: 2, z: 4 } },
    ]);
  });
});

describe('words without quotes', () => {
  it.each([
    ['0440', 0o440],
    ['0o440', 0o440],
    ['440', 440],
    ['0', 0],
    ['-7', -7],
    ['0x1F', 31],
    ['1.5', 1.5],
    ['1e3', 1000],
    ['true', true],
    ['False', false],
    ['~', null],
    ['', null],
    ['yes', 'yes'],
    ['089', 89],
    ['12:30', '12:30'],
    ['9007199254740993', 9007199254740993n],
    ['1_000', '1_000'],
  ])('%s', (text, value) => {
    expect(plainScalar(text)).toBe(value);
  });

  it('in quotes they are texts', () => {
    expect(values('a: "0440"\nb: \'true\'')).toEqual([{ a: '0440', b: 'true' }]);
  });
});

describe('hostile texts', () => {
  it('a key that stands twice is told with its place', () => {
    expect(problem('a:\n  b: 1\n  b: 2\n')).toMatchObject({ code: 'EN_COMPONENT_DUPLICATE_KEY', line: 3, column: 3 });
  });

  it('a billion laughs cost nothing', () => {
    const levels = Array.from(
      { length: 30 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`,
    );
    expect(problem(`l0: &l0 ha\n${levels.join('\n')}\n`)).toMatchObject({ code: 'EN_COMPONENT_TOO_LARGE' });
  });

  it('an anchor that contains itself is refused', () => {
    expect(problem('a: &a [*a]')?.code).toMatch(/^EN_COMPONENT_(YAML|TOO_LARGE)$/);
  });

  it('an anchor that is not there is refused', () => {
    expect(problem('a: *b')).toMatchObject({ code: 'EN_COMPONENT_YAML' });
  });

  it('what is nested too deeply is refused, whatever it is nested in', () => {
    for (const text of [
      '['.repeat(5000),
      '- '.repeat(3000),
      '? '.repeat(3000),
      `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`,
    ]) {
      expect(parse(text).documents).toEqual([]);
      expect(parse(text).problems.length).toBeGreaterThan(0);
    }
  });

  it('many keys and many aliases take no more than their share of time', () => {
    const keys = Array.from({ length: 5_000 }, (_, i) => `k${i}: 1`).join('\n');
    expect(parse(keys).documents).toHaveLength(1);
    const aliases = `a: &a 1\nb: [${Array(5_000).fill('*a').join(',')}]`;
    expect(parse(aliases).documents).toHaveLength(1);
  });

  it('is refused when larger than any object may be', () => {
    expect(problem(`a: ${'x'.repeat(MAX_TEXT)}`)).toMatchObject({ code: 'EN_COMPONENT_TOO_LARGE' });
  });

  it('too many lines or documents are refused before they are read', () => {
    expect(problem('#\n'.repeat(60_000))).toMatchObject({ code: 'EN_COMPONENT_TOO_LARGE' });
    expect(problem('---\n'.repeat(1_100))).toMatchObject({ code: 'EN_COMPONENT_TOO_LARGE' });
  });

  it('NUL and other control characters are refused with their place', () => {
    expect(problem('a: 1\nb: x\u0000y\n')).toMatchObject({ code: 'EN_COMPONENT_YAML', line: 2, column: 5 });
  });

  it('a tab as indentation is told', () => {
    expect(problem('a:\n\tb: 1\n')).toMatchObject({ code: 'EN_COMPONENT_YAML', line: 2 });
  });

  it('__proto__ and constructor are keys as any other', () => {
    const [document] = parse('__proto__: {a: 1}\nconstructor: 2\n').documents;
    expect(document?.root).toMatchObject({ kind: 'map', entries: [{ key: '__proto__' }, { key: 'constructor' }] });
  });

  it('infinity, unknown tags and keys that are no texts are refused', () => {
    for (const text of ['a: !!js/function "x"', '? [1]\n: 2', '? {a: b}\n: 2']) {
      expect(problem(text)?.code, text).toBe('EN_COMPONENT_YAML');
    }
  });

  it('problems never quote the text', () => {
    const { problems } = parse('password: "hunter2\nnext: [1\n');
    expect(problems.length).toBeGreaterThan(0);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it.each([
    '!hunter2 x',
    '!<hunter2> x',
    '!!hunter2 x',
    '|hunter2',
    '>hunter2',
    '] hunter2',
    '*hunter2',
    '"\\hunter2"',
  ])('not even where %s stands without quotes', (value) => {
    const { problems } = parse(`a:\n  password: ${value}\n`);
    expect(problems).not.toEqual([]);
    expect(JSON.stringify(problems)).not.toContain('unter2');
  });

  it('noise is answered soon, and not repeated line by line', () => {
    const noise = 'x]y: {z\n'.repeat(20_000);
    const { problems } = parse(noise);
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)?.message).toMatch(/^and \d+ more faults/);
  });

  it('whatever the text, it answers', () => {
    const word = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      '&x ',
      '*x',
      '"',
      "'",
      '|',
      '>',
      '#',
      '---\n',
      '\t',
      '!',
      '%',
      '<<: ',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const { documents, problems } = parse(words.join(''));
        expect(documents.length + problems.length).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
