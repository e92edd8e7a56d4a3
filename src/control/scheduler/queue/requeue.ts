/** Why and when pods leave `waiting` and the backoffs: a change that may help, the end of a backoff, five minutes of waiting. */
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { isBackingOff } from './backoff.ts';
import { type ClusterChange, nodeOf } from './cluster-change.ts';
import type { Heap } from '../../../core/kube/heap.ts';
import type { QueuedPod } from './queued-pod.ts';
import { enterActive, enterBackoff, type QueueState, stamp } from './queue-state.ts';

/**
 * Another attempt may succeed: the pod becomes active, or backs off first. `by` is set where the change can help only a
 * limited number of pods of one kind, and this pod is one of those chosen.
 */
export function requeue(queue: QueueState, entry: QueuedPod, by: ClusterChange | undefined): void {
  if (entry.held) {
    entry.requeueOnRelease = true;
    return;
  }
  entry.requeuedBy = by;
  entry.lastRequeuedBy = by;
  if (isBackingOff(entry, queue.clock.monotonic())) enterBackoff(queue, entry);
  else enterActive(queue, entry);
}

/** The pod did not take the room it was requeued for (or `takenNode` is another node): others of its kind may. */
export function passOn(queue: QueueState, entry: QueuedPod, takenNode: string | undefined): void {
  const by = entry.requeuedBy;
  entry.requeuedBy = undefined;
  if (by !== undefined && nodeOf(by) !== takenNode) applyChange(queue, by);
}

/** Requeues the pods that the change may help, and remembers it for the pods in flight. */
export function applyChange(queue: QueueState, change: ClusterChange): void {
  queue.log.note(change);
  if (queue.waiting.size === 0) return;
  for (const { entry, limited } of queue.waiting.helpedBy(change)) requeue(queue, entry, limited ? change : undefined);
}

export function flushBackoff(queue: QueueState): void {
  const now = queue.clock.monotonic();
  flushHeap(queue, queue.backoff, now);
  flushHeap(queue, queue.errorBackoff, now);
}

function flushHeap(queue: QueueState, heap: Heap<QueuedPod>, now: number): void {
  for (let first = heap.peek(); first !== undefined && !isBackingOff(first, now); first = heap.peek()) {
    enterActive(queue, first);
  }
}

/** Requeues every pod that has waited for `maxWaitMs`: the safety net below the hints. */
export function flushWaiting(queue: QueueState): void {
  const before = queue.clock.monotonic() - queue.maxWaitMs;
  const late = [...queue.waiting.entries()].filter((entry) => entry.since <= before);
  for (const entry of late) {
    requeue(queue, entry, undefined);
    // A pod whose preemption is in flight stays, behind all others that wait.
    if (entry.place === 'waiting') {
      stamp(queue, entry);
      reindex(queue, entry);
    }
  }
}

/** The pod's object or nomination changed, and with them the keys of the index. */
export function reindex({ waiting }: QueueState, entry: QueuedPod): void {
  waiting.remove(entry);
  waiting.add(entry, compilePodOnce(entry.pod));
}
