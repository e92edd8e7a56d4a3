/**
 * The rules of DaemonSets for one node: how its pods count, and which to create or delete there. The rules are upstream's,
 * whose passes over all nodes are turned into one judgement a node that the engine can count.
 */
import type { Node } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import { isTerminal } from '../placement/pod-record.ts';
import { NODE_DOWN, NODE_KNOWN, SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';
import type { DaemonDefinition, Rules } from './engine-types.ts';
import {
  type DaemonPod,
  GENERATION_LABEL,
  isAvailable,
  isCrashing,
  isPodReady,
  isScheduled,
  isTerminating,
  podChild,
  readySince,
  REVISION_LABEL,
} from './pod-child.ts';

export interface DaemonSetDefinition extends DaemonDefinition {
  /** The current revision's hash; empty while it is not known, and then no pod is up to date. */
  readonly hash: string;
  /** Older controllers marked pods by the template's generation; undefined where the DaemonSet has none. */
  readonly templateGeneration: string | undefined;
  readonly minReadySeconds: number;
  /** A node may have an old and a new pod at the same time. */
  readonly surge: boolean;
  /** Old pods on nodes that are down do not count against the rollout's budget. */
  readonly ignoreDownNodes: boolean;
  /** Restarts that make a new pod count as crashing; 0: only pods with a waiting reason that says so. */
  readonly maxRestarts: number;
  /** The variant of the pod this node should have, as its pods are marked with; undefined: there is only one. */
  readonly variant?: (node: Node) => string;
  readonly variantOf?: (pod: DaemonPod) => string;
}

const bit = (index: number): number => 1 << index;

/** The bits of a judgement. The first six are the counts of a DaemonSet's status. */
export const DESIRED = bit(0);
export const CURRENT = bit(1);
export const MISSCHEDULED = bit(2);
export const READY = bit(3);
export const AVAILABLE = bit(4);
export const UPDATED = bit(5);
/** `manage` has pods to create or delete. */
export const WORK = bit(6);
/** Counts against maxUnavailable (without surge). */
export const SPENT = bit(7);
/** One old pod that is not available: replaced at once, whatever the budget. */
export const OLD_UNAVAILABLE = bit(8);
/** One old pod that is available: replaced when the budget allows. */
export const OLD_AVAILABLE = bit(9);
/** Surge: a node that counts against maxSurge. */
export const SURGING = bit(10);
/** Surge: a node with an available pod, counted also where none should run. */
export const SERVING = bit(11);
/** Surge: the old pod is deleted now: the new one is available, or none should run here and the old is unavailable. */
export const OLD_DONE = bit(12);
/** Surge: an old, available pod on a node that should have none; deleted when enough others serve. */
export const SUNSET = bit(13);
/** Time alone will change the judgement. */
const WAITS = bit(14);
/** The new pod does not come up. */
export const CRASHING = bit(15);
/** Desired, not available, and the node is down. */
export const DOWN = bit(16);
/** A live pod that is not up to date. */
export const HAS_OLD = bit(17);
/** The new pod is there and live. */
const HAS_NEW = bit(18);
/** Not counted against maxUnavailable because the node was down before the rollout came to it. */
const EXCUSED = bit(19);
/** A live pod that is not up to date, where one should run. */
export const OLD_DESIRED = bit(20);

function isUpdated(daemon: DaemonSetDefinition, pod: DaemonPod, node: Node | undefined): boolean {
  const { labels } = pod.metadata;
  const matches =
    (daemon.hash !== '' && labelOf(labels, REVISION_LABEL) === daemon.hash) ||
    (daemon.templateGeneration !== undefined && labelOf(labels, GENERATION_LABEL) === daemon.templateGeneration);
  return matches && isOfVariant(daemon, pod, node);
}

const isOfVariant = (daemon: DaemonSetDefinition, pod: DaemonPod, node: Node | undefined): boolean =>
  daemon.variant === undefined || node === undefined || daemon.variantOf?.(pod) === daemon.variant(node);

function judge(
  daemon: DaemonSetDefinition,
  verdict: number,
  node: Node | undefined,
  pods: readonly DaemonPod[],
  now: number,
): number {
  const shouldRun = (verdict & SHOULD_RUN) !== 0;
  const first = pods[0];
  if (first === undefined) {
    if (!shouldRun) return 0;
    return DESIRED | WORK | spend(daemon, verdict) | ((verdict & NODE_DOWN) === 0 ? 0 : DOWN);
  }
  let bits = (verdict & NODE_KNOWN) === 0 ? 0 : countFirst(daemon, verdict, node, first, now);
  if (!isSettled(verdict, pods)) bits |= hasWork(daemon, verdict, node, pods, now) ? WORK : 0;
  bits |= judgeRollout(daemon, verdict, node, pods, now);
  if (daemon.minReadySeconds > 0 && waiting(daemon, pods, now)) bits |= WAITS;
  return bits;
}

/** The bits that the status counts; only the first pod of a node decides them. */
function countFirst(
  daemon: DaemonSetDefinition,
  verdict: number,
  node: Node | undefined,
  first: DaemonPod,
  now: number,
): number {
  if ((verdict & SHOULD_RUN) === 0) return MISSCHEDULED;
  let bits = DESIRED | CURRENT;
  if (isPodReady(first)) {
    bits |= READY;
    if (isAvailable(first, daemon.minReadySeconds, now)) bits |= AVAILABLE;
  }
  if ((bits & AVAILABLE) === 0 && (verdict & NODE_DOWN) !== 0) bits |= DOWN;
  if (isUpdated(daemon, first, node)) bits |= UPDATED;
  return bits;
}

/** The usual case: one live pod where one may be. */
const isSettled = (verdict: number, pods: readonly DaemonPod[]): boolean => {
  const [only] = pods;
  if (pods.length !== 1 || only === undefined || (verdict & SHOULD_CONTINUE) === 0) return false;
  return !isTerminating(only) && !isTerminal(only);
};

const hasWork = (
  daemon: DaemonSetDefinition,
  verdict: number,
  node: Node | undefined,
  pods: readonly DaemonPod[],
  now: number,
): boolean => {
  const { create, remove, failed, succeeded } = manage(daemon, verdict, node, pods, now);
  return create || remove.length > 0 || failed.length > 0 || succeeded.length > 0;
};

/** Pods to create and delete on one node, apart from a rollout. */
export interface NodeWork {
  readonly create: boolean;
  readonly remove: readonly DaemonPod[];
  /** To be deleted too, when their backoff allows. */
  readonly failed: readonly DaemonPod[];
  readonly succeeded: readonly DaemonPod[];
}

const NONE: readonly never[] = Object.freeze([]);
const NO_WORK: NodeWork = Object.freeze({ create: false, remove: NONE, failed: NONE, succeeded: NONE });

export function manage(
  daemon: DaemonSetDefinition,
  verdict: number,
  node: Node | undefined,
  pods: readonly DaemonPod[],
  now: number,
): NodeWork {
  const shouldRun = (verdict & SHOULD_RUN) !== 0;
  if (pods.length === 0) return shouldRun ? { ...NO_WORK, create: true } : NO_WORK;
  if ((verdict & NODE_KNOWN) === 0) {
    // Unscheduled pods of a node that does not exist will never be bound. Bound ones are left to the pod garbage collector.
    return { ...NO_WORK, remove: pods.filter((pod) => !isScheduled(pod) && !isTerminating(pod)) };
  }
  const here = pods.filter((pod) => !isTerminating(pod));
  if ((verdict & SHOULD_CONTINUE) === 0) return { ...NO_WORK, remove: here };
  const failed = here.filter((pod) => pod.status?.phase === 'Failed');
  const succeeded = here.filter((pod) => pod.status?.phase === 'Succeeded');
  const running = failed.length + succeeded.length === 0 ? here : here.filter((pod) => !isTerminal(pod));
  if (!daemon.surge) return { create: false, remove: running.slice(1), failed, succeeded };
  if (running.length === 0) return { create: shouldRun, remove: NONE, failed, succeeded };
  return {
    create: false,
    remove: running.length === 1 ? NONE : surplus(daemon, node, running, now),
    failed,
    succeeded,
  };
}

/** With surge a node keeps the oldest new and the oldest old pod, the latter only while it is needed. */
function surplus(
  daemon: DaemonSetDefinition,
  node: Node | undefined,
  running: readonly DaemonPod[],
  now: number,
): readonly DaemonPod[] {
  const isNew = (pod: DaemonPod): boolean =>
    labelOf(pod.metadata.labels, REVISION_LABEL) === daemon.hash && isOfVariant(daemon, pod, node);
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const remove = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return remove;
  const isReplaced = !isPodReady(old) || isAvailable(newest, daemon.minReadySeconds, now);
  return isReplaced ? [...remove, old] : remove;
}

/** The live pods of a node, told apart by revision. */
export interface LivePods {
  /** The only one of its sort; undefined when there is none. */
  readonly old: DaemonPod | undefined;
  readonly updated: DaemonPod | undefined;
  /** More than one of a sort: `manage` must clean up first. */
  readonly excess: boolean;
}

export function livePods(daemon: DaemonSetDefinition, node: Node | undefined, pods: readonly DaemonPod[]): LivePods {
  let old: DaemonPod | undefined;
  let updated: DaemonPod | undefined;
  let excess = false;
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    if (isUpdated(daemon, pod, node)) {
      if (updated !== undefined) excess = true;
      updated = pod;
    } else {
      if (old !== undefined) excess = true;
      old = pod;
    }
  }
  return { old, updated, excess };
}

