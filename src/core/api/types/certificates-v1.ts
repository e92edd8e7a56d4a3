// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface CertificateSigningRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
}

export interface CertificateSigningRequestCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CertificateSigningRequestList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly CertificateSigningRequest[];
}

export interface CertificateSigningRequestSpec {
  readonly request: string;
  readonly signerName: string;
  readonly expirationSeconds?: number;
  readonly usages?: readonly string[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  readonly certificate?: string;
}
