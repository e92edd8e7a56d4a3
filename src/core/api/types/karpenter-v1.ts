// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Taint } from './core-v1.ts';
import type { Condition, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Budget {
  readonly nodes?: string;
  readonly reasons?: readonly string[];
  readonly schedule?: string;
  readonly duration?: string;
}

export interface Disruption {
  readonly consolidateAfter?: string;
  readonly consolidationPolicy?: string;
  readonly budgets?: readonly Budget[];
}

export interface NodeClaim {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: NodeClaimSpec;
  readonly status?: NodeClaimStatus;
}

export interface NodeClaimList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly NodeClaim[];
}

export interface NodeClaimSpec {
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly requirements?: readonly NodeSelectorRequirementWithMinValues[];
  readonly resources?: ResourceRequirements;
  readonly nodeClassRef?: NodeClassReference;
  readonly terminationGracePeriod?: string;
  readonly expireAfter?: string;
}

export interface NodeClaimStatus {
  readonly nodeName?: string;
  readonly providerID?: string;
  readonly imageID?: string;
  readonly capacity?: { readonly [key: string]: string | number };
  readonly allocatable?: { readonly [key: string]: string | number };
  readonly conditions?: readonly Condition[];
  readonly lastPodEventTime?: string;
}

export interface NodeClaimTemplate {
  readonly metadata?: TemplateMetadata;
  readonly spec?: NodeClaimSpec;
}

export interface NodeClassReference {
  readonly group?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface NodePool {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: NodePoolSpec;
  readonly status?: NodePoolStatus;
}

export interface NodePoolList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly NodePool[];
}

export interface NodePoolSpec {
  readonly template?: NodeClaimTemplate;
  readonly disruption?: Disruption;
  readonly limits?: { readonly [key: string]: string | number };
  readonly weight?: number;
  readonly replicas?: number;
}

export interface NodePoolStatus {
  readonly resources?: { readonly [key: string]: string | number };
  readonly nodes?: number;
  readonly nodeClassObservedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export interface NodeSelectorRequirementWithMinValues {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

export interface ResourceRequirements {
  readonly requests?: { readonly [key: string]: string | number };
}

export interface TemplateMetadata {
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
}
