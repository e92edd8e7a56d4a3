// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Affinity, ResourceRequirements, Toleration, TopologySpreadConstraint } from './core-v1.ts';
import type { Json } from '../../kube/json.ts';
import type { Condition, LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Order {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: OrderSpec;
  readonly status?: OrderStatus;
}

export interface OrderList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Order[];
}

export interface OrderSpec {
  readonly daemonSet?: boolean;
  readonly template?: TicketTemplate;
  readonly paused?: boolean;
  readonly replicas?: number;
  readonly strategy?: OrderStrategy;
  readonly refreshPolicy?: string;
  readonly minReadySeconds?: number;
  readonly selector?: LabelSelector;
}

export interface OrderStatus {
  readonly replicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminalReplicas?: number;
  readonly updatedReplicas?: number;
  readonly selector?: string;
  readonly lastScheduleTime?: string;
  readonly nextScheduleTime?: string;
  readonly observedGeneration?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface OrderStrategy {
  readonly type?: string;
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly refreshPolicy?: string;
}

export interface Quota {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: QuotaSpec;
  readonly status?: QuotaStatus;
}

export interface QuotaAllocation {
  readonly namespace: string;
  readonly limits?: { readonly [key: string]: string | number };
}

export interface QuotaList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Quota[];
}

export interface QuotaScope {
  readonly type?: string;
  readonly namespaceSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly objectSelector?: LabelSelector;
}

export interface QuotaSpec {
  readonly scope?: QuotaScope;
  readonly hard?: Json;
  readonly timeWindows?: readonly QuotaTimeWindow[];
  readonly allocation?: readonly QuotaAllocation[];
}

export interface QuotaStatus {
  readonly hard?: Json;
  readonly used?: Json;
  readonly activeTimeWindow?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export interface QuotaTimeWindow {
  readonly name: string;
  readonly schedule?: string;
  readonly multiplier?: string;
}

export interface Ticket {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: TicketSpec;
  readonly status?: TicketStatus;
}

export interface TicketClaim {
  readonly podNamespace?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly shade?: string;
  readonly deadline?: string;
}

export interface TicketLifecycle {
  readonly ttlSecondsAfterFinished?: number;
  readonly cleanupPolicy?: string;
}

export interface TicketList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Ticket[];
}

export interface TicketSpec {
  readonly duration?: string;
  readonly startTime?: string;
  readonly window?: TicketWindow;
  readonly lifecycle?: TicketLifecycle;
  readonly ttlSecondsAfterFinished?: number;
  readonly cleanupPolicy?: string;
  readonly schedulerName?: string;
  readonly priorityClassName?: string;
  readonly resources?: ResourceRequirements;
  readonly nodeName?: string;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
}

export interface TicketStatus {
  readonly phase?: string;
  readonly activationTime?: string;
  readonly expirationTime?: string;
  readonly claimedTime?: string;
  readonly renewedTime?: string;
  readonly finishedTime?: string;
  readonly claim?: TicketClaim;
  readonly utilizationRate?: string;
  readonly nodeName?: string;
  readonly guardianPod?: string;
  readonly claimedPod?: string;
  readonly podName?: string;
  readonly podNamespace?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export interface TicketTemplate {
  readonly metadata?: TicketTemplateMetadata;
  readonly spec?: TicketSpec;
}

export interface TicketTemplateMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly finalizers?: readonly string[];
}

export interface TicketWindow {
  readonly startTime?: string;
  readonly timeZone?: string;
  readonly duration?: string;
}
