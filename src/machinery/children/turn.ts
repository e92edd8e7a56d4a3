/**
 * Coalescing of reconciles: many children change at nearly the same time, and one reconcile after all of them is enough. A
 * change that comes during a reconcile is noted; after a reconcile the owner rests for a moment before children may ask for the
 * next. Changes of the owner itself do not pass through here: they are enqueued at once.
 */
import type { ReconcileResult } from '../controller/controller.ts';
import type { Clock } from '../time/clock.ts';

export interface Turn {
  /** A reconcile is under way. Set and cleared by `takeTurn` alone. */
  isBusy: boolean;
  /** A child has changed since the reconcile under way began: it may not have seen that. Meaningful while `isBusy`. */
  again: boolean;
  /** Monotonic time before which children ask for no further reconcile. */
  restUntil: number;
}

export const newTurn = (): Turn => ({ isBusy: false, again: false, restUntil: -Infinity });

/**
 * Reconciles, and then lets the owner rest, also after a failure (whose retry is the queue's business).
 *
 * @param pauseMs how long to rest; asked after the reconcile, since it may depend on the number of children there are.
 */
export async function takeTurn(
  turn: Turn,
  clock: Clock,
  pauseMs: () => number,
  reconcile: () => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  turn.isBusy = true;
  turn.again = false;
  try {
    const { requeueAfterMs } = await reconcile();
    return turn.again ? requeueAfter(requeueAfterMs, pauseMs()) : requeueAfter(requeueAfterMs);
  } finally {
    turn.isBusy = false;
    turn.restUntil = clock.monotonic() + pauseMs();
  }
}

interface DelayingQueue<K> {
  add(key: K): void;
  addAfter(key: K, ms: number): void;
}

/** A child has changed: the owner is reconciled when its rest is over. @param turn undefined for an owner not known yet. */
export function enqueueSoon<K>(turn: Turn | undefined, key: K, queue: DelayingQueue<K>, clock: Clock): void {
  if (turn?.isBusy === true) {
    turn.again = true;
    return;
  }
  const wait = turn === undefined ? 0 : turn.restUntil - clock.monotonic();
  if (wait > 0) queue.addAfter(key, wait);
  else queue.add(key);
}

/** The result that asks for the earliest of these times; for none where all are undefined. */
export function requeueAfter(...waits: readonly (number | undefined)[]): ReconcileResult {
  let soonest: number | undefined;
  for (const ms of waits) if (ms !== undefined && (soonest === undefined || ms < soonest)) soonest = ms;
  return soonest === undefined ? {} : { requeueAfterMs: soonest };
}
