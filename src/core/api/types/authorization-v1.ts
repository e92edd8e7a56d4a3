// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { FieldSelectorRequirement, LabelSelectorRequirement, ObjectMeta } from '../../kube/meta-v1.ts';

export interface FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly FieldSelectorRequirement[];
}

export interface LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly LabelSelectorRequirement[];
}

export interface LocalSubjectAccessReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface SelfSubjectAccessReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
}

export interface SelfSubjectRulesReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SelfSubjectRulesReviewSpec;
  readonly status?: SubjectRulesReviewStatus;
}

export interface SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

export interface SubjectAccessReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: SubjectAccessReviewSpec;
  readonly status?: SubjectAccessReviewStatus;
}

export interface SubjectAccessReviewSpec {
  readonly resourceAttributes?: ResourceAttributes;
  readonly nonResourceAttributes?: NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly uid?: string;
}

export interface SubjectAccessReviewStatus {
  readonly allowed: boolean;
  readonly denied?: boolean;
  readonly reason?: string;
  readonly evaluationError?: string;
}

export interface SubjectRulesReviewStatus {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  readonly incomplete: boolean;
  readonly evaluationError?: string;
}
