/**
 * Amounts of a resource: whole numbers that stay exact at any size. Nearly all are plain numbers; only what a double
 * cannot hold (a hostile `9E` of memory) is a bigint. JavaScript compares the two exactly, so callers use `<` and `>`.
 */
export type Amount = number | bigint;

/** The smallest form: a number whenever it is exact. */
export function normalise(value: bigint): Amount {
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : value;
}

export function add(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum <= Number.MAX_SAFE_INTEGER && sum >= Number.MIN_SAFE_INTEGER) return sum;
  }
  return normalise(BigInt(a) + BigInt(b));
}

export function subtract(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (difference <= Number.MAX_SAFE_INTEGER && difference >= Number.MIN_SAFE_INTEGER) return difference;
  }
  return normalise(BigInt(a) - BigInt(b));
}

export const larger = (a: Amount, b: Amount): Amount => (b > a ? b : a);

/** `a * b / c` rounded towards zero, as Go's integers do it. `c` must not be zero. */
export function scale(a: Amount, b: number, c: Amount): number {
  if (typeof a === 'number' && typeof c === 'number') {
    const product = a * b;
    if (Number.isSafeInteger(product)) return Math.trunc(product / c);
  }
  return Number((BigInt(a) * BigInt(b)) / BigInt(c));
}
