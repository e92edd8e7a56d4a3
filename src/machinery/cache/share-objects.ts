import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { share } from '../../core/kube/immutable.ts';

/** Owners whose latest child is remembered; more are forgotten, oldest first. */
const OWNERS = 1024;

/**
 * Makes decoded objects share their equal parts: with their own older version, or, when they are new, with the last
 * child of the same owner. Fifty thousand pods of one daemon then hold its containers and volumes once.
 */
export function createSharer<T extends KubeObject>(): (object: Stored<T>, old: Stored<T> | undefined) => Stored<T> {
  const siblings = new Map<string, Stored<T>>();
  return (object, old) => {
    if (old !== undefined) return share(old, object);
    const owner = controllerOf(object)?.uid;
    if (owner === undefined) return object;
    const sibling = siblings.get(owner);
    const shared = sibling === undefined ? object : share(sibling, object);
    siblings.delete(owner);
    siblings.set(owner, shared);
    if (siblings.size > OWNERS) {
      const [oldest] = siblings.keys();
      if (oldest !== undefined) siblings.delete(oldest);
    }
    return shared;
  };
}
