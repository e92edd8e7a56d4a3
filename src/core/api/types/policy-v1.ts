// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Condition, DeleteOptions, LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Eviction {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly deleteOptions?: DeleteOptions;
}

export interface PodDisruptionBudget {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: PodDisruptionBudgetSpec;
  readonly status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly PodDisruptionBudget[];
}

export interface PodDisruptionBudgetSpec {
  readonly minAvailable?: number | string;
  readonly selector?: LabelSelector;
  readonly maxUnavailable?: number | string;
  readonly unhealthyPodEvictionPolicy?: string;
}

export interface PodDisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: number;
  readonly currentHealthy?: number;
  readonly desiredHealthy?: number;
  readonly expectedPods?: number;
  readonly conditions?: readonly Condition[];
}
