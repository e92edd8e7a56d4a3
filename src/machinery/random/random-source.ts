import type { Random } from './random.ts';

/** Kubernetes' alphabet for generated names: no vowels and no 0, 1, 3, so that no word and no look-alike appears. */
const SUFFIX_ALPHABET = Buffer.from('bcdfghjklmnpqrstvwxz2456789', 'latin1');
const HEX = Buffer.from('0123456789abcdef', 'latin1');
const DASH = 0x2d;

/** Everything `Random` offers, from a source of uniform 32-bit integers. */
export function randomFrom(uint32: () => number): Random {
  // Strings are cut from these buffers: a string built by concatenation would keep its pieces alive.
  let suffixBytes = Buffer.alloc(16);
  const uuidBytes = Buffer.alloc(36);

  const next = (): number => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6)) / 2 ** 53;

  const integer = (bound: number): number => {
    if (!Number.isSafeInteger(bound) || bound < 1) {
      throw new RangeError(`the bound of a random integer must be a positive integer, not ${bound}`);
    }
    if (bound > 2 ** 32) return Math.floor(next() * bound);
    // Values beyond the last whole multiple of the bound would favour small results; draw again.
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let value = uint32();
    while (value >= limit) value = uint32();
    return value % bound;
  };

  return {
    next,
    integer,
    suffix(length) {
      if (length > suffixBytes.length) suffixBytes = Buffer.alloc(length);
      for (let i = 0; i < length; i += 1) suffixBytes[i] = SUFFIX_ALPHABET[integer(SUFFIX_ALPHABET.length)] as number;
      return suffixBytes.toString('latin1', 0, length);
    },
    uuid() {
      let position = 0;
      for (let word = 0; word < 4; word += 1) {
        let bits = uint32();
        if (word === 1) bits = (bits & 0xffff0fff) | 0x00004000;
        if (word === 2) bits = (bits & 0x3fffffff) | 0x80000000;
        for (let shift = 28; shift >= 0; shift -= 4) {
          if (position === 8 || position === 13 || position === 18 || position === 23) uuidBytes[position++] = DASH;
          uuidBytes[position++] = HEX[(bits >>> shift) & 15] as number;
        }
      }
      return uuidBytes.toString('latin1', 0, 36);
    },
  };
}
