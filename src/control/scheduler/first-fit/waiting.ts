/**
 * Pods no node takes. They are tried again when something changes that could help, all of them at once after a burst of
 * changes, and the more that costs the longer the pause. Why a pod waits stands in its condition, written when it
 * changes and not more often than every few seconds.
 */
import { PODS } from '../../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { truncateNote } from '../../../core/placement/summary.ts';
import type { Client } from '../../../machinery/client.ts';
import type { Clock, Timer } from '../../../machinery/clock.ts';
import type { EventNote } from '../../../machinery/event-recorder.ts';
import type { Logger } from '../../../machinery/logger.ts';
import { createSlicedWork } from '../../../machinery/sliced-work.ts';

export interface WaitingPods {
  /** Tried in vain; `message` says why. */
  set(key: string, pod: Stored<Pod>, message: string): void;
  has(key: string): boolean;
  /** The same pod, changed in something that gives no reason to try it again. */
  renew(key: string, pod: Stored<Pod>): boolean;
  delete(key: string): void;
  /** Something has changed that may help. */
  changed(): void;
  /** A pod came to a node: helps only those that want to be near others, or spread. */
  podPlaced(): void;
  /** Grows with every change that may help: an answer given since the last one still holds. */
  readonly changes: number;
  stop(): Promise<void>;
}

export interface WaitingOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly logger: Logger;
  /** To be tried again, most urgent first. */
  readonly retry: (pods: readonly (readonly [key: string, pod: Stored<Pod>])[]) => void;
  /** Milliseconds spent on judging since this was last asked. */
  readonly cost: () => number;
  readonly tell: (pod: Stored<Pod>, note: EventNote) => void;
}

interface Entry {
  pod: Stored<Pod>;
  message: string;
  /** When the reason was last written (monotonic ms). */
  saidAt: number;
}

/** How long changes are gathered before waiting pods are tried again. */
const GATHER_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** Retries take at most this share of the time. */
const COST_FACTOR = 4;
const SAY_AGAIN_MS = 5_000;

export function createWaitingPods(options: WaitingOptions): WaitingPods {
  const { client, clock, logger } = options;
  const entries = new Map<string, Entry>();
  /** Of these, the ones whose answer depends on where other pods are. */
  const social = new Set<string>();
  let changes = 0;
  let retry: Timer | undefined;

  const saying = createSlicedWork({
    clock,
    look: say,
    maxInFlight: 64,
    onError(key, error) {
      if (isStatus(error, 'NotFound')) return false;
      if (!isStatus(error, 'Conflict')) logger.warn('Could not write why a pod waits', { name: key, error });
      return true;
    },
  });

  function say(key: string): Promise<unknown> | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    const { pod, message } = entry;
    const old = pod.status?.conditions ?? [];
    const before = old.find((condition) => condition.type === 'PodScheduled');
    if (before?.status === 'False' && before.reason === 'Unschedulable' && before.message === message) return undefined;
    const wait = entry.saidAt + SAY_AGAIN_MS - clock.monotonic();
    if (wait > 0) {
      saying.addAfter(key, wait);
      return undefined;
    }
    const { generation } = pod.metadata;
    const condition: PodCondition = {
      type: 'PodScheduled',
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime:
        before?.status === 'False' && before.lastTransitionTime !== undefined
          ? before.lastTransitionTime
          : formatTime(clock.now()),
    };
    const conditions = [...old.filter((each) => each.type !== 'PodScheduled'), condition];
    entry.saidAt = clock.monotonic();
    options.tell(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: truncateNote(message),
    });
    return client.update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' });
  }

  function changed(): void {
    changes += 1;
    if (entries.size === 0 || retry !== undefined) return;
    const pause = Math.min(LONGEST_PAUSE_MS, Math.max(GATHER_MS, options.cost() * COST_FACTOR));
    retry = clock.after(pause, () => {
      retry = undefined;
      options.retry(Array.from(entries, ([key, { pod }]) => [key, pod] as const));
    });
  }

  return {
    set(key, pod, message) {
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { pod, message, saidAt: -Infinity });
      else {
        entry.pod = pod;
        entry.message = message;
      }
      if (isSocial(pod)) social.add(key);
      saying.add(key);
    },
    has: (key) => entries.has(key),
    renew(key, pod) {
      const entry = entries.get(key);
      if (entry === undefined || !isSameToSchedulers(entry.pod, pod)) return false;
      entry.pod = pod;
      saying.add(key);
      return true;
    },
    delete(key) {
      if (!entries.delete(key)) return;
      social.delete(key);
      saying.forget(key);
    },
    changed,
    podPlaced() {
      if (social.size > 0) changed();
    },
    get changes() {
      return changes;
    },
    stop() {
      retry?.cancel();
      return saying.stop();
    },
  };
}

/** Whether it goes somewhere may depend on the pods that are there. */
export const isSocial = ({ spec }: Pod): boolean =>
  spec.affinity?.podAffinity !== undefined ||
  spec.affinity?.podAntiAffinity !== undefined ||
  (spec.topologySpreadConstraints?.length ?? 0) > 0;

function isSameToSchedulers(a: Stored<Pod>, b: Stored<Pod>): boolean {
  if (a.metadata.uid !== b.metadata.uid || !isSameMap(a.metadata.labels, b.metadata.labels)) return false;
  if (a.spec === b.spec) return true;
  const { generation } = b.metadata;
  return generation !== undefined && a.metadata.generation === generation;
}

type TextMap = { readonly [key: string]: string } | undefined;

export function isSameMap(a: TextMap, b: TextMap): boolean {
  if (a === b) return true;
  const keys = Object.keys(a ?? {});
  return keys.length === Object.keys(b ?? {}).length && keys.every((key) => a?.[key] === b?.[key]);
}
