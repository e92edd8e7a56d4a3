/**
 * Keeps the pods on simulated nodes: takes each through admission and its lifecycle, with a bounded number of writes
 * under way and a bounded slice of the process at a time. What it holds in memory can be lost at any moment: the next
 * start reads everything that matters from the pods themselves.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import { addPod, removePod } from '../../core/placement/node-state.ts';
import { isTerminal, podKey, recordOf } from '../../core/placement/pod-record.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import { keyOf, keyText, parseKeyText } from '../../machinery/cache/object-keys.ts';
import type { Change, Lister } from '../../machinery/cache/object-store.ts';
import { createSlicedWork } from '../../machinery/time/sliced-work.ts';
import { admit, type Rejection } from './kubelet-admission.ts';
import type { SimulatedNode } from './node-keeper.ts';
import { changeEvents, killingEvents, mountEvents, rejectionEvent, type PodEvent } from './pod-events.ts';
import { hasBegun, nextStep } from './pod-lifecycle.ts';
import type { Lacking } from './pod-needs.ts';
import { rejectedStatus } from './pod-status.ts';
import type { References } from './references.ts';

export interface PodKeeper {
  /** Several changes at a time, in order. */
  changed(changes: readonly Change<Pod>[]): void;
  /** Every pod there was at the start has been handed over: only now is it known what each node holds. */
  synced(): void;
  nodeUp(name: string): void;
  /** The node is no longer ours; its pods wait in case one of that name comes back. */
  nodeGone(name: string, node: SimulatedNode | undefined, isDeleted: boolean): void;
  /** Waits for writes under way. */
  stop(): Promise<void>;
}

export interface PodKeeperOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lister: Lister<Pod>;
  readonly nodeOf: (name: string) => SimulatedNode | undefined;
  readonly onReadyDaemon: (nodeName: string, daemon: string) => void;
  /** Secrets and ConfigMaps that pods name; asked for every pod that is not ending. */
  readonly references: (wake: (keys: Iterable<string>) => void) => References;
  /** Told what a kubelet would tell; answers nothing and never throws. */
  readonly tell: (events: () => readonly PodEvent[]) => void;
}

/** So many reports for one pod without a rest in between are one too many: somebody undoes what is written. */
const MAX_STREAK = 8;
const STREAK_PAUSE_MS = 30_000;

