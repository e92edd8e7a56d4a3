/** Rules of the cluster's owner, written as expressions, and the bindings that put them into force. */
import { duplicate, field, forbidden, invalid, notSupported, required } from '../../../kube/field-errors.ts';
import { utf8Length } from '../../../kube/go-text.ts';
import { deepEqual } from '../../../kube/immutable.ts';
import {
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  nameIsDnsSubdomain,
  pathSegmentNameProblems,
  qualifiedNameProblems,
} from '../../../kube/names.ts';
import type { KindStrategy } from '../../kind/kind-definition.ts';
import { createGenericStrategy, statusUpdate, withFieldOf, withOldMeta } from '../../kind/generic-strategy.ts';
import type {
  AuditAnnotation,
  ParamKind,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyStatus,
  Validation,
} from '../../types/admissionregistration-v1.ts';
import { validateConditions } from '../../rules/conditions.ts';
import { validateLabelSelector, validateObjectMeta, validateObjectMetaUpdate } from '../../rules/metadata.ts';
import { addAll, addTexts, type Findings, listOf } from '../../rules/findings.ts';
import { simpleDefaults } from '../simple-defaults.ts';
import { type PolicyExpressions, policyExpressions, validateMatchConditions } from './expressions.ts';
import { FAILURE_POLICIES, oneOf, validateMatchResources } from './match-rules.ts';
import { staticNameWarnings } from './static-names.ts';

export const POLICY_RULES = { namespaced: false, name: nameIsDnsSubdomain, anyFinalizer: true };
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MAX_AUDIT_ANNOTATIONS = 20;
const MAX_VALUE_EXPRESSION = 5 * 1024;

/** The fields that validating and mutating policies share. */
export function validatePolicyHead(
  found: Findings,
  spec: Pick<ValidatingAdmissionPolicySpec, 'failurePolicy' | 'paramKind' | 'matchConstraints' | 'matchConditions'>,
  judgeConditions: boolean,
): void {
  const { failurePolicy, paramKind, matchConstraints } = spec;
  if (failurePolicy === undefined) found.push(required('spec.failurePolicy', ''));
  else oneOf(found, failurePolicy, FAILURE_POLICIES, 'spec.failurePolicy');
  if (paramKind !== undefined) validateParamKind(found, paramKind);
  if (matchConstraints === undefined) found.push(required('spec.matchConstraints', ''));
  else {
    validateMatchResources(found, matchConstraints, 'spec.matchConstraints');
    if (listOf(matchConstraints.resourceRules).length === 0) {
      found.push(required('spec.matchConstraints.resourceRules', ''));
    }
  }
  if (!judgeConditions) return;
  validateMatchConditions(found, spec.matchConditions, paramKind !== undefined, 'spec.matchConditions');
}

function validateParamKind(found: Findings, { apiVersion = '', kind = '' }: ParamKind): void {
  const path = 'spec.paramKind.apiVersion';
  const slash = apiVersion.indexOf('/');
  if (apiVersion === '') found.push(required(path, ''));
  else if (slash !== apiVersion.lastIndexOf('/')) {
    found.push(invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const group = apiVersion.slice(0, Math.max(slash, 0));
    const version = apiVersion.slice(slash + 1);
    const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group);
    if (groupProblems.length > 0) found.push(invalid(path, group, groupProblems.join(',')));
    const problems = dns1035LabelProblems(version);
    if (version === '') found.push(invalid(path, apiVersion, 'version must be specified'));
    else if (problems.length > 0) found.push(invalid(path, version, problems.join(',')));
  }
  const problems = dns1035LabelProblems(kind.toLowerCase());
  if (kind === '') found.push(required('spec.paramKind.kind', ''));
  else if (problems.length > 0) {
    const text = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
    found.push(invalid('spec.paramKind.kind', kind, text));
  }
}

