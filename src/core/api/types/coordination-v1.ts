// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Lease {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: LeaseSpec;
}

export interface LeaseList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Lease[];
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}
