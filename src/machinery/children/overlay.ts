/**
 * What our own writes answered, until the cache shows as much: with it no decision rests on a cache that has not caught up,
 * and nothing is made twice. It takes the place of upstream's expectations, and never has to expire.
 */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { compareResourceVersions, newer } from '../../core/kube/resource-version.ts';

export interface Overlay<T extends KubeObject> {
  /** The object as a write left it. */
  wrote(object: Stored<T>): void;
  /** It is no more, by the answer to a delete or a get. */
  gone(object: Stored<T>): void;
  /** The cached objects as our writes left them. An object that is no longer there is forgotten. */
  over(cached: Iterable<Stored<T>>): Stored<T>[];
}

/** @param cache tells up to which version the cached objects are complete. */
export function createOverlay<T extends KubeObject>(cache: { readonly resourceVersion: string }): Overlay<T> {
  /** By UID; what the cache has not shown yet. */
  const written = new Map<string, Stored<T>>();
  /** By UID; the last state known of what is gone. */
  const ended = new Map<string, Stored<T>>();

  const hasSeen = (object: Stored<T>): boolean =>
    (compareResourceVersions(cache.resourceVersion, object.metadata.resourceVersion) ?? -1) >= 0;

  return {
    wrote(object) {
      const { uid } = object.metadata;
      if (!ended.has(uid)) written.set(uid, newer(object, written.get(uid)));
    },
    gone(object) {
      written.delete(object.metadata.uid);
      ended.set(object.metadata.uid, object);
    },
    over(cached) {
      if (written.size === 0 && ended.size === 0) return [...cached];
      const present: Stored<T>[] = [];
      const shown = new Set<string>();
      for (const object of cached) {
        const { uid } = object.metadata;
        shown.add(uid);
        if (ended.has(uid)) continue;
        const ours = written.get(uid);
        if (ours === undefined) {
          present.push(object);
          continue;
        }
        const newest = newer(object, ours);
        if (newest === object) written.delete(uid);
        present.push(newest);
      }
      for (const [uid, object] of written) {
        if (shown.has(uid)) continue;
        // The cache is past that version and does not show it: it has gone since.
        if (hasSeen(object)) written.delete(uid);
        else present.push(object);
      }
      for (const [uid, object] of ended) if (!shown.has(uid) && hasSeen(object)) ended.delete(uid);
      return present;
    },
  };
}
