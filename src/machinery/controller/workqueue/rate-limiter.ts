import type { Clock } from '../../time/clock.ts';

/** How long a key has to wait before it is tried again. */
export interface RateLimiter<K> {
  /** Each call counts as one more failure. */
  when(key: K): number;
  /** The key is fine again; its next failure is its first. */
  forget(key: K): void;
  /** Failures since it was last fine. */
  retries(key: K): number;
}

/** Doubles with every failure of a key, from `baseMs` up to `maxMs`. */
export function createExponentialLimiter<K>(
  options: { readonly baseMs?: number; readonly maxMs?: number; readonly identify?: (key: K) => unknown } = {},
): RateLimiter<K> {
  const { baseMs = 5, maxMs = 1_000_000, identify = (key) => key } = options;
  /** Only keys that have failed; forgetting keeps it small. */
  const failures = new Map<unknown, number>();
  return {
    when(key) {
      const id = identify(key);
      const count = failures.get(id) ?? 0;
      failures.set(id, count + 1);
      return Math.min(baseMs * 2 ** count, maxMs);
    },
    forget: (key) => void failures.delete(identify(key)),
    retries: (key) => failures.get(identify(key)) ?? 0,
  };
}

/** All keys share one bucket: `burst` at once, then `perSecond`. Later ones are given later times, in order. */
export function createBucketLimiter<K>(
  clock: Pick<Clock, 'monotonic'>,
  options: { readonly perSecond?: number; readonly burst?: number } = {},
): RateLimiter<K> {
  const bucket = createTokenBucket(clock, options.perSecond ?? 10, options.burst ?? 100);
  return { when: () => bucket.reserve(), forget: () => undefined, retries: () => 0 };
}

/** The longest wait any of them asks for. */
export function createMaxLimiter<K>(...limiters: readonly RateLimiter<K>[]): RateLimiter<K> {
  return {
    when: (key) => limiters.reduce((longest, limiter) => Math.max(longest, limiter.when(key)), 0),
    forget: (key) => limiters.forEach((limiter) => limiter.forget(key)),
    retries: (key) => limiters.reduce((most, limiter) => Math.max(most, limiter.retries(key)), 0),
  };
}

/** The controllers' default: a key alone backs off from 5 ms to 1000 s; all failures together stay below 10 a second. */
export function createControllerLimiter<K>(
  clock: Pick<Clock, 'monotonic'>,
  identify?: (key: K) => unknown,
): RateLimiter<K> {
  return createMaxLimiter<K>(
    createExponentialLimiter(identify === undefined ? {} : { identify }),
    createBucketLimiter(clock),
  );
}

export interface TokenBucket {
  /** Takes a token and answers after how many milliseconds it may be used. */
  reserve(): number;
  /** Takes a token if there is one now. */
  tryTake(): boolean;
}

export function createTokenBucket(clock: Pick<Clock, 'monotonic'>, perSecond: number, burst: number): TokenBucket {
  /** Tokens at `at`; below zero are those promised for later. Never above `burst`. */
  let tokens = burst;
  let at = clock.monotonic();
  const refill = (): void => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond);
    at = now;
  };
  return {
    reserve() {
      refill();
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    tryTake() {
      refill();
      // A hair below one counts: refilling in steps adds up to a little less than it should.
      if (tokens < 1 - 1e-9) return false;
      tokens -= 1;
      return true;
    },
  };
}
