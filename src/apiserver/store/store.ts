/**
 * The store's face to the API server. One process is the only writer. There are two heads: `write` judges against the
 * accepted head (everything ordered so far); every read and watch sees only the committed head, in revision order.
 * So no reader acts on a revision that a crash could erase.
 */
import type { Stored } from '../../core/kube/objects.ts';

/** All objects of one resource and tenant. The version is not part of identity: one object, many versions. */
export interface CollectionKey {
  readonly tenant: string;
  readonly group: string;
  readonly resource: string;
}

export interface StoreKey extends CollectionKey {
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
}

/** The decision of a write, given the accepted object (or none). Throwing rejects the write and changes nothing. */
export type Decision =
  /** Create or replace. The store sets resourceVersion to the write's revision where the decision has not. */
  | { readonly put: Stored }
  /** Remove; watchers of the deletion see this object (its resourceVersion becomes the deletion's revision). */
  | { readonly remove: Stored }
  /** Nothing to change; answered with this object once it is committed. */
  | { readonly keep: Stored };

export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly namespace: string;
  readonly name: string;
  readonly object: Stored;
  /** The replaced object, so that selectors can tell entering from leaving. */
  readonly previous: Stored | undefined;
}

export interface StoreListOptions {
  /** Empty: all namespaces. */
  readonly namespace?: string;
  /** Start strictly after this namespace and name (paging). */
  readonly after?: { readonly namespace: string; readonly name: string };
  /** State as of this revision; must not be older than the compacted revision (throws 410). Default: committed. */
  readonly revision?: number;
}

export interface StoreWatchOptions {
  readonly namespace?: string;
  /** Events strictly after this revision. Throws 410 when they are no longer held. */
  readonly since: number;
}

/**
 * Receives committed events in order, several at a time, never synchronously from `watch` itself or from `write`.
 * A handler only records and enqueues. `progress` tells a watcher that it has seen everything
 * up to a revision: once when it has caught up, and then now and then while the store moves on without events for it.
 */
export interface StoreWatcher {
  events(events: readonly StoreEvent[]): void;
  progress?(revision: number): void;
  /** The last call: the store was closed, or the watcher fell too far behind. */
  closed(reason: Error): void;
}

export interface StoreTrouble {
  /** `full`: deletions are taken. `failed`: nothing is, until the disk recovers. `halted`: nothing is any more. */
  readonly kind: 'full' | 'failed' | 'halted';
  /** For people. */
  readonly message: string;
}

export interface Store {
  /** Revision of the committed head. Grows with every committed change, survives restarts, never goes back. */
  readonly revision: number;
  /** The oldest revision from which `watch` can still resume. */
  readonly compactedRevision: number;
  /**
   * Gives up events up to this revision, oldest first, while more than `keepBytes` are held; watches from before them get a
   * 410. Returns the bytes freed, approximately.
   */
  trimHistory(through: number, keepBytes: number): number;
  get(key: StoreKey): Stored | undefined;
  /** Ordered by namespace, then name (code-unit order, as etcd orders keys). Lazy: callers stop at their limit. */
  list(collection: CollectionKey, options?: StoreListOptions): Iterable<Stored>;
  count(collection: CollectionKey, namespace?: string): number;
  /** Every collection that holds or has held an object. */
  collections(): Iterable<CollectionKey>;
  watch(collection: CollectionKey, options: StoreWatchOptions, watcher: StoreWatcher): { stop(): void };
  /**
   * The single way to change anything. `decide` runs at once and synchronously against the accepted head, with the
   * revision its object will carry; the promise settles when the outcome is committed. When the decision throws or
   * keeps, and the object it judged is itself not committed yet, that answer too waits until it is. A decision must
   * not write. Failures of the store itself are `StoreStatusError`s (see errors.ts), fit to be answered as they are.
   */
  write(key: StoreKey, decide: (accepted: Stored | undefined, revision: number) => Decision): Promise<Stored>;
  /** The accepted head, for judging uniqueness and quota inside `decide`; not for answering reads. */
  accepted(key: StoreKey): Stored | undefined;
  /** Why writes, or all but deletions, are not taken now; undefined when all is well. For readiness and metrics. */
  readonly trouble: StoreTrouble | undefined;
  /** Waits for writes in flight, then releases the disk. Later writes are refused. */
  close(): Promise<void>;
}
