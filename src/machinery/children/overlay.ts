/**
 * Read your own writes: the answers to a controller's writes, kept until its cache shows as much. With an overlay no decision
 * rests on a cache that has not caught up, and no child is created twice. It takes the place of upstream's expectations and
 * needs no expiry: an answer is dropped as soon as the cache is as new, whether or not the cache still shows the object.
 *
 * Two ways to read: `over` and `latest` lay the answers over cached objects (for controllers that list their children), and
 * `confirm`, `hides`, `forget`, `takeSeen` follow the cache change by change (for controllers that count incrementally).
 */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { compareResourceVersions, newer } from '../../core/kube/resource-version.ts';

/** A cache that knows up to which resourceVersion it is complete; empty before the first list. An informer is one. */
export interface VersionedCache {
  readonly resourceVersion: string;
}

/** Whether the cache is at least as new as this state. Versions without an order count as not seen. */
export const hasSeen = (cache: VersionedCache, { metadata }: Stored): boolean =>
  (compareResourceVersions(cache.resourceVersion, metadata.resourceVersion) ?? -1) >= 0;

/** Where the answers to writes of children go. */
export interface ChildSink<T extends KubeObject> {
  /** The child is as this answer says. */
  wrote(child: Stored<T>): void;
  /** The child is gone, by the answer to a delete or a get. */
  gone(child: Stored<T>): void;
}

const NONE: readonly never[] = Object.freeze([]);

/** A class, since there is one for each owner: methods are shared. */
export class Overlay<T extends KubeObject> implements ChildSink<T> {
  readonly #cache: VersionedCache;
  /** By UID: states that writes answered with and that the cache has not been seen to show. Never a UID of `#ended`. */
  readonly #written = new Map<string, Stored<T>>();
  /** By UID: the last known state of children that are gone, though the cache may still show, or come to show, them. */
  readonly #ended = new Map<string, Stored<T>>();

  constructor(cache: VersionedCache) {
    this.#cache = cache;
  }

  /** Whether it adds nothing to the cache. */
  get isEmpty(): boolean {
    return this.#written.size === 0 && this.#ended.size === 0;
  }

  wrote(object: Stored<T>): void {
    const { uid } = object.metadata;
    if (!this.#ended.has(uid)) this.#written.set(uid, newer(object, this.#written.get(uid)));
  }

  gone(object: Stored<T>): void {
    this.#written.delete(object.metadata.uid);
    this.#ended.set(object.metadata.uid, object);
  }

  /** All cached children of the owner as own writes left them. Drops answers about children that the cache has seen end. */
  over(cached: Iterable<Stored<T>>): Stored<T>[] {
    if (this.isEmpty) return [...cached];
    const present: Stored<T>[] = [];
    const shown = new Set<string>();
    for (const object of cached) {
      shown.add(object.metadata.uid);
      const newest = this.latest(object);
      if (newest !== undefined) present.push(newest);
    }
    for (const [uid, object] of this.#written) {
      if (shown.has(uid)) continue;
      // The cache is past that version and does not show the object: it has been deleted since.
      if (hasSeen(this.#cache, object)) this.#written.delete(uid);
      else present.push(object);
    }
    for (const [uid, object] of this.#ended)
      if (!shown.has(uid) && hasSeen(this.#cache, object)) this.#ended.delete(uid);
    return present;
  }

  /** One cached child as own writes left it; undefined when it is gone. */
  latest(cached: Stored<T>): Stored<T> | undefined {
    const { uid } = cached.metadata;
    if (this.#ended.has(uid)) return undefined;
    const ours = this.#written.get(uid);
    if (ours === undefined) return cached;
    const newest = newer(cached, ours);
    if (newest === cached) this.#written.delete(uid);
    return newest;
  }

  /** The child of this name, given the one that the cache shows under it. For owners within one namespace. */
  named(name: string, cached: Stored<T> | undefined): Stored<T> | undefined {
    const newest = cached === undefined ? undefined : this.latest(cached);
    if (newest !== undefined) return newest;
    for (const [uid, object] of this.#written) {
      if (object.metadata.name !== name) continue;
      if (!hasSeen(this.#cache, object)) return object;
      this.#written.delete(uid);
    }
    return undefined;
  }

  /** Whether this very state is the answer to an own write, as a watch event that needs no second look is. */
  isOwnWrite({ metadata: { uid, resourceVersion } }: Stored<T>): boolean {
    return this.#written.get(uid)?.metadata.resourceVersion === resourceVersion;
  }

  /** Whether the child is gone, although the cache shows it. */
  hides(uid: string): boolean {
    return this.#ended.size > 0 && this.#ended.has(uid);
  }

  /** The cache shows this state: an answer that is no newer has served. */
  confirm(cached: Stored<T>): void {
    if (this.#written.size === 0) return;
    const ours = this.#written.get(cached.metadata.uid);
    if (ours !== undefined && newer(cached, ours) === cached) this.#written.delete(cached.metadata.uid);
  }

  /** The cache has seen the child end, or the child has another owner: nothing is to be remembered of it. */
  forget(uid: string): void {
    this.#written.delete(uid);
    this.#ended.delete(uid);
  }

  /** Drops and returns the answers that the cache is past. Children among them that the cache does not show are gone. */
  takeSeen(): readonly Stored<T>[] {
    if (this.#written.size === 0) return NONE;
    const seen: Stored<T>[] = [];
    for (const [uid, object] of this.#written) {
      if (!hasSeen(this.#cache, object)) continue;
      this.#written.delete(uid);
      seen.push(object);
    }
    return seen;
  }
}
