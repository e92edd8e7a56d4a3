import type { KubeObject } from '../../core/kube/objects.ts';
import { createGate, type Gate } from '../structures/gate.ts';
import type { InformerHandler } from './informer.ts';
import type { Change } from './object-store.ts';

/** Marks the place in a listener's queue where everything of the first list has been said. */
export const SYNCED = Symbol('synced');

/** One handler, with the changes it has not heard of yet. */
export interface Listener<T extends KubeObject> {
  readonly gate: Gate;
  push(item: readonly Change<T>[] | typeof SYNCED): void;
  close(): void;
}

/** Changes handed over before other work gets its turn: a first list may hold 150,000. */
const CHUNK = 2_000;

export function createListener<T extends KubeObject>(
  handler: InformerHandler<T>,
  /** Runs a function in a later turn of the loop. */
  later: (run: () => void) => void,
  report: (error: unknown) => void,
): Listener<T> {
  const gate = createGate();
  /** Batches still to be handed over, oldest first; shared arrays, never changed. */
  let queue: (readonly Change<T>[] | typeof SYNCED)[] = [];
  /** Changes of `queue[0]` that have been handed over. */
  let position = 0;
  /** A turn is booked or under way; nothing else may deliver. */
  let busy = false;
  let closed = false;
  const isClosed = (): boolean => closed;

  const attempt = (run: () => void): void => {
    try {
      run();
    } catch (error) {
      report(error);
    }
  };

  const hand = (changes: readonly Change<T>[], isPart: boolean): void => {
    if (handler.batch !== undefined) {
      attempt(() => handler.batch?.(changes, isPart));
      return;
    }
    for (let i = 0; i < changes.length && !isClosed(); i += 1) {
      const change = changes[i] as Change<T>;
      try {
        if (change.type === 'add') handler.add?.(change.object);
        else if (change.type === 'update') handler.update?.(change.old, change.object);
        else handler.delete?.(change.object);
      } catch (error) {
        report(error);
      }
    }
  };

  const deliver = (): void => {
    let budget = CHUNK;
    let taken = 0;
    while (taken < queue.length && budget > 0 && !isClosed()) {
      const item = queue[taken] as (typeof queue)[number];
      if (item === SYNCED) {
        gate.open();
        attempt(() => handler.synced?.());
        taken += 1;
        continue;
      }
      const end = Math.min(item.length, position + budget);
      budget -= end - position;
      hand(position === 0 && end === item.length ? item : item.slice(position, end), end < item.length);
      if (end === item.length) {
        position = 0;
        taken += 1;
      } else {
        position = end;
      }
    }
    if (taken === queue.length || closed) {
      queue = [];
      busy = false;
      return;
    }
    if (taken > 0) queue = queue.slice(taken);
    later(deliver);
  };

  return {
    gate,
    push(item) {
      if (closed) return;
      queue.push(item);
      if (busy) return;
      busy = true;
      queueMicrotask(deliver);
    },
    close() {
      closed = true;
      queue = [];
    },
  };
}
