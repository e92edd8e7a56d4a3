import { describe, expect, it } from 'vitest';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createBackoff } from './backoff.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('backoff', () => {
  it('grows, stays below its limit, and starts over after a quiet time', async () => {
    const clock = createVirtualClock();
    const options = { initialMs: 100, maxMs: 1000, factor: 2, jitter: 0.5, resetAfterMs: 60_000 };
    const backoff = createBackoff(clock, createSeededRandom(1), options);
    const delays = Array.from({ length: 8 }, () => backoff.next());
    delays.forEach((delay, index) => {
      const base = Math.min(100 * 2 ** index, 1000);
      expect(delay).toBeGreaterThanOrEqual(base);
      expect(delay).toBeLessThan(base * 1.5);
    });
    await clock.advance(70_000);
    expect(backoff.next()).toBeLessThan(150);
    backoff.next();
    backoff.reset();
    expect(backoff.next()).toBeLessThan(150);
  });
});
