/** The status of a Deployment and its conditions, from those of its ReplicaSets. Pure. */
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from '../../../../core/api/types/apps-v1.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import { deepEqual } from '../../../../core/kube/immutable.ts';
import { formatTime, parseTime } from '../../../../core/kube/time.ts';
import { REASONS } from './names.ts';
import { desiredOf, limitsOf, sizeOf } from './sizes.ts';

const AVAILABLE = 'Available';
export const PROGRESSING = 'Progressing';
const FAILURE = 'ReplicaFailure';

/** A deadline as large as this counts as none. */
const NO_DEADLINE = 2_147_483_647;
const DEFAULT_DEADLINE = 600;

export const deadlineOf = ({ spec }: Deployment): number | undefined => {
  const seconds = spec.progressDeadlineSeconds ?? DEFAULT_DEADLINE;
  return seconds === NO_DEADLINE ? undefined : seconds;
};

type Conditions = readonly DeploymentCondition[] | undefined;

/** The same list when status and reason are what they were, whatever the message. */
export function withCondition(
  conditions: Conditions,
  condition: Omit<DeploymentCondition, 'lastUpdateTime' | 'lastTransitionTime'>,
  now: number,
  since?: string,
): Conditions {
  const present = findCondition(conditions, condition.type);
  if (present !== undefined && present.status === condition.status && present.reason === condition.reason)
    return conditions;
  const time = formatTime(now);
  const kept = present?.status === condition.status ? (present.lastTransitionTime ?? time) : (since ?? time);
  const others = conditions?.filter(({ type }) => type !== condition.type) ?? [];
  return [...others, { ...condition, lastUpdateTime: time, lastTransitionTime: kept }];
}

const without = (conditions: Conditions, type: string): Conditions =>
  findCondition(conditions, type) === undefined ? conditions : conditions?.filter((each) => each.type !== type);

const total = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((sum, set) => sum + (of(set) ?? 0), 0);

/** Pods on their way out; undefined while a set has not counted them. */
function terminatingOf(sets: readonly ReplicaSet[]): number | undefined {
  let count = 0;
  for (const { status } of sets) {
    if (status?.terminatingReplicas !== undefined) count += status.terminatingReplicas;
    else if ((status?.observedGeneration ?? 0) !== 0) return undefined;
  }
  return count;
}

/** Counts and the condition Available. */
export function countDeployment(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const available = total(all, ({ status }) => status?.availableReplicas);
  const terminatingReplicas = terminatingOf(all);
  const enough = available >= desiredOf(deployment) - limitsOf(deployment).maxUnavailable;
  const conditions = withCondition(
    deployment.status?.conditions,
    enough
      ? { type: AVAILABLE, status: 'True', reason: REASONS.enough, message: 'Deployment has minimum availability.' }
      : {
          type: AVAILABLE,
          status: 'False',
          reason: REASONS.tooFew,
          message: 'Deployment does not have minimum availability.',
        },
    now,
  );
  const collisionCount = deployment.status?.collisionCount;
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(all, ({ status }) => status?.replicas),
    updatedReplicas: newSet?.status?.replicas ?? 0,
    readyReplicas: total(all, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, total(all, sizeOf) - available),
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const desired = desiredOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === desired &&
    (status?.replicas ?? 0) === desired &&
    (status?.availableReplicas ?? 0) === desired &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus | undefined, after: DeploymentStatus): boolean {
  const count = (
    status: DeploymentStatus | undefined,
    key: 'replicas' | 'updatedReplicas' | 'readyReplicas' | 'availableReplicas',
  ) => status?.[key] ?? 0;
  const old = (status: DeploymentStatus | undefined): number =>
    count(status, 'replicas') - count(status, 'updatedReplicas');
  return (
    count(after, 'updatedReplicas') > count(before, 'updatedReplicas') ||
    old(after) < old(before) ||
    count(after, 'readyReplicas') > count(before, 'readyReplicas') ||
    count(after, 'availableReplicas') > count(before, 'availableReplicas')
  );
}

/** Whether the deadline has passed since the last progress. */
function isLate(deployment: Deployment, conditions: Conditions, now: number): boolean {
  const seconds = deadlineOf(deployment);
  const condition = findCondition(conditions, PROGRESSING);
  if (seconds === undefined || condition === undefined || condition.reason === REASONS.available) return false;
  if (condition.reason === REASONS.timedOut) return true;
  return (parseTime(condition.lastUpdateTime ?? '') ?? 0) + seconds * 1000 < now;
}

