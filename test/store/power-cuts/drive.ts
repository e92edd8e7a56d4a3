import type { VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';

/** More turns of the loop than anything real takes (the lock is a real one). */
const PATIENCE = 1_000_000;

/** Moves time until the promise has settled. */
export async function drive<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => void (settled = true));
  done.catch(() => undefined);
  for (let turn = 0; !settled; turn += 1) {
    if (turn > PATIENCE) throw new Error('the store waits for something that never comes');
    await clock.runUntil(() => settled);
    if (!settled) await new Promise((resolve) => setImmediate(resolve));
  }
  return done;
}
