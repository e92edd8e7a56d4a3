/**
 * The two YAML readers against each other: request bodies are read as Kubernetes does, files of people by YAML 1.2. Both must give
 * the same value for every text, but for the plain words listed here (docs/decisions/0012-yaml-readers.md).
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readYaml } from '../../core/kube/yaml/read-yaml.ts';
import { plainValue } from '../../core/kube/yaml/source-node.ts';
import { YAML_MAPS } from '../../core/kube/yaml/testing/yaml-texts.ts';
import { parseYaml } from './parse-yaml.ts';

const folder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const EXAMPLES = globSync('**/*.yaml', { cwd: folder }).toSorted();

/** First documents; undefined where the text is refused. */
const fromFile = (text: string): unknown => {
  const { documents, problems } = readYaml(text);
  const [first] = documents;
  return problems.length > 0 || first === undefined ? undefined : plainValue(first);
};
const fromWire = (text: string): unknown => {
  try {
    return parseYaml(text).value;
  } catch {
    return undefined;
  }
};

describe('the reader of files and the reader of request bodies', () => {
  it.each(EXAMPLES)('agree on %s', (file) => {
    const text = readFileSync(folder + file, 'utf8').replace(/^(?:#.*\n|\s*\n|---\n)+/, '');
    const [first = ''] = text.split(/^---$/m);
    expect(fromFile(first)).toBeDefined();
    expect(fromFile(first)).toEqual(fromWire(first));
  });

  it('agree on whatever is printed with YAML 1.1 in mind', () => {
    fc.assert(
      fc.property(
        YAML_MAPS,
        fc.constantFrom('PLAIN', 'QUOTE_SINGLE', 'QUOTE_DOUBLE', 'BLOCK_LITERAL'),
        (value, type) => {
          const text = stringify(value, {
            version: '1.1',
            lineWidth: 0,
            defaultStringType: type,
            defaultKeyType: 'PLAIN',
          });
          expect(fromFile(text), text).toEqual(fromWire(text));
        },
      ),
      { numRuns: 500 },
    );
  });

  const plainWord = fc.stringMatching(/^[-+.0-9a-fxoeE_~]{1,8}$/);
  /** Words to which Kubernetes' reader, following YAML 1.1, gives another meaning. */
  const isSpecialOnTheWire = (word: string): boolean =>
    /^(?:y|n|yes|no|on|off)$/i.test(word) ||
    word.includes('_') ||
    /^[-+]?0[bB]/.test(word) ||
    /^[-+]0[0-7xXoO]/.test(word) ||
    /^0[XO]/.test(word);

  it('agree on plain words, but for those of YAML 1.1', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          plainWord,
          fc.constantFrom('true', 'False', 'NULL', 'yes', 'Off', '0440', '0o17', '0x1F', '-7', '1:30'),
        ),
        (word) => {
          const text = `a: ${word}\n`;
          if (!isSpecialOnTheWire(word)) expect(fromFile(text), text).toEqual(fromWire(text));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['yes', 'yes', true],
    ['off', 'off', false],
    ['1_000', '1_000', 1000],
    ['0b11', '0b11', 3],
    ['-010', -10, -8],
    ['-0x1F', '-0x1F', -31],
  ])('differ on %s', (word, file, wire) => {
    expect(fromFile(`a: ${word}\n`)).toEqual({ a: file });
    expect(fromWire(`a: ${word}\n`)).toEqual({ a: wire });
  });
});
