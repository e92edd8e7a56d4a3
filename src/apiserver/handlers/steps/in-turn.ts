/**
 * The next step of a request that has much to do: at once for callers in this process, otherwise when it is its turn.
 */
import type { Pace } from '../../contract/request.ts';

export function inTurn<T>(pace: Pace | undefined, step: () => T | Promise<T>): T | Promise<T> {
  const turn = pace?.turn();
  return turn === undefined ? step() : turn.then(step);
}
