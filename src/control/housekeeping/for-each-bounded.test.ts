import { describe, expect, it } from 'vitest';
import { forEachBounded } from './for-each-bounded.ts';

describe('work on many', () => {
  it('never has more under way than it may, and reaches all', async () => {
    let [running, most] = [0, 0];
    const seen: number[] = [];
    await forEachBounded([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    });
    expect([most, seen.toSorted((a, b) => a - b)]).toEqual([3, [1, 2, 3, 4, 5, 6, 7]]);
  });

  it('tries the rest although one failed, then says so', async () => {
    const seen: number[] = [];
    const all = forEachBounded([1, 2, 3], 1, async (item) => {
      seen.push(item);
      await Promise.resolve();
      if (item === 1) throw new Error('no');
    });
    await expect(all).rejects.toThrow('no');
    expect(seen).toEqual([1, 2, 3]);
  });
});
