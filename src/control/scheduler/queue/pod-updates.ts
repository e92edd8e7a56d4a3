/** Pods that appear, change, are nominated or go, as far as the queue is concerned. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { ownChangeHelps } from './own-change.ts';
import { isGated, type QueuedPod, queuedPod } from './queued-pod.ts';
import { enterActive, leave, type QueueState } from './queue-state.ts';
import { passOn, reindex, requeue } from './requeue.ts';

export function addPod(queue: QueueState, pod: Stored<Pod>): void {
  const known = queue.entries.get(pod.metadata.uid);
  if (known !== undefined) {
    updateEntry(queue, known, known.pod, pod);
    return;
  }
  const entry = queuedPod(pod, queue.clock.monotonic(), queue.nextOrder++);
  queue.entries.set(entry.uid, entry);
  enterActive(queue, entry);
}

export function updatePod(queue: QueueState, old: Stored<Pod>, pod: Stored<Pod>): void {
  const entry = queue.entries.get(pod.metadata.uid);
  if (entry === undefined) addPod(queue, pod);
  else updateEntry(queue, entry, old, pod);
}

function updateEntry(queue: QueueState, entry: QueuedPod, old: Stored<Pod>, pod: Stored<Pod>): void {
  if (entry.place === 'waiting') {
    updateWaiting(queue, entry, old, pod);
    return;
  }
  if (entry.place === 'in-flight') entry.podWhenTaken ??= entry.pod;
  entry.pod = pod;
  if (entry.place === 'gated' && !isGated(pod)) enterActive(queue, entry);
}

function updateWaiting(queue: QueueState, entry: QueuedPod, old: Stored<Pod>, pod: Stored<Pod>): void {
  entry.pod = pod;
  if (ownChangeHelps(entry.rejectors, old, pod)) requeue(queue, entry, undefined);
  // Labels and tolerations are part of the pod's kind, by which the index finds it.
  else if (old.spec !== pod.spec || old.metadata.labels !== pod.metadata.labels) reindex(queue, entry);
}

export function removePod(queue: QueueState, uid: string): void {
  const entry = queue.entries.get(uid);
  if (entry === undefined) return;
  queue.entries.delete(uid);
  const { place } = entry;
  leave(queue, entry);
  // A pod in flight passes on when its attempt ends.
  if (place !== 'in-flight') passOn(queue, entry, undefined);
}

/** A pod that lost its nomination looks for a node again; one nominated elsewhere is found under another key. */
export function renominated(queue: QueueState, uid: string): void {
  const entry = queue.entries.get(uid);
  if (entry?.place !== 'waiting') return;
  if (queue.cluster.nominationOf(uid) === undefined) requeue(queue, entry, undefined);
  else reindex(queue, entry);
}

export function reconsider(queue: QueueState, uid: string): void {
  const entry = queue.entries.get(uid);
  if (entry?.place === 'waiting') requeue(queue, entry, undefined);
}
