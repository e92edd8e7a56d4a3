/**
 * The queue's state in one record, and the moves between its places. A pod is in exactly one place (`QueuedPod.place`) and
 * in the structure of that place; only the functions of this file change either.
 */
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { Heap } from '../../../core/kube/heap.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { type BackoffTimes, backoffUntil } from './backoff.ts';
import type { ChangeLog } from './change-log.ts';
import { isGated, type QueuedPod } from './queued-pod.ts';
import type { QueueTimers } from './queue-timers.ts';
import type { WaitingIndex } from './waiting-index.ts';

export interface QueueState {
  readonly clock: Clock;
  readonly cluster: ClusterState;
  /** Called whenever a pod enters `active` or `backoff`: `take` may return a pod now. */
  readonly onReady: () => void;
  readonly backoffTimes: BackoffTimes;
  /** A pod that has waited this long is requeued without a change that could help. */
  readonly maxWaitMs: number;
  /** All pods of the queue by UID, in flight ones included. A pod whose place is `out` is not in here. */
  readonly entries: Map<string, QueuedPod>;
  /** Pods to try now, in the order of `goesBefore`. */
  readonly active: Heap<QueuedPod>;
  /** Requeued pods whose backoff has not ended, the earliest end first. Taken early when `active` is empty. */
  readonly backoff: Heap<QueuedPod>;
  /** Pods whose last attempt ended in an error, the earliest end first. Never taken before their backoff ends. */
  readonly errorBackoff: Heap<QueuedPod>;
  /** Unschedulable pods, indexed by the changes that may help them; the oldest `since` first. */
  readonly waiting: WaitingIndex;
  /** Pods with scheduling gates. */
  readonly gated: Set<QueuedPod>;
  /** Changes since the oldest pod in flight was taken; empty while no pod is in flight. */
  readonly log: ChangeLog;
  /** One timer for `errorBackoff`, one for `waiting`; none while both are empty. */
  readonly timers: QueueTimers;
  /** The next value of `QueuedPod.order`; only grows. */
  nextOrder: number;
}

/** Restarts the pod's time in the queue: behind all pods of its priority that are in it. */
export function stamp(queue: QueueState, entry: QueuedPod): void {
  entry.since = queue.clock.monotonic();
  entry.order = queue.nextOrder++;
}

export function leave(queue: QueueState, entry: QueuedPod): void {
  switch (entry.place) {
    case 'active':
      queue.active.remove(entry);
      break;
    case 'backoff':
      queue.backoff.remove(entry);
      break;
    case 'error-backoff':
      queue.errorBackoff.remove(entry);
      break;
    case 'waiting':
      queue.waiting.remove(entry);
      break;
    case 'gated':
      queue.gated.delete(entry);
      break;
    case 'in-flight':
      queue.log.end(entry.takenAt);
      break;
    case 'out':
  }
  entry.place = 'out';
}

/** A pod with scheduling gates enters `gated` instead. */
export function enterActive(queue: QueueState, entry: QueuedPod): void {
  leave(queue, entry);
  if (isGated(entry.pod)) {
    entry.place = 'gated';
    queue.gated.add(entry);
    return;
  }
  entry.place = 'active';
  queue.active.push(entry);
  queue.onReady();
}

export function enterBackoff(queue: QueueState, entry: QueuedPod): void {
  leave(queue, entry);
  entry.place = 'backoff';
  queue.backoff.push(entry);
  queue.onReady();
}

export function enterErrorBackoff(queue: QueueState, entry: QueuedPod): void {
  leave(queue, entry);
  entry.backoffUntil = backoffUntil(entry, queue.backoffTimes);
  entry.place = 'error-backoff';
  queue.errorBackoff.push(entry);
  queue.timers.arrange();
}

export function enterWaiting(queue: QueueState, entry: QueuedPod, compiled: CompiledPod): void {
  leave(queue, entry);
  entry.place = 'waiting';
  queue.waiting.add(entry, compiled);
  queue.timers.arrange();
}

export function enterInFlight(queue: QueueState, entry: QueuedPod): void {
  leave(queue, entry);
  entry.place = 'in-flight';
  entry.takenAt = queue.log.begin();
}
