/** An attempt in the queue's eyes: a pod is taken, and comes back placed, refused, failed, or overtaken by events. */
import { type CompiledPod, compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { backoffUntil } from './backoff.ts';
import { ownChangeHelps } from './own-change.ts';
import { NO_PLUGINS, type QueuedPod } from './queued-pod.ts';
import {
  enterActive,
  enterErrorBackoff,
  enterInFlight,
  enterWaiting,
  leave,
  type QueueState,
  stamp,
} from './queue-state.ts';
import { flushBackoff, passOn, requeue } from './requeue.ts';

export function take(queue: QueueState): QueuedPod | undefined {
  if (queue.backoff.size > 0 || queue.errorBackoff.size > 0) flushBackoff(queue);
  const entry = queue.active.peek() ?? queue.backoff.peek();
  if (entry === undefined) return undefined;
  enterInFlight(queue, entry);
  entry.attempts++;
  entry.podWhenTaken = undefined;
  return entry;
}

export function placed(queue: QueueState, entry: QueuedPod, nodeName: string): void {
  queue.entries.delete(entry.uid);
  leave(queue, entry);
  passOn(queue, entry, nodeName);
}

export function refused(
  queue: QueueState,
  entry: QueuedPod,
  rejectors: number,
  plugins: readonly string[],
  compiled: CompiledPod,
): void {
  const before = entry.podWhenTaken;
  const missed = queue.log.since(entry.takenAt);
  leave(queue, entry);
  if (!queue.entries.has(entry.uid)) {
    passOn(queue, entry, undefined);
    return;
  }
  entry.refusals++;
  entry.errors = 0;
  entry.rejectors = rejectors;
  entry.plugins = plugins;
  stamp(queue, entry);
  entry.backoffUntil = backoffUntil(entry, queue.backoffTimes);
  const nominated = queue.cluster.nominationOf(entry.uid);
  const isHelped =
    (before !== undefined && ownChangeHelps(rejectors, before, entry.pod)) ||
    missed.some((change) => queue.waiting.helps(change, entry, compiled));
  if (isHelped && !entry.held) requeue(queue, entry, undefined);
  else {
    if (isHelped) entry.requeueOnRelease = true;
    enterWaiting(queue, entry, before === undefined ? compiled : compilePodOnce(entry.pod));
  }
  // A pod nominated to another node leaves the room that it was requeued for to others of its kind.
  if (nominated === undefined) entry.requeuedBy = undefined;
  else passOn(queue, entry, nominated);
}

export function failed(queue: QueueState, entry: QueuedPod): void {
  leave(queue, entry);
  entry.errors++;
  entry.rejectors = 0;
  entry.plugins = NO_PLUGINS;
  queue.entries.set(entry.uid, entry);
  stamp(queue, entry);
  enterErrorBackoff(queue, entry);
}

export function putBack(queue: QueueState, entry: QueuedPod): void {
  if (queue.entries.has(entry.uid)) enterActive(queue, entry);
  else leave(queue, entry);
}

/** The preemption of the pod has ended; see `QueuedPod.held`. */
export function release(queue: QueueState, uid: string, outcome: 'done' | 'failed'): void {
  const entry = queue.entries.get(uid);
  if (entry === undefined) return;
  entry.held = false;
  entry.failedPreemptions = outcome === 'failed' ? entry.failedPreemptions + 1 : 0;
  const isRequeued = entry.requeueOnRelease;
  entry.requeueOnRelease = false;
  if (entry.place !== 'waiting') return;
  if (outcome === 'failed') {
    entry.errors = entry.failedPreemptions;
    stamp(queue, entry);
    enterErrorBackoff(queue, entry);
  } else if (isRequeued) requeue(queue, entry, undefined);
}
