// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Json } from '../../kube/json.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface KubernetesDaemonSet {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: KubernetesDaemonSetSpec;
  readonly status?: Json;
}

export interface KubernetesDaemonSetList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly KubernetesDaemonSet[];
}

export interface KubernetesDaemonSetSpec {
  readonly targetCluster?: Json;
  readonly namespace?: Json;
  readonly createNamespace?: boolean;
  readonly container?: Json;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: Json;
  readonly updateStrategy?: Json;
  readonly minReadySeconds?: number;
  readonly createServiceAccount?: boolean;
  readonly serviceAccountName?: string;
  readonly configMaps?: { readonly [key: string]: string };
  readonly rbac?: Json;
  readonly pod?: Json;
  readonly revisionHistoryLimit?: number;
}
