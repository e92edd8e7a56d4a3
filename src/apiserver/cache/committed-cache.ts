/**
 * A small collection as plugins see it: committed state, by name, kept up to date by a watch. For kinds of which
 * there are few and that are asked for often.
 */
import type { Stored } from '../../core/kube/objects.ts';
import type { CollectionKey, Store } from '../store/store.ts';

export interface CommittedCache<T extends Stored> {
  get(name: string): T | undefined;
  values(): Iterable<T>;
  /** Grows whenever something changed. */
  readonly version: number;
}

export function createCommittedCache<T extends Stored>(
  store: Store,
  collection: CollectionKey,
  nameOf: (object: Stored) => string = ({ metadata }) => metadata.name,
  /** Hears of every object that was committed, also of those that are gone again. */
  onCommitted?: (object: T) => void,
): CommittedCache<T> {
  let objects = new Map<string, T>();
  let version = 0;
  let watching = false;

  const ensure = (): void => {
    if (watching) return;
    watching = true;
    version++;
    objects = new Map();
    const since = store.revision;
    for (const object of store.list(collection)) objects.set(nameOf(object), object as T);
    store.watch(
      collection,
      { since },
      {
        events(events) {
          version++;
          for (const { object, type } of events) {
            if (type === 'DELETED') objects.delete(nameOf(object));
            else objects.set(nameOf(object), object as T);
            onCommitted?.(object as T);
          }
        },
        // The collection is read again by the next question; a store that has closed will then say so itself.
        closed: () => (watching = false),
      },
    );
  };

  return {
    get(name) {
      ensure();
      return objects.get(name);
    },
    values() {
      ensure();
      return objects.values();
    },
    get version() {
      ensure();
      return version;
    },
  };
}

/** One cache a tenant, made when the tenant is first heard of. */
export function perTenant<T>(make: (tenant: string) => T): (tenant: string) => T {
  const made = new Map<string, T>();
  return (tenant) => {
    let cache = made.get(tenant);
    if (cache === undefined) made.set(tenant, (cache = make(tenant)));
    return cache;
  };
}
