/**
 * # queue — which pod is tried next, and when one that failed is tried again
 *
 * A pod is in one place at a time (`queued-pod.ts`): active, backing off, waiting, gated, or in flight. Those that wait
 * are found by what they wait for (`waiting-index.ts`, `hints.ts`): a change in the cluster calls the pods it may help
 * and nobody else. Changes that come while a pod is being tried are remembered and held against the outcome, so that
 * none is missed. Beside that, whoever waits for five minutes is tried again, whatever happened.
 */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import { type CompiledPod, compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import { createHeap } from '../../../core/kube/heap.ts';
import { type BackoffTimes, backoffUntil, DEFAULT_BACKOFF, endOfBackoff, isBackingOff } from './backoff.ts';
import { createChangeLog } from './change-log.ts';
import { type ClusterChange, nodeOf } from './cluster-change.ts';
import { ownChangeHelps } from './own-change.ts';
import { goesBefore, isGated, NO_PLUGINS, type QueuedPod, queuedPod } from './queued-pod.ts';
import { createQueueTimers } from './queue-timers.ts';
import { createWaitingIndex } from './waiting-index.ts';

export interface QueueOptions {
  readonly clock: Clock;
  readonly cluster: ClusterState;
  /** There may be a pod to take now. */
  readonly onReady: () => void;
  readonly backoff?: BackoffTimes;
  /** Whoever waits longer is tried again without a reason. */
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
  /** The pod changed, and still has no node. Added if it is not known. */
  update(old: Stored<Pod>, pod: Stored<Pod>): void;
  /** It has a node, or is gone. */
  remove(uid: string): void;
  get(uid: string): QueuedPod | undefined;
  /** The next pod to try, now in flight; every one is given back by `placed`, `refused` or `failed`. */
  take(): QueuedPod | undefined;
  /** It has a node to go to. */
  placed(entry: QueuedPod, nodeName: string): void;
  /** No node takes it as things stand; it waits, unless something has changed since it was taken. */
  refused(entry: QueuedPod, rejectors: number, plugins: readonly string[], compiled: CompiledPod): void;
  /** Something went wrong; it is tried again after a pause. Also for pods that were placed and could not be bound. */
  failed(entry: QueuedPod): void;
  /** Tried again at once, in its old place: the attempt was overtaken by events. */
  putBack(entry: QueuedPod): void;
  /** Something happened in the cluster. */
  changed(change: ClusterChange): void;
  /** The pod was promised another node than before, or its promise was taken back, and then it looks for itself again. */
  renominated(uid: string): void;
  /** The node it was promised is no longer what it was: whether the promise can be kept is for the next attempt to say. */
  reconsider(uid: string): void;
  /** Its preemption begins: not to be tried until `release`. */
  hold(uid: string): void;
  /** It has ended. One that failed is begun again after a pause: nothing else would wake the pod. */
  release(uid: string, outcome: 'done' | 'failed'): void;
  readonly counts: QueueCounts;
  /** Those that wait without being gated; for tests and for people. */
  waiting(): Iterable<QueuedPod>;
  stop(): void;
}

const MAX_WAIT_MS = 300_000;
const NO_PLUGIN_LIST: readonly SchedulerPlugin[] = Object.freeze([]);

export function createSchedulingQueue(options: QueueOptions): SchedulingQueue {
  const { clock, cluster, onReady } = options;
  const times = options.backoff ?? DEFAULT_BACKOFF;
  const maxWaitMs = options.maxWaitMs ?? MAX_WAIT_MS;
  const entries = new Map<string, QueuedPod>();
  const active = createHeap<QueuedPod>(goesBefore);
  const backoff = createHeap<QueuedPod>((a, b) =>
    a.backoffUntil === b.backoffUntil ? goesBefore(a, b) : a.backoffUntil < b.backoffUntil,
  );
  const errorBackoff = createHeap<QueuedPod>((a, b) => a.backoffUntil < b.backoffUntil);
  const waiting = createWaitingIndex({ cluster, plugins: options.plugins ?? NO_PLUGIN_LIST });
  const gated = new Set<QueuedPod>();
  const log = createChangeLog();
  const timers = createQueueTimers(clock, {
    nextBackoffEnd: () => {
      const first = errorBackoff.peek();
      return first === undefined ? undefined : endOfBackoff(first);
    },
    oldestWait: () => {
      const [oldest] = waiting.entries();
      return oldest === undefined ? undefined : oldest.since + maxWaitMs;
    },
    onBackoffEnd: flushBackoff,
    onWaitedLong: flushWaiting,
  });
  let orders = 0;

  const stamp = (entry: QueuedPod): void => {
    entry.since = clock.monotonic();
    entry.order = orders++;
  };

  function leave(entry: QueuedPod): void {
    switch (entry.place) {
      case 'active':
        active.remove(entry);
        break;
      case 'backoff':
        backoff.remove(entry);
        break;
      case 'error-backoff':
        errorBackoff.remove(entry);
        break;
      case 'waiting':
        waiting.remove(entry);
        break;
      case 'gated':
        gated.delete(entry);
        break;
      case 'in-flight':
        log.end(entry.takenAt);
        break;
      case 'out':
    }
    entry.place = 'out';
  }

  function enterActive(entry: QueuedPod): void {
    leave(entry);
    if (isGated(entry.pod)) {
      entry.place = 'gated';
      gated.add(entry);
      return;
    }
    entry.place = 'active';
    active.push(entry);
    onReady();
  }

  function enterWaiting(entry: QueuedPod, compiled: CompiledPod): void {
    leave(entry);
    entry.place = 'waiting';
    waiting.add(entry, compiled);
    timers.arrange();
  }

  function enterErrorBackoff(entry: QueuedPod): void {
    leave(entry);
    entry.backoffUntil = backoffUntil(entry, times);
    entry.place = 'error-backoff';
    errorBackoff.push(entry);
    timers.arrange();
  }

  /** Worth another try; not before its pause has ended, unless there is nothing else to do. */
  function call(entry: QueuedPod, by: ClusterChange | undefined): void {
    if (entry.held) {
      entry.calledMeanwhile = true;
      return;
    }
    entry.calledBy = by;
    entry.lastCall = by;
    if (!isBackingOff(entry, clock.monotonic())) {
      enterActive(entry);
      return;
    }
    leave(entry);
    entry.place = 'backoff';
    backoff.push(entry);
    onReady();
  }

  /** What it was called for is still there, and others of its kind may have use for it. */
  function handOn(entry: QueuedPod, takenNode: string | undefined): void {
    const by = entry.calledBy;
    entry.calledBy = undefined;
    if (by !== undefined && nodeOf(by) !== takenNode) changed(by);
  }

  function changed(change: ClusterChange): void {
    log.note(change);
    if (waiting.size === 0) return;
    for (const { entry, limited } of waiting.calledBy(change)) call(entry, limited ? change : undefined);
  }

  function flushBackoff(): void {
    const now = clock.monotonic();
    for (const heap of [backoff, errorBackoff]) {
      for (let first = heap.peek(); first !== undefined && !isBackingOff(first, now); first = heap.peek()) {
        enterActive(first);
      }
    }
  }

  function flushWaiting(): void {
    const before = clock.monotonic() - maxWaitMs;
    const late = [...waiting.entries()].filter((entry) => entry.since <= before);
    for (const entry of late) {
      call(entry, undefined);
      // Its preemption is under way: it stays, at the end of the row.
      if (entry.place === 'waiting') {
        stamp(entry);
        reindex(entry);
      }
    }
  }

  function updateWaiting(entry: QueuedPod, old: Stored<Pod>, pod: Stored<Pod>): void {
    entry.pod = pod;
    if (ownChangeHelps(entry.rejectors, old, pod)) {
      call(entry, undefined);
      return;
    }
    // What it is found by may have changed with it: its labels, its tolerations.
    if (old.spec === pod.spec && old.metadata.labels === pod.metadata.labels) return;
    reindex(entry);
  }

  /** What it is found by has changed. */
  function reindex(entry: QueuedPod): void {
    waiting.remove(entry);
    waiting.add(entry, compilePodOnce(entry.pod));
  }

  return {
    add(pod) {
      const known = entries.get(pod.metadata.uid);
      if (known !== undefined) {
        this.update(known.pod, pod);
        return;
      }
      const entry = queuedPod(pod, clock.monotonic(), orders++);
      entries.set(entry.uid, entry);
      enterActive(entry);
    },

    update(old, pod) {
      const entry = entries.get(pod.metadata.uid);
      if (entry === undefined) {
        this.add(pod);
        return;
      }
      if (entry.place === 'waiting') {
        updateWaiting(entry, old, pod);
        return;
      }
      if (entry.place === 'in-flight') entry.before ??= entry.pod;
      entry.pod = pod;
      if (entry.place === 'gated' && !isGated(pod)) enterActive(entry);
    },

    remove(uid) {
      const entry = entries.get(uid);
      if (entry === undefined) return;
      entries.delete(uid);
      const { place } = entry;
      leave(entry);
      if (place !== 'in-flight') handOn(entry, undefined);
    },

    get: (uid) => entries.get(uid),

    take() {
      if (backoff.size > 0 || errorBackoff.size > 0) flushBackoff();
      const entry = active.peek() ?? backoff.peek();
      if (entry === undefined) return undefined;
      leave(entry);
      entry.place = 'in-flight';
      entry.attempts++;
      entry.takenAt = log.begin();
      entry.before = undefined;
      return entry;
    },

    placed(entry, nodeName) {
      entries.delete(entry.uid);
      leave(entry);
      handOn(entry, nodeName);
    },

    refused(entry, rejectors, plugins, compiled) {
      const { before } = entry;
      const missed = log.since(entry.takenAt);
      leave(entry);
      if (!entries.has(entry.uid)) {
        handOn(entry, undefined);
        return;
      }
      entry.refusals++;
      entry.errors = 0;
      entry.rejectors = rejectors;
      entry.plugins = plugins;
      stamp(entry);
      entry.backoffUntil = backoffUntil(entry, times);
      const nominated = cluster.nominationOf(entry.uid);
      const helped =
        (before !== undefined && ownChangeHelps(rejectors, before, entry.pod)) ||
        missed.some((change) => waiting.helps(change, entry, compiled));
      if (helped && !entry.held) call(entry, undefined);
      else {
        if (helped) entry.calledMeanwhile = true;
        enterWaiting(entry, before === undefined ? compiled : compilePodOnce(entry.pod));
      }
      // It was promised room elsewhere; what it was called for may serve another of its kind.
      if (nominated === undefined) entry.calledBy = undefined;
      else handOn(entry, nominated);
    },

    failed(entry) {
      leave(entry);
      entry.errors++;
      entry.rejectors = 0;
      entry.plugins = NO_PLUGINS;
      entries.set(entry.uid, entry);
      stamp(entry);
      enterErrorBackoff(entry);
    },

    putBack(entry) {
      if (entries.has(entry.uid)) enterActive(entry);
      else leave(entry);
    },

    changed,

    renominated(uid) {
      const entry = entries.get(uid);
      if (entry?.place !== 'waiting') return;
      if (cluster.nominationOf(uid) === undefined) call(entry, undefined);
      else reindex(entry);
    },

    reconsider(uid) {
      const entry = entries.get(uid);
      if (entry?.place === 'waiting') call(entry, undefined);
    },

    hold(uid) {
      const entry = entries.get(uid);
      if (entry !== undefined) entry.held = true;
    },

    release(uid, outcome) {
      const entry = entries.get(uid);
      if (entry === undefined) return;
      entry.held = false;
      entry.failedPreemptions = outcome === 'failed' ? entry.failedPreemptions + 1 : 0;
      const called = entry.calledMeanwhile;
      entry.calledMeanwhile = false;
      if (entry.place !== 'waiting') return;
      if (outcome === 'failed') {
        entry.errors = entry.failedPreemptions;
        stamp(entry);
        enterErrorBackoff(entry);
      } else if (called) call(entry, undefined);
    },

    get counts() {
      return {
        active: active.size,
        backoff: backoff.size + errorBackoff.size,
        unschedulable: waiting.size,
        gated: gated.size,
      };
    },
    waiting: () => waiting.entries(),
    stop: () => timers.stop(),
  };
}
