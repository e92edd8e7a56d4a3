/** The condition of a PodDisruptionBudget that says whether a pod may be disturbed; it follows from the number allowed. */
import { findCondition, setCondition } from '../../kube/conditions.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../types/policy-v1.ts';

export const DISRUPTION_ALLOWED = 'DisruptionAllowed';
export const SYNC_FAILED = 'SyncFailed';
const SUFFICIENT = 'SufficientPods';
const INSUFFICIENT = 'InsufficientPods';

/** The condition of a pod that was evicted or is about to be. */
export const DISRUPTION_TARGET = 'DisruptionTarget';

/** The status with the DisruptionAllowed condition that follows from `disruptionsAllowed`. */
export function withDisruptionCondition(status: PodDisruptionBudgetStatus, now: string): PodDisruptionBudgetStatus {
  const isAllowed = (status.disruptionsAllowed ?? 0) > 0;
  const { observedGeneration } = status;
  const conditions = setCondition(
    status.conditions,
    {
      type: DISRUPTION_ALLOWED,
      status: isAllowed ? 'True' : 'False',
      reason: isAllowed ? SUFFICIENT : INSUFFICIENT,
      message: '',
      ...(observedGeneration === undefined ? {} : { observedGeneration }),
      lastTransitionTime: now,
    },
    now,
  );
  return conditions === status.conditions ? status : { ...status, conditions };
}

export function isConditionCurrent({ metadata, status }: PodDisruptionBudget): boolean {
  const condition = findCondition(status?.conditions, DISRUPTION_ALLOWED);
  if (condition === undefined || (status?.observedGeneration ?? 0) !== (metadata.generation ?? 0)) return false;
  return (status?.disruptionsAllowed ?? 0) > 0
    ? condition.status === 'True' && condition.reason === SUFFICIENT
    : condition.status === 'False' && condition.reason === INSUFFICIENT;
}