export function createPodKeeper(options: PodKeeperOptions): PodKeeper {
  const { client, clock, logger, lister, nodeOf, tell } = options;
  /** Pods bound to a node that is not up (or not ours, or not there yet), by node. */
  const waiting = new Map<string, Set<string>>();
  /** Nodes that were ours and were deleted while pods stood on them: their pods can still be stopped. */
  const ghosts = new Map<string, SimulatedNode>();
  /** A moment of the pod's life to the millisecond, while it is on its way somewhere; statuses know only seconds. */
  const moments = new Map<string, number>();
  /** Reports since the pod last came to rest. */
  const streaks = new Map<string, number>();
  /** Pods whose end has begun, so that it is told once. */
  const ending = new Set<string>();
  /** Pods whose volumes cannot be mounted, with what was told of it. */
  const unmounted = new Map<string, Lacking>();
  /** Until the first list is complete: nobody is admitted before everybody who already runs is counted. */
  let unsynced: Set<string> | undefined = new Set();

  const work = createSlicedWork({
    clock,
    look,
    onError(key, error) {
      if (isStatus(error, 'NotFound')) return false;
      // Changed meanwhile: the change itself brings the pod back here.
      if (!isStatus(error, 'Conflict')) logger.warn('Could not write a pod', { name: key, error });
      return true;
    },
  });

  const add = (key: string): void => void (unsynced === undefined ? work.add(key) : unsynced.add(key));

  const references = options.references((keys) => {
    for (const key of keys) add(key);
  });

  const podAt = (key: string): Stored<Pod> | undefined => {
    const { name, namespace } = parseKeyText(key);
    return lister.get(name, namespace);
  };

  function look(key: string): Promise<unknown> | undefined {
    const pod = podAt(key);
    const nodeName = pod?.spec.nodeName;
    if (pod === undefined || nodeName === undefined) return undefined;
    const node = nodeOf(nodeName) ?? (pod.metadata.deletionTimestamp === undefined ? undefined : ghosts.get(nodeName));
    if (node?.up !== true) {
      wait(nodeName, key);
      return undefined;
    }
    const rejection = account(pod, node);
    if (rejection !== undefined) return reject(key, pod, rejection);
    tellDaemon(pod, node);
    return advance(key, pod, node);
  }

  function wait(nodeName: string, key: string): void {
    const keys = waiting.get(nodeName);
    if (keys === undefined) waiting.set(nodeName, new Set([key]));
    else keys.add(key);
  }

  function unwait(nodeName: string, key: string): void {
    const keys = waiting.get(nodeName);
    if (keys?.delete(key) !== true || keys.size > 0) return;
    waiting.delete(nodeName);
    ghosts.delete(nodeName);
  }

  /** Counts the pod on its node; answers with the reason where the node refuses it. */
  function account(pod: Stored<Pod>, { state }: SimulatedNode): Rejection | undefined {
    const uid = podKey(pod);
    const known = state.pods.get(uid);
    if (isTerminal(pod)) {
      if (known !== undefined) removePod(state, uid);
      return undefined;
    }
    if (known?.pod === pod) return undefined;
    if (known !== undefined) {
      // The newest object replaces the one counted before, which would otherwise be kept alive.
      removePod(state, uid);
    } else if (pod.status?.startTime === undefined && pod.metadata.deletionTimestamp === undefined) {
      const rejection = admit(pod, state);
      if (rejection !== undefined) return rejection;
    }
    addPod(state, recordOf(pod));
    return undefined;
  }

  function reject(key: string, pod: Stored<Pod>, rejection: Rejection): Promise<unknown> | undefined {
    const now = clock.now();
    return report(key, pod, rejectedStatus(pod, rejection, { now, text: formatTime(now) }), () => [
      rejectionEvent(pod, rejection),
    ]);
  }

  function advance(key: string, pod: Stored<Pod>, node: SimulatedNode): Promise<unknown> | undefined {
    const now = clock.now();
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    if (isEnding && !ending.has(key)) {
      ending.add(key);
      moments.set(key, now);
      tell(() => killingEvents(pod));
    }
    const lacking = isEnding || isTerminal(pod) ? undefined : references.lackingOf(key, pod);
    // Woken when it is known.
    if (lacking === 'unknown') return undefined;
    if (lacking !== undefined || unmounted.size > 0) tellMounts(key, pod, lacking);
    const step = nextStep(pod, {
      now,
      lacking,
      text: formatTime(now),
      exactly: moments.get(key),
      hostIPs: node.hostIPs,
      podStartDelayMs: node.settings.podStartDelayMs,
    });
    if (step.do === 'report') {
      return report(key, pod, step.status, () => changeEvents(pod, step.status));
    }
    if (streaks.size > 0) streaks.delete(key);
    if (step.do === 'remove') {
      const preconditions = { uid: pod.metadata.uid };
      return client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions });
    }
    if (step.do === 'wait') work.addAfter(key, step.until - now);
    else {
      work.cancel(key);
      if (!isEnding && moments.size > 0) moments.delete(key);
    }
    return undefined;
  }

  /** Once, and again when something else is missing; a kubelet says it again and again. */
  function tellMounts(key: string, pod: Stored<Pod>, lacking: Lacking | undefined): void {
    const mounts = lacking?.mounts ?? [];
    if (lacking === undefined || mounts.length === 0 || hasBegun(pod)) {
      unmounted.delete(key);
      return;
    }
    const told = unmounted.get(key);
    if (told === lacking) return;
    unmounted.set(key, lacking);
    if (told?.mounts.join() !== mounts.join()) tell(() => mountEvents(pod, mounts));
  }

  function report(
    key: string,
    pod: Stored<Pod>,
    status: PodStatus,
    events: () => readonly PodEvent[],
  ): Promise<unknown> | undefined {
    const streak = (streaks.get(key) ?? 0) + 1;
    streaks.set(key, streak);
    if (streak > MAX_STREAK) {
      if (streak === MAX_STREAK + 1) logger.warn('What a pod reports does not last; somebody undoes it', { name: key });
      work.addAfter(key, STREAK_PAUSE_MS);
      streaks.set(key, MAX_STREAK - 1);
      return undefined;
    }
    if (!ending.has(key)) moments.set(key, clock.now());
    return client.update(PODS, { ...pod, status }, { subresource: 'status' }).then(() => tell(events));
  }

  function tellDaemon(pod: Stored<Pod>, { settings, daemonSeen }: SimulatedNode): void {
    if (settings.readyWhenDaemon === undefined || daemonSeen || pod.spec.nodeName === undefined) return;
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (owner?.kind !== 'DaemonSet' || pod.metadata.deletionTimestamp !== undefined) return;
    const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (ready === true) options.onReadyDaemon(pod.spec.nodeName, `${pod.metadata.namespace}/${owner.name}`);
  }

  function forget(pod: Stored<Pod>): void {
    const key = keyText(keyOf(pod));
    work.forget(key);
    unsynced?.delete(key);
    moments.delete(key);
    streaks.delete(key);
    ending.delete(key);
    unmounted.delete(key);
    references.forget(key);
    const { nodeName } = pod.spec;
    if (nodeName === undefined) return;
    unwait(nodeName, key);
    const node = nodeOf(nodeName);
    if (node !== undefined) removePod(node.state, podKey(pod));
  }

  /** As a kubelet takes several at once: those it runs already first, then by age. */
  function addInOrder(keys: Iterable<string>): void {
    const fresh: { readonly key: string; readonly created: string }[] = [];
    for (const key of keys) {
      const pod = podAt(key);
      if (pod === undefined) continue;
      if (pod.status?.startTime === undefined) fresh.push({ key, created: pod.metadata.creationTimestamp ?? '' });
      else add(key);
    }
    fresh.sort((a, b) => (a.created < b.created ? -1 : a.created > b.created ? 1 : 0));
    for (const { key } of fresh) add(key);
  }

  return {
    changed(changes) {
      let newest = '';
      let isInOrder = true;
      const keys: string[] = [];
      for (const { type, object, old } of changes) {
        if (type === 'delete') forget(object);
        // Deleted and made again between two looks of the cache.
        else if (type === 'update' && old.metadata.uid !== object.metadata.uid) forget(old);
        if (type === 'delete' || object.spec.nodeName === undefined || object.spec.nodeName === '') continue;
        keys.push(keyText(keyOf(object)));
        const created = object.metadata.creationTimestamp ?? '';
        if (created < newest) isInOrder = false;
        else newest = created;
      }
      if (isInOrder) for (const key of keys) add(key);
      else addInOrder(keys);
    },
    synced() {
      const keys = unsynced ?? [];
      unsynced = undefined;
      addInOrder(keys);
    },
    nodeUp(name) {
      const keys = waiting.get(name);
      waiting.delete(name);
      ghosts.delete(name);
      addInOrder(keys ?? []);
    },
    nodeGone(name, node, isDeleted) {
      if (node === undefined) return;
      const ours = [...node.state.pods.values()].map(({ pod }) => keyText(keyOf(pod)));
      for (const key of ours) wait(name, key);
      if (!isDeleted || ours.length === 0) return;
      ghosts.set(name, node);
      // Those that are stopping go on stopping.
      for (const key of ours) add(key);
    },
    stop() {
      references.stop();
      return work.stop();
    },
  };
}
