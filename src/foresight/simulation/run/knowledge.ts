/**
 * The state that each actor has been shown so far. A stale cache is no excuse for ever: an invariant may ask since when
 * an actor could have known a revision, and judge the actor by that.
 */
import type { Resource } from '../../../core/kube/objects.ts';
import { resourceName } from '../commit.ts';

export interface Knowledge {
  shown(actor: string, resource: Resource, revision: string, atMs: number): void;
  /** A new life knows nothing. */
  forget(actor: string): void;
  knewAt(actor: string, resource: string, revision: number): number | undefined;
}

interface Glimpse {
  readonly revision: number;
  readonly at: number;
}

export function createKnowledge(): Knowledge {
  const glimpses = new Map<string, Map<string, Glimpse[]>>();
  return {
    shown(actor, resource, version, at) {
      const revision = Number(version);
      let known = glimpses.get(actor);
      if (known === undefined) glimpses.set(actor, (known = new Map()));
      const name = resourceName(resource);
      const list = known.get(name);
      if (list === undefined) known.set(name, [{ revision, at }]);
      else if ((list[list.length - 1]?.revision ?? 0) < revision) list.push({ revision, at });
    },
    forget: (actor) => void glimpses.delete(actor),
    knewAt(actor, resource, revision) {
      const list = glimpses.get(actor)?.get(resource) ?? [];
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if ((list[middle]?.revision ?? 0) < revision) low = middle + 1;
        else high = middle;
      }
      return list[low]?.at;
    },
  };
}
