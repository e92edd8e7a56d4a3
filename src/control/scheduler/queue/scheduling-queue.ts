/**
 * # queue — which pod is tried next, and when one that failed is tried again
 *
 * A pod is in one place at a time (`queued-pod.ts`): active, backing off, waiting, gated, or in flight. Waiting pods are
 * indexed by the changes they wait for (`waiting-index.ts`, `hints.ts`): a change in the cluster requeues the pods it may
 * help and no others (`requeue.ts`). Changes that arrive during an attempt are logged and checked against its outcome
 * (`attempt-results.ts`), so that none is missed. Beside that, a pod that has waited for five minutes is requeued anyway.
 */
import { createHeap } from '../../../core/kube/heap.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { failed, placed, putBack, refused, release, take } from './attempt-results.ts';
import { type BackoffTimes, DEFAULT_BACKOFF, endOfBackoff } from './backoff.ts';
import { createChangeLog } from './change-log.ts';
import type { ClusterChange } from './cluster-change.ts';
import { addPod, reconsider, removePod, renominated, updatePod } from './pod-updates.ts';
import { goesBefore, type QueuedPod } from './queued-pod.ts';
import type { QueueState } from './queue-state.ts';
import { createQueueTimers } from './queue-timers.ts';
import { applyChange, flushBackoff, flushWaiting } from './requeue.ts';
import { createWaitingIndex } from './waiting-index.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly cluster: ClusterState;
  /** Called when `take` may return a pod. */
  readonly onReady: () => void;
  readonly backoff?: BackoffTimes;
  /** A pod that waits longer is requeued without a change that could help. */
  readonly maxWaitMs?: number;
  /** Plugins of other rooms that take part in filtering. */
  readonly plugins?: readonly SchedulerPlugin[];
}

export interface QueueCounts {
  readonly active: number;
  readonly backoff: number;
  readonly unschedulable: number;
  readonly gated: number;
}

export interface SchedulingQueue {
  add(pod: Stored<Pod>): void;
  /** The pod changed, and still has no node. A pod that is not in the queue is added. */
  update(old: Stored<Pod>, pod: Stored<Pod>): void;
  /** The pod has a node, or is gone. */
  remove(uid: string): void;
  get(uid: string): QueuedPod | undefined;
  /** The next pod to try, now in flight until `placed`, `refused`, `failed`, `putBack` or `remove`. */
  take(): QueuedPod | undefined;
  /** The attempt found a node; the pod leaves the queue. */
  placed(entry: QueuedPod, nodeName: string): void;
  /** No node takes the pod: it waits, unless a change that may help came since `take`. */
  refused(entry: QueuedPod, rejectors: number, plugins: readonly string[], compiled: CompiledPod): void;
  /** The attempt ended in an error; the pod is tried again after a backoff. Also for placed pods whose binding failed. */
  failed(entry: QueuedPod): void;
  /** The attempt was overtaken by changes; the pod is tried again at once, without losing its turn. */
  putBack(entry: QueuedPod): void;
  /** The cluster changed; the cluster state shows it already. */
  changed(change: ClusterChange): void;
  /** The pod was nominated to another node, or its nomination was withdrawn; then it is requeued. */
  renominated(uid: string): void;
  /** The node that the pod is nominated to changed: the next attempt decides whether the nomination stands. */
  reconsider(uid: string): void;
  /** The pod's preemption begins: no further attempt until `release`. */
  hold(uid: string): void;
  /** The preemption has ended. After a failed one the pod backs off: no change in the cluster would requeue it. */
  release(uid: string, outcome: 'done' | 'failed'): void;
  readonly counts: QueueCounts;
  /** Unschedulable pods, gated ones excluded. */
  waiting(): Iterable<QueuedPod>;
  stop(): void;
}

const MAX_WAIT_MS = 300_000;
const NO_PLUGIN_LIST: readonly SchedulerPlugin[] = Object.freeze([]);

export function createSchedulingQueue(options: QueueOptions): SchedulingQueue {
  const queue = createState(options);
  return {
    add: (pod) => addPod(queue, pod),
    update: (old, pod) => updatePod(queue, old, pod),
    remove: (uid) => removePod(queue, uid),
    get: (uid) => queue.entries.get(uid),
    take: () => take(queue),
    placed: (entry, nodeName) => placed(queue, entry, nodeName),
    refused: (entry, rejectors, plugins, compiled) => refused(queue, entry, rejectors, plugins, compiled),
    failed: (entry) => failed(queue, entry),
    putBack: (entry) => putBack(queue, entry),
    changed: (change) => applyChange(queue, change),
    renominated: (uid) => renominated(queue, uid),
    reconsider: (uid) => reconsider(queue, uid),
    hold(uid) {
      const entry = queue.entries.get(uid);
      if (entry !== undefined) entry.held = true;
    },
    release: (uid, outcome) => release(queue, uid, outcome),
    get counts() {
      return {
        active: queue.active.size,
        backoff: queue.backoff.size + queue.errorBackoff.size,
        unschedulable: queue.waiting.size,
        gated: queue.gated.size,
      };
    },
    waiting: () => queue.waiting.entries(),
    stop: () => queue.timers.stop(),
  };
}

function createState(options: QueueOptions): QueueState {
  const { clock, cluster, onReady, maxWaitMs = MAX_WAIT_MS } = options;
  const errorBackoff = createHeap<QueuedPod>((a, b) => a.backoffUntil < b.backoffUntil);
  const waiting = createWaitingIndex({ cluster, plugins: options.plugins ?? NO_PLUGIN_LIST });
  const timers = createQueueTimers(clock, {
    nextBackoffEnd() {
      const first = errorBackoff.peek();
      return first === undefined ? undefined : endOfBackoff(first);
    },
    oldestWait() {
      const [oldest] = waiting.entries();
      return oldest === undefined ? undefined : oldest.since + maxWaitMs;
    },
    onBackoffEnd: () => flushBackoff(queue),
    onWaitedLong: () => flushWaiting(queue),
  });
  const queue: QueueState = {
    clock,
    cluster,
    onReady,
    backoffTimes: options.backoff ?? DEFAULT_BACKOFF,
    maxWaitMs,
    entries: new Map(),
    active: createHeap<QueuedPod>(goesBefore),
    backoff: createHeap<QueuedPod>((a, b) =>
      a.backoffUntil === b.backoffUntil ? goesBefore(a, b) : a.backoffUntil < b.backoffUntil,
    ),
    errorBackoff,
    waiting,
    gated: new Set(),
    log: createChangeLog(),
    timers,
    nextOrder: 0,
  };
  return queue;
}
