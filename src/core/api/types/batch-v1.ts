// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ObjectReference, PodTemplateSpec } from './core-v1.ts';
import type { LabelSelector, ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface CronJob {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CronJobSpec;
  readonly status?: CronJobStatus;
}

export interface CronJobList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CronJob[];
}

export interface CronJobSpec {
  readonly schedule: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: number;
  readonly concurrencyPolicy?: string;
  readonly suspend?: boolean;
  readonly jobTemplate: JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: number;
  readonly failedJobsHistoryLimit?: number;
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface Job {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
  readonly status?: JobStatus;
}

export interface JobCondition {
  readonly type: string;
  readonly status: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface JobList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Job[];
}

export interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly activeDeadlineSeconds?: number;
  readonly podFailurePolicy?: PodFailurePolicy;
  readonly successPolicy?: SuccessPolicy;
  readonly backoffLimit?: number;
  readonly backoffLimitPerIndex?: number;
  readonly maxFailedIndexes?: number;
  readonly selector?: LabelSelector;
  readonly manualSelector?: boolean;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number;
  readonly completionMode?: string;
  readonly suspend?: boolean;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: UncountedTerminatedPods;
  readonly ready?: number;
}

export interface JobTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec?: JobSpec;
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[];
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator: string;
  readonly values: readonly number[];
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly type: string;
  readonly status?: string;
}

export interface PodFailurePolicyRule {
  readonly action: string;
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[];
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[];
}

export interface SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}
