/** Conditions: what is true of an object, since when and why. Works for every kind's own condition type. */

export interface ConditionLike {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly observedGeneration?: number;
}

/** `null` is how Go writes a list without entries: new CustomResourceDefinitions have it on a kube-apiserver. */
export function findCondition<C extends ConditionLike>(
  conditions: readonly C[] | null | undefined,
  type: string,
): C | undefined {
  if (conditions === undefined || conditions === null) return undefined;
  for (const condition of conditions) if (condition.type === type) return condition;
  return undefined;
}

export const isConditionTrue = (conditions: readonly ConditionLike[] | null | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'True';

export const isConditionFalse = (conditions: readonly ConditionLike[] | null | undefined, type: string): boolean =>
  findCondition(conditions, type)?.status === 'False';

/**
 * The conditions with this one set. The transition time moves only when the status does; the same list comes back when
 * nothing changed, so a controller can tell by identity whether there is something to write.
 *
 * @param now the transition time to use when the condition carries none.
 */
export function setCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  condition: C,
  now: string,
): readonly C[] {
  const list = conditions ?? [];
  const index = list.findIndex(({ type }) => type === condition.type);
  const existing = list[index];
  if (existing === undefined) {
    return [...list, isSet(condition.lastTransitionTime) ? condition : { ...condition, lastTransitionTime: now }];
  }
  const moved = existing.status !== condition.status;
  if (
    !moved &&
    (existing.reason ?? '') === (condition.reason ?? '') &&
    (existing.message ?? '') === (condition.message ?? '') &&
    (existing.observedGeneration ?? 0) === (condition.observedGeneration ?? 0)
  ) {
    return list;
  }
  const since = moved ? (isSet(condition.lastTransitionTime) ? condition.lastTransitionTime : now) : undefined;
  const next = { ...condition, lastTransitionTime: since ?? existing.lastTransitionTime ?? now };
  return list.with(index, next);
}

const isSet = (time: string | null | undefined): time is string => time !== undefined && time !== null && time !== '';

/** The conditions without this type; the same list when it is not there. */
export function withoutCondition<C extends ConditionLike>(conditions: readonly C[], type: string): readonly C[] {
  return findCondition(conditions, type) === undefined ? conditions : conditions.filter((c) => c.type !== type);
}
