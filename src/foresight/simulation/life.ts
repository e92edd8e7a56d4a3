/**
 * The life of one instance of an actor. A crash is not a stop: nothing is announced, nothing is tidied up. From that
 * moment its timers never fire, its requests are never answered and no longer sent, and its memory is gone.
 */
import type { Clock, Timer } from '../../machinery/time/clock.ts';
import { sleepWith } from '../../machinery/time/sleep.ts';

export interface Life {
  readonly isOver: boolean;
  /** Time as this instance sees it. */
  readonly clock: Clock;
  end(): void;
  /** Registers a function to call when the instance ends; returns the way to take that back. */
  onEnd(run: () => void): () => void;
  /** The promise's outcome, or silence for ever where the instance has ended meanwhile. */
  guard<T>(promise: Promise<T>): Promise<T>;
}

export function createLife(world: Clock, onTimer: () => void): Life {
  let isOver = false;
  const endings = new Set<() => void>();

  const onEnd = (run: () => void): (() => void) => {
    endings.add(run);
    return () => void endings.delete(run);
  };

  const after = (delayMs: number, run: () => void): Timer => {
    if (isOver) return { cancel: () => undefined };
    const timer = world.after(delayMs, () => {
      endings.delete(timer.cancel);
      onTimer();
      run();
    });
    endings.add(timer.cancel);
    return {
      cancel() {
        endings.delete(timer.cancel);
        timer.cancel();
      },
    };
  };

  return {
    get isOver() {
      return isOver;
    },
    clock: { now: () => world.now(), monotonic: () => world.monotonic(), after, sleep: sleepWith(after) },
    onEnd,
    end() {
      if (isOver) return;
      isOver = true;
      for (const run of endings) run();
      endings.clear();
    },
    guard: (promise) =>
      new Promise((resolve, reject) => {
        promise.then(
          (value) => {
            if (!isOver) resolve(value);
          },
          (error: unknown) => {
            if (!isOver) reject(error);
          },
        );
      }),
  };
}
