/** The status of a ReplicaSet: counted from its pods, written only when it has changed. */
import type { ReplicaSetCondition, ReplicaSetStatus } from '../../../../core/api/types/apps-v1.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import { isAvailable, readySince } from '../../../../core/daemons/pod-child.ts';
import { findCondition } from '../../../../core/kube/conditions.ts';
import type { Labels } from '../../../../core/kube/labels.ts';
import { selectorFromLabels } from '../../../../core/kube/selector.ts';
import { formatTime } from '../../../../core/kube/time.ts';
import { remembering } from '../../../../machinery/children/selectors.ts';
import type { ReplicaObject } from './replica-kind.ts';

export interface Counted {
  readonly status: ReplicaSetStatus;
  /** When the next ready pod becomes available (epoch ms). */
  readonly nextDue: number | undefined;
}

export interface StatusInput {
  readonly object: ReplicaObject;
  readonly active: readonly Pod[];
  /** Undefined: not counted. */
  readonly terminating: number | undefined;
  readonly failure: { readonly error: unknown } | undefined;
  readonly now: number;
}

const FAILURE = 'ReplicaFailure';
const labelled = new WeakMap<Labels, (labels: Labels | undefined) => boolean>();

function hasAllOf(labels: Labels | undefined): (of: Labels | undefined) => boolean {
  if (labels === undefined) return () => true;
  let answer = labelled.get(labels);
  if (answer === undefined) labelled.set(labels, (answer = remembering(selectorFromLabels(labels))));
  return answer;
}

export function countStatus({ object, active, terminating, failure, now }: StatusInput): Counted {
  const { minReadySeconds = 0, replicas = 1, template } = object.spec;
  const isFullyLabelled = hasAllOf(template?.metadata?.labels);
  let fullyLabeledReplicas = 0;
  let readyReplicas = 0;
  let availableReplicas = 0;
  let nextDue: number | undefined;
  for (const pod of active) {
    if (isFullyLabelled(pod.metadata.labels)) fullyLabeledReplicas += 1;
    const since = readySince(pod);
    if (since === undefined) continue;
    readyReplicas += 1;
    if (isAvailable(pod, minReadySeconds, now)) availableReplicas += 1;
    else nextDue = Math.min(nextDue ?? Infinity, since + minReadySeconds * 1000);
  }
  const conditions = nextConditions(object.status?.conditions, active.length - replicas, failure, now);
  const { conditions: _, terminatingReplicas: __, ...rest } = object.status ?? { replicas: 0 };
  return {
    nextDue,
    status: {
      ...rest,
      replicas: active.length,
      fullyLabeledReplicas,
      readyReplicas,
      availableReplicas,
      ...(terminating === undefined ? {} : { terminatingReplicas: terminating }),
      observedGeneration: object.metadata.generation ?? 0,
      ...(conditions === undefined || conditions.length === 0 ? {} : { conditions }),
    },
  };
}

function nextConditions(
  conditions: readonly ReplicaSetCondition[] | undefined,
  surplus: number,
  failure: StatusInput['failure'],
  now: number,
): readonly ReplicaSetCondition[] | undefined {
  const present = findCondition(conditions, FAILURE);
  if (failure === undefined) return present === undefined ? conditions : conditions?.filter((each) => each !== present);
  if (present !== undefined) return conditions;
  const reason = surplus < 0 ? 'FailedCreate' : surplus > 0 ? 'FailedDelete' : '';
  const message = failure.error instanceof Error ? failure.error.message : String(failure.error);
  const condition = { type: FAILURE, status: 'True', lastTransitionTime: formatTime(now), reason, message };
  return [...(conditions ?? []), condition];
}

const COUNTS = [
  'replicas',
  'fullyLabeledReplicas',
  'readyReplicas',
  'availableReplicas',
  'terminatingReplicas',
  'observedGeneration',
] as const;

export function saysSame(a: ReplicaSetStatus | undefined, b: ReplicaSetStatus): boolean {
  const same = (key: (typeof COUNTS)[number]): boolean =>
    key === 'terminatingReplicas' ? a?.[key] === b[key] : (a?.[key] ?? 0) === (b[key] ?? 0);
  return COUNTS.every(same) && (a?.conditions ?? b.conditions) === b.conditions;
}
