/**
 * A queue for very many keys in one process: most syncs only read caches, some write. Syncs run in short slices between which
 * other work has its turn, a bounded number of writes is under way, and one key is never synced twice at a time. For actors
 * with tens of thousands of small objects, where a promise and a worker for each would cost more than the work; a controller
 * with a few hundred is better served by controller.ts.
 */
import { fnv1a32 } from '../../core/kube/hash.ts';
import type { Clock, Timer } from './clock.ts';

export interface SlicedWorkOptions {
  readonly clock: Clock;
  /** Syncs one key; a promise means that a write is under way until it settles. */
  readonly sync: (key: string) => Promise<unknown> | undefined;
  /** Called with every failure; returns whether the key is requeued after a pause. */
  readonly onError: (key: string, error: unknown) => boolean;
  readonly maxInFlight?: number;
  readonly sliceMs?: number;
  /** First pause after a failure, doubled with each in a row up to the longest. */
  readonly retryMs?: number;
  readonly longestRetryMs?: number;
}

export interface SlicedWork {
  /** Keys in the queue, without those under way or with a timer. */
  readonly waiting: number;
  readonly inFlight: number;
  add(key: string): void;
  /** Adds the key after a delay; replaces an earlier delay of the same key. */
  addAfter(key: string, delayMs: number): void;
  /** Cancels the delay of `addAfter`, if there is one. */
  cancel(key: string): void;
  /** The key is of no interest any more; a write under way ends by itself. */
  forget(key: string): void;
  /** No more syncs; resolves when nothing is under way. */
  stop(): Promise<void>;
}

export const createSlicedWork = (options: SlicedWorkOptions): SlicedWork => new KeyQueue(options);

class KeyQueue implements SlicedWork {
  readonly #clock: Clock;
  readonly #syncKey: (key: string) => Promise<unknown> | undefined;
  readonly #onError: (key: string, error: unknown) => boolean;
  readonly #maxInFlight: number;
  readonly #sliceMs: number;
  readonly #retryMs: number;
  readonly #longestRetryMs: number;
  /** Keys to sync, each once, oldest first; none of them under way. */
  readonly #queue = new Set<string>();
  /** Stands before the oldest key: passed keys are no longer queued. A new iterator for each key would walk over the gaps that deleted keys leave. */
  #oldest = this.#queue.values();
  /** Keys whose sync returned a promise that has not settled; never more than `maxInFlight`. */
  readonly #underWay = new Set<string>();
  /** Keys under way that were added meanwhile: queued again when they settle. */
  readonly #dirty = new Set<string>();
  /** Delays of `addAfter`, at most one a key. */
  readonly #timers = new Map<string, Timer>();
  /** Failures in a row; only of keys that failed last. */
  readonly #failures = new Map<string, number>();
  /** A slice is due in the next turn. */
  #isScheduled = false;
  #isStopped = false;
  /** Resolves `stop` when nothing is under way. */
  #onIdle: (() => void) | undefined = undefined;

  constructor({
    clock,
    sync,
    onError,
    maxInFlight = 256,
    sliceMs = 2,
    retryMs = 500,
    longestRetryMs = 30_000,
  }: SlicedWorkOptions) {
    this.#clock = clock;
    this.#syncKey = sync;
    this.#onError = onError;
    this.#maxInFlight = maxInFlight;
    this.#sliceMs = sliceMs;
    this.#retryMs = retryMs;
    this.#longestRetryMs = longestRetryMs;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  get inFlight(): number {
    return this.#underWay.size;
  }

  add(key: string): void {
    if (this.#isStopped) return;
    if (this.#underWay.has(key)) this.#dirty.add(key);
    else {
      this.#queue.add(key);
      this.#schedule();
    }
  }

  addAfter(key: string, delayMs: number): void {
    if (this.#isStopped) return;
    this.cancel(key);
    const timer = this.#clock.after(Math.max(1, delayMs), () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, timer);
  }

  cancel(key: string): void {
    const timer = this.#timers.get(key);
    if (timer === undefined) return;
    timer.cancel();
    this.#timers.delete(key);
  }

  forget(key: string): void {
    this.#queue.delete(key);
    this.#dirty.delete(key);
    this.#failures.delete(key);
    this.cancel(key);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queue.clear();
    this.#dirty.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    if (this.#underWay.size > 0) await new Promise<void>((resolve) => void (this.#onIdle = resolve));
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isStopped || this.#queue.size === 0 || this.#isFull()) return;
    this.#isScheduled = true;
    this.#clock.after(0, this.#runSlice);
  }

  #isFull(): boolean {
    return this.#underWay.size >= this.#maxInFlight;
  }

  /** A field, so that the clock takes the same function for every slice. */
  readonly #runSlice = (): void => {
    this.#isScheduled = false;
    const end = this.#clock.monotonic() + this.#sliceMs;
    while (this.#queue.size > 0) {
      if (this.#isStopped || this.#isFull()) return;
      this.#sync(this.#takeOldest());
      if (this.#clock.monotonic() >= end) break;
    }
    this.#schedule();
  };

  /** Only while the queue holds a key. */
  #takeOldest(): string {
    let next = this.#oldest.next();
    if (next.done === true) {
      this.#oldest = this.#queue.values();
      next = this.#oldest.next();
    }
    const key = next.value as string;
    this.#queue.delete(key);
    return key;
  }

  #sync(key: string): void {
    let writing: Promise<unknown> | undefined;
    try {
      writing = this.#syncKey(key);
    } catch (error) {
      this.#failed(key, error);
      return;
    }
    if (writing === undefined) return;
    this.#underWay.add(key);
    void this.#settle(key, writing);
  }

  async #settle(key: string, writing: Promise<unknown>): Promise<void> {
    try {
      await writing;
      if (this.#failures.size > 0) this.#failures.delete(key);
    } catch (error) {
      this.#failed(key, error);
    }
    this.#underWay.delete(key);
    if (this.#dirty.delete(key)) this.#queue.add(key);
    if (this.#underWay.size === 0) this.#onIdle?.();
    this.#schedule();
  }

  #failed(key: string, error: unknown): void {
    if (!this.#onError(key, error) || this.#isStopped) {
      this.#failures.delete(key);
      return;
    }
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    const pause = Math.min(this.#retryMs * 2 ** (count - 1), this.#longestRetryMs);
    // Spread by key, so that thousands that failed together do not come back together.
    this.addAfter(key, pause * (1 + (fnv1a32(key) % 1024) / 2048));
  }
}
