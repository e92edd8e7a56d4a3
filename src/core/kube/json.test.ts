import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Length } from './go-text.ts';
import { readGolden } from './golden/read.ts';
import { findDuplicateFields, findSyntaxError, mayRepeatKeys } from './json-scan.ts';
import { encodeGoJson, encodeJson, JsonSyntaxError, parseJson, type Json } from './json.ts';

interface Table {
  readonly syntax: readonly (readonly [text: string, message: string])[];
  readonly duplicates: readonly (readonly [text: string, messages: readonly string[]])[];
  readonly encoded: readonly (readonly [text: string, encoded: string])[];
}
const table = readGolden('json') as Table;

function failure(text: string): JsonSyntaxError | undefined {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  return undefined;
}

describe('parseJson', () => {
  it('keeps every digit of large integers, wherever they stand', () => {
    const text = '{"a":9007199254740993,"b":[-9223372036854775808,1],"c":18446744073709551616}';
    const value = parseJson(text);
    expect(value).toEqual({ a: 9007199254740993n, b: [-9223372036854775808n, 1], c: 18446744073709551616n });
    expect(encodeJson(value)).toBe(text);
  });
  it('reads a document that is only a number', () => {
    expect(parseJson('9007199254740993')).toBe(9007199254740993n);
    expect(parseJson(' -12')).toBe(-12);
    expect(parseJson('[9007199254740991]')).toEqual([9007199254740991]);
  });
  it('leaves numbers in strings alone', () => {
    expect(parseJson('{"a":"12345678901234567890"}')).toEqual({ a: '12345678901234567890' });
  });
  it('refuses numbers that no double can hold', () => {
    expect(failure('{"a":1e400}')?.reason).toBe('number 1e400 is out of range');
    expect(parseJson('[1e300]')).toEqual([1e300]);
  });
  it('keeps __proto__ as plain data on both paths', () => {
    for (const text of ['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":true},"n":12345678901234567890}']) {
      const value = parseJson(text) as { admin?: boolean };
      expect(Object.keys(value)).toContain('__proto__');
      expect(value.admin).toBeUndefined();
      expect(encodeJson(value as Json)).toBe(text);
    }
  });
  it('takes the last of repeated keys', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
  });
  it('refuses absurd nesting at the bracket that goes too far, on arrays, objects and both', () => {
    expect(failure('['.repeat(100_000))?.reason).toBe('exceeded max depth');
    expect(failure('['.repeat(100_000))?.offset).toBe(1000);
    expect(failure('{"a":'.repeat(5000) + '1' + '}'.repeat(5000))?.reason).toBe('exceeded max depth');
    const fine = `${'[{"a":'.repeat(500)}1${'}]'.repeat(500)}`;
    expect(encodeJson(parseJson(fine))).toBe(fine);
    expect(failure(`[${fine}]`)?.reason).toBe('exceeded max depth');
  });
  it('is not fooled by brackets in strings', () => {
    const text = JSON.stringify({
      open: '[{'.repeat(3000),
      close: '\\"]}'.repeat(3000),
      list: Array.from({ length: 2000 }, () => []),
    });
    expect(encodeJson(parseJson(text))).toBe(text);
    expect(failure(`${JSON.stringify([']'.repeat(2000)]).slice(0, -1)},${'['.repeat(1001)}`)?.reason).toBe(
      'exceeded max depth',
    );
  });
  it('says where a document breaks', () => {
    const error = failure('{\n  "a": 1,\n  "b" 2\n}');
    expect(error).toMatchObject({ line: 3, column: 7, offset: 18, code: 'EN_KUBE_JSON_SYNTAX' });
    expect(error?.message).toBe("invalid character '2' after object key (line 3, column 7)");
  });
});

