/** The status that a PodDisruptionBudget should have, from its pods and the scale of their owners. Pure. */
import {
  DISRUPTION_ALLOWED,
  DISRUPTION_TARGET,
  isConditionCurrent,
  SYNC_FAILED,
  withDisruptionCondition,
} from '../../../core/api/kinds/disruption-status.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../core/api/types/policy-v1.ts';
import { findCondition, isConditionTrue, setCondition } from '../../../core/kube/conditions.ts';
import { scaledIntOrPercent } from '../../../core/kube/int-or-string.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime, parseTime } from '../../../core/kube/time.ts';

/** A pod whose eviction was approved is believed to go within this time; then it counts again. */
export const DELETION_TIMEOUT_MS = 120_000;

export interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** Whether the number of pods that owners want is needed at all. */
export const needsScale = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === 'string';

/** Throws with upstream's words where an amount cannot be read. */
export function expectation({ spec }: PodDisruptionBudget, podCount: number, scale: number): Expectation {
  const { maxUnavailable, minAvailable } = spec ?? {};
  if (maxUnavailable !== undefined) {
    const desiredHealthy = Math.max(0, scale - scaled(maxUnavailable, scale));
    return { expectedPods: scale, desiredHealthy };
  }
  if (typeof minAvailable === 'number') return { expectedPods: podCount, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return { expectedPods: scale, desiredHealthy: scaled(minAvailable, scale) };
}

function scaled(value: number | string, total: number): number {
  const result = scaledIntOrPercent(value, total, 'up');
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

export interface Count {
  /** The very same budget when its status is right already. */
  readonly budget: Stored<PodDisruptionBudget>;
  /** When an approved eviction that did not happen is to be forgotten; undefined when none is under way. */
  readonly recheckAt: number | undefined;
  /** Pods that were to go and did not. */
  readonly overdue: readonly Stored<Pod>[];
}

export function countBudget(
  budget: Stored<PodDisruptionBudget>,
  pods: readonly Stored<Pod>[],
  { expectedPods, desiredHealthy }: Expectation,
  now: number,
): Count {
  const { status, metadata } = budget;
  const approved = status?.disruptedPods ?? {};
  const disrupted: [string, string][] = [];
  const overdue: Stored<Pod>[] = [];
  let recheckAt: number | undefined;
  let currentHealthy = 0;
  for (const pod of pods) {
    if (pod.metadata.deletionTimestamp !== undefined) continue;
    const { name } = pod.metadata;
    const since = Object.hasOwn(approved, name) ? approved[name] : undefined;
    if (since !== undefined) {
      const due = (parseTime(since) ?? now) + DELETION_TIMEOUT_MS;
      if (due < now) overdue.push(pod);
      else {
        disrupted.push([name, since]);
        recheckAt = recheckAt === undefined ? due : Math.min(recheckAt, due);
        if (due > now) continue;
      }
    }
    if (isConditionTrue(pod.status?.conditions, 'Ready')) currentHealthy += 1;
  }
  const allowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const isSame =
    (status?.currentHealthy ?? 0) === currentHealthy &&
    (status?.desiredHealthy ?? 0) === desiredHealthy &&
    (status?.expectedPods ?? 0) === expectedPods &&
    (status?.disruptionsAllowed ?? 0) === allowed &&
    isSameMap(approved, disrupted) &&
    isConditionCurrent(budget);
  if (isSame) return { budget, recheckAt, overdue };
  const counted: PodDisruptionBudgetStatus = {
    ...(status?.conditions === undefined ? {} : { conditions: status.conditions }),
    ...(metadata.generation === undefined ? {} : { observedGeneration: metadata.generation }),
    ...(disrupted.length === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
    disruptionsAllowed: allowed,
    currentHealthy,
    desiredHealthy,
    expectedPods,
  };
  return { budget: { ...budget, status: withDisruptionCondition(counted, formatTime(now)) }, recheckAt, overdue };
}

function isSameMap(before: { readonly [name: string]: string }, after: readonly [string, string][]): boolean {
  return Object.keys(before).length === after.length && after.every(([name, time]) => before[name] === time);
}

/** The status where counting failed: no disruption is allowed. */
export function failedBudget(
  budget: Stored<PodDisruptionBudget>,
  why: string,
  now: number,
): Stored<PodDisruptionBudget> {
  const status = budget.status;
  const conditions = setCondition(
    status?.conditions,
    {
      type: DISRUPTION_ALLOWED,
      status: 'False',
      reason: SYNC_FAILED,
      message: why,
      ...(status?.observedGeneration === undefined ? {} : { observedGeneration: status.observedGeneration }),
      lastTransitionTime: formatTime(now),
    },
    formatTime(now),
  );
  if (conditions === status?.conditions && status?.disruptionsAllowed === 0) return budget;
  const failed: PodDisruptionBudgetStatus = {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions,
  };
  return { ...budget, status: failed };
}

/** How long a pod that is not deleted may keep the condition `DisruptionTarget`. */
const STALE_NOTE_MS = 120_000;

/** Milliseconds until the condition is stale; undefined for pods to which this does not apply. */
export function staleNoteIn(pod: Stored<Pod>, now: number): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined;
  const conditions = pod.status?.conditions;
  if (conditions === undefined) return undefined;
  const note = findCondition(conditions, DISRUPTION_TARGET);
  if (note === undefined || note.status !== 'True' || note.reason === 'TerminationByKubelet') return undefined;
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return undefined;
  return Math.max(0, STALE_NOTE_MS - (now - (parseTime(note.lastTransitionTime ?? '') ?? now)));
}
