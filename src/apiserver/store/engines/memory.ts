/** The engine of `--ephemeral`, tests and simulations: keeps nothing. */
import type { Clock } from '../../../machinery/time/clock.ts';
import type { StoreEngine } from '../engine.ts';

/**
 * Commits that settle in microtasks alone would let a busy writer starve timers and sockets for ever, so after this
 * long (or this many batches, where time stands still) a commit waits for the next turn of the loop.
 */
const TURN_MS = 2;
const TURN_BATCHES = 500;

export function createMemoryEngine(clock: Clock): StoreEngine {
  const done = Promise.resolve();
  let turnStartedAt = 0;
  let batchesThisTurn = 0;

  return {
    keepsNothing: true,
    load: () => Promise.resolve(0),
    commit() {
      if (batchesThisTurn++ === 0) {
        turnStartedAt = clock.monotonic();
        return done;
      }
      if (batchesThisTurn < TURN_BATCHES && clock.monotonic() - turnStartedAt < TURN_MS) return done;
      batchesThisTurn = 0;
      return new Promise<void>((resolve) => {
        clock.after(0, resolve);
      });
    },
    recover: () => done,
    close: () => done,
  };
}
