import type { Clock, Timer } from '../../time/clock.ts';
import { createHeap, type HeapEntry } from '../../../core/kube/heap.ts';
import { createWorkqueue, type Workqueue, type WorkqueueOptions } from './workqueue.ts';

export interface DelayingQueue<K> extends Workqueue<K> {
  /** Adds the key after the delay. Of several waits for one key the earliest counts. */
  addAfter(key: K, delayMs: number): void;
  /** Keys whose time has not come. */
  readonly waiting: number;
}

interface Waiting<K> extends HeapEntry {
  readonly key: K;
  readonly id: unknown;
  /** Monotonic time at which it is added. */
  readyAt: number;
  /** Keeps keys that are ready at one instant in the order they came. */
  readonly order: number;
}

export type DelayingQueueOptions<K> = WorkqueueOptions<K> & { readonly clock: Clock };

export function createDelayingQueue<K>(options: DelayingQueueOptions<K>): DelayingQueue<K> {
  const { clock, identify } = options;
  const queue = createWorkqueue(options);
  const heap = createHeap<Waiting<K>>(
    (a, b) => a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.order < b.order),
  );
  /** Every entry of the heap, by the identity of its key. */
  const known = new Map<unknown, Waiting<K>>();
  let orders = 0;
  /** Set for the heap's first entry, and only while it has one. */
  let timer: { readonly timer: Timer; readonly at: number } | undefined;

  const arm = (): void => {
    const first = heap.peek();
    if (timer !== undefined && timer.at === first?.readyAt) return;
    timer?.timer.cancel();
    timer =
      first === undefined
        ? undefined
        : { at: first.readyAt, timer: clock.after(first.readyAt - clock.monotonic(), release) };
  };

  const release = (): void => {
    timer = undefined;
    const now = clock.monotonic();
    for (let first = heap.peek(); first !== undefined && first.readyAt <= now; first = heap.peek()) {
      heap.pop();
      known.delete(first.id);
      queue.add(first.key);
    }
    arm();
  };

  return {
    get length() {
      return queue.length;
    },
    get inWork() {
      return queue.inWork;
    },
    get isShutDown() {
      return queue.isShutDown;
    },
    get waiting() {
      return heap.size;
    },
    add: (key) => queue.add(key),
    take: () => queue.take(),
    get: () => queue.get(),
    done: (key) => queue.done(key),
    drained: () => queue.drained(),

    addAfter(key, delayMs) {
      if (queue.isShutDown) return;
      if (!(delayMs > 0)) {
        queue.add(key);
        return;
      }
      const id = identify === undefined ? key : identify(key);
      const readyAt = clock.monotonic() + delayMs;
      const entry = known.get(id);
      if (entry === undefined) {
        const added: Waiting<K> = { key, id, readyAt, order: orders++, heapIndex: -1 };
        known.set(id, added);
        heap.push(added);
      } else if (readyAt < entry.readyAt) {
        entry.readyAt = readyAt;
        heap.update(entry);
      } else {
        return;
      }
      arm();
    },

    shutDown() {
      timer?.timer.cancel();
      timer = undefined;
      while (heap.pop() !== undefined);
      known.clear();
      queue.shutDown();
    },
  };
}
