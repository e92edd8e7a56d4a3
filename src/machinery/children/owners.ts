/**
 * The record of each object that owns children, as its controller remembers it. All of it can be lost and found again;
 * it is kept by key and replaced when the object of that name has another UID.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, ObjectKey, Stored } from '../../core/kube/objects.ts';
import { newer } from '../../core/kube/resource-version.ts';
import { keyText } from '../cache/object-keys.ts';
import type { Doubts } from './child-writer.ts';
import type { Overlay } from './overlay.ts';
import { newTurn, type Turn } from './turn.ts';

export interface Owner<O extends KubeObject> {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The newest state seen, by watch or as the answer to a write. */
  object: Stored<O>;
  /** Orphans are to be looked for with the next reconcile: once at first, and when a selected one has come. */
  adopts: boolean;
  readonly turn: Turn;
}

/** An owner of pods, and as such a `ChildOwner`. */
export interface PodOwner<O extends KubeObject> extends Owner<O> {
  readonly children: Overlay<Pod>;
  readonly doubts: Doubts<Pod>;
}

export interface Owners<O extends KubeObject, W extends Owner<O>> {
  /** The record of this object, with the newest state in it; a new one for another UID. */
  of(key: ObjectKey, object: Stored<O>): W;
  find(key: ObjectKey): W | undefined;
  forget(key: ObjectKey): void;
}

export function createOwners<O extends KubeObject, W extends Owner<O>>(
  begin: (key: ObjectKey, object: Stored<O>) => W,
): Owners<O, W> {
  const known = new Map<string, W>();
  return {
    of(key, object) {
      const text = keyText(key);
      const present = known.get(text);
      if (present !== undefined && present.uid === object.metadata.uid) {
        present.object = newer(object, present.object);
        return present;
      }
      const owner = begin(key, object);
      known.set(text, owner);
      return owner;
    },
    find: (key) => known.get(keyText(key)),
    forget: (key) => void known.delete(keyText(key)),
  };
}

export const newOwner = <O extends KubeObject>(key: ObjectKey, object: Stored<O>): Owner<O> => ({
  key,
  uid: object.metadata.uid,
  object,
  adopts: true,
  turn: newTurn(),
});

export const newPodOwner = <O extends KubeObject>(
  key: ObjectKey,
  object: Stored<O>,
  children: Overlay<Pod>,
): PodOwner<O> => ({ ...newOwner(key, object), children, doubts: new Map() });