/** Counts and all conditions, in the middle of a rollout or after it. */
export function rolloutStatus(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): DeploymentStatus {
  const counted = countDeployment(deployment, all, newSet, now);
  let conditions: Conditions = counted.conditions;
  const current = findCondition(deployment.status?.conditions, PROGRESSING);
  const isDone = counted.replicas === counted.updatedReplicas && current?.reason === REASONS.available;
  const who =
    newSet === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${newSet.metadata.name}"`;
  if (deadlineOf(deployment) === undefined) conditions = without(conditions, PROGRESSING);
  else if (!isDone) {
    const say = (status: string, reason: string, what: string) => ({
      type: PROGRESSING,
      status,
      reason,
      message: `${who} ${what}.`,
    });
    if (isComplete(deployment, counted))
      conditions = withCondition(conditions, say('True', REASONS.available, 'has successfully progressed'), now);
    else if (hasProgressed(deployment.status, counted)) {
      const since = current?.status === 'True' ? current.lastTransitionTime : undefined;
      // The condition is removed first, so that `lastUpdateTime` moves with every progress.
      conditions = withCondition(
        without(conditions, PROGRESSING),
        say('True', REASONS.updated, 'is progressing'),
        now,
        since,
      );
    } else if (isLate(deployment, conditions, now))
      conditions = withCondition(conditions, say('False', REASONS.timedOut, 'has timed out progressing'), now);
  }
  conditions = withFailure(conditions, all, newSet, now);
  const { conditions: _, ...rest } = counted;
  return conditions === undefined || conditions.length === 0 ? rest : { ...rest, conditions };
}

/** The condition ReplicaFailure of a ReplicaSet, on the Deployment too; that of the new set counts first. */
function withFailure(
  conditions: Conditions,
  all: readonly ReplicaSet[],
  newSet: ReplicaSet | undefined,
  now: number,
): Conditions {
  for (const set of newSet === undefined ? all : [newSet, ...all]) {
    const failure = findCondition(set.status?.conditions, FAILURE);
    if (failure === undefined) continue;
    const { status, reason = '', message = '', lastTransitionTime } = failure;
    return withCondition(conditions, { type: FAILURE, status, reason, message }, now, lastTransitionTime);
  }
  return without(conditions, FAILURE);
}

/** Milliseconds until the deadline is to be checked; undefined when there is none to wait for. */
export function untilDeadline(
  deployment: Deployment,
  status: DeploymentStatus | undefined,
  now: number,
): number | undefined {
  const seconds = deadlineOf(deployment);
  const condition = findCondition(status?.conditions, PROGRESSING);
  if (seconds === undefined || condition === undefined || isComplete(deployment, status)) return undefined;
  if (condition.reason === REASONS.timedOut || condition.reason === REASONS.available) return undefined;
  const due = (parseTime(condition.lastUpdateTime ?? '') ?? now) + seconds * 1000;
  return Math.max(1000, due - now + 1000);
}

/**
 * The conditions after pausing or resuming, which restart the clock of the deadline; the same list where neither
 * happened.
 */
export function pausedConditions(deployment: Deployment, now: number): Conditions {
  const conditions = deployment.status?.conditions;
  const current = findCondition(conditions, PROGRESSING);
  if (deadlineOf(deployment) === undefined || current?.reason === REASONS.timedOut) return conditions;
  const isPaused = deployment.spec.paused === true;
  const saysPaused = current?.reason === REASONS.paused;
  if (isPaused === saysPaused) return conditions;
  const condition = isPaused
    ? { type: PROGRESSING, status: 'Unknown', reason: REASONS.paused, message: 'Deployment is paused' }
    : { type: PROGRESSING, status: 'Unknown', reason: REASONS.resumed, message: 'Deployment is resumed' };
  return withCondition(conditions, condition, now);
}

const NUMBERS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'collisionCount',
] as const;

export const saysSame = (a: DeploymentStatus | undefined, b: DeploymentStatus): boolean =>
  NUMBERS.every((key) => (a?.[key] ?? 0) === (b[key] ?? 0)) &&
  a?.terminatingReplicas === b.terminatingReplicas &&
  deepEqual(a?.conditions ?? [], b.conditions ?? []);
