/**
 * Hashes: FNV as Kubernetes uses it for names and labels, and a wide hash for names that must not collide. None is a
 * defence against someone who wants a collision; all are deterministic and synchronous.
 */

/** The alphabet of generated names: no vowels, so no words. */
export const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

const encoder = new TextEncoder();

/** The text's bytes; a plain text is hashed without making them. */
const isAscii = (text: string): boolean => {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
};

type Bytes = string | Uint8Array;

/** Reads byte i of an ASCII text or of bytes. */
const byteAt = (bytes: Bytes, i: number): number => (typeof bytes === 'string' ? bytes.charCodeAt(i) : (bytes[i] ?? 0));
const bytesOf = (input: Bytes): Bytes => (typeof input === 'string' && !isAscii(input) ? encoder.encode(input) : input);

const FNV32_OFFSET = 0x811c9dc5;
const FNV32_PRIME = 0x01000193;

/** FNV-1, 32 bits: multiply, then xor. ControllerRevision names use this one. */
export function fnv1x32(input: Bytes): number {
  const bytes = bytesOf(input);
  let hash = FNV32_OFFSET;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash, FNV32_PRIME) ^ byteAt(bytes, i);
  return hash >>> 0;
}

/** FNV-1a, 32 bits: xor, then multiply. Pod template hashes use this one. */
export function fnv1a32(input: Bytes): number {
  const bytes = bytesOf(input);
  let hash = FNV32_OFFSET;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ byteAt(bytes, i), FNV32_PRIME);
  return hash >>> 0;
}

/** FNV-1a, 64 bits, as its two halves. The prime is 2^40 + 0x1b3: two short products instead of a wide one. */
function fnv1a64Halves(input: Bytes): readonly [high: number, low: number] {
  const bytes = bytesOf(input);
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (let i = 0; i < bytes.length; i++) {
    low = (low ^ byteAt(bytes, i)) >>> 0;
    const product = low * 0x1b3;
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
    low = product >>> 0;
  }
  return [high, low];
}

export function fnv1a64(input: Bytes): bigint {
  const [high, low] = fnv1a64Halves(input);
  return (BigInt(high) << 32n) | BigInt(low);
}

/** Sixteen hexadecimal digits. */
export function fnv1a64Hex(input: Bytes): string {
  const [high, low] = fnv1a64Halves(input);
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** Kubernetes' safe encoding: each character becomes one of the name alphabet. */
export function safeEncode(text: string): string {
  let encoded = '';
  for (const character of text) encoded += NAME_ALPHABET.charAt((character.codePointAt(0) ?? 0) % 27);
  return encoded;
}

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
export function murmur128(input: Bytes, seed = 0): readonly [number, number, number, number] {
  const bytes = bytesOf(input);
  const { length } = bytes;
  let h1 = seed;
  let h2 = seed;
  let h3 = seed;
  let h4 = seed;
  const word = (at: number): number =>
    byteAt(bytes, at) | (byteAt(bytes, at + 1) << 8) | (byteAt(bytes, at + 2) << 16) | (byteAt(bytes, at + 3) << 24);
  const blocks = length & ~15;
  for (let at = 0; at < blocks; at += 16) {
    h1 ^= Math.imul(rotate(Math.imul(word(at), M1), 15), M2);
    h1 = (Math.imul(rotate(h1, 19) + h2, 5) + 0x561ccd1b) | 0;
    h2 ^= Math.imul(rotate(Math.imul(word(at + 4), M2), 16), M3);
    h2 = (Math.imul(rotate(h2, 17) + h3, 5) + 0x0bcaa747) | 0;
    h3 ^= Math.imul(rotate(Math.imul(word(at + 8), M3), 17), M4);
    h3 = (Math.imul(rotate(h3, 15) + h4, 5) + 0x96cd1c35) | 0;
    h4 ^= Math.imul(rotate(Math.imul(word(at + 12), M4), 18), M1);
    h4 = (Math.imul(rotate(h4, 13) + h1, 5) + 0x32ac3b17) | 0;
  }
  // What is left fills the words from the first on, as if zeros followed.
  const tail = [0, 0, 0, 0];
  for (let at = blocks; at < length; at++) {
    const lane = (at - blocks) >> 2;
    tail[lane] = (tail[lane] ?? 0) | (byteAt(bytes, at) << (((at - blocks) & 3) * 8));
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

/** Six characters of the name alphabet hold what a 32-bit word can spare: 27^6 is a little over 2^28. */
function sixCharacters(word: number): string {
  let rest = word;
  let text = '';
  for (let i = 0; i < 6; i++) {
    text += NAME_ALPHABET.charAt(rest % 27);
    rest = Math.floor(rest / 27);
  }
  return text;
}

/** Eighteen characters, 85 bits: among 50,000 names the chance that two are alike is below 10^-16. */
export const CHILD_SUFFIX_LENGTH = 18;

/** The suffix that a list of identities determines. Lengths are hashed too, so ("ab","c") is not ("a","bc"). */
export function childSuffix(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) text += `${part.length}:${part}`;
  const [a, b, c] = murmur128(text);
  return sixCharacters(a) + sixCharacters(b) + sixCharacters(c);
}

/**
 * The name of a child, the same whenever and by whomever it is made: the base, cut to fit, and a hash of what the child
 * is (owner UID, node UID, revision, predecessor UID). A create that is repeated then meets itself.
 */
export function childName(base: string, parts: readonly string[], maxLength = 63): string {
  const room = maxLength - CHILD_SUFFIX_LENGTH - 1;
  let end = Math.min(base.length, room);
  // Cutting must not leave a dot or dash before the one that joins.
  while (end > 0 && (base.charCodeAt(end - 1) === 0x2d || base.charCodeAt(end - 1) === 0x2e)) end--;
  const suffix = childSuffix(parts);
  return end === 0 ? suffix : `${base.slice(0, end)}-${suffix}`;
}
