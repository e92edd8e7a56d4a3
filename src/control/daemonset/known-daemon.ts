/** What the controller knows of one DaemonSet beside the engine's counts: everything here can be lost and found again. */
import type { ControllerRevision, DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import type { NodeIdentity } from '../../core/daemons/daemon-pod.ts';
import type { RolloutOrder } from '../../core/daemons/rollout-order.ts';
import { compileLabelSelector } from '../../core/kube/label-selector.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import { NOTHING, type Selector } from '../../core/kube/selector.ts';
import type { ToldAnnotations } from './annotation-events.ts';
import type { SetDefinition } from './definition.ts';

export interface KnownDaemon {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The newest state seen, by watch or as the answer to a write. */
  set: Stored<DaemonSet>;
  readonly selects: (labels: Labels | undefined) => boolean;
  definition: SetDefinition;
  /** Makes the current revision's pod for a node; undefined until the revision is known. */
  maker: ((identity: NodeIdentity, predecessor: string, node: Node) => Pod) | undefined;
  history: History | undefined;
  /** Revisions as our writes left them, until the cache shows that or something newer. */
  readonly written: Map<string, Stored<ControllerRevision>>;
  order: { readonly label: string | undefined; readonly line: RolloutOrder };
  /** Names of pods for which a write had no clear outcome; asked for before anything else is done. */
  readonly doubts: Set<string>;
  /** Orphans the selector matches, by UID. */
  readonly adoptable: Map<string, Stored<Pod>>;
  /** Whether it is certain that every orphan there was at its beginning is known. */
  knowsOrphans: boolean;
  /** Nodes of pods that were let go and have no successor yet. */
  readonly letGo: Set<string>;
  /** Our pods that the selector no longer matches, by UID. */
  readonly releasable: Map<string, Stored<Pod>>;
  /** Pods that were created or changed by an answer the cache has not caught up with, by UID. */
  readonly unconfirmed: Map<string, Stored<Pod>>;
  /** UIDs of pods that are gone by an answer, though the cache still shows them. */
  readonly gone: Set<string>;
  /** Monotonic time at which the last sync ended. */
  syncedAt: number;
  /** A sync is under way; changes that come meanwhile are noted in `again`. */
  busy: boolean;
  again: boolean;
  /** The state of the rollout, and what is wrong with annotations, that events have told of. */
  toldState: string | undefined;
  toldAnnotations: ToldAnnotations;
}

export interface History {
  readonly template: DaemonSet['spec']['template'];
  readonly collisionCount: number | undefined;
  readonly current: Stored<ControllerRevision>;
  readonly hash: string;
  /** By revision, oldest first. */
  readonly old: readonly Stored<ControllerRevision>[];
}

/** Labels are shared by all pods of a revision, so each set of them is matched once. */
export function compileSelects(set: DaemonSet): KnownDaemon['selects'] {
  const selector = selectorOf(set);
  const known = new WeakMap<Labels, boolean>();
  return (labels) => {
    if (labels === undefined) return selector.matches({});
    let matches = known.get(labels);
    if (matches === undefined) known.set(labels, (matches = selector.matches(labels)));
    return matches;
  };
}

function selectorOf(set: DaemonSet): Selector {
  try {
    return compileLabelSelector(set.spec.selector);
  } catch {
    // The API server lets no such selector in; one that slipped in selects nothing.
    return NOTHING;
  }
}
