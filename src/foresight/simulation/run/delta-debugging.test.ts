import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { smallestFailing } from './delta-debugging.ts';

const all = (needed: readonly number[]) => (part: readonly number[]) =>
  Promise.resolve(needed.every((each) => part.includes(each)));

describe('the smallest failing part', () => {
  it('is exactly what the failure needs, in order, where the parts are independent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.array(fc.nat(59), { maxLength: 4 }), async (size, some) => {
        const whole = Array.from({ length: size }, (_, index) => index);
        const needed = [...new Set(some.filter((each) => each < size))].toSorted((a, b) => a - b);
        expect(await smallestFailing(whole, all(needed), 10_000)).toEqual(needed);
      }),
      { numRuns: 60 },
    );
  });

  it('is nothing when the failure needs nothing', async () => {
    expect(await smallestFailing([1, 2, 3], () => Promise.resolve(true), 10)).toEqual([]);
  });

  it('still fails when it had to stop early', async () => {
    const whole = Array.from({ length: 64 }, (_, index) => index);
    const fails = all([3, 40]);
    const found = await smallestFailing(whole, fails, 5);
    expect(await fails(found)).toBe(true);
  });

  it('is never asked about the same part twice', async () => {
    const asked: string[] = [];
    const whole = Array.from({ length: 20 }, (_, index) => index);
    await smallestFailing(whole, (part) => (asked.push(part.join()), all([7, 8])(part)), 1_000);
    expect(new Set(asked).size).toBe(asked.length);
  });
});
