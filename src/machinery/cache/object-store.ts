/**
 * The objects of an informer and their indexes. Objects are shared values; the store only holds references, in maps
 * keyed by the strings the objects carry themselves, so a cached object costs two map entries and no text of its own.
 */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import { MachineryError } from '../errors.ts';
import type { ObjectEvent } from './reflector/reflector-options.ts';
import { compareResourceVersions } from '../../core/kube/resource-version.ts';

/** A change of one object. */
export type Change<T extends KubeObject> =
  | { readonly type: 'add'; readonly object: Stored<T>; readonly old: undefined }
  | { readonly type: 'update'; readonly object: Stored<T>; readonly old: Stored<T> }
  /** `object` is its last known state: the final one if the deletion was seen, else the cached one. */
  | { readonly type: 'delete'; readonly object: Stored<T>; readonly old: Stored<T> };

/** The values under which an object is found. Pure: called again with the old object when that is replaced or deleted. */
export type IndexFunction<T extends KubeObject> = (object: Stored<T>) => readonly string[];

/** Reads a cache. Objects and sets from it are live and shared: never change them, and do not keep a set across an `await`. */
export interface Lister<T extends KubeObject> {
  readonly size: number;
  get(name: string, namespace?: string): Stored<T> | undefined;
  /** All objects, or those of one namespace. */
  list(namespace?: string): Iterable<Stored<T>>;
  /** The objects under this value; O(1). */
  byIndex(index: string, value: string): ReadonlySet<Stored<T>>;
  /** The values an index knows. */
  indexValues(index: string): Iterable<string>;
}

export interface ObjectStore<T extends KubeObject> extends Lister<T> {
  addIndex(name: string, of: IndexFunction<T>): void;
  apply(events: readonly ObjectEvent<T>[]): readonly Change<T>[];
  replace(items: readonly Stored<T>[]): readonly Change<T>[];
}

interface Index<T extends KubeObject> {
  readonly of: IndexFunction<T>;
  readonly sets: Map<string, Set<Stored<T>>>;
}

const EMPTY: ReadonlySet<never> = new Set<never>();

export function createObjectStore<T extends KubeObject>(
  /** Makes a decoded object share equal parts with others; by default objects are kept as they come. */
  shared: (object: Stored<T>, old: Stored<T> | undefined) => Stored<T> = (object) => object,
): ObjectStore<T> {
  /** Namespace (empty for cluster-scoped) → name → object. A namespace without objects is not in it. */
  const namespaces = new Map<string, Map<string, Stored<T>>>();
  const indexes = new Map<string, Index<T>>();
  let size = 0;

  const addTo = (index: Index<T>, object: Stored<T>): void => {
    for (const value of index.of(object)) {
      const set = index.sets.get(value);
      if (set === undefined) index.sets.set(value, new Set([object]));
      else set.add(object);
    }
  };
  const removeFrom = (index: Index<T>, object: Stored<T>): void => {
    for (const value of index.of(object)) {
      const set = index.sets.get(value);
      if (set?.delete(object) === true && set.size === 0) index.sets.delete(value);
    }
  };

  const put = (object: Stored<T>, old: Stored<T> | undefined): void => {
    const { namespace = '', name } = object.metadata;
    let names = namespaces.get(namespace);
    if (names === undefined) namespaces.set(namespace, (names = new Map()));
    names.set(name, object);
    if (old === undefined) size += 1;
    for (const index of indexes.values()) {
      if (old !== undefined) removeFrom(index, old);
      addTo(index, object);
    }
  };

  const remove = (old: Stored<T>): void => {
    const { namespace = '', name } = old.metadata;
    const names = namespaces.get(namespace);
    if (names?.delete(name) !== true) return;
    if (names.size === 0) namespaces.delete(namespace);
    size -= 1;
    for (const index of indexes.values()) removeFrom(index, old);
  };

  const get = (name: string, namespace = ''): Stored<T> | undefined => namespaces.get(namespace)?.get(name);
  const cachedOf = (object: Stored<T>): Stored<T> | undefined => get(object.metadata.name, object.metadata.namespace);

  /** Notes a present object; undefined when the cache already shows it. */
  const upsert = (received: Stored<T>): Change<T> | undefined => {
    const old = cachedOf(received);
    if (old !== undefined && isSameVersion(old, received)) return undefined;
    const object = shared(received, old);
    if (old === undefined) {
      put(object, undefined);
      return { type: 'add', object, old };
    }
    put(object, old);
    return { type: 'update', object, old };
  };

  function* all(): Generator<Stored<T>> {
    for (const names of namespaces.values()) yield* names.values();
  }

  const indexNamed = (name: string): Index<T> => {
    const index = indexes.get(name);
    if (index === undefined) throw new MachineryError('EN_MACHINERY_UNKNOWN_INDEX', `no index is named "${name}"`);
    return index;
  };

  return {
    get size() {
      return size;
    },
    get,
    list: (namespace) => (namespace === undefined ? all() : (namespaces.get(namespace)?.values() ?? [])),
    byIndex: (name, value) => indexNamed(name).sets.get(value) ?? EMPTY,
    indexValues: (name) => indexNamed(name).sets.keys(),

    addIndex(name, of) {
      const known = indexes.get(name);
      if (known !== undefined) {
        if (known.of === of) return;
        throw new MachineryError(
          'EN_MACHINERY_DUPLICATE_INDEX',
          `an index named "${name}" exists with another function`,
        );
      }
      const index: Index<T> = { of, sets: new Map() };
      for (const object of all()) addTo(index, object);
      indexes.set(name, index);
    },

    apply(events) {
      const changes: Change<T>[] = [];
      for (let i = 0; i < events.length; i += 1) {
        const event = events[i] as ObjectEvent<T>;
        if (event.type === 'DELETED') {
          const old = cachedOf(event.object);
          if (old === undefined) continue;
          remove(old);
          changes.push({ type: 'delete', object: event.object, old });
          continue;
        }
        const change = upsert(event.object);
        if (change !== undefined) changes.push(change);
      }
      return changes;
    },

    replace(items) {
      const changes: Change<T>[] = [];
      const present = new Map<string, Set<string>>();
      for (const { metadata } of items) {
        const { namespace = '', name } = metadata;
        const names = present.get(namespace);
        if (names === undefined) present.set(namespace, new Set([name]));
        else names.add(name);
      }
      // Deletions first, so that a handler that counts never sees more objects than there ever were.
      const gone: Stored<T>[] = [];
      for (const object of all()) {
        const { namespace = '', name } = object.metadata;
        if (present.get(namespace)?.has(name) !== true) gone.push(object);
      }
      for (const old of gone) {
        remove(old);
        changes.push({ type: 'delete', object: old, old });
      }
      for (const object of items) {
        const change = upsert(object);
        if (change !== undefined) changes.push(change);
      }
      return changes;
    },
  };
}

/** The same object at the same version: keep the reference that others already share. */
function isSameVersion<T extends KubeObject>(old: Stored<T>, object: Stored<T>): boolean {
  return (
    old === object ||
    (old.metadata.uid === object.metadata.uid &&
      compareResourceVersions(old.metadata.resourceVersion, object.metadata.resourceVersion) === 0)
  );
}
