/**
 * One alarm for many keys that each wait for a time of the wall clock. The wall clock may jump while a timer runs, so the clock is looked
 * at again every few seconds; a heap and one timer serve any number of keys.
 */
import { createHeap, type HeapEntry } from '../../core/kube/heap.ts';
import type { Clock, Timer } from './clock.ts';

export interface Alarm {
  /** Rings once for the key at that time (epoch ms), and at no earlier one that was set before. Undefined: not at all. */
  set(key: string, at: number | undefined): void;
  close(): void;
}

/** After a jump of the wall clock, times that have passed meanwhile ring this much late at most. */
const LOOK_EVERY_MS = 10_000;

interface Entry extends HeapEntry {
  readonly key: string;
  at: number;
}

export function createAlarm(clock: Clock, ring: (key: string) => void): Alarm {
  const heap = createHeap<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.key < b.key));
  /** Every entry of the heap, by its key. */
  const known = new Map<string, Entry>();
  /** Set while the heap has entries. `at`: monotonic. */
  let timer: { readonly timer: Timer; readonly at: number } | undefined;
  let isClosed = false;

  function arm(): void {
    const first = heap.peek();
    if (first === undefined || isClosed) {
      timer?.timer.cancel();
      timer = undefined;
      return;
    }
    const waitMs = Math.min(Math.max(first.at - clock.now(), 0), LOOK_EVERY_MS);
    const at = clock.monotonic() + waitMs;
    if (timer !== undefined && timer.at <= at) return;
    timer?.timer.cancel();
    timer = { at, timer: clock.after(waitMs, look) };
  }

  function look(): void {
    timer = undefined;
    const now = clock.now();
    for (let first = heap.peek(); first !== undefined && first.at <= now; first = heap.peek()) {
      heap.pop();
      known.delete(first.key);
      ring(first.key);
    }
    arm();
  }

  return {
    set(key, at) {
      const entry = known.get(key);
      if (entry?.at === at) return;
      if (at === undefined) {
        known.delete(key);
        if (entry !== undefined) heap.remove(entry);
        return;
      }
      if (entry === undefined) {
        const added: Entry = { key, at, heapIndex: -1 };
        known.set(key, added);
        heap.push(added);
      } else {
        entry.at = at;
        heap.update(entry);
      }
      arm();
    },
    close() {
      isClosed = true;
      arm();
    },
  };
}
