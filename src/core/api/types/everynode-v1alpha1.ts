// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Json } from '../../kube/json.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface DaemonHome {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Json;
  readonly status?: Json;
}

export interface DaemonHomeList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly DaemonHome[];
}

export interface NodeUsage {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Json;
  readonly status?: Json;
}

export interface NodeUsageList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly NodeUsage[];
}

export interface Partition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Json;
  readonly status?: Json;
}

export interface PartitionList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Partition[];
}

export interface Tenant {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec?: Json;
  readonly status?: Json;
}

export interface TenantList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Tenant[];
}
