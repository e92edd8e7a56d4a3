/** Shared by the contract suites: a harness for the store under test, small objects, and a watcher that remembers. */
import type { Stored } from '../../core/kube/objects.ts';
import { realClock } from '../../machinery/time/real-clock.ts';
import type { StoreOptions } from './store-over-engine.ts';
import type { CollectionKey, Store, StoreEvent, StoreKey } from './store.ts';

export interface StoreHarness {
  open(options: StoreOptions): Promise<Store>;
  /** Closes the store and opens the files it left behind; undefined for a store that leaves none. */
  readonly reopen: ((store: Store, options: StoreOptions) => Promise<Store>) | undefined;
  /** Removes the test's files. */
  cleanUp(): Promise<void>;
}

/** Opens stores for one test after the other, and cleans up behind them. */
export interface Stores {
  open(options?: Partial<StoreOptions>): Promise<Store>;
  reopen(store: Store, options?: Partial<StoreOptions>): Promise<Store>;
}

export const PODS: CollectionKey = { tenant: 'system', group: '', resource: 'pods' };
export const NODES: CollectionKey = { tenant: 'system', group: '', resource: 'nodes' };
export const OTHER_PODS: CollectionKey = { tenant: 'other', group: '', resource: 'pods' };

export const keyIn = (collection: CollectionKey, namespace: string, name: string): StoreKey => ({
  ...collection,
  namespace,
  name,
});

/** A small object whose `data` can be told apart. The store sets its resourceVersion. */
export const objectOf = (namespace: string, name: string, data: unknown = 0): Stored =>
  ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: {
      name,
      ...(namespace === '' ? {} : { namespace }),
      uid: `uid-${namespace}-${name}`,
      resourceVersion: '',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { data },
  }) as unknown as Stored;

export const dataOf = (object: Stored | undefined): unknown =>
  (object as unknown as { readonly spec: { readonly data: unknown } } | undefined)?.spec.data;

export const putTo = (store: Store, collection: CollectionKey, namespace: string, name: string, data: unknown = 0) =>
  store.write(keyIn(collection, namespace, name), () => ({ put: objectOf(namespace, name, data) }));

export const removeFrom = (store: Store, collection: CollectionKey, namespace: string, name: string) =>
  store.write(keyIn(collection, namespace, name), (accepted) => ({ remove: accepted ?? objectOf(namespace, name) }));

export interface Recorder {
  readonly events: StoreEvent[];
  readonly progress: number[];
  readonly closed: Error[];
  stop(): void;
}

export function recordWatch(store: Store, collection: CollectionKey, since: number, namespace?: string): Recorder {
  const events: StoreEvent[] = [];
  const progress: number[] = [];
  const closed: Error[] = [];
  const watching = store.watch(
    collection,
    { since, ...(namespace === undefined ? {} : { namespace }) },
    {
      events: (some) => void events.push(...some),
      progress: (revision) => void progress.push(revision),
      closed: (reason) => void closed.push(reason),
    },
  );
  return { events, progress, closed, stop: () => watching.stop() };
}

/** Lets everything that is already under way arrive. */
export const settle = () => realClock.sleep(5);

export const namesOf = (objects: Iterable<Stored>): string[] =>
  Array.from(objects, (o) => `${o.metadata.namespace ?? ''}/${o.metadata.name}`);
export const story = (events: readonly StoreEvent[]): string[] =>
  events.map((e) => `${e.type} ${e.name}@${e.revision}`);
export const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};
