// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

export interface FlowDistinguisherMethod {
  readonly type: string;
}

export interface FlowSchema {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: FlowSchemaSpec;
  readonly status?: FlowSchemaStatus;
}

export interface FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowSchemaList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly FlowSchema[];
}

export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: number;
  readonly distinguisherMethod?: FlowDistinguisherMethod;
  readonly rules?: readonly PolicyRulesWithSubjects[];
}

export interface FlowSchemaStatus {
  readonly conditions?: readonly FlowSchemaCondition[];
}

export interface GroupSubject {
  readonly name: string;
}

export interface LimitResponse {
  readonly type: string;
  readonly queuing?: QueuingConfiguration;
}

export interface LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: number;
  readonly limitResponse?: LimitResponse;
  readonly lendablePercent?: number;
  readonly borrowingLimitPercent?: number;
}

export interface NonResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export interface PolicyRulesWithSubjects {
  readonly subjects: readonly Subject[];
  readonly resourceRules?: readonly ResourcePolicyRule[];
  readonly nonResourceRules?: readonly NonResourcePolicyRule[];
}

export interface PriorityLevelConfiguration {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PriorityLevelConfigurationSpec;
  readonly status?: PriorityLevelConfigurationStatus;
}

export interface PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface PriorityLevelConfigurationList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly PriorityLevelConfiguration[];
}

export interface PriorityLevelConfigurationReference {
  readonly name: string;
}

export interface PriorityLevelConfigurationSpec {
  readonly type: string;
  readonly limited?: LimitedPriorityLevelConfiguration;
  readonly exempt?: ExemptPriorityLevelConfiguration;
}

export interface PriorityLevelConfigurationStatus {
  readonly conditions?: readonly PriorityLevelConfigurationCondition[];
}

export interface QueuingConfiguration {
  readonly queues?: number;
  readonly handSize?: number;
  readonly queueLengthLimit?: number;
}

export interface ResourcePolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly clusterScope?: boolean;
  readonly namespaces?: readonly string[];
}

export interface ServiceAccountSubject {
  readonly namespace: string;
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  readonly user?: UserSubject;
  readonly group?: GroupSubject;
  readonly serviceAccount?: ServiceAccountSubject;
}

export interface UserSubject {
  readonly name: string;
}
