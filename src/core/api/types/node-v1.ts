// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { Toleration } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Overhead {
  readonly podFixed?: { readonly [key: string]: string | number };
}

export interface RuntimeClass {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly handler: string;
  readonly overhead?: Overhead;
  readonly scheduling?: Scheduling;
}

export interface RuntimeClassList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly RuntimeClass[];
}

export interface Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly Toleration[];
}
