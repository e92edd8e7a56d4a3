// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface CrossVersionObjectReference {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion?: string;
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: HorizontalPodAutoscalerSpec;
  readonly status?: HorizontalPodAutoscalerStatus;
}

export interface HorizontalPodAutoscalerList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly HorizontalPodAutoscaler[];
}

export interface HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef: CrossVersionObjectReference;
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly targetCPUUtilizationPercentage?: number;
}

export interface HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly currentCPUUtilizationPercentage?: number;
}

export interface Scale {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ScaleSpec;
  readonly status?: ScaleStatus;
}

export interface ScaleSpec {
  readonly replicas?: number;
}

export interface ScaleStatus {
  readonly replicas: number;
  readonly selector?: string;
}
