import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGolden } from './golden/read.ts';
import {
  addQuantities,
  approximateValue,
  canonicalQuantity,
  compareQuantities,
  exactValue,
  formatQuantity,
  maxQuantity,
  multiplyQuantity,
  negateQuantity,
  parseQuantity,
  quantityFromJson,
  quantityMilliValue,
  quantityOf,
  quantityOfMilli,
  quantityProblem,
  quantityValue,
  scaledValue,
  signOf,
  subtractQuantities,
  ZERO,
  type Quantity,
} from './quantity.ts';

/** A fraction, the independent model: every quantity is a rational number. */
interface Fraction {
  readonly top: bigint;
  readonly bottom: bigint;
}
const fractionOf = (quantity: Quantity): Fraction =>
  quantity.scale >= 0
    ? { top: BigInt(quantity.mantissa) * 10n ** BigInt(quantity.scale), bottom: 1n }
    : { top: BigInt(quantity.mantissa), bottom: 10n ** BigInt(-quantity.scale) };
const fractionOfDecimal = (text: string): Fraction => {
  const [whole = '', part = ''] = text.split('.');
  return { top: BigInt(whole + part), bottom: 10n ** BigInt(part.length) };
};
const same = (a: Fraction, b: Fraction): boolean => a.top * b.bottom === b.top * a.bottom;
const awayFromZero = ({ top, bottom }: Fraction): bigint => {
  const quotient = top / bottom;
  if (quotient * bottom === top) return quotient;
  return top < 0n ? quotient - 1n : quotient + 1n;
};

type Accepted = readonly [
  text: string,
  printed: string,
  format: string,
  exact: string,
  value: string,
  milli: string,
  recomputed: string,
];
type Refused = readonly [text: string, error: 'format' | 'suffix' | 'numeric'];
interface Table {
  readonly texts: readonly (Accepted | Refused)[];
  readonly pairs: readonly (readonly [a: string, b: string, order: number, sum: string, difference: string])[];
}

const bigTable = process.env['QUANTITY_TABLE'];
const table =
  bigTable === undefined ? (readGolden('quantity') as Table) : (JSON.parse(readFileSync(bigTable, 'utf8')) as Table);

const LIMIT = 2n ** 63n;
/** Upstream has no suffix for such amounts and prints them without one, a different number. */
const printableUpstream = (quantity: Quantity): boolean => {
  const { top, bottom } = fractionOf(quantity);
  if (quantity.format === 'DecimalExponent' || top === 0n) return true;
  return top % (bottom * 10n ** 21n) !== 0n && top % (bottom * 1024n ** 7n) !== 0n;
};

describe('quantities against Kubernetes', () => {
  const accepted = table.texts.filter((row): row is Accepted => row.length > 2);
  it('refuses what upstream refuses, in its words', () => {
    for (const row of table.texts) {
      if (row.length > 2) continue;
      const [text, error] = row as Refused;
      const words = error === 'format' ? /^quantities must match the regular/ : /^unable to parse quantity's suffix$/;
      expect({ text, problem: quantityProblem(text) }).toEqual({ text, problem: expect.stringMatching(words) });
    }
  });
  it('reads the same number', () => {
    for (const [text, , format, exact] of accepted) {
      const quantity = parseQuantity(text);
      const agrees = same(fractionOf(quantity), fractionOfDecimal(exact));
      expect({ text, agrees, format: quantity.format.slice(0, 7) }).toEqual({ text, agrees: true, format });
    }
  });
  it('prints the same text', () => {
    for (const [text, printed, , , , , recomputed] of accepted) {
      const quantity = parseQuantity(text);
      if (!printableUpstream(quantity)) continue;
      expect({ text, printed: formatQuantity(quantity) }).toEqual({ text, printed });
      const fresh = { mantissa: quantity.mantissa, scale: quantity.scale, format: quantity.format };
      expect({ text, printed: formatQuantity(fresh) }).toEqual({ text, printed: recomputed });
    }
  });
  /** Upstream rounds negative fractions in two ways, depending on how it holds them, and loses what is too large. */
  const roundsWell = ({ top, bottom }: Fraction): boolean =>
    top >= 0n ? awayFromZero({ top, bottom }) < LIMIT : top % bottom === 0n && top / bottom > -(2n ** 30n);
  it('rounds values up the same', () => {
    for (const [text, , , exact, value] of accepted.filter((row) => roundsWell(fractionOfDecimal(row[3])))) {
      const quantity = parseQuantity(text);
      expect({ text, exact, value: exactValue(quantity).toString() }).toEqual({ text, exact, value });
      expect({ text, value: quantityValue(quantity) }).toEqual({ text, value: Number(value) });
    }
  });
  it('rounds thousandths up the same', () => {
    const thousandfold = (exact: string): Fraction => {
      const { top, bottom } = fractionOfDecimal(exact);
      return { top: top * 1000n, bottom };
    };
    for (const [text, , , , , milli] of accepted.filter((row) => roundsWell(thousandfold(row[3])))) {
      expect({ text, milli: quantityMilliValue(parseQuantity(text)) }).toEqual({ text, milli: Number(milli) });
    }
  });
  it('compares, adds and subtracts the same', () => {
    for (const [a, b, order, sum, difference] of table.pairs) {
      const x = parseQuantity(a);
      const y = parseQuantity(b);
      const total = addQuantities(x, y);
      const rest = subtractQuantities(x, y);
      expect({ a, b, order: compareQuantities(x, y) }).toEqual({ a, b, order });
      expect({ a, b, sum: printableUpstream(total) ? formatQuantity(total) : sum }).toEqual({ a, b, sum });
      const printed = printableUpstream(rest) ? formatQuantity(rest) : difference;
      expect({ a, b, difference: printed }).toEqual({ a, b, difference });
    }
  });
});

