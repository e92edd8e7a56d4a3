/**
 * Time that moves only when it is told to, and only when nothing is left to do at the present instant: every
 * promise chain has run out before the next timer fires. With seeded chance and no real I/O, a whole cluster then runs
 * the same way every time, and hours pass in milliseconds.
 */
import type { Clock, Timer } from './clock.ts';
import { createHeap, type HeapEntry } from '../../core/kube/heap.ts';
import { sleepWith } from './sleep.ts';

/**
 * The one real thing used here: an immediate runs after *all* microtasks and ticks, however long their chains are and
 * whatever they enqueue meanwhile. Taken at load, so that a test which fakes globals does not stop virtual time.
 */
const afterMicrotasks = setImmediate;

/** 2026-01-01T00:00:00Z: a date that looks like one in logs and never changes. */
const DEFAULT_START = Date.UTC(2026, 0, 1);

export interface VirtualClock extends Clock {
  /** Timers that have neither fired nor been cancelled. */
  readonly pendingTimers: number;
  /** When the next timer fires (monotonic), or undefined when none is set. */
  readonly nextTimerAt: number | undefined;
  /** Lets everything that is ready run, including timers due now; time does not move. */
  drain(): Promise<void>;
  /** Moves time by `ms`, firing every timer that comes due on the way at its own instant, in order. */
  advance(ms: number): Promise<void>;
  /**
   * Fires timers until none is left, or until the next lies beyond `withinMs` from now (default: an hour, since a
   * heartbeat would keep it going for ever). Answers how many milliseconds passed.
   */
  runUntilIdle(withinMs?: number): Promise<number>;
  /** As `runUntilIdle`, but stops as soon as the condition holds; answers whether it does. */
  runUntil(condition: () => boolean, withinMs?: number): Promise<boolean>;
  /** Moves the wall clock alone, as an NTP step or a resumed laptop does. Timers and `monotonic` do not notice. */
  jump(ms: number): void;
}

interface VirtualTimer extends HeapEntry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

const never = (): boolean => false;

export function createVirtualClock(start: number = DEFAULT_START): VirtualClock {
  let elapsed = 0;
  let wallOffset = 0;
  let orders = 0;
  let running = false;
  /** Due first comes first; timers due at one instant fire in the order they were set. */
  const timers = createHeap<VirtualTimer>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));

  const after = (delayMs: number, run: () => void): Timer => {
    const timer: VirtualTimer = { at: elapsed + (delayMs > 0 ? delayMs : 0), order: orders++, run, heapIndex: -1 };
    timers.push(timer);
    return { cancel: () => void timers.remove(timer) };
  };

  /**
   * The engine: one timer, then all its microtasks, then the next. Callbacks instead of promises, because a promise of
   * ours would be one more microtask between those of the code under test.
   */
  const runTo = (end: number, stop: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      if (running) {
        reject(new Error('virtual time is already being moved by another caller'));
        return;
      }
      running = true;
      const step = (): void => {
        try {
          const timer = timers.peek();
          if (stop() || timer === undefined || timer.at > end) {
            running = false;
            resolve();
            return;
          }
          timers.pop();
          if (timer.at > elapsed) elapsed = timer.at;
          timer.run();
        } catch (error) {
          running = false;
          reject(error);
          return;
        }
        afterMicrotasks(step);
      };
      afterMicrotasks(step);
    });

  return {
    now: () => Math.floor(start + wallOffset + elapsed),
    monotonic: () => elapsed,
    after,
    sleep: sleepWith(after),
    get pendingTimers() {
      return timers.size;
    },
    get nextTimerAt() {
      return timers.peek()?.at;
    },
    drain: () => runTo(elapsed, never),
    async advance(ms) {
      const end = elapsed + ms;
      await runTo(end, never);
      elapsed = end;
    },
    async runUntilIdle(withinMs = 3_600_000) {
      const begin = elapsed;
      await runTo(begin + withinMs, never);
      return elapsed - begin;
    },
    async runUntil(condition, withinMs = 3_600_000) {
      await runTo(elapsed + withinMs, condition);
      return condition();
    },
    jump(ms) {
      wallOffset += ms;
    },
  };
}
