/**
 * Fair turns of the event loop. Every callback that is to run "as soon as the others had their turn" waits here, first
 * come, first served; in one turn of the loop callbacks run up to a time budget, and the rest keep their place. Without
 * this, a dozen actors that are each polite for two milliseconds would together hold up timers and sockets for thirty.
 */

export interface TurnsOptions {
  /** Runs a function in the next turn of the loop, after all microtasks. */
  readonly immediate: (run: () => void) => void;
  readonly monotonic: () => number;
  /** Once this much of a turn is used up, nothing more is begun in it. */
  readonly budgetMs: number;
}

export interface Turns {
  /** Calling the answer takes it back, if it has not run. */
  next(run: () => void): () => void;
}

interface Waiting {
  run: (() => void) | undefined;
}

export function createTurns({ immediate, monotonic, budgetMs }: TurnsOptions): Turns {
  /** Oldest at `head`. */
  let waiting: Waiting[] = [];
  let head = 0;
  let endsAt = 0;
  /** A turn is under way: its successor has been booked and will begin the next one. */
  let underWay = false;

  function beginTurn(): void {
    endsAt = monotonic() + budgetMs;
    underWay = head < waiting.length;
    // Booked first of all, so that it comes before everything else of the next turn.
    if (underWay) immediate(beginTurn);
  }

  /** One immediate for each waiting callback, so that microtasks run between any two of them. */
  function runOne(): void {
    if (!underWay) beginTurn();
    else if (monotonic() >= endsAt) {
      immediate(runOne);
      return;
    }
    const first = waiting[head];
    head += 1;
    if (head >= waiting.length) {
      waiting = [];
      head = 0;
    } else if (head > 1024) {
      waiting = waiting.slice(head);
      head = 0;
    }
    first?.run?.();
  }

  return {
    next(run) {
      const entry: Waiting = { run };
      waiting.push(entry);
      immediate(runOne);
      return () => void (entry.run = undefined);
    },
  };
}
