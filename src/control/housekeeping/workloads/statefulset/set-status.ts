/** The status of a StatefulSet, counted from its pods. Pure. */
import type { StatefulSet, StatefulSetStatus } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isAvailable, readySince } from '../../../../core/daemons/pod-child.ts';
import { isBeingDeleted } from '../../../../core/kube/finalizers.ts';
import { replicasOf } from './ordinals.ts';
import { revisionOf } from './set-pods.ts';

export interface CountedSet {
  readonly status: StatefulSetStatus;
  /** When the next ready pod becomes available (epoch ms). */
  readonly nextDue: number | undefined;
}

export function countSet(
  set: StatefulSet,
  pods: readonly Pod[],
  current: string,
  update: string,
  collisions: number,
  now: number,
): CountedSet {
  const { minReadySeconds = 0, updateStrategy } = set.spec;
  const counts = { replicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0, updatedReplicas: 0 };
  let nextDue: number | undefined;
  for (const pod of pods) {
    counts.replicas += 1;
    const since = pod.status?.phase === 'Running' ? readySince(pod) : undefined;
    if (since !== undefined) {
      counts.readyReplicas += 1;
      if (isAvailable(pod, minReadySeconds, now)) counts.availableReplicas += 1;
      else nextDue = Math.min(nextDue ?? Infinity, since + minReadySeconds * 1000);
    }
    if (isBeingDeleted(pod)) continue;
    if (revisionOf(pod) === current) counts.currentReplicas += 1;
    if (revisionOf(pod) === update) counts.updatedReplicas += 1;
  }
  const desired = replicasOf(set);
  const isRolling = updateStrategy?.type !== 'OnDelete';
  const isDone =
    isRolling && counts.updatedReplicas === desired && counts.readyReplicas === desired && counts.replicas === desired;
  return {
    nextDue,
    status: {
      ...(set.status?.conditions === undefined ? {} : { conditions: set.status.conditions }),
      observedGeneration: set.metadata.generation ?? 0,
      ...counts,
      ...(isDone ? { currentReplicas: counts.updatedReplicas } : {}),
      currentRevision: isDone ? update : current,
      updateRevision: update,
      collisionCount: collisions,
    },
  };
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'readyReplicas',
  'availableReplicas',
  'currentReplicas',
  'updatedReplicas',
  'collisionCount',
] as const;

export const saysSame = (a: StatefulSetStatus | undefined, b: StatefulSetStatus): boolean =>
  COUNTS.every((key) => (a?.[key] ?? 0) === (b[key] ?? 0)) &&
  a?.currentRevision === b.currentRevision &&
  a?.updateRevision === b.updateRevision;