function validatePolicy({ metadata, spec }: ValidatingAdmissionPolicy, judgeConditions: boolean): Findings {
  const found = validateObjectMeta(metadata, POLICY_RULES, 'metadata');
  validatePolicyHead(found, spec, judgeConditions);
  const params = spec.paramKind !== undefined;
  const expressions = policyExpressions(params, params, listOf(spec.variables).length > 0);
  expressions.validateVariables(found, spec.variables, 'spec.variables');
  const validations = listOf(spec.validations);
  const annotations = listOf(spec.auditAnnotations);
  if (validations.length === 0 && annotations.length === 0) {
    const text = 'validations or auditAnnotations must contain at least one item';
    found.push(required('spec.validations', text), required('spec.auditAnnotations', text));
    return found;
  }
  for (const [index, validation] of validations.entries()) {
    validateValidation(found, validation, expressions, field.index('spec.validations', index));
  }
  validateAuditAnnotations(found, annotations, metadata.name ?? '', expressions);
  return found;
}

function validateValidation(
  found: Findings,
  { expression = '', message = '', messageExpression = '', reason }: Partial<Validation>,
  expressions: PolicyExpressions,
  path: string,
): void {
  if (expression.trim() === '') found.push(required(`${path}.expression`, 'expression is not specified'));
  else expressions.validateRule(found, expression, `${path}.expression`);
  const text = 'must be non-empty if specified';
  if (messageExpression !== '') {
    if (messageExpression.trim() === '') found.push(invalid(`${path}.messageExpression`, messageExpression, text));
    else expressions.validateMessage(found, messageExpression, `${path}.messageExpression`);
  }
  if (message !== '' && message.trim() === '') found.push(invalid(`${path}.message`, message, text));
  else if (/[\n\r]/.test(message.trim())) {
    found.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  }
  oneOf(found, reason, REASONS, `${path}.reason`);
}

