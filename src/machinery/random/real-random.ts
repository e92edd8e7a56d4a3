import { randomFillSync } from 'node:crypto';
import type { Random } from './random.ts';
import { randomFrom } from './random-source.ts';

const pool = new Uint32Array(1024);
let used = pool.length;

function uint32(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const value = pool[used] as number;
  // Bytes that were handed out are not left in memory.
  pool[used] = 0;
  used += 1;
  return value;
}

/** The platform's cryptographic chance, drawn in blocks. */
export const realRandom: Random = randomFrom(uint32);
