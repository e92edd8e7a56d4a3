// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ObjectMeta } from '../../kube/meta-v1.ts';

export interface BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface SelfSubjectReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  readonly userInfo?: UserInfo;
}

export interface TokenRequest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: TokenRequestSpec;
  readonly status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  readonly boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  readonly token?: string;
  readonly expirationTimestamp?: string;
}

export interface TokenReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: TokenReviewSpec;
  readonly status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  readonly token: string;
  readonly audiences?: readonly string[];
}

export interface TokenReviewStatus {
  readonly authenticated?: boolean;
  readonly user?: UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}
