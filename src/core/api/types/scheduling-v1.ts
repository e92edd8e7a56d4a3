// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface PriorityClass {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}

export interface PriorityClassList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly PriorityClass[];
}
