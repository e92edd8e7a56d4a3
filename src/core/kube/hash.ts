/**
 * Hashes: FNV as Kubernetes uses it for names and labels, and a wide hash for names that must not collide. None is a
 * defence against someone who wants a collision; all are deterministic and synchronous.
 */

/** The alphabet of generated names: no vowels, so no words. */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

const encoder = new TextEncoder();

export type Hashable = string | Uint8Array;

/** Buffer in which texts are encoded before hashing; longer texts get a buffer of their own. */
const scratch = new Uint8Array(4096);
let laidOut: Uint8Array = scratch;

/** Points `laidOut` at the input's bytes and returns their number. */
function layOut(input: Hashable): number {
  if (typeof input !== 'string') {
    laidOut = input;
    return input.length;
  }
  if (input.length * 3 <= scratch.length) {
    laidOut = scratch;
    return encoder.encodeInto(input, scratch).written;
  }
  laidOut = encoder.encode(input);
  return laidOut.length;
}

const FNV32_OFFSET = 0x811c9dc5;
const FNV32_PRIME = 0x01000193;

/** FNV-1, 32 bits: multiply, then xor. ControllerRevision names use this one. */
export function fnv1x32(input: Hashable): number {
  const length = layOut(input);
  const bytes = laidOut;
  let hash = FNV32_OFFSET;
  for (let i = 0; i < length; i++) hash = Math.imul(hash, FNV32_PRIME) ^ (bytes[i] ?? 0);
  return hash >>> 0;
}

/** FNV-1a, 32 bits: xor, then multiply. Pod template hashes use this one. */
export function fnv1a32(input: Hashable): number {
  const length = layOut(input);
  const bytes = laidOut;
  let hash = FNV32_OFFSET;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), FNV32_PRIME);
  return hash >>> 0;
}

/** FNV-1a, 64 bits, as its two halves. The prime is 2^40 + 0x1b3: two short products instead of a wide one. */
function fnv1a64Halves(input: Hashable): readonly [high: number, low: number] {
  const length = layOut(input);
  const bytes = laidOut;
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < length; i++) {
    low = (low ^ (bytes[i] ?? 0)) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low];
}

export function fnv1a64(input: Hashable): bigint {
  const [high, low] = fnv1a64Halves(input);
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Sixteen hexadecimal digits. */
export function fnv1a64Hex(input: Hashable): string {
  const [high, low] = fnv1a64Halves(input);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** Kubernetes' safe encoding: each character becomes one of the name alphabet. */
export function safeEncode(text: string): string {
  let encoded = '';
  for (const character of text) encoded += NAME_ALPHABET.charAt((character.codePointAt(0) ?? 0) % 27);
  return encoded;
}

/** Four bytes, the lowest first. */
const wordAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);

const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

function avalanche(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

const M1 = 0x239b961b;
const M2 = 0xab0e9789 | 0;
const M3 = 0x38b34ae5;
const M4 = 0xa1e38b93 | 0;

/** MurmurHash3, the 128-bit variant for 32-bit machines: four words, well mixed, with nothing wider than `Math.imul`. */
export function murmur128(input: Hashable, seed = 0): readonly [number, number, number, number] {
  const length = layOut(input);
  const bytes = laidOut;
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  const blocks = length & ~15;
  for (let at = 0; at < blocks; at += 16) {
    h1 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at), M1), 15), M2);
    h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 4), M2), 16), M3);
    h2 = (Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 8), M3), 17), M4);
    h3 = (Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(wordAt(bytes, at + 12), M4), 18), M1);
    h4 = (Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  // The remaining bytes fill the words from the first on, padded with zeros.
  const tail = [0, 0, 0, 0];
  for (let at = blocks; at < length; at++) {
    const lane = (at - blocks) >> 2;
    tail[lane] = (tail[lane] ?? 0) | ((bytes[at] ?? 0) << (((at - blocks) & 3) * 8));
  }
  const [k1 = 0, k2 = 0, k3 = 0, k4 = 0] = tail;
  h1 ^= Math.imul(rotate(Math.imul(k1, M1), 15), M2) ^ length;
  h2 ^= Math.imul(rotate(Math.imul(k2, M2), 16), M3) ^ length;
  h3 ^= Math.imul(rotate(Math.imul(k3, M3), 17), M4) ^ length;
  h4 ^= Math.imul(rotate(Math.imul(k4, M4), 18), M1) ^ length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = (h2 + h1) | 0;
  h3 = (h3 + h1) | 0;
  h4 = (h4 + h1) | 0;
  h1 = avalanche(h1);
  h2 = avalanche(h2);
  h3 = avalanche(h3);
  h4 = avalanche(h4);
  h1 = (h1 + h2 + h3 + h4) | 0;
  return [h1 >>> 0, (h2 + h1) >>> 0, (h3 + h1) >>> 0, (h4 + h1) >>> 0];
}

/** Eighteen characters, 85 bits: among 50,000 names the chance that two are alike is below 10^-16. */
const CHILD_SUFFIX_LENGTH = 18;

const ALPHABET_CODES = Uint8Array.from(NAME_ALPHABET, (character) => character.charCodeAt(0));
const DASH = 0x2d;
const DOT = 0x2e;

/** Buffer in which names are put together, so that each comes out as one flat string: 50,000 objects keep theirs. */
const nameBytes = Buffer.alloc(256);

/** Writes the suffix that a list of identities determines. Lengths are hashed too: ("ab","c") is not ("a","bc"). */
function writeSuffix(parts: readonly string[], start: number): void {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  const words = murmur128(text);
  let at = start;
  // A 32-bit word yields six characters: 27^6 is a little over 2^28.
  for (let lane = 0; lane < 3; lane++) {
    let rest = words[lane] ?? 0;
    for (let i = 0; i < 6; i++) {
      const next = Math.floor(rest / 27);
      nameBytes[at++] = ALPHABET_CODES[rest - next * 27] ?? 0;
      rest = next;
    }
  }
}

/** The suffix alone. */
export function childSuffix(parts: readonly string[]): string {
  writeSuffix(parts, 0);
  return nameBytes.toString('latin1', 0, CHILD_SUFFIX_LENGTH);
}

/**
 * The name of a child, the same whenever and by whomever it is made: the base, cut to fit, and a hash of what the child
 * is (owner UID, node UID, revision, predecessor UID). A create that is repeated then meets itself.
 *
 * @param base an object's name, so lower case letters, digits, dashes and dots.
 * @param maxLength 63 for what must be a label, at most 253.
 */
export function childName(base: string, parts: readonly string[], maxLength = 63): string {
  let end = Math.min(base.length, Math.min(maxLength, 253) - CHILD_SUFFIX_LENGTH - 1);
  // Cutting must not leave a dot or dash before the one that joins.
  while (end > 0 && (base.charCodeAt(end - 1) === DASH || base.charCodeAt(end - 1) === DOT)) end--;
  for (let i = 0; i < end; i++) nameBytes[i] = base.charCodeAt(i);
  const start = end === 0 ? 0 : end + 1;
  if (end > 0) nameBytes[end] = DASH;
  writeSuffix(parts, start);
  return nameBytes.toString('latin1', 0, start + CHILD_SUFFIX_LENGTH);
}
