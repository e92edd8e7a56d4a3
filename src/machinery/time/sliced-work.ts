/**
 * Work on very many keys in one process: most of it is a quick look, some of it a write. Looks are made in short slices
 * between which everybody else has a turn, a bounded number of writes is under way, and one key is never worked on
 * twice at a time. For actors with tens of thousands of small objects, where a promise and a worker for each would cost
 * more than the work; a controller with a few hundred is better served by controller.ts.
 */
import { fnv1a32 } from '../../core/kube/hash.ts';
import type { Clock, Timer } from './clock.ts';

export interface SlicedWorkOptions {
  readonly clock: Clock;
  /** Looks at a key; a promise means that something is under way until it settles. */
  readonly look: (key: string) => Promise<unknown> | undefined;
  /** Told of every failure; answers whether the key is looked at again after a pause. */
  readonly onError: (key: string, error: unknown) => boolean;
  readonly maxInFlight?: number;
  readonly sliceMs?: number;
  /** First pause after a failure, doubled with each in a row up to the longest. */
  readonly retryMs?: number;
  readonly longestRetryMs?: number;
}

export interface SlicedWork {
  /** Keys waiting for a look; those under way or with an appointment do not count. */
  readonly waiting: number;
  readonly inFlight: number;
  add(key: string): void;
  /** Looks at the key after a while; replaces an earlier appointment. */
  addAfter(key: string, delayMs: number): void;
  /** Takes back the appointment, if there is one. */
  cancel(key: string): void;
  /** The key is of no interest any more; what is under way ends by itself. */
  forget(key: string): void;
  /** No more looks; resolves when nothing is under way. */
  stop(): Promise<void>;
}

export function createSlicedWork(options: SlicedWorkOptions): SlicedWork {
  const { clock, look, onError } = options;
  const { maxInFlight = 256, sliceMs = 2, retryMs = 500, longestRetryMs = 30_000 } = options;
  /** To look at, each once, oldest first; none of them under way. */
  const queue = new Set<string>();
  /** Stands before the oldest: what it has passed is no longer queued. A new one each time would walk over what is gone. */
  let oldest = queue.values();
  const underWay = new Set<string>();
  /** Under way, and to be looked at once more afterwards. */
  const again = new Set<string>();
  const timers = new Map<string, Timer>();
  /** Failures in a row; only keys that failed last. */
  const failures = new Map<string, number>();
  let booked = false;
  let stopped = false;
  let idle: (() => void) | undefined;

  function book(): void {
    if (booked || stopped || queue.size === 0 || underWay.size >= maxInFlight) return;
    booked = true;
    clock.after(0, slice);
  }

  function slice(): void {
    booked = false;
    const end = clock.monotonic() + sliceMs;
    while (queue.size > 0) {
      if (stopped || underWay.size >= maxInFlight) return;
      lookAt(takeOldest());
      if (clock.monotonic() >= end) break;
    }
    book();
  }

  /** Only while there is one. */
  function takeOldest(): string {
    let next = oldest.next();
    if (next.done === true) {
      oldest = queue.values();
      next = oldest.next();
    }
    const key = next.value as string;
    queue.delete(key);
    return key;
  }

  function lookAt(key: string): void {
    let work: Promise<unknown> | undefined;
    try {
      work = look(key);
    } catch (error) {
      failed(key, error);
      return;
    }
    if (work === undefined) return;
    underWay.add(key);
    void follow(key, work);
  }

  async function follow(key: string, work: Promise<unknown>): Promise<void> {
    try {
      await work;
      if (failures.size > 0) failures.delete(key);
    } catch (error) {
      failed(key, error);
    }
    settled(key);
  }

  function failed(key: string, error: unknown): void {
    if (!onError(key, error) || stopped) {
      failures.delete(key);
      return;
    }
    const count = (failures.get(key) ?? 0) + 1;
    failures.set(key, count);
    const pause = Math.min(retryMs * 2 ** (count - 1), longestRetryMs);
    // Spread by key, so that thousands that failed together do not come back together.
    addAfter(key, pause * (1 + (fnv1a32(key) % 1024) / 2048));
  }

  function settled(key: string): void {
    underWay.delete(key);
    if (again.delete(key)) queue.add(key);
    if (underWay.size === 0) idle?.();
    book();
  }

  function add(key: string): void {
    if (stopped) return;
    if (underWay.has(key)) again.add(key);
    else {
      queue.add(key);
      book();
    }
  }

  function cancel(key: string): void {
    const timer = timers.get(key);
    if (timer === undefined) return;
    timer.cancel();
    timers.delete(key);
  }

  function addAfter(key: string, delayMs: number): void {
    if (stopped) return;
    cancel(key);
    const timer = clock.after(Math.max(1, delayMs), () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, timer);
  }

  return {
    get waiting() {
      return queue.size;
    },
    get inFlight() {
      return underWay.size;
    },
    add,
    addAfter,
    cancel,
    forget(key) {
      queue.delete(key);
      again.delete(key);
      failures.delete(key);
      cancel(key);
    },
    async stop() {
      stopped = true;
      queue.clear();
      again.clear();
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
      if (underWay.size > 0) await new Promise<void>((resolve) => void (idle = resolve));
    },
  };
}