describe('syntax errors', () => {
  it('read as Go words them', () => {
    for (const [text, message] of table.syntax) {
      // Go prints one byte of a longer character; we print the character.
      if (utf8Length(message) > message.length) continue;
      expect({ text, reason: findSyntaxError(text)?.reason ?? '' }).toEqual({ text, reason: message });
      expect({ text, reason: failure(text)?.reason ?? '' }).toEqual({ text, reason: message });
    }
  });
  it('are found exactly when the platform finds one', () => {
    const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\u0e1-+.tnlf ax\n'.split('')), maxLength: 12 });
    fc.assert(
      fc.property(noise, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(findSyntaxError(text) === undefined).toBe(valid);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('half surrogate pairs', () => {
  it('are read as the replacement character, in keys and in values, and whole pairs are kept', () => {
    expect(parseJson(String.raw`{"\ud800k":"a\uDC00\ud83d\ude00\\ud800\\\ud800\ud83d"}`)).toEqual({
      '\ufffdk': 'a\ufffd😀\\ud800\\\ufffd\ufffd',
    });
    expect(() => parseJson(String.raw`{"a":"\ud8"}`)).toThrow('in \\u hexadecimal character escape');
  });
});

describe('mayRepeatKeys', () => {
  const key = fc.oneof(fc.constantFrom('a', 'b', '__proto__', 'x":', '\\":', ' '), fc.string({ maxLength: 3 }));
  const space = fc.constantFrom('', '', '', ' ', '\n\t');
  const { document } = fc.letrec<{ document: string; object: string; list: string }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue({ maxDepth: 0 }).map((v) => JSON.stringify(v)),
      tie('object'),
      tie('list'),
    ),
    object: fc
      .array(fc.tuple(key, space, space, tie('document')), { maxLength: 4 })
      .map((members) => `{${members.map(([k, s, t, v]) => `${JSON.stringify(k)}${s}:${t}${v}`).join(',')}}`),
    list: fc.array(tie('document'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  }));

  it('never overlooks a repeated key', () => {
    fc.assert(
      fc.property(document, (text) => {
        if (findDuplicateFields(text).length > 0) expect(mayRepeatKeys(text, JSON.parse(text))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('clears what clients write, so that it is not read twice', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.jsonValue({ noUnicodeString: false })), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\"'));
        for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
          expect(mayRepeatKeys(text, JSON.parse(text))).toBe(false);
        }
      }),
    );
  });
});

describe('findDuplicateFields', () => {
  it('names the paths upstream names', () => {
    for (const [text, messages] of table.duplicates) {
      expect(findDuplicateFields(text).map((path) => `duplicate field "${path}"`)).toEqual(messages);
    }
  });
  it('is not confused by __proto__', () => {
    expect(findDuplicateFields('{"__proto__":1,"a":{"__proto__":1,"__proto__":2}}')).toEqual(['a.__proto__']);
  });
  it('writes few paths even where every level has a long name', () => {
    const levels = 900;
    const open = Array.from({ length: levels }, (_, i) => `{"${i}${'x'.repeat(1000)}":`).join('');
    const twice = Array.from({ length: 50_000 }, (_, i) => `"k${i % 200}":1`).join(',');
    const found = findDuplicateFields(`${open}{${twice}}${'}'.repeat(levels)}`);
    expect(found.length).toBeLessThan(100);
    expect(found[0]).toMatch(/x\.k0$/);
  });
  it('stops listing at one hundred', () => {
    const members = Array.from({ length: 300 }, (_, i) => `"k${i}":1,"k${i}":2`).join(',');
    expect(findDuplicateFields(`{${members}}`)).toHaveLength(100);
  });
});

describe('encoding', () => {
  it('matches Go byte for byte', () => {
    for (const [text, encoded] of table.encoded)
      expect(encodeGoJson(parseJson(text), { sortKeys: true })).toBe(encoded);
  });
  it('keeps the order of keys unless asked', () => {
    expect(encodeGoJson({ b: 1, a: '<' })).toBe('{"b":1,"a":"\\u003c"}');
  });
  it('replaces half surrogate pairs, and nothing that only looks like one', () => {
    for (const sortKeys of [true, false]) {
      expect(encodeGoJson({ a: '\ud800x', b: '\\ud800', c: '\\\udfff', d: '😀' }, { sortKeys })).toBe(
        '{"a":"\ufffdx","b":"\\\\ud800","c":"\\\\\ufffd","d":"😀"}',
      );
    }
  });
  it('sorts keys that look like numbers as texts', () => {
    expect(encodeGoJson({ 9: 1, 10: 2, '-': 3 }, { sortKeys: true })).toBe('{"-":3,"10":2,"9":1}');
  });
  it('drops members without a value', () => {
    expect(encodeGoJson({ a: undefined, b: [12345678901234567890n] })).toBe('{"b":[12345678901234567890]}');
    expect(encodeJson({ a: undefined, b: 1n })).toBe('{"b":1}');
  });
  it('round-trips every value', () => {
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n }),
        fc.string({ unit: 'binary' }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, (input) => {
        expect(parseJson(encodeJson(input))).toEqual(input);
        expect(parseJson(encodeGoJson(input, { sortKeys: true }))).toEqual(parseJson(encodeJson(input)));
      }),
    );
  });
});