function validateAuditAnnotations(
  found: Findings,
  annotations: readonly AuditAnnotation[],
  policy: string,
  expressions: PolicyExpressions,
): void {
  const path = 'spec.auditAnnotations';
  if (annotations.length > MAX_AUDIT_ANNOTATIONS) {
    const shown = annotations.map(({ key, valueExpression }) => ({ Key: key, ValueExpression: valueExpression }));
    found.push(invalid(path, shown, `must not have more than ${MAX_AUDIT_ANNOTATIONS} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [index, { key = '', valueExpression = '' }] of annotations.entries()) {
    const at = field.index(path, index);
    const whole = `${policy}/${key}`;
    if (policy === '') found.push(invalid(`${at}.key`, key, 'requires metadata.name be non-empty'));
    else addTexts(found, `${at}.key`, whole, qualifiedNameProblems(whole));
    const valuePath = `${at}.valueExpression`;
    const trimmed = valueExpression.trim();
    if (trimmed === '') found.push(required(valuePath, 'valueExpression is not specified'));
    else if (utf8Length(trimmed) > MAX_VALUE_EXPRESSION) {
      found.push(required(valuePath, `must not exceed ${MAX_VALUE_EXPRESSION} bytes in length`));
    } else expressions.validateAuditValue(found, valueExpression, valuePath);
    if (keys.has(key)) found.push(duplicate(`${at}.key`, key));
    keys.add(key);
  }
}

function validatePolicyStatus(status: ValidatingAdmissionPolicyStatus): Findings {
  const found: Findings = [];
  for (const [index, { fieldRef = '', warning = '' }] of listOf(status.typeChecking?.expressionWarnings).entries()) {
    const at = field.index('status.typeChecking.expressionWarnings', index);
    if (warning === '') found.push(required(`${at}.warning`, ''));
    if (fieldRef.trim() === '') found.push(required(`${at}.fieldRef`, ''));
  }
  addAll(found, validateConditions(status.conditions, 'status.conditions'));
  return found;
}

/** True if the match conditions, or the parameters they may refer to, changed; only then are they compiled again. */
export const conditionsChanged = <T extends Pick<ValidatingAdmissionPolicySpec, 'paramKind' | 'matchConditions'>>(
  spec: T,
  old: T,
): boolean => !deepEqual(spec.paramKind, old.paramKind) || !deepEqual(spec.matchConditions, old.matchConditions);

export const validatingPolicyStrategy: KindStrategy<ValidatingAdmissionPolicy> = {
  ...createGenericStrategy<ValidatingAdmissionPolicy>({ namespaced: false, hasStatus: true, emptyStatus: () => ({}) }),
  defaults: simpleDefaults('admissionregistration.k8s.io/validatingadmissionpolicies'),
  appliedStatusCreates: true,
  prepareForUpdate: (policy, old, subresource) =>
    subresource === 'status' ? statusUpdate(withOldMeta(policy, old), old) : withFieldOf(policy, old, 'status'),
  validate: (policy) => validatePolicy(policy, true),
  validateUpdate(policy, old, subresource) {
    const found =
      subresource === 'status'
        ? validatePolicyStatus(policy.status ?? {})
        : validatePolicy(policy, conditionsChanged(policy.spec, old.spec));
    addAll(found, validateObjectMetaUpdate(policy.metadata, old.metadata, 'metadata', POLICY_RULES));
    return found;
  },
  warnings: staticNameWarnings,
  allowUnconditionalUpdate: false,
};

type BindingHead = Partial<Omit<ValidatingAdmissionPolicyBindingSpec, 'validationActions'>>;

/** The fields that bindings of validating and mutating policies share. */
export function validateBindingHead(found: Findings, spec: BindingHead): void {
  const { policyName = '', paramRef, matchResources } = spec;
  if (policyName === '') found.push(required('spec.policyName', ''));
  else addTexts(found, 'spec.policyName', policyName, nameIsDnsSubdomain(policyName, false));
  if (paramRef !== undefined) validateParamRef(found, paramRef, 'spec.paramRef');
  if (matchResources !== undefined) validateMatchResources(found, matchResources, 'spec.matchResources');
}

function validateParamRef(found: Findings, reference: ParamRef, path: string): void {
  const { name = '', selector, parameterNotFoundAction: action = '' } = reference;
  const both = 'name and selector are mutually exclusive';
  if (name !== '') {
    addTexts(found, `${path}.name`, name, pathSegmentNameProblems(name));
    if (selector !== undefined) found.push(forbidden(`${path}.name`, both));
  }
  if (selector !== undefined) {
    addAll(found, validateLabelSelector(selector, `${path}.selector`));
    if (name !== '') found.push(forbidden(`${path}.selector`, both));
  }
  if (name === '' && selector === undefined) {
    found.push(required(path, 'one of name or selector must be specified'));
  }
  if (action === '') found.push(required(`${path}.parameterNotFoundAction`, ''));
  else oneOf(found, action, ['Deny', 'Allow'], `${path}.parameterNotFoundAction`);
}

function validateActions(found: Findings, actions: readonly string[], path: string): void {
  const seen = new Set<string>();
  for (const [index, action] of actions.entries()) {
    const at = field.index(path, index);
    if (!ACTIONS.includes(action)) found.push(notSupported(at, action, ACTIONS));
    if (seen.has(action)) found.push(duplicate(at, action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const text =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    found.push(invalid(path, actions, text));
  }
  if (seen.size === 0) found.push(required(path, 'at least one validation action is required'));
}

function validateBinding({ metadata, spec }: ValidatingAdmissionPolicyBinding): Findings {
  const found = validateObjectMeta(metadata, POLICY_RULES, 'metadata');
  validateBindingHead(found, spec);
  validateActions(found, listOf(spec.validationActions), 'spec.validationActions');
  return found;
}

export const validatingBindingStrategy: KindStrategy<ValidatingAdmissionPolicyBinding> = {
  ...createGenericStrategy<ValidatingAdmissionPolicyBinding>({ namespaced: false, hasStatus: false }),
  defaults: simpleDefaults('admissionregistration.k8s.io/validatingadmissionpolicybindings'),
  validate: validateBinding,
  validateUpdate(binding, old) {
    const found = validateBinding(binding);
    addAll(found, validateObjectMetaUpdate(binding.metadata, old.metadata, 'metadata', POLICY_RULES));
    return found;
  },
  warnings: staticNameWarnings,
  allowUnconditionalUpdate: false,
};
