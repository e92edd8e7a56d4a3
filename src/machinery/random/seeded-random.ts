import type { Random } from './random.ts';
import { randomFrom } from './random-source.ts';

export interface SeededRandom extends Random {
  /** An independent stream named by `label`: drawing from one never shifts another, nor does the order of forking. */
  fork(label: string): SeededRandom;
}

/** FNV-1a with a murmur finish: enough to spread a seed's text over 32 bits. */
function hash(text: string, basis: number): number {
  let h = basis | 0;
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** The same seed gives the same chance, on every platform (sfc32: small, fast, passes the usual batteries). */
export function createSeededRandom(seed: number | string): SeededRandom {
  const text = String(seed);
  let a = hash(text, 0x811c9dc5);
  let b = hash(text, 0x9e3779b9);
  let c = hash(text, 0x243f6a88);
  let counter = 1;

  const uint32 = (): number => {
    const result = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + result) | 0;
    return result >>> 0;
  };
  // The first outputs still resemble the seed.
  for (let i = 0; i < 15; i += 1) uint32();

  return { ...randomFrom(uint32), fork: (label) => createSeededRandom(`${text}/${label}`) };
}
