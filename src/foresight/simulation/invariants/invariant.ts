/**
 * What must hold. Each is a small state machine of its own over the committed changes; it sees what happened, never what
 * an actor thinks. A new one begins with every world.
 */
import type { Resource, Stored, KubeObject } from '../../../core/kube/objects.ts';
import type { WatchEvent, WatchOptions } from '../../../machinery/client/client.ts';
import type { Store } from '../../../apiserver/store/store.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Commit } from '../commit.ts';

export interface Invariant {
  /** Kebab-case and stable: a failing seed is remembered under it. */
  readonly name: string;
  /** After each change, the view already showing it: what is wrong, if anything. */
  committed?(commit: Commit, view: ClusterView): string | undefined;
  /** A write was answered with this object. */
  acknowledged?(resource: Resource, object: Stored): string | undefined;
  /** A watch was opened; hears what the server sends on it. */
  watched?<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): (batch: readonly WatchEvent<T>[]) => string | undefined;
  /** When everything has come to rest: everything that is wrong. */
  settled?(view: ClusterView, store: Store): Iterable<string>;
}

export type InvariantFactory = () => Invariant;

/** The actor has known of this revision for long enough to be judged by it. */
export function shouldKnow(view: ClusterView, actor: string, resource: string, revision: number): boolean {
  const since = view.knewAt(actor, resource, revision);
  return since !== undefined && view.now() - since > view.reactionMs;
}
