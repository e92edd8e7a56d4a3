import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { LazyItems, writeYaml, YAML_FORM, yamlPieces } from './write-yaml.ts';

const ODD: readonly string[] = [
  ...[
    '',
    ' ',
    'yes',
    'No',
    'y',
    'Off',
    'null',
    'Null',
    '~',
    'true',
    'e5',
    'E12',
    'e+3',
    'e-',
    'ending',
    '<<',
    '=',
    '.',
    '-',
  ],
  ...['-x', '- x', '?', '? x', '1', '0x1f', '1_000', '1e3', '.5', '.inf', '.NaN', '12:30', '12:30:45', '2026-11-17'],
  ...['2026-11-17T19:00:00Z', '2026-11-17 19:00:00', '10m', '128Mi', '1.2.3', '10.0.0.1', '0777', '+5', '0b11', '0o7'],
  ...[
    'a: b',
    'a:b',
    'a:',
    ':a',
    'a #b',
    'a#b',
    '#a',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    "'a'",
    '"a"',
    'it\'s "so"',
    '%a',
    '@a',
    '`a`',
  ],
  ...[
    '[a]',
    '{a: b}',
    'a, b',
    'k:{"name":"x"}',
    'v:"a b"',
    'f:metadata',
    '---',
    '--- a',
    '...',
    'a\tb',
    '\ta',
    'a ',
    ' a',
  ],
  ...[
    'a\nb',
    'a\nb\n',
    'a\nb\n\n',
    '\na',
    '\n',
    '\n\n',
    'a\n b\n',
    ' a\nb',
    'a \nb',
    'a\n\nb',
    'a\n---\nb',
    '%a\nb',
    'a\n \n',
  ],
  ...[
    'a\r\nb',
    '\u0000',
    '\u0007\n and much more than forty characters\nof text',
    '\u0085',
    '\u2028',
    'a\n\u2028b',
    '\ud800',
    'é',
    '日本',
    '😀',
  ],
  ...[
    'a:  b',
    'a  b',
    'a\\b',
    'https://example.com/a?b=c#d',
    '/etc/x',
    '_a',
    '$(A)',
    'x'.repeat(1100),
    `${'y'.repeat(1030)}: z`,
  ],
  ...[
    'constructor',
    '__proto__',
    'toString',
    '6f1b6a3e-0c1c-4a57-9c36-0d7a8c2b1e5f',
    '12345678-1234-1234-1234-123456789012',
  ],
];

const CHARACTERS = 'ayen0159.-+_:#\'"{}[],&*!|>%@` \t\n\\~=<eExXTZ/é'.split('');

const string = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: fc.constantFrom(...CHARACTERS) }),
  fc.string({ unit: 'binary' }),
);
const scalar = fc.oneof(
  string,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(string, fc.oneof(tie('tree'), fc.constant(undefined)), { maxKeys: 5 }),
  ),
}));
const object = fc.dictionary(string, tree, { minKeys: 1, maxKeys: 6 });

describe('objects written as YAML', () => {
  it('are what the library writes of them, byte for byte', () => {
    fc.assert(
      fc.property(object, (value) => {
        expect(writeYaml(value)).toBe(stringify(value, YAML_FORM));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(ODD.map((text) => [JSON.stringify(text.slice(0, 40)), text]))('have %s as the library has it', (_, text) => {
    const value = { data: { text, [text]: 'x' }, list: [text, [text], { [text]: { [text]: [text] } }], [text]: [text] };
    expect(writeYaml(value)).toBe(stringify(value, YAML_FORM));
  });

  it('come in pieces of any size, and nothing after the last', () => {
    fc.assert(
      fc.property(object, fc.integer({ min: 1, max: 200 }), (value, size) => {
        const next = yamlPieces(value);
        let text = '';
        for (let piece = next(size); piece !== ''; piece = next(size)) text += piece;
        expect(text).toBe(writeYaml(value));
        expect(next(size)).toBe('');
      }),
    );
  });

  it('are made one item after the other', () => {
    let made = 0;
    const items = new LazyItems(1000, (i) => ((made += 1), { name: `item-${i}` }));
    const next = yamlPieces({ items, kind: 'List' });
    expect(next(100).length).toBeLessThan(200);
    expect(made).toBeLessThan(20);
    let text = '';
    while (text.length < 5000) text += next(1000);
    expect(made).toBeLessThan(500);
    expect(writeYaml({ items: new LazyItems(0, () => undefined) })).toBe('items: []\n');
  });
});
