/** One change of the cluster, in the order in which the store accepted it. */
import type { Store, StoreKey } from '../../apiserver/store/store.ts';
import type { Stored } from '../../core/kube/objects.ts';

export interface Commit {
  readonly revision: number;
  /** Virtual milliseconds since the world began. */
  readonly at: number;
  /** The actor whose request it was, `user` for the scenario. */
  readonly by: string;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly key: StoreKey;
  readonly object: Stored;
  readonly previous: Stored | undefined;
}

/** `pods`, `daemonsets.apps`: resources as kubectl names them. */
export const resourceName = ({ group, resource }: { readonly group: string; readonly resource: string }): string =>
  group === '' ? resource : `${resource}.${group}`;

export const objectName = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  namespace === '' ? name : `${namespace}/${name}`;

/**
 * The store, telling of every write at the moment it is ordered. In memory nothing that is ordered fails to commit, so
 * the order told is the order committed, across all collections, which no watch could say.
 */
export function observeStore(store: Store, tell: (commit: Omit<Commit, 'at' | 'by'>) => void): Store {
  return {
    get revision() {
      return store.revision;
    },
    get trouble() {
      return store.trouble;
    },
    get compactedRevision() {
      return store.compactedRevision;
    },
    trimHistory: (through, keepBytes) => store.trimHistory(through, keepBytes),
    get: (key) => store.get(key),
    list: (collection, options) => store.list(collection, options),
    count: (collection, namespace) => store.count(collection, namespace),
    collections: () => store.collections(),
    watch: (collection, options, watcher) => store.watch(collection, options, watcher),
    accepted: (key) => store.accepted(key),
    close: () => store.close(),
    write: (key, decide) =>
      store.write(key, (accepted, revision) => {
        const decision = decide(accepted, revision);
        if ('put' in decision) {
          const type = accepted === undefined ? 'ADDED' : 'MODIFIED';
          tell({ revision, type, key, object: decision.put, previous: accepted });
        } else if ('remove' in decision) {
          tell({ revision, type: 'DELETED', key, object: decision.remove, previous: accepted });
        }
        return decision;
      }),
  };
}