function judgeRollout(
  daemon: DaemonSetDefinition,
  verdict: number,
  node: Node | undefined,
  pods: readonly DaemonPod[],
  now: number,
): number {
  const { old, updated, excess } = livePods(daemon, node, pods);
  const oldBits = (verdict & SHOULD_RUN) === 0 ? HAS_OLD : HAS_OLD | OLD_DESIRED;
  let bits = (old === undefined ? 0 : oldBits) | (updated === undefined ? 0 : HAS_NEW);
  if (updated !== undefined && isCrashing(updated, daemon.maxRestarts)) bits |= CRASHING;
  const available = (pod: DaemonPod): boolean => isAvailable(pod, daemon.minReadySeconds, now);
  if (daemon.surge) return bits | judgeSurge(verdict, old, updated, excess, available);
  if (excess || (old === undefined) === (updated === undefined)) return bits | spend(daemon, verdict);
  if (updated !== undefined) return bits | (available(updated) ? 0 : SPENT);
  if (old === undefined) return bits;
  return bits | (available(old) ? OLD_AVAILABLE : OLD_UNAVAILABLE | spend(daemon, verdict));
}

/**
 * A node that lacks an available pod counts against the budget. If the node itself is down, and was so before the
 * rollout came to it, the rollout is not to blame; a new pod that is not available always counts.
 */
