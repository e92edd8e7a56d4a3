/**
 * A kubelet's work on one pod of its node: admits or rejects it, takes it through its lifecycle, reports its status and
 * emits its events. A pod's memory here can be lost at any moment: all that matters is read from the pod itself.
 */
import { MIRROR_POD } from '../../core/api/kinds/pod/validate-annotations.ts';
import { PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodStatus } from '../../core/api/types/core-v1.ts';
import { labelOf } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { formatTime } from '../../core/kube/time.ts';
import { addPod, removePod } from '../../core/placement/node-state.ts';
import { isTerminal, podKey, recordOf } from '../../core/placement/pod-record.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { SlicedWork } from '../../machinery/time/sliced-work.ts';
import { admit, type Rejection } from './kubelet-admission.ts';
import type { SimulatedNode } from './node-keeper.ts';
import { changeEvents, killingEvents, mountEvents, rejectionEvent, type PodEvent } from './pod-events.ts';
import { hasBegun, nextStep } from './pod-lifecycle.ts';
import type { Lacking } from './pod-needs.ts';
import { rejectedStatus } from './pod-status.ts';
import type { References } from './references.ts';

export interface PodSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where a pod that waits for a time is requeued. */
  readonly work: Pick<SlicedWork, 'addAfter' | 'cancel'>;
  /** Secrets and ConfigMaps that pods name; asked for every pod that is not ending. */
  readonly references: References;
  readonly onReadyDaemon: (nodeName: string, daemon: string) => void;
  /** Emits the events that a kubelet would; reads them only where they are recorded, and never throws. */
  readonly emitEvents: (events: () => readonly PodEvent[]) => void;
}

/** Status reports of one pod without a rest in between, after which another writer must be undoing them. */
const MAX_STREAK = 8;
const STREAK_PAUSE_MS = 30_000;
/** Time after which a kubelet deletes a mirror pod again. */
const DISMISS_EVERY_MS = 2000;

const isMirror = ({ metadata }: Pod): boolean => labelOf(metadata.annotations, MIRROR_POD) !== undefined;

/** The maps are keyed by pod key; a pod at rest is in none of them, so that fifty thousand of those cost nothing. */
export class PodSync {
  readonly #options: PodSyncOptions;
  readonly #clock: Clock;
  /** When the pod last changed, to the millisecond, while it moves from one state to the next; statuses know only seconds. */
  readonly #moments = new Map<string, number>();
  /** Status reports since the pod last came to rest. */
  readonly #streaks = new Map<string, number>();
  /** Pods whose termination has begun, so that Killing is emitted once. */
  readonly #ending = new Set<string>();
  /** Pods whose volumes cannot be mounted, with the last FailedMount that was emitted. */
  readonly #unmounted = new Map<string, Lacking>();

  constructor(options: PodSyncOptions) {
    this.#options = options;
    this.#clock = options.clock;
  }

  /** Takes the pod one step further; a promise means that a write is under way. */
  sync(key: string, pod: Stored<Pod>, node: SimulatedNode): Promise<unknown> | undefined {
    if (isMirror(pod)) return this.#dismiss(key, pod);
    const rejection = countOnNode(pod, node);
    if (rejection !== undefined) return this.#reject(key, pod, rejection);
    this.#reportDaemon(pod, node);
    return this.#advance(key, pod, node);
  }

  /** The pod is gone. */
  forget(key: string): void {
    this.#moments.delete(key);
    this.#streaks.delete(key);
    this.#ending.delete(key);
    this.#unmounted.delete(key);
    this.#options.references.forget(key);
  }

