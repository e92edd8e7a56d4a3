import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atoi, compareBytes, exceedsBytes, goQuote, parseInt64, parseUint64, utf8Length } from './go-text.ts';

const anyText = fc.string({ unit: 'binary' });

describe('goQuote', () => {
  it.each([
    ['plain', '"plain"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\u0007\b\f\n\r\t\v', '"\\a\\b\\f\\n\\r\\t\\v"'],
    ['\u0000\u001f\u007f', '"\\x00\\x1f\\x7f"'],
    ['é日😀', '"é日😀"'],
    ['\u00a0\u200b\u2028\ufeff', '"\\u00a0\\u200b\\u2028\\ufeff"'],
    ['\u{10ffff}', '"\\U0010ffff"'],
    ['<&>', '"<&>"'],
  ])('quotes %j', (text, quoted) => {
    expect(goQuote(text)).toBe(quoted);
  });
});

describe('bytes', () => {
  it('are counted as in UTF-8', () => {
    fc.assert(
      fc.property(anyText, fc.nat(30), (text, limit) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
        expect(exceedsBytes(text, limit)).toBe(Buffer.byteLength(text) > limit);
      }),
    );
  });
  it('order strings', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const x = a.toWellFormed();
        const y = b.toWellFormed();
        expect(Math.sign(compareBytes(x, y))).toBe(Buffer.compare(Buffer.from(x), Buffer.from(y)));
      }),
    );
  });
});

describe('integers', () => {
  it('carry the words of strconv when they fail', () => {
    expect(parseUint64('abc')).toEqual({ ok: false, error: 'strconv.ParseUint: parsing "abc": invalid syntax' });
    expect(parseUint64('-1')).toMatchObject({ ok: false });
    expect(parseUint64('+1')).toMatchObject({ ok: false });
    expect(parseUint64('18446744073709551616')).toEqual({
      ok: false,
      error: 'strconv.ParseUint: parsing "18446744073709551616": value out of range',
    });
    expect(atoi('')).toEqual({ ok: false, error: 'strconv.Atoi: parsing "": invalid syntax' });
    expect(atoi('-')).toMatchObject({ ok: false });
    expect(parseInt64('1_0')).toMatchObject({ ok: false });
  });
  it('read the whole range', () => {
    expect(parseUint64('18446744073709551615')).toEqual({ ok: true, value: 18446744073709551615n });
    expect(parseInt64('-9223372036854775808')).toEqual({ ok: true, value: -9223372036854775808n });
    expect(parseInt64('9223372036854775808')).toMatchObject({ ok: false });
    expect(parseInt64(`+${'0'.repeat(40)}7`)).toEqual({ ok: true, value: 7n });
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (n) => {
        expect(parseInt64(n.toString())).toEqual({ ok: true, value: n });
      }),
    );
  });
  it('do not choke on millions of digits', () => {
    expect(parseInt64('9'.repeat(1_000_000))).toMatchObject({ ok: false });
  });
});
