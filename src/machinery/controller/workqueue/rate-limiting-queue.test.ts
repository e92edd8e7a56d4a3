import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../time/virtual-clock.ts';
import { createRateLimitingQueue } from './rate-limiting-queue.ts';
import {
  createBucketLimiter,
  createControllerLimiter,
  createExponentialLimiter,
  createMaxLimiter,
  createTokenBucket,
} from './rate-limiter.ts';

describe('exponential limiter', () => {
  it('doubles from 5 ms to 1000 s, for each key by itself', () => {
    const limiter = createExponentialLimiter<string>();
    const waits = Array.from({ length: 20 }, () => limiter.when('a'));
    expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
    expect(waits.slice(-2)).toEqual([1_000_000, 1_000_000]);
    expect(limiter.when('b')).toBe(5);
    expect([limiter.retries('a'), limiter.retries('b'), limiter.retries('c')]).toEqual([20, 1, 0]);
  });

  it('starts anew once a key is forgotten', () => {
    const limiter = createExponentialLimiter<string>();
    limiter.when('a');
    limiter.when('a');
    limiter.forget('a');
    expect([limiter.retries('a'), limiter.when('a')]).toEqual([0, 5]);
  });

  it('stays at its maximum however often a key fails', () => {
    const limiter = createExponentialLimiter<string>({ baseMs: 1, maxMs: 100 });
    for (let i = 0; i < 3000; i += 1) limiter.when('a');
    expect(limiter.when('a')).toBe(100);
  });
});

describe('bucket limiter', () => {
  it('lets a burst pass and spaces the rest', async () => {
    const clock = createVirtualClock(0);
    const limiter = createBucketLimiter<string>(clock, { perSecond: 10, burst: 3 });
    expect([limiter.when('a'), limiter.when('b'), limiter.when('c')]).toEqual([0, 0, 0]);
    expect([limiter.when('d'), limiter.when('e')]).toEqual([100, 200]);
    await clock.advance(10_000);
    expect([limiter.when('a'), limiter.when('b'), limiter.when('c')]).toEqual([0, 0, 0]);
    expect(limiter.when('d')).toBeCloseTo(100);
  });

  it('takes a token only when there is one', async () => {
    const clock = createVirtualClock(0);
    const bucket = createTokenBucket(clock, 1 / 300, 2);
    expect([bucket.tryTake(), bucket.tryTake(), bucket.tryTake()]).toEqual([true, true, false]);
    for (let i = 0; i < 299; i += 1) {
      await clock.advance(1000);
      expect(bucket.tryTake()).toBe(false);
    }
    await clock.advance(1000);
    expect([bucket.tryTake(), bucket.tryTake()]).toEqual([true, false]);
  });
});

describe('rate limiting queue', () => {
  it('waits as long as the strictest of its limiters asks', () => {
    const clock = createVirtualClock(0);
    const limiter = createMaxLimiter(
      createExponentialLimiter<string>({ baseMs: 1, maxMs: 1000 }),
      createBucketLimiter<string>(clock, { perSecond: 1, burst: 1 }),
    );
    expect([limiter.when('a'), limiter.when('a')]).toEqual([1, 1000]);
    expect(limiter.retries('a')).toBe(2);
  });

  it('brings a failing key back later and later until it is forgotten', async () => {
    const clock = createVirtualClock(0);
    const queue = createRateLimitingQueue<string>({ clock });
    const times: number[] = [];
    queue.add('a');
    for (let i = 0; i < 6; i += 1) {
      await clock.runUntil(() => queue.length > 0);
      times.push(clock.monotonic());
      const key = queue.take() ?? '';
      queue.addRateLimited(key);
      queue.done(key);
    }
    expect(times).toEqual([0, 5, 15, 35, 75, 155]);
    expect(queue.retries('a')).toBe(6);
    queue.forget('a');
    expect(queue.retries('a')).toBe(0);
  });

  it('shows the state of the queue inside', () => {
    const queue = createRateLimitingQueue<string>({ clock: createVirtualClock(0) });
    queue.add('a');
    queue.add('b');
    queue.take();
    queue.addAfter('c', 10);
    expect([queue.length, queue.inWork, queue.waiting, queue.isShutDown]).toEqual([1, 1, 1, false]);
    queue.shutDown();
    expect(queue.isShutDown).toBe(true);
  });

  it('keeps all failures together below ten a second after the first hundred', () => {
    const clock = createVirtualClock(0);
    const limiter = createControllerLimiter<string>(clock);
    let longest = 0;
    for (let i = 0; i < 200; i += 1) longest = Math.max(longest, limiter.when(`k${i}`));
    expect(longest).toBe(10_000);
  });
});
