// Written by tools/generate/types.ts from the facts beside it; edit those.
import type { EventSource, ObjectReference } from './core-v1.ts';
import type { ListMeta, ObjectMeta } from '../../kube/meta-v1.ts';

export interface Event {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly eventTime: string;
  readonly series?: EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  readonly note?: string;
  readonly type?: string;
  readonly deprecatedSource?: EventSource;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedCount?: number;
}

export interface EventList {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ListMeta;
  readonly items: readonly Event[];
}

export interface EventSeries {
  readonly count: number;
  readonly lastObservedTime: string;
}
