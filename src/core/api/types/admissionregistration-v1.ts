// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface ApplyConfiguration {
  readonly expression?: string;
}

export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

export interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

export interface JSONPatch {
  readonly expression?: string;
}

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface MatchResources {
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly resourceRules?: readonly NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly NamedRuleWithOperations[];
  readonly matchPolicy?: string;
}

export interface MutatingAdmissionPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicySpec;
}

export interface MutatingAdmissionPolicyBinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: MutatingAdmissionPolicyBindingSpec;
}

export interface MutatingAdmissionPolicyBindingList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly MutatingAdmissionPolicyBinding[];
}

export interface MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

export interface MutatingAdmissionPolicyList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly MutatingAdmissionPolicy[];
}

export interface MutatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly variables?: readonly Variable[];
  readonly mutations?: readonly Mutation[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly reinvocationPolicy?: string;
}

export interface MutatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
}

export interface MutatingWebhookConfiguration {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly MutatingWebhook[];
}

export interface MutatingWebhookConfigurationList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly MutatingWebhookConfiguration[];
}

export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: ApplyConfiguration;
  readonly jsonPatch?: JSONPatch;
}

export interface NamedRuleWithOperations extends RuleWithOperations {
  readonly resourceNames?: readonly string[];
}

export interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface RuleWithOperations extends Rule {
  readonly operations?: readonly string[];
}

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly path?: string;
  readonly port?: number;
}

export interface TypeChecking {
  readonly expressionWarnings?: readonly ExpressionWarning[];
}

export interface ValidatingAdmissionPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicySpec;
  readonly status?: ValidatingAdmissionPolicyStatus;
}

export interface ValidatingAdmissionPolicyBinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ValidatingAdmissionPolicyBindingSpec;
}

export interface ValidatingAdmissionPolicyBindingList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly ValidatingAdmissionPolicyBinding[];
}

export interface ValidatingAdmissionPolicyBindingSpec {
  readonly policyName: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
  readonly validationActions: readonly string[];
}

export interface ValidatingAdmissionPolicyList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly ValidatingAdmissionPolicy[];
}

export interface ValidatingAdmissionPolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly validations?: readonly Validation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly AuditAnnotation[];
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

export interface ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: number;
  readonly typeChecking?: TypeChecking;
  readonly conditions?: readonly Condition[];
}

export interface ValidatingWebhook {
  readonly name: string;
  readonly clientConfig: WebhookClientConfig;
  readonly rules?: readonly RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly sideEffects: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions: readonly string[];
  readonly matchConditions?: readonly MatchCondition[];
}

export interface ValidatingWebhookConfiguration {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly webhooks?: readonly ValidatingWebhook[];
}

export interface ValidatingWebhookConfigurationList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly ValidatingWebhookConfiguration[];
}

export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface Variable {
  readonly name: string;
  readonly expression: string;
}

export interface WebhookClientConfig {
  readonly url?: string;
  readonly service?: ServiceReference;
  readonly caBundle?: string;
}
