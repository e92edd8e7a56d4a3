import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, larger, normalise, scale, subtract } from './amounts.ts';

const big = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });

describe('amounts', () => {
  it('add and subtract without loss at any size', () => {
    fc.assert(
      fc.property(big, big, (a, b) => {
        expect(BigInt(add(normalise(a), normalise(b)))).toBe(a + b);
        expect(BigInt(subtract(normalise(a), normalise(b)))).toBe(a - b);
      }),
    );
  });

  it('are plain numbers whenever a double holds them', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (n) => {
        expect(normalise(BigInt(n))).toBe(n);
      }),
    );
    expect(add(2 ** 53 - 1, 1)).toBe(2n ** 53n);
    expect(subtract(2n ** 53n, 1)).toBe(2 ** 53 - 1);
  });

  it('compare exactly across both forms', () => {
    expect(larger(2 ** 53 - 1, 2n ** 53n)).toBe(2n ** 53n);
    expect(larger(5, 3)).toBe(5);
  });

  it('scale by whole numbers, towards zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 62n }), fc.bigInt({ min: 1n, max: 2n ** 62n }), (a, c) => {
        expect(scale(normalise(a), 100, normalise(c))).toBe(Number((a * 100n) / c));
      }),
    );
  });
});
