/** A pod in the scheduler's hands, from the moment it is seen until it has a node or is gone. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { HeapEntry } from '../../../machinery/structures/heap.ts';
import type { ClusterChange } from './cluster-change.ts';

/** Where a pod is. It is in exactly one of these places, and in the structure that belongs to it. */
type Place =
  /** To be tried as soon as there is a turn. */
  | 'active'
  /** Worth trying again, after a pause; sooner when there is nothing else to do. */
  | 'backoff'
  /** Something went wrong that has nothing to do with the pod; tried again after a pause, never sooner. */
  | 'error-backoff'
  /** Refused everywhere: tried again when something changes that can help. */
  | 'waiting'
  /** Has scheduling gates; not looked at until they are gone. */
  | 'gated'
  /** Being tried right now. */
  | 'in-flight'
  /** No longer the queue's: has a node, or is gone. */
  | 'out';

export interface QueuedPod extends HeapEntry {
  pod: Stored<Pod>;
  readonly uid: string;
  readonly priority: number;
  place: Place;
  /** When it came here or last failed (monotonic); the older of two equals goes first. */
  since: number;
  /** Grows with every entry to the queue: decides between two of the same millisecond. */
  order: number;
  attempts: number;
  /** Attempts that ended because no node would take it. */
  refusals: number;
  /** Attempts in a row that ended in an error; a refusal ends the row. */
  errors: number;
  /** Preemptions in a row that could not be carried out. */
  failedPreemptions: number;
  /** The pause ends after the window that begins at this time. */
  backoffUntil: number;
  /** Bits of the filters that refused it last. */
  rejectors: number;
  /** The plugins of other rooms among them. */
  plugins: readonly string[];
  /** Its own preemption is under way: it may not be tried before that has ended. */
  held: boolean;
  /** What it waits for happened while it was held. */
  calledMeanwhile: boolean;
  /** What it was called for as one of a limited number of its kind. It hands the call on if it takes something else. */
  calledBy: ClusterChange | undefined;
  /** The last such call, answered or not: handed on, it does not come back to the same pod. */
  lastCall: ClusterChange | undefined;
  /** Its place in the record of changes when it was taken out to be tried. */
  takenAt: number;
  /** Its own object changed while it was being tried. */
  before: Stored<Pod> | undefined;
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
    calledMeanwhile: false,
    calledBy: undefined,
    lastCall: undefined,
    takenAt: -1,
    before: undefined,
    heapIndex: -1,
  };
}

export const NO_PLUGINS: readonly string[] = Object.freeze([]);

/** Priority first, then who came first. */
export function goesBefore(a: QueuedPod, b: QueuedPod): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.since !== b.since ? a.since < b.since : a.order < b.order;
}
