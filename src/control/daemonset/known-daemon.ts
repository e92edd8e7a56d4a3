/**
 * The record of one DaemonSet in the controller, beside the engine's counts. All of it can be lost and found again. The
 * parts are records, each changed by the one file that is named with it.
 */
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import type { NodeIdentity } from '../../core/daemons/daemon-pod.ts';
import type { RolloutOrder } from '../../core/daemons/rollout-order.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import type { Doubts } from '../../machinery/children/child-writer.ts';
import type { ChildSink, Overlay } from '../../machinery/children/overlay.ts';
import type { Revision } from '../../machinery/children/revisions.ts';
import type { Selects } from '../../machinery/children/selectors.ts';
import type { Turn } from '../../machinery/children/turn.ts';
import type { ToldAnnotations } from './annotation-events.ts';
import type { SetDefinition } from './definition.ts';

/** Makes the pod of one revision for a node. @param predecessor UID of the pod that was there; part of the new one's name. */
export type DaemonPodMaker = (identity: NodeIdentity, predecessor: string, node: Node) => Pod;

export interface KnownDaemon {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The newest state seen, by watch or as the answer to a write. */
  object: Stored<DaemonSet>;
  /** The selector, which is immutable. */
  readonly selects: Selects;
  /** The definition that the engine has. Changed by `DaemonRegistry.define`. */
  definition: SetDefinition;
  /**
   * The maker of pods of the current revision; undefined until that is known. Replaced whenever pods come out
   * differently.
   */
  maker: DaemonPodMaker | undefined;
  /** Where answers to writes of pods go: into the registry. */
  readonly children: ChildSink<Pod>;
  /** Pods whose last write had no clear outcome. Changed by the child writer. */
  readonly doubts: Doubts<Pod>;
  /** Answers about pods that the cache has not caught up with. Changed by the registry. */
  readonly answers: Overlay<Pod>;
  readonly claims: ClaimRecord;
  readonly revisions: RevisionRecord;
  readonly rollout: RolloutRecord;
  readonly turn: Turn;
}

/** Pods whose controller reference is to change. Filled by the registry, worked off by `pod-claims.ts`. */
interface ClaimRecord {
  /** Orphans that the selector matches and that are not being deleted, by UID. */
  readonly adoptable: Map<string, Stored<Pod>>;
  /** Own pods that the selector no longer matches, by UID. The engine does not count them. */
  readonly releasable: Map<string, Stored<Pod>>;
  /** Every orphan from before the DaemonSet is certain to be in `adoptable`. Never false again. */
  knowsOrphans: boolean;
  /** Names of nodes whose pod was released and has no successor yet. */
  readonly vacated: Set<string>;
}

/** Changed by `history.ts`; `history` is cleared when a revision changes by another hand. */
interface RevisionRecord {
  /** Revisions as own writes left them. */
  readonly overlay: Overlay<ControllerRevision>;
  /** Undefined until constructed. */
  history: History | undefined;
}

/** The revisions of a DaemonSet, as long as its template and count of collisions are these. */
export interface History {
  readonly template: DaemonSet['spec']['template'];
  readonly collisionCount: number | undefined;
  /** The revision of `template`. */
  readonly current: Revision;
  /** The value of the label by which pods of `current` are known. */
  readonly hash: string;
  /** The other revisions, oldest first. */
  readonly old: readonly Revision[];
}

/** Changed by `rollout.ts` and, for annotations, by `sync.ts`. */
interface RolloutRecord {
  /** Nodes with old pods in the order in which they are replaced, by the values of this label. */
  order: { readonly label: string | undefined; readonly line: RolloutOrder };
  /** The rollout's state that the last event told of; undefined before the first. */
  toldState: string | undefined;
  /** The problems with annotations that events have told of. */
  toldAnnotations: ToldAnnotations;
}