const spend = (daemon: DaemonSetDefinition, verdict: number): number =>
  daemon.ignoreDownNodes && (verdict & NODE_DOWN) !== 0 ? EXCUSED : SPENT;

function judgeSurge(
  verdict: number,
  old: DaemonPod | undefined,
  updated: DaemonPod | undefined,
  excess: boolean,
  available: (pod: DaemonPod) => boolean,
): number {
  if (excess) return SURGING;
  if (old === undefined) return updated !== undefined && available(updated) ? SERVING : 0;
  const shouldRun = (verdict & SHOULD_RUN) !== 0;
  if (!available(old)) {
    if (updated !== undefined) return available(updated) ? OLD_DONE : SURGING;
    return shouldRun ? OLD_UNAVAILABLE : OLD_DONE;
  }
  if (updated !== undefined) return SERVING | (available(updated) ? OLD_DONE : SURGING);
  return SERVING | (shouldRun ? OLD_AVAILABLE : SUNSET);
}

/** Ready, but not yet for long enough. */
function waiting(daemon: DaemonSetDefinition, pods: readonly DaemonPod[], now: number): boolean {
  for (const pod of pods) {
    if ((readySince(pod) ?? 0) > 0 && !isAvailable(pod, daemon.minReadySeconds, now)) return true;
  }
  return false;
}

function dueAt(
  daemon: DaemonSetDefinition,
  _verdict: number,
  _node: Node | undefined,
  pods: readonly DaemonPod[],
  now: number,
): number {
  let due = Infinity;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined || since === 0) continue;
    const at = since + daemon.minReadySeconds * 1000;
    if (at > now && at < due) due = at;
  }
  return due;
}

export const daemonPodRules: Rules<DaemonPod, DaemonSetDefinition> = {
  child: podChild,
  judge,
  waits: WAITS,
  dueAt,
  listed: WORK | OLD_UNAVAILABLE | OLD_AVAILABLE | OLD_DONE | SUNSET,
};
