/** A kind of which there are few, by namespace, as plugins see it: committed state kept up to date by a watch. */
import type { Stored } from '../../core/kube/objects.ts';
import type { CollectionKey, Store } from '../store/store.ts';

export interface NamespacedCache<T extends Stored> {
  /** Ordered by name; the same list until an object of the namespace changes. Undefined where there are none. */
  in(namespace: string): readonly T[] | undefined;
}

export function createNamespacedCache<T extends Stored>(
  store: Store,
  collection: CollectionKey,
  onEmpty: (namespace: string) => void = () => undefined,
): NamespacedCache<T> {
  let lists = new Map<string, readonly T[]>();
  let watching = false;

  function put(object: T, isGone: boolean): void {
    const { namespace = '', name } = object.metadata;
    const others = (lists.get(namespace) ?? []).filter(({ metadata }) => metadata.name !== name);
    const list = isGone ? others : [...others, object].toSorted(byName);
    if (list.length > 0) lists.set(namespace, list);
    else if (lists.delete(namespace)) onEmpty(namespace);
  }

  function ensure(): void {
    if (watching) return;
    watching = true;
    lists = new Map();
    const since = store.revision;
    for (const object of store.list(collection)) put(object as T, false);
    store.watch(
      collection,
      { since },
      {
        events(events) {
          for (const { object, type } of events) put(object as T, type === 'DELETED');
        },
        // The collection is read again by the next question; a store that has closed will then say so itself.
        closed: () => (watching = false),
      },
    );
  }

  return {
    in(namespace) {
      if (!watching) ensure();
      return lists.size === 0 ? undefined : lists.get(namespace);
    },
  };
}

const byName = (a: Stored, b: Stored): number => (a.metadata.name < b.metadata.name ? -1 : 1);
