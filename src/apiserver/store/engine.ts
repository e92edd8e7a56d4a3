/**
 * The store's port to a disk. An engine keeps the newest state of every key and the revision counter; an engine knows
 * nothing of watches, lists or conflicts. The store calls `commit` one batch at a time, in revision order.
 */
import type { Stored } from '../../core/kube/objects.ts';
import type { StoreKey } from './store.ts';

export interface EngineChange {
  readonly key: StoreKey;
  readonly revision: number;
  /** The key's object from this revision on; undefined: none. */
  readonly object: Stored | undefined;
  /** The revision whose record this one makes superfluous; undefined for a new key. */
  readonly replaces: number | undefined;
}

export interface LoadedEntry {
  readonly key: StoreKey;
  readonly object: Stored;
}

export interface StoreEngine {
  /** True for engines that persist nothing (memory): the store still awaits `commit` for batching, but passes an empty batch. */
  readonly keepsNothing?: boolean;
  /**
   * Called once, before anything else: hands over every key that holds an object, some at a time, in any order, and
   * resolves with the highest revision ever made durable (0 for a new store). Later on, `currentRevision` tells the
   * committed revision of a key, so that an engine need not keep an index of its own to know which records are dead.
   */
  load(
    receive: (entries: readonly LoadedEntry[]) => void,
    currentRevision: (key: StoreKey) => number | undefined,
  ): Promise<number>;
  /**
   * Resolves when the whole batch is durable, rejects when none of it is (or may be). After a rejection the store
   * sends nothing more until `recover` has resolved. A rejection with `EN_STORE_UNDO` means that the outcome is unknown: the
   * batch may not be answered either way, and the process has to end.
   */
  commit(batch: readonly EngineChange[]): Promise<void>;
  /** Tries to become usable again after a failed commit; remembers `revision` as used. Rejects when it is too early. */
  recover(revision: number): Promise<void>;
  /**
   * The disk is full and the reserve is in use: the store sends only writes that belong to deletions.
   * Undefined for engines that have no disk.
   */
  readonly isFull?: boolean;
  /** Called now and then while the disk is full; makes room where that is possible, and returns whether there is enough. */
  regainRoom?(): Promise<boolean>;
  close(): Promise<void>;
}
