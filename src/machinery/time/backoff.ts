import type { Clock } from './clock.ts';
import type { Random } from '../random/random.ts';

export interface BackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  readonly factor: number;
  /** The delay is stretched by up to this share of itself, so that many clients do not come back at once. */
  readonly jitter: number;
  /** After this long without a failure the next one counts as the first again. */
  readonly resetAfterMs: number;
}

export interface Backoff {
  /** The delay before the next attempt; each call is one more failure. */
  next(): number;
  reset(): void;
}

/** For connections to an API server: a second at first, half a minute at most, as client-go's reflector does. */
const API_SERVER_BACKOFF: BackoffOptions = {
  initialMs: 800,
  maxMs: 30_000,
  factor: 2,
  jitter: 1,
  resetAfterMs: 120_000,
};

export function createBackoff(
  clock: Pick<Clock, 'monotonic'>,
  random: Pick<Random, 'next'>,
  options: BackoffOptions = API_SERVER_BACKOFF,
): Backoff {
  let failures = 0;
  let lastFailure = 0;
  return {
    next() {
      const now = clock.monotonic();
      if (failures > 0 && now - lastFailure > options.resetAfterMs) failures = 0;
      const base = Math.min(options.initialMs * options.factor ** failures, options.maxMs);
      failures += 1;
      const delay = base * (1 + options.jitter * random.next());
      // The wait itself is not a quiet time.
      lastFailure = now + delay;
      return delay;
    },
    reset() {
      failures = 0;
    },
  };
}