describe('exact arithmetic', () => {
  const anyText = fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.oneof(fc.nat(5000), fc.nat(), fc.bigInt(0n, 10n ** 20n)),
      fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'e1', 'e-5', 'e7'),
    )
    .map(([sign, digits, suffix]) => `${sign}${digits}${suffix}`);
  it('agrees with fractions', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const x = parseQuantity(a);
        const y = parseQuantity(b);
        const fx = fractionOf(x);
        const fy = fractionOf(y);
        const sum = { top: fx.top * fy.bottom + fy.top * fx.bottom, bottom: fx.bottom * fy.bottom };
        expect(same(fractionOf(addQuantities(x, y)), sum)).toBe(true);
        expect(same(fractionOf(subtractQuantities(addQuantities(x, y), y)), fx)).toBe(true);
        const order = fx.top * fy.bottom - fy.top * fx.bottom;
        expect(compareQuantities(x, y)).toBe(order < 0n ? -1 : order > 0n ? 1 : 0);
        expect(compareQuantities(maxQuantity(x, y), x)).not.toBe(-1);
        expect(same(fractionOf(multiplyQuantity(x, 7)), { top: fx.top * 7n, bottom: fx.bottom })).toBe(true);
        expect(same(fractionOf(negateQuantity(x)), { top: -fx.top, bottom: fx.bottom })).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
  it('prints a text that reads back as the same number, and is stable', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const printed = formatQuantity(addQuantities(parseQuantity(text), ZERO));
        expect(compareQuantities(parseQuantity(printed), parseQuantity(text))).toBe(0);
        expect(canonicalQuantity(printed)).toBe(printed);
      }),
      { numRuns: 500 },
    );
  });
  it('keeps mantissas as plain numbers while they are exact', () => {
    expect(typeof parseQuantity('64Gi').mantissa).toBe('number');
    const big = addQuantities(parseQuantity('8E'), parseQuantity('1n'));
    expect(typeof big.mantissa).toBe('bigint');
    expect(typeof subtractQuantities(big, parseQuantity('8E')).mantissa).toBe('number');
  });
  it('returns what it was given when nothing changes', () => {
    const a = parseQuantity('3Gi');
    expect(addQuantities(a, ZERO)).toBe(a);
    expect(addQuantities(ZERO, a)).toBe(a);
    expect(subtractQuantities(a, ZERO)).toBe(a);
    expect(multiplyQuantity(a, 1)).toBe(a);
  });
});

describe('a quantity', () => {
  it.each([
    ['1000E', '1000E'],
    ['1e21', '1e21'],
    ['1000000000000000000000', '1000E'],
  ])('never loses its size in print: %s', (text, printed) => {
    expect(canonicalQuantity(text)).toBe(printed);
  });
  it('saturates beyond 64 bits instead of becoming nothing', () => {
    expect(exactValue(parseQuantity('100E'))).toBe(9223372036854775807n);
    expect(quantityValue(parseQuantity('-100E'))).toBe(-(2 ** 63));
    expect(quantityMilliValue(parseQuantity('1e30'))).toBe(2 ** 63);
  });
  it('rounds away from zero', () => {
    expect(quantityValue(parseQuantity('1n'))).toBe(1);
    expect(quantityValue(parseQuantity('-1500m'))).toBe(-2);
    expect(scaledValue(parseQuantity('1001'), 3)).toBe(2);
    expect(quantityMilliValue(parseQuantity('0.0001'))).toBe(1);
  });
  it('is remembered by its text', () => {
    expect(parseQuantity('12345Mi')).toBe(parseQuantity('12345Mi'));
    for (let i = 0; i < 10_000; i++) parseQuantity(`${i}m`);
    expect(formatQuantity(parseQuantity('12345Mi'))).toBe('12345Mi');
  });
  it('comes from JSON as text, number or nothing', () => {
    expect(formatQuantity(quantityFromJson(' 100m '))).toBe('100m');
    expect(formatQuantity(quantityFromJson(0.5))).toBe('500m');
    expect(formatQuantity(quantityFromJson(2))).toBe('2');
    expect(formatQuantity(quantityFromJson(null))).toBe('0');
  });
  it('can be made from numbers', () => {
    expect(formatQuantity(quantityOf(2048, 'BinarySI'))).toBe('2Ki');
    expect(formatQuantity(quantityOf(9007199254740993n))).toBe('9007199254740993');
    expect(formatQuantity(quantityOfMilli(1500))).toBe('1500m');
    expect(approximateValue(parseQuantity('250m'))).toBe(0.25);
    expect(signOf(parseQuantity('-1m'))).toBe(-1);
  });
  it('refuses texts made to exhaust the reader', () => {
    expect(quantityProblem('9'.repeat(1_000_000))).toMatch(/^quantities must match/);
    expect(quantityProblem('1e1000000000')).toBe("unable to parse quantity's suffix");
    expect(canonicalQuantity('1e-1000000000')).toBe('1e-9');
    expect(quantityProblem('1e99999999999999999999')).toBe("unable to parse quantity's suffix");
  });
  it('takes no key of Object for a suffix', () => {
    expect(quantityProblem('1constructor')).toMatch(/^quantities must match/);
  });
});
