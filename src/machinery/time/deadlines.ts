/** Many things that each have the same time to end; one timer looks for those whose time is up. */
import type { Clock, Timer } from './clock.ts';

export interface Deadlines<T> {
  /** From now on `timeoutMs` is left. */
  add(thing: T): void;
  /** Answers whether its time was still running. */
  delete(thing: T): boolean;
  close(): void;
}

const SWEEP_MS = 1000;

/** `expired` is called once for each that was not deleted in time, up to a second late. */
export function createDeadlines<T>(clock: Clock, timeoutMs: number, expired: (thing: T) => void): Deadlines<T> {
  /** In order of their ends, because all get the same time. */
  const ends = new Map<T, number>();
  let sweeping: Timer | undefined;
  let isClosed = false;

  function sweep(): void {
    sweeping = undefined;
    const now = clock.monotonic();
    for (const [thing, end] of ends) {
      if (end > now) break;
      ends.delete(thing);
      expired(thing);
    }
    arm();
  }

  function arm(): void {
    if (sweeping === undefined && ends.size > 0) sweeping = clock.after(SWEEP_MS, sweep);
  }

  return {
    add(thing) {
      if (isClosed) return;
      ends.set(thing, clock.monotonic() + timeoutMs);
      arm();
    },
    delete: (thing) => ends.delete(thing),
    close() {
      isClosed = true;
      sweeping?.cancel();
      ends.clear();
    },
  };
}
