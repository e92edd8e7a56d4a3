// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelector[];
}

export interface ClusterRole {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: AggregationRule;
}

export interface ClusterRoleBinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

export interface ClusterRoleBindingList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly ClusterRoleBinding[];
}

export interface ClusterRoleList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly ClusterRole[];
}

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface Role {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly rules?: readonly PolicyRule[];
}

export interface RoleBinding {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly subjects?: readonly Subject[];
  readonly roleRef: RoleRef;
}

export interface RoleBindingList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly RoleBinding[];
}

export interface RoleList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Role[];
}

export interface RoleRef {
  readonly apiGroup?: string;
  readonly kind: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}
