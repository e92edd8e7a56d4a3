/**
 * Invariants of every run. Each is a small state machine of its own over the committed changes; it sees the changes,
 * never the state of an actor. A new one begins with every world.
 */
import type { Resource, Stored, KubeObject } from '../../../core/kube/objects.ts';
import type { WatchEvent, WatchOptions } from '../../../machinery/client/client.ts';
import type { Store } from '../../../apiserver/store/store.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Commit } from '../commit.ts';

export interface Invariant {
  /** Kebab-case and stable: a failing seed is remembered under it. */
  readonly name: string;
  /** Judges each change, which the view shows already; returns the violation, if there is one. */
  committed?(commit: Commit, view: ClusterView): string | undefined;
  /** A write was answered with this object. */
  acknowledged?(resource: Resource, object: Stored): string | undefined;
  /** A watch was opened; the returned function gets the events that the server sends on it. */
  watched?<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions,
  ): (batch: readonly WatchEvent<T>[]) => string | undefined;
  /** All violations once everything has come to rest. */
  settled?(view: ClusterView, store: Store): Iterable<string>;
}

export type InvariantFactory = () => Invariant;

/** The actor has known of this revision for long enough to be judged by it. */
export function shouldKnow(view: ClusterView, actor: string, resource: string, revision: number): boolean {
  const since = view.knewAt(actor, resource, revision);
  return since !== undefined && view.now() - since > view.reactionMs;
}
