/** Conditions of a CustomResourceDefinition, and how they are set. */
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '../../types/apiextensions-v1.ts';

export type ConditionType =
  | 'Established'
  | 'NamesAccepted'
  | 'NonStructuralSchema'
  | 'Terminating'
  | 'KubernetesAPIApprovalPolicyConformant';

export const findCondition = (
  definition: CustomResourceDefinition,
  type: ConditionType,
): CustomResourceDefinitionCondition | undefined =>
  definition.status?.conditions?.find((condition) => condition.type === type);

export const isConditionTrue = (definition: CustomResourceDefinition, type: ConditionType): boolean =>
  findCondition(definition, type)?.status === 'True';

export interface ConditionWords {
  readonly type: ConditionType;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const isSameCondition = (words: ConditionWords, found: CustomResourceDefinitionCondition | undefined): boolean =>
  found !== undefined &&
  found.status === words.status &&
  (found.reason ?? '') === words.reason &&
  (found.message ?? '') === words.message;

/** The definition with the condition; the same object when nothing changed. The time is that of the last new status. */
export function withCondition<T extends CustomResourceDefinition>(
  definition: T,
  words: ConditionWords,
  now: string,
): T {
  const found = findCondition(definition, words.type);
  if (isSameCondition(words, found)) return definition;
  const keepsTime = found?.status === words.status && found.lastTransitionTime;
  const condition: CustomResourceDefinitionCondition = {
    type: words.type,
    status: words.status,
    lastTransitionTime: keepsTime ? keepsTime : now,
    reason: words.reason,
    message: words.message,
  };
  const conditions = definition.status?.conditions ?? [];
  const next =
    found === undefined ? [...conditions, condition] : conditions.map((each) => (each === found ? condition : each));
  return { ...definition, status: { ...definition.status, conditions: next } };
}

export function withoutCondition<T extends CustomResourceDefinition>(definition: T, type: ConditionType): T {
  const conditions = definition.status?.conditions ?? [];
  const next = conditions.filter((condition) => condition.type !== type);
  if (next.length === conditions.length) return definition;
  return { ...definition, status: { ...definition.status, conditions: next } };
}
