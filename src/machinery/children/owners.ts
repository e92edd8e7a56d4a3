/**
 * What a controller remembers of each object it works for. All of it can be lost and found again; it is kept by key and
 * thrown away when the object, by its UID, is another one or none.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { KubeObject, ObjectKey, Stored } from '../../core/kube/objects.ts';
import { keyText } from '../cache/object-keys.ts';
import { newer } from '../../core/kube/resource-version.ts';
import type { Overlay } from './overlay.ts';

export interface Owner<O extends KubeObject> {
  readonly key: ObjectKey;
  readonly uid: string;
  /** The newest state seen, by watch or as the answer to a write. */
  object: Stored<O>;
  /** Orphans are to be looked for. */
  adopts: boolean;
  /** Monotonic time before which its children ask for no further sync. */
  restUntil: number;
  /** A sync is under way; changes of children that come meanwhile are noted in `again`. */
  isBusy: boolean;
  again: boolean;
}

/** One that has pods. */
export interface PodOwner<O extends KubeObject> extends Owner<O> {
  readonly pods: Overlay<Pod>;
  /** Names of pods for which a write had no clear outcome; asked for before anything else is done. */
  readonly doubts: Set<string>;
}

export interface Owners<O extends KubeObject, W extends Owner<O>> {
  /** What is known of the object; begun anew for another UID. */
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
  restUntil: -Infinity,
  isBusy: false,
  again: false,
});

export const newPodOwner = <O extends KubeObject>(
  key: ObjectKey,
  object: Stored<O>,
  pods: Overlay<Pod>,
): PodOwner<O> => ({ ...newOwner(key, object), pods, doubts: new Set() });
