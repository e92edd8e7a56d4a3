/**
 * How soon a failed pod on a node may be deleted and created anew: where a node rejects a pod at once, doing so at full
 * speed would be a useless loop. One second at first, twice as long each time, at most a quarter of an hour.
 */
import type { Clock } from '../../machinery/time/clock.ts';

export interface FailedPodBackoff {
  /** Milliseconds to wait, or 0 where the pod may be deleted now; the latter counts as one more attempt. */
  attempt(key: string): number;
}

const INITIAL_MS = 1000;
const MAX_MS = 15 * 60_000;
const FORGET_AFTER_MS = 2 * MAX_MS;
const SWEEP_EVERY_MS = 60_000;

interface Entry {
  delayMs: number;
  since: number;
}

export function createFailedPodBackoff(clock: Pick<Clock, 'monotonic'>): FailedPodBackoff {
  const entries = new Map<string, Entry>();
  let sweptAt = clock.monotonic();

  function sweep(now: number): void {
    if (now - sweptAt < SWEEP_EVERY_MS) return;
    sweptAt = now;
    for (const [key, { since }] of entries) if (now - since > FORGET_AFTER_MS) entries.delete(key);
  }

  return {
    attempt(key) {
      const now = clock.monotonic();
      sweep(now);
      const known = entries.get(key);
      const entry = known !== undefined && now - known.since <= FORGET_AFTER_MS ? known : undefined;
      if (entry !== undefined && now - entry.since < entry.delayMs) return entry.delayMs;
      const delayMs = entry === undefined ? INITIAL_MS : Math.min(entry.delayMs * 2, MAX_MS);
      entries.set(key, { delayMs, since: now });
      return 0;
    },
  };
}
