/**
 * When pods must leave their node: one timer for each pod that tolerates the NoExecute taints only for a time. State and
 * rules of the timers; `taint-eviction.ts` feeds them with nodes and pods, `evict-pod.ts` evicts.
 */
import type { Pod, Taint } from '../../../core/api/types/core-v1.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import type { Clock, Timer } from '../../../machinery/time/clock.ts';
import { stayMs } from './toleration-time.ts';

/** A pod that may stay for a while. */
interface Stay {
  readonly uid: string;
  /** When the pod's time began and ends (monotonic ms). */
  readonly since: number;
  readonly until: number;
  readonly timer: Timer;
}

export interface EvictionState {
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Enqueues a pod for eviction. */
  readonly enqueue: (key: ObjectKey) => void;
  /** NoExecute taints by node, only of nodes that have any: most have none, and then a change of a pod costs nothing. */
  readonly tainted: Map<string, readonly Taint[]>;
  /** By `keyText` of the pod: each has a running timer. A pod that was enqueued before is not evicted while it is here. */
  readonly stays: Map<string, Stay>;
  /** Nodes whose taints changed since the last walk over the pods. */
  readonly dirty: Set<string>;
  /** The walk over all pods that judges those of dirty nodes; set while any node is dirty. */
  walk: Timer | undefined;
}

/** A timer fires this late only if the process was away. */
const AWAY_MS = 5_000;
/** Time for a node to be heard again before its pods pay for the absence of this process: more than the node's grace. */
const SECOND_CHANCE_MS = 60_000;

/** Starts, moves or stops the pod's timer; a pod that may not stay at all is enqueued at once. */
export function judgeStay(eviction: EvictionState, pod: Stored<Pod>): void {
  const { clock, stays } = eviction;
  const key = keyOf(pod);
  const { uid } = pod.metadata;
  const taints = eviction.tainted.get(pod.spec?.nodeName ?? '');
  const stay = taints === undefined ? Number.POSITIVE_INFINITY : stayMs(taints, pod.spec?.tolerations);
  if (stay === Number.POSITIVE_INFINITY) {
    cancelStay(eviction, key, 'spared');
    return;
  }
  const now = clock.monotonic();
  const present = stays.get(keyText(key));
  if (stay === 0) {
    cancelStay(eviction, key, 'spared');
    eviction.enqueue(key);
    return;
  }
  // A shorter time counts from when the first began; a longer one does not extend the time that was given.
  if (present !== undefined && present.uid === uid) {
    if (present.since + stay < now + stay && present.until <= present.since + stay) return;
    cancelStay(eviction, key, 'spared');
    startTimer(eviction, key, uid, present.since, present.since + stay);
    return;
  }
  startTimer(eviction, key, uid, now, now + stay);
}

function startTimer(eviction: EvictionState, key: ObjectKey, uid: string, since: number, until: number): void {
  const { clock, stays } = eviction;
  const id = keyText(key);
  const timer = clock.after(Math.max(0, until - clock.monotonic()), () => {
    stays.delete(id);
    const late = clock.monotonic() - until;
    if (late > AWAY_MS) {
      startTimer(eviction, key, uid, since, clock.monotonic() + Math.min(SECOND_CHANCE_MS, until - since));
    } else eviction.enqueue(key);
  });
  stays.set(id, { uid, since, until, timer });
}

/** Stops the pod's timer, if it has one; a pod that was spared, not deleted, gets an event. */
export function cancelStay(eviction: EvictionState, key: ObjectKey, why: 'spared' | 'deleted'): void {
  const id = keyText(key);
  const stay = eviction.stays.get(id);
  if (stay === undefined) return;
  stay.timer.cancel();
  eviction.stays.delete(id);
  if (why === 'spared')
    emitEviction(eviction.recorder, key, stay.uid, `Cancelling deletion of Pod ${key.namespace}/${key.name}`);
}

export const emitEviction = (
  recorder: EventRecorder,
  { namespace = '', name }: ObjectKey,
  uid: string,
  note: string,
): void =>
  recorder.event(
    { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    { type: 'Normal', reason: 'TaintManagerEviction', note },
  );
