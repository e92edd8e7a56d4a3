/** One reconcile of one StatefulSet as a record. */
import { STATEFUL_SETS } from '../../../../core/api/registry/resources.ts';
import type { ControllerRevision, StatefulSet } from '../../../../core/api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../../core/kube/objects.ts';
import type { Lister } from '../../../../machinery/cache/object-store.ts';
import type { ChildIndex } from '../../../../machinery/children/child-index.ts';
import type { ChildWriter } from '../../../../machinery/children/child-writer.ts';
import type { Overlay } from '../../../../machinery/children/overlay.ts';
import type { PodOwner } from '../../../../machinery/children/owners.ts';
import { withType } from '../../../../machinery/children/with-type.ts';
import type { Client } from '../../../../machinery/client/client.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import type { Tell } from '../common/tell.ts';
import type { RevisionOwner, Revisions } from './revisions.ts';

export interface SetOwner extends PodOwner<StatefulSet>, RevisionOwner {
  readonly claims: Overlay<PersistentVolumeClaim>;
}

export interface SetSyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tell: Tell;
  readonly writer: ChildWriter<StatefulSet, Pod>;
  readonly pods: ChildIndex<Pod>;
  readonly claims: Lister<PersistentVolumeClaim>;
  readonly revisions: ChildIndex<ControllerRevision>;
}

export type SetPod = Stored<Pod>;

/** One reconcile of one StatefulSet. */
export interface SetRun extends SetSyncOptions {
  readonly owner: SetOwner;
  /** The revisions, fixed when the reconcile begins. */
  readonly known: Revisions;
  /** `OrderedReady`: one pod after the other, each available before the next. */
  readonly isOrdered: boolean;
  readonly signal: AbortSignal;
  /** When to look again at a claim that is about to be deleted with a former pod. */
  retryMs: number | undefined;
}

/** The StatefulSet with kind and apiVersion. */
export const named = (owner: SetOwner): Stored<StatefulSet> =>
  withType(STATEFUL_SETS, owner.object) as Stored<StatefulSet>;
