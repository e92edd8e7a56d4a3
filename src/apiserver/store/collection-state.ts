/** Everything the store holds about one collection: both heads, the recent past and the watchers. */
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { Collection } from './collection.ts';
import { CollectionLog } from './history.ts';
import { PastStates } from './past-states.ts';
import type { CollectionKey, StoreEvent } from './store.ts';
import { WatchHub } from './watch-hub.ts';

/** A change that has been ordered but not committed. */
export interface PendingWrite {
  readonly state: CollectionState;
  readonly event: StoreEvent;
  readonly settled: Promise<Stored>;
  readonly resolve: (object: Stored) => void;
  readonly reject: (reason: Error) => void;
}

export class CollectionState {
  readonly key: CollectionKey;
  /** Whether it holds or has held an object, as opposed to having only been asked for. */
  touched = false;
  readonly committed = new Collection();
  readonly log: CollectionLog;
  readonly past: PastStates;
  readonly hub: WatchHub;
  /** The accepted head where it differs from the committed one: the newest pending write of each key. */
  readonly #pending = new Map<string, Map<string, PendingWrite>>();

  constructor(key: CollectionKey, startRevision: number, clock: Clock) {
    this.key = { tenant: key.tenant, group: key.group, resource: key.resource };
    this.log = new CollectionLog(startRevision);
    this.past = new PastStates(this.committed, this.log);
    this.hub = new WatchHub(this.log, clock);
  }

  pending(namespace: string, name: string): PendingWrite | undefined {
    return this.#pending.get(namespace)?.get(name);
  }

  accepted(namespace: string, name: string): Stored | undefined {
    const pending = this.pending(namespace, name);
    return pending === undefined ? this.committed.get(namespace, name) : objectAfter(pending.event);
  }

  accept(write: PendingWrite): void {
    const { namespace, name } = write.event;
    const names = this.#pending.get(namespace);
    if (names === undefined) this.#pending.set(namespace, new Map([[name, write]]));
    else names.set(name, write);
  }

  /** Moves the committed head over one pending write. */
  commit(write: PendingWrite): void {
    this.touched = true;
    const { event } = write;
    const { namespace, name } = event;
    if (event.type === 'DELETED') this.committed.remove(namespace, name);
    else this.committed.put(namespace, name, event.object);
    const names = this.#pending.get(namespace);
    if (names?.get(name) !== write) return;
    names.delete(name);
    if (names.size === 0) this.#pending.delete(namespace);
  }

  /** Puts the accepted head back to the committed one. */
  rollBack(): void {
    this.#pending.clear();
  }
}

const objectAfter = (event: StoreEvent): Stored | undefined => (event.type === 'DELETED' ? undefined : event.object);
