/** Whether a disruption budget permits the eviction of one of its pods. Pure. */
import { DISRUPTION_ALLOWED, SYNC_FAILED, withDisruptionCondition } from '../../../core/api/kinds/disruption-status.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../../core/api/types/policy-v1.ts';
import { findCondition, isConditionTrue } from '../../../core/kube/conditions.ts';
import { compileLabelSelector } from '../../../core/kube/label-selector.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { StatusError, forbiddenRequest } from '../../../core/kube/status-error.ts';

/** Upper bound on approved evictions that the disruption controller has not seen yet. */
const MOST_DISRUPTED = 2000;
const BUDGETS = { group: 'policy', resource: 'poddisruptionbudget' };
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";

/** A pod that has ended, never began or is being deleted needs no budget: its eviction is no disruption. */
export function needsNoBudget(pod: Stored<Pod>): boolean {
  const phase = pod.status?.phase ?? '';
  const isOver = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || phase === '';
  return isOver || pod.metadata.deletionTimestamp !== undefined;
}

/** A budget whose selector cannot be read selects nothing. */
export function budgetsOf(pod: Stored<Pod>, budgets: Iterable<Stored<PodDisruptionBudget>>) {
  const found: Stored<PodDisruptionBudget>[] = [];
  for (const budget of budgets) {
    try {
      if (compileLabelSelector(budget.spec?.selector).matches(pod.metadata.labels ?? {})) found.push(budget);
    } catch {
      continue;
    }
  }
  return found;
}

/** A pod that is not ready may go without being counted: it is not among the healthy ones the budget protects. */
export function passesUncounted(pod: Stored<Pod>, budget: Stored<PodDisruptionBudget>): boolean {
  if (isConditionTrue(pod.status?.conditions, 'Ready')) return false;
  if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = budget.status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

/** The budget with one disruption less, or the refusal. */
export function spend(
  budget: Stored<PodDisruptionBudget>,
  podName: string,
  now: string,
): Stored<PodDisruptionBudget> | StatusError {
  const { metadata, status } = budget;
  const { name } = metadata;
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return stillProcessed(name);
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) return forbiddenRequest(BUDGETS, name, 'pdb disruptions allowed is negative');
  const disrupted = status?.disruptedPods ?? {};
  if (Object.keys(disrupted).length > MOST_DISRUPTED) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return forbiddenRequest(BUDGETS, name, why);
  }
  if (status === undefined || allowed === 0) return violated(0, whyNot(name, status));
  const disruptedPods = Object.fromEntries([...Object.entries(disrupted), [podName, now]]);
  const fewer: PodDisruptionBudgetStatus = { ...status, disruptionsAllowed: allowed - 1, disruptedPods };
  return { ...budget, status: allowed === 1 ? withDisruptionCondition(fewer, now) : fewer };
}

function whyNot(name: string, status: PodDisruptionBudgetStatus | undefined): string {
  const condition = findCondition(status?.conditions, DISRUPTION_ALLOWED);
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  const isTold = condition?.status === 'False' && (condition.message ?? '') !== '';
  if (isTold && condition.reason === SYNC_FAILED) {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const why = isTold ? ` (${condition.reason}): ${condition.message}` : '';
  return `The disruption budget ${name} does not allow evicting pods currently${why}`;
}

/** The disruption controller has not observed the budget's newest generation yet: the client may retry. */
export const stillProcessed = (name: string): StatusError =>
  violated(10, `The disruption budget ${name} is still being processed by the server.`);

const violated = (retryAfterSeconds: number, message: string): StatusError =>
  new StatusError(429, 'TooManyRequests', VIOLATED, {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  });

export const severalBudgets = (): StatusError =>
  new StatusError(
    500,
    '',
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  );
