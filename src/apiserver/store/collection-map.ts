/** Finds a collection by its three names without building a key string each time. */
import type { CollectionState } from './collection-state.ts';
import type { CollectionKey } from './store.ts';

export class CollectionMap {
  readonly #tenants = new Map<string, Map<string, Map<string, CollectionState>>>();
  readonly #all: CollectionState[] = [];

  get(key: CollectionKey): CollectionState | undefined {
    return this.#tenants.get(key.tenant)?.get(key.group)?.get(key.resource);
  }

  getOrCreate(key: CollectionKey, create: (key: CollectionKey) => CollectionState): CollectionState {
    const found = this.get(key);
    if (found !== undefined) return found;
    const made = create(key);
    let groups = this.#tenants.get(key.tenant);
    if (groups === undefined) this.#tenants.set(key.tenant, (groups = new Map()));
    let resources = groups.get(key.group);
    if (resources === undefined) groups.set(key.group, (resources = new Map()));
    resources.set(key.resource, made);
    this.#all.push(made);
    return made;
  }

  /** In the order of their making. */
  [Symbol.iterator](): ArrayIterator<CollectionState> {
    return this.#all.values();
  }
}
