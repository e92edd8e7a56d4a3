/** A time slice: work that sees its turn expire yields where it is and continues in the next turn. */
import type { Clock } from '../../machinery/time/clock.ts';

export interface Turn {
  begin(): void;
  expired(): boolean;
}

export function createTurn(clock: Clock, sliceMs: number): Turn {
  let end = 0;
  return {
    begin: () => void (end = clock.monotonic() + sliceMs),
    expired: () => clock.monotonic() >= end,
  };
}
