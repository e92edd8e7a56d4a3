/** The fake server's memory: objects by revision, a bounded history, and the watchers of it. */
import type { GroupVersionResource, KubeObject, Stored } from '../../core/kube/objects.ts';
import { expired } from '../../core/kube/status-error.ts';

export interface FakeEvent {
  readonly collection: string;
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
  readonly previous: Stored | undefined;
}

export interface FakeStore {
  readonly revision: number;
  get(collection: string, key: string): Stored | undefined;
  /** In order of namespace and name. */
  list(collection: string): readonly Stored[];
  /** Writes under the next revision, which `make` puts into the object. */
  put(collection: string, key: string, make: (resourceVersion: string) => Stored): Stored;
  remove(collection: string, key: string, make: (resourceVersion: string) => Stored): Stored;
  /** Events after this revision; throws 410 when some of them are forgotten. */
  since(revision: number): readonly FakeEvent[];
  subscribe(listener: (event: FakeEvent) => void): () => void;
  /** Forgets the history, so that every older watch and page is expired. */
  compact(): void;
}

export const collectionOf = (resource: GroupVersionResource, tenant: string): string =>
  `${tenant} ${resource.group} ${resource.resource}`;

export function createFakeStore(firstRevision: number): FakeStore {
  const collections = new Map<string, Map<string, Stored>>();
  const listeners = new Set<(event: FakeEvent) => void>();
  let history: FakeEvent[] = [];
  let compacted = firstRevision;
  let revision = firstRevision;

  const objectsOf = (collection: string): Map<string, Stored> => {
    let objects = collections.get(collection);
    if (objects === undefined) collections.set(collection, (objects = new Map()));
    return objects;
  };
  const record = (event: FakeEvent): Stored => {
    revision = event.revision;
    history.push(event);
    for (const listener of listeners) listener(event);
    return event.object;
  };

  return {
    get revision() {
      return revision;
    },
    get: (collection, key) => collections.get(collection)?.get(key),
    list: (collection) =>
      [...objectsOf(collection)].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object),
    put(collection, key, make) {
      const objects = objectsOf(collection);
      const previous = objects.get(key);
      const object = deepFreeze(make(String(revision + 1)));
      objects.set(key, object);
      const type = previous === undefined ? 'ADDED' : 'MODIFIED';
      return record({ collection, revision: revision + 1, type, object, previous });
    },
    remove(collection, key, make) {
      const objects = objectsOf(collection);
      const previous = objects.get(key);
      const object = deepFreeze(make(String(revision + 1)));
      objects.delete(key);
      return record({ collection, revision: revision + 1, type: 'DELETED', object, previous });
    },
    since(after) {
      if (after < compacted) throw expired(`too old resource version: ${after} (${compacted})`);
      return history.filter((event) => event.revision > after);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    compact() {
      compacted = revision;
      history = [];
    },
  };
}

function deepFreeze<T extends KubeObject>(value: T): T {
  const freeze = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || Object.isFrozen(part)) return;
    Object.freeze(part);
    Object.values(part).forEach(freeze);
  };
  freeze(value);
  return value;
}
