import { type FieldError, forbidden, invalid, notSupported, required } from '../../kube/field-errors.ts';
import { nameIsDnsSubdomain } from '../../kube/names.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy } from '../kind/generic-strategy.ts';
import type { PriorityClass } from '../types/scheduling-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';

const RULES = { namespaced: false, name: nameIsDnsSubdomain };
const SYSTEM_PREFIX = 'system-';
const HIGHEST_USER_PRIORITY = 1_000_000_000;
/** The two classes every cluster has from the start. */
const SYSTEM_PRIORITY_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];

function systemClassProblem({ metadata: { name }, value = 0, globalDefault }: PriorityClass): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validateValue(priorityClass: PriorityClass): readonly FieldError[] {
  if (priorityClass.metadata.name?.startsWith(SYSTEM_PREFIX)) {
    const problem = systemClassProblem(priorityClass);
    if (problem === undefined) return [];
    const why = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${problem}`;
    return [forbidden('metadata.name', why)];
  }
  return (priorityClass.value ?? 0) > HIGHEST_USER_PRIORITY
    ? [forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`)]
    : [];
}

function validatePreemptionPolicy(policy: string, path: string): readonly FieldError[] {
  if (PREEMPTION_POLICIES.includes(policy)) return [];
  return policy === '' ? [required(path, '')] : [notSupported(path, policy, PREEMPTION_POLICIES)];
}

export const priorityClassStrategy: KindStrategy<PriorityClass> = {
  ...createGenericStrategy<PriorityClass>({ namespaced: false, hasStatus: false, hasGeneration: true }),
  defaults: (priorityClass) =>
    priorityClass.preemptionPolicy === undefined
      ? { ...priorityClass, preemptionPolicy: 'PreemptLowerPriority' }
      : priorityClass,
  // Value and preemption policy are immutable, so a priority class stays at its first generation.
  generationChanged: () => false,
  validate: (priorityClass) => [
    ...validateObjectMeta(priorityClass.metadata, RULES, 'metadata'),
    ...validateValue(priorityClass),
    ...(priorityClass.preemptionPolicy === undefined
      ? []
      : validatePreemptionPolicy(priorityClass.preemptionPolicy, 'preemptionPolicy')),
  ],
  validateUpdate(priorityClass, old) {
    const errors = validateObjectMetaUpdate(priorityClass.metadata, old.metadata, 'metadata');
    if ((priorityClass.value ?? 0) !== (old.value ?? 0)) {
      errors.push(forbidden('value', 'may not be changed in an update.'));
    }
    if (priorityClass.preemptionPolicy !== old.preemptionPolicy) {
      errors.push(invalid('preemptionPolicy', priorityClass.preemptionPolicy ?? null, 'field is immutable'));
    }
    return errors;
  },
};
