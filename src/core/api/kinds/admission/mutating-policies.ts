/** Policies that change what is written. The objects their expressions build are of types that are made up as they are written. */
import { field, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { JSON_PATCH_TYPE, OBJECT_TYPE } from '../../cel/patch-types.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy } from '../../kind/generic-strategy.ts';
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  Mutation,
} from '../../types/admissionregistration-v1.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, type Findings, listOf } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';
import { type PolicyExpressions, policyExpressions } from './expressions.ts';
import { oneOf, REINVOCATION_POLICIES, validateMutatingOperations } from './match-rules.ts';
import { conditionsChanged, POLICY_RULES, validateBindingHead, validatePolicyHead } from './policies.ts';
import { staticNameWarnings } from './static-names.ts';

const FORMS = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

function validatePolicy({ metadata, spec }: MutatingAdmissionPolicy, judgeConditions: boolean): Findings {
  const found = validateObjectMeta(metadata, POLICY_RULES, 'metadata');
  validatePolicyHead(found, spec, judgeConditions);
  validateMutatingOperations(found, spec.matchConstraints, 'spec.matchConstraints');
  const params = spec.paramKind !== undefined;
  const expressions = policyExpressions(params, params, true);
  expressions.validateVariables(found, spec.variables, 'spec.variables');
  const mutations = listOf(spec.mutations);
  if (mutations.length === 0) found.push(required('spec.mutations', 'mutations must contain at least one item'));
  for (const [index, mutation] of mutations.entries()) {
    validateMutation(found, mutation, expressions, field.index('spec.mutations', index));
  }
  if (!spec.reinvocationPolicy) found.push(required('spec.reinvocationPolicy', ''));
  else oneOf(found, spec.reinvocationPolicy, REINVOCATION_POLICIES, 'spec.reinvocationPolicy');
  return found;
}

function validateMutation(found: Findings, mutation: Mutation, expressions: PolicyExpressions, path: string): void {
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
  } else {
    const expression = (source.expression ?? '').trim();
    const at = `${field.child(path, own)}.expression`;
    if (expression === '') found.push(required(at, ''));
    else expressions.validateMutation(found, expression, own === 'jsonPatch' ? JSON_PATCH_TYPE : OBJECT_TYPE, at);
  }
  if (mutation[other] !== undefined) {
    const text = `must not be specified when patchType is ${patchType}`;
    found.push(invalid(field.child(path, other), `{${other}}`, text));
  }
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
