import { describe, expect, it } from 'vitest';
import { readYamlFile } from './read-file.ts';
import { entryOf, plainValue, scalarNode } from './source-node.ts';

describe('a YAML file', () => {
  it('is one tree, whose nodes have lines', () => {
    const { root, problems, lineOf } = readYamlFile('# first\na: 1\nb: [x]\n');
    expect(problems).toEqual([]);
    expect(plainValue(root)).toEqual({ a: 1, b: ['x'] });
    const b = root.kind === 'map' ? entryOf(root, 'b') : undefined;
    expect(lineOf(b?.value ?? scalarNode(null))).toBe(3);
  });

  it('collects problems with line and column', () => {
    const { root, problems, report } = readYamlFile('a:\n  b: 1\n');
    report(root.kind === 'map' ? root.entries[0]?.value : undefined, 'a', 'is wrong');
    report(undefined, '', 'is wrong, too');
    expect(problems).toEqual([
      { line: 2, column: 3, path: 'a', message: 'is wrong' },
      { line: 1, column: 1, path: '', message: 'is wrong, too' },
    ]);
  });

  it('that is empty is null', () => {
    expect(readYamlFile('').root).toMatchObject({ kind: 'scalar', value: null });
    expect(readYamlFile('').problems).toEqual([]);
  });

  it('that is no YAML, or more than one document, is told so', () => {
    expect(readYamlFile('a: [\n').problems.length).toBeGreaterThan(0);
    expect(readYamlFile('a: 1\n---\nb: 2\n').problems).toEqual([
      { line: 3, column: 1, path: '', message: 'holds more than one document' },
    ]);
  });

  it('keeps hostile keys as plain data', () => {
    const value = plainValue(readYamlFile('__proto__: {polluted: true}\n').root) as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});
