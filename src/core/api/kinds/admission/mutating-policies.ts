/**
 * Policies that would change what is written. They are kept and judged, not run; of their mutations only the form and the
 * syntax are judged, for the types such expressions build are made up as they are written.
 */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import type { KindStrategy } from '../../kind-definition.ts';
import { createGenericStrategy } from '../../registry/generic-strategy.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
} from '../../types/admissionregistration-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../metadata.ts';
import { addAll, type Findings, listOf } from '../pod/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';
import { policyExpressions, syntaxProblem } from './expressions.ts';
import { oneOf, REINVOCATION_POLICIES, validateMutatingOperations } from './match-rules.ts';
import { conditionsChanged, POLICY_RULES, validateBindingHead, validatePolicyHead } from './policies.ts';
import { staticNameWarnings } from './static-names.ts';

const FORMS = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

function validatePolicy({ metadata, spec }: MutatingAdmissionPolicy, judgeConditions: boolean): Findings {
  const found = validateObjectMeta(metadata, POLICY_RULES, 'metadata');
  validatePolicyHead(found, spec, judgeConditions);
  validateMutatingOperations(found, spec.matchConstraints, 'spec.matchConstraints');
  const params = spec.paramKind !== undefined;
  policyExpressions(params, params, true).validateVariables(found, spec.variables, 'spec.variables');
  const mutations = listOf(spec.mutations);
  if (mutations.length === 0) found.push(required('spec.mutations', 'mutations must contain at least one item'));
  for (const [index, mutation] of mutations.entries()) {
    validateMutation(found, mutation, field.index('spec.mutations', index));
  }
  if (!spec.reinvocationPolicy) found.push(required('spec.reinvocationPolicy', ''));
  else oneOf(found, spec.reinvocationPolicy, REINVOCATION_POLICIES, 'spec.reinvocationPolicy');
  return found;
}

function validateMutation(found: Findings, mutation: Mutation, path: string): void {
  const { patchType } = mutation;
  if (patchType === '') {
    found.push(required(`${path}.patchType`, ''));
    return;
  }
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration') {
    found.push(notSupported(`${path}.patchType`, patchType, ['ApplyConfiguration', 'JSONPatch']));
    return;
  }
  const own = FORMS[patchType];
  const other = own === 'jsonPatch' ? 'applyConfiguration' : 'jsonPatch';
  const source = mutation[own];
  if (source === undefined) {
    found.push(required(field.child(path, own), `must be specified when patchType is ${patchType}`));
  } else validatePatch(found, source.expression ?? '', `${field.child(path, own)}.expression`);
  if (mutation[other] !== undefined) {
    const text = `must not be specified when patchType is ${patchType}`;
    found.push(invalid(field.child(path, other), `{${other}}`, text));
  }
}

function validatePatch(found: Findings, expression: string, path: string): void {
  const trimmed = expression.trim();
  const problem = trimmed === '' ? undefined : syntaxProblem(trimmed);
  if (trimmed === '') found.push(required(path, ''));
  else if (problem !== undefined) found.push(invalid(path, trimmed, `compilation failed: ${problem}`));
}

export const mutatingPolicyStrategy: KindStrategy<MutatingAdmissionPolicy> = {
  ...createGenericStrategy<MutatingAdmissionPolicy>({ namespaced: false, hasStatus: false }),
  defaults: simpleDefaults('admissionregistration.k8s.io/mutatingadmissionpolicies'),
  validate: (policy) => validatePolicy(policy, true),
  validateUpdate(policy, old) {
    const found = validatePolicy(policy, conditionsChanged(policy.spec, old.spec));
    addAll(found, validateObjectMetaUpdate(policy.metadata, old.metadata, 'metadata', POLICY_RULES));
    return found;
  },
  warnings: staticNameWarnings,
  allowUnconditionalUpdate: false,
};

function validateBinding({ metadata, spec }: MutatingAdmissionPolicyBinding): Findings {
  const found = validateObjectMeta(metadata, POLICY_RULES, 'metadata');
  validateBindingHead(found, spec);
  validateMutatingOperations(found, spec.matchResources, 'spec.matchResources');
  return found;
}

export const mutatingBindingStrategy: KindStrategy<MutatingAdmissionPolicyBinding> = {
  ...createGenericStrategy<MutatingAdmissionPolicyBinding>({ namespaced: false, hasStatus: false }),
  defaults: simpleDefaults('admissionregistration.k8s.io/mutatingadmissionpolicybindings'),
  validate: validateBinding,
  validateUpdate(binding, old) {
    const found = validateBinding(binding);
    addAll(found, validateObjectMetaUpdate(binding.metadata, old.metadata, 'metadata', POLICY_RULES));
    return found;
  },
  warnings: staticNameWarnings,
  allowUnconditionalUpdate: false,
};
