import { type FieldError, field, invalid, notSupported } from '../../kube/field-errors.ts';
import { nameIsPathSegment } from '../../kube/names.ts';
import { percentProblems } from '../../kube/value-formats.ts';
import type { KindStrategy } from '../kind/kind-definition.ts';
import { createGenericStrategy, withFieldOf } from '../kind/generic-strategy.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../types/policy-v1.ts';
import { append } from '../rules/append.ts';
import { validateConditions } from '../rules/conditions.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../rules/metadata.ts';

const RULES = { namespaced: true, name: nameIsPathSegment, anyFinalizer: true };
const EVICTION_POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];
const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** A count of pods, or a share of them between 0% and 100%. */
function validatePodCount(value: string | number, path: string): readonly FieldError[] {
  if (typeof value === 'number') {
    return value < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
  }
  const problems = percentProblems(value);
  if (problems.length > 0) return problems.map((text) => invalid(path, value, text));
  return Number(value.slice(0, -1)) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}

/** The spec as Kubernetes prints it in its internal form. */
const printable = (spec: PodDisruptionBudgetSpec): object => ({
  MinAvailable: spec.minAvailable ?? null,
  Selector: spec.selector ?? null,
  MaxUnavailable: spec.maxUnavailable ?? null,
  UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
});

function validateSpec(spec: PodDisruptionBudgetSpec, allowInvalidValues: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(invalid('spec', printable(spec), 'minAvailable and maxUnavailable cannot be both set'));
  }
  if (minAvailable !== undefined) append(errors, validatePodCount(minAvailable, 'spec.minAvailable'));
  if (maxUnavailable !== undefined) append(errors, validatePodCount(maxUnavailable, 'spec.maxUnavailable'));
  append(errors, validateLabelSelector(spec.selector, 'spec.selector', { allowInvalidValues }));
  if (policy !== undefined && !EVICTION_POLICIES.includes(policy)) {
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, EVICTION_POLICIES));
  }
  return errors;
}

function validateStatus(budget: PodDisruptionBudget): readonly FieldError[] {
  const errors: FieldError[] = [];
  append(errors, validateConditions(budget.status?.conditions, 'status.conditions'));
  for (const name of COUNTS) {
    const value = budget.status?.[name] ?? 0;
    if (value < 0) errors.push(invalid(field.child('status', name), value, 'must be greater than or equal to 0'));
  }
  return errors;
}

export const disruptionBudgetStrategy: KindStrategy<PodDisruptionBudget> = {
  ...createGenericStrategy<PodDisruptionBudget>({ namespaced: true, hasStatus: true, hasGeneration: true }),
  prepareForCreate: (budget) => ({
    ...budget,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  prepareForUpdate: (budget, old, subresource) =>
    withFieldOf(budget, old, subresource === 'status' ? 'spec' : 'status'),
  validate(budget) {
    const errors = validateSpec(budget.spec ?? {}, false);
    // Metadata is validated last, and only by the loosest rule for names.
    return errors.length > 0 ? errors : validateObjectMeta(budget.metadata, RULES, 'metadata');
  },
  validateUpdate(budget, old, subresource) {
    const errors = validateObjectMetaUpdate(budget.metadata, old.metadata, 'metadata', RULES);
    if (subresource === 'status') append(errors, validateStatus(budget));
    else append(errors, validateSpec(budget.spec ?? {}, validateLabelSelector(old.spec?.selector, '').length > 0));
    return errors;
  },
  allowUnconditionalUpdate: false,
};
