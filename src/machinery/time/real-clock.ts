import { performance } from 'node:perf_hooks';
import type { Clock, Timer } from './clock.ts';
import { sleepWith } from './sleep.ts';
import { createTurns } from './turns.ts';

/** setTimeout keeps its delay in 32 bits; anything longer would fire at once. */
const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** The time that one turn may take before sockets and timers are polled again. */
const TURN_BUDGET_MS = 4;

const monotonic = (): number => performance.now();
const turns = createTurns({ immediate: (run) => void setImmediate(run), monotonic, budgetMs: TURN_BUDGET_MS });

function after(delayMs: number, run: () => void): Timer {
  if (!(delayMs > 0)) return { cancel: turns.next(run) };
  let timeout: NodeJS.Timeout;
  const wait = (left: number): void => {
    timeout =
      left <= LONGEST_TIMEOUT ? setTimeout(run, left) : setTimeout(() => wait(left - LONGEST_TIMEOUT), LONGEST_TIMEOUT);
  };
  wait(delayMs);
  return { cancel: () => clearTimeout(timeout) };
}

/** The platform's time. A pending timer keeps the process alive, so its owner cancels it on shutdown. */
export const realClock: Clock = {
  now: () => Date.now(),
  monotonic,
  after,
  sleep: sleepWith(after),
};
