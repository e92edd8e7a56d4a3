/** A pod of the scheduling queue, from the moment it is seen until it has a node or is gone. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { HeapEntry } from '../../../core/kube/heap.ts';
import type { ClusterChange } from './cluster-change.ts';

/** Where a pod is: in exactly one of these places, and in the structure of that place (`queue-state.ts`). */
type Place =
  /** Tried as soon as there is a turn. */
  | 'active'
  /** Requeued; tried after its backoff, or earlier when no pod is active. */
  | 'backoff'
  /** The last attempt ended in an error; tried after its backoff, never earlier. */
  | 'error-backoff'
  /** Unschedulable; requeued by a change that may help. */
  | 'waiting'
  /** Has scheduling gates; not tried until they are removed. */
  | 'gated'
  /** An attempt is running. */
  | 'in-flight'
  /** Not in the queue: has a node, or is gone. */
  | 'out';

export interface QueuedPod extends HeapEntry {
  /** The newest object seen; also while in flight. */
  pod: Stored<Pod>;
  readonly uid: string;
  readonly priority: number;
  place: Place;
  /** When the pod entered the queue or its last attempt failed (monotonic ms); of two equals the older goes first. */
  since: number;
  /** Unique, grows with `since`: decides between two pods of the same millisecond. */
  order: number;
  /** How often the pod was taken. */
  attempts: number;
  /** Attempts that ended because no node took the pod. */
  refusals: number;
  /** Attempts in a row that ended in an error; a refusal resets the count. */
  errors: number;
  /** Preemptions in a row that failed. */
  failedPreemptions: number;
  /** Start of the last window of the backoff (monotonic ms), -1 for none: see `backoff.ts`. */
  backoffUntil: number;
  /** `REJECTOR` bits of the filters that refused the last attempt, and of those found in the way since. */
  rejectors: number;
  /** Names of the plugins of other rooms among them. */
  plugins: readonly string[];
  /** The pod's own preemption is in flight: no attempt before `release`. */
  held: boolean;
  /** A change that may help came while the pod was held. False unless `held`. */
  requeueOnRelease: boolean;
  /**
   * The change for which the pod was requeued as one of a limited number of its kind. Cleared when the attempt ends; passed
   * on to another pod of the kind if this one takes another node.
   */
  requeuedBy: ClusterChange | undefined;
  /** The last value of `requeuedBy`: a change that is passed on does not come back to the same pod. */
  lastRequeuedBy: ClusterChange | undefined;
  /** Position in the change log when the pod was taken; valid while in flight. */
  takenAt: number;
  /** The object the attempt began with, if the pod was updated while in flight; undefined otherwise. */
  podWhenTaken: Stored<Pod> | undefined;
}

export const isGated = (pod: Pod): boolean => (pod.spec.schedulingGates?.length ?? 0) > 0;

export function queuedPod(pod: Stored<Pod>, now: number, order: number): QueuedPod {
  return {
    pod,
    uid: pod.metadata.uid,
    priority: pod.spec.priority ?? 0,
    place: 'out',
    since: now,
    order,
    attempts: 0,
    refusals: 0,
    errors: 0,
    failedPreemptions: 0,
    backoffUntil: -1,
    rejectors: 0,
    plugins: NO_PLUGINS,
    held: false,
    requeueOnRelease: false,
    requeuedBy: undefined,
    lastRequeuedBy: undefined,
    takenAt: -1,
    podWhenTaken: undefined,
    heapIndex: -1,
  };
}

export const NO_PLUGINS: readonly string[] = Object.freeze([]);

/** The higher priority first, then the longer time in the queue. */
export function goesBefore(a: QueuedPod, b: QueuedPod): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.since !== b.since ? a.since < b.since : a.order < b.order;
}
