/**
 * The queue under every controller: keys, not events. A key added any number of times while it waits is worked on
 * once; a key added while it is worked on is queued once more afterwards; two workers never hold the same key.
 *
 * Three files, each around the one before: `workqueue` (this), `delaying-queue` (later), `rate-limiting-queue` (after
 * a failure, ever later).
 */
import type { Clock } from '../../time/clock.ts';
import { createFifoOrder, type QueueOrder } from './queue-order.ts';
import { noQueueMetrics, type QueueMetrics } from './queue-metrics.ts';

export interface Workqueue<K> {
  /** Keys waiting to be taken. */
  readonly length: number;
  /** Keys taken and not yet done. */
  readonly inWork: number;
  /** Marks the key as needing work. Does nothing once the queue is shut down. */
  add(key: K): void;
  /** Takes the next key without waiting. The taker calls `done` with it. */
  take(): K | undefined;
  /** Takes the next key, waiting for one; undefined once the queue is shut down and empty. */
  get(): Promise<K | undefined>;
  done(key: K): void;
  /** Ends adding. Queued keys can still be taken; `get` waits for no more. */
  shutDown(): void;
  readonly isShutDown: boolean;
  /** Resolves when the queue is shut down and everything taken is done. */
  drained(): Promise<void>;
}

/** The identity of a key. Two keys with the same identity are one. */
export type Identify<K> = (key: K) => unknown;

export interface WorkqueueOptions<K> {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Default: the key itself, so strings by value and objects by reference. */
  readonly identify?: Identify<K>;
  /** Which of the waiting keys comes next. Default: first come, first served. */
  readonly order?: QueueOrder<K>;
  readonly metrics?: QueueMetrics;
}

export function createWorkqueue<K>(options: WorkqueueOptions<K>): Workqueue<K> {
  const { clock } = options;
  const identify = options.identify;
  const metrics = options.metrics ?? noQueueMetrics;
  /** The order in which keys are taken. Every key in it is dirty and not in processing. */
  const queue = options.order ?? createFifoOrder<K>();
  /** Keys that need work, by identity, with the time they were first added. In the queue, unless in processing. */
  const dirty = new Map<unknown, { readonly key: K; readonly since: number }>();
  /** Keys held by a worker. One that is also dirty goes back to the queue when it is done. */
  const processing = new Map<unknown, number>();
  /**
   * Callers that wait in `get`, oldest first. A waiter is woken, not handed a key: it takes one a turn later, so that
   * a key added twice in one turn is still taken once.
   */
  let waiters: (() => void)[] = [];
  let shutDown = false;
  const drains: (() => void)[] = [];

  const take = (): K | undefined => {
    const key = queue.pop();
    if (key === undefined) return undefined;
    const id = identify === undefined ? key : identify(key);
    const now = clock.monotonic();
    const since = dirty.get(id)?.since ?? now;
    dirty.delete(id);
    processing.set(id, now);
    metrics.taken(now - since);
    return key;
  };

  const push = (key: K): void => {
    queue.push(key);
    waiters.shift()?.();
  };

  const settle = (): void => {
    if (!shutDown || processing.size > 0) return;
    for (const resolve of drains.splice(0)) resolve();
  };

  metrics.observe({
    depth: () => queue.length,
    startedAt: () => processing.values(),
    now: () => clock.monotonic(),
  });

  return {
    get length() {
      return queue.length;
    },
    get inWork() {
      return processing.size;
    },
    get isShutDown() {
      return shutDown;
    },
    add(key) {
      if (shutDown) return;
      const id = identify === undefined ? key : identify(key);
      if (dirty.has(id)) return;
      metrics.added();
      dirty.set(id, { key, since: clock.monotonic() });
      if (!processing.has(id)) push(key);
    },
    take,
    async get() {
      for (;;) {
        const key = take();
        if (key !== undefined || shutDown) return key;
        await new Promise<void>((resolve) => void waiters.push(resolve));
      }
    },
    done(key) {
      const id = identify === undefined ? key : identify(key);
      const started = processing.get(id);
      if (started === undefined) return;
      processing.delete(id);
      metrics.finished(clock.monotonic() - started);
      const again = dirty.get(id);
      if (again !== undefined) push(again.key);
      settle();
    },
    shutDown() {
      shutDown = true;
      const leaving = waiters;
      waiters = [];
      for (const wake of leaving) wake();
      settle();
    },
    drained() {
      return new Promise((resolve) => {
        drains.push(resolve);
        settle();
      });
    },
  };
}