  #reject(key: string, pod: Stored<Pod>, rejection: Rejection): Promise<unknown> | undefined {
    const now = this.#clock.now();
    return this.#report(key, pod, rejectedStatus(pod, rejection, { now, text: formatTime(now) }), () => [
      rejectionEvent(pod, rejection),
    ]);
  }

  /**
   * A mirror pod without a static pod, which simulated nodes have none of: a kubelet neither admits nor counts it, and deletes it by
   * its name, again and again while a finalizer keeps it.
   */
  #dismiss(key: string, pod: Stored<Pod>): Promise<unknown> | undefined {
    const { client, work } = this.#options;
    const now = this.#clock.now();
    const last = this.#moments.get(key);
    const waitMs = last === undefined ? 0 : last + DISMISS_EVERY_MS - now;
    work.addAfter(key, waitMs > 0 ? waitMs : DISMISS_EVERY_MS);
    if (waitMs > 0) return undefined;
    this.#moments.set(key, now);
    return client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0 });
  }

  #advance(key: string, pod: Stored<Pod>, node: SimulatedNode): Promise<unknown> | undefined {
    const { references, work } = this.#options;
    const now = this.#clock.now();
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    if (isEnding) this.#beginEnd(key, pod, now);
    const lacking = isEnding || isTerminal(pod) ? undefined : references.lackingOf(key, pod);
    // Requeued by the references when it is known.
    if (lacking === 'unknown') return undefined;
    if (lacking !== undefined || this.#unmounted.size > 0) this.#emitMounts(key, pod, lacking);
    const step = nextStep(pod, {
      now,
      lacking,
      text: formatTime(now),
      exactly: this.#moments.get(key),
      hostIPs: node.hostIPs,
      podStartDelayMs: node.settings.podStartDelayMs,
    });
    if (step.do === 'report') {
      return this.#report(key, pod, step.status, () => changeEvents(pod, step.status));
    }
    if (this.#streaks.size > 0) this.#streaks.delete(key);
    if (step.do === 'remove') return this.#remove(pod);
    if (step.do === 'wait') work.addAfter(key, step.until - now);
    else {
      work.cancel(key);
      if (!isEnding && this.#moments.size > 0) this.#moments.delete(key);
    }
    return undefined;
  }

  #beginEnd(key: string, pod: Stored<Pod>, now: number): void {
    if (this.#ending.has(key)) return;
    this.#ending.add(key);
    this.#moments.set(key, now);
    this.#options.emitEvents(() => killingEvents(pod));
  }

  /** Emits FailedMount once, and again when other volumes are missing; a kubelet repeats it on every attempt. */
  #emitMounts(key: string, pod: Stored<Pod>, lacking: Lacking | undefined): void {
    const mounts = lacking?.mounts ?? [];
    if (lacking === undefined || mounts.length === 0 || hasBegun(pod)) {
      this.#unmounted.delete(key);
      return;
    }
    const emitted = this.#unmounted.get(key);
    if (emitted === lacking) return;
    this.#unmounted.set(key, lacking);
    if (emitted?.mounts.join() !== mounts.join()) this.#options.emitEvents(() => mountEvents(pod, mounts));
  }

  #report(
    key: string,
    pod: Stored<Pod>,
    status: PodStatus,
    events: () => readonly PodEvent[],
  ): Promise<unknown> | undefined {
    const { client, logger, work, emitEvents } = this.#options;
    const streak = (this.#streaks.get(key) ?? 0) + 1;
    this.#streaks.set(key, streak);
    if (streak > MAX_STREAK) {
      if (streak === MAX_STREAK + 1) logger.warn('What a pod reports does not last; somebody undoes it', { name: key });
      work.addAfter(key, STREAK_PAUSE_MS);
      this.#streaks.set(key, MAX_STREAK - 1);
      return undefined;
    }
    if (!this.#ending.has(key)) this.#moments.set(key, this.#clock.now());
    return client.update(PODS, { ...pod, status }, { subresource: 'status' }).then(() => emitEvents(events));
  }

  #remove(pod: Stored<Pod>): Promise<unknown> {
    const preconditions = { uid: pod.metadata.uid };
    return this.#options.client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions });
  }

  #reportDaemon(pod: Stored<Pod>, { settings, daemonSeen }: SimulatedNode): void {
    if (settings.readyWhenDaemon === undefined || daemonSeen || pod.spec.nodeName === undefined) return;
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true);
    if (owner?.kind !== 'DaemonSet' || pod.metadata.deletionTimestamp !== undefined) return;
    const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (ready === true) this.#options.onReadyDaemon(pod.spec.nodeName, `${pod.metadata.namespace}/${owner.name}`);
  }
}

/** Counts the pod on its node; returns the reason where the node rejects it. */
function countOnNode(pod: Stored<Pod>, { state }: SimulatedNode): Rejection | undefined {
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
