/**
 * The store: a single writer over memory, with an engine underneath that makes batches durable.
 *
 * A write is decided at once against the accepted head, queued, and committed with its batch: one batch is with the
 * engine while the next gathers. Only a commit moves the state that readers see, answers writers and tells watchers, in
 * revision order. `collection.ts` holds committed objects, `history.ts` the recent past, `watch-hub.ts` the watchers,
 * `engines/` the engines that can stand underneath, `errors.ts` every way to fail.
 */
import type { Stored } from '../../core/kube/objects.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import { iterateSnapshot } from './collection.ts';
import { CollectionMap } from './collection-map.ts';
import { CollectionState } from './collection-state.ts';
import { Committer } from './committer.ts';
import type { LoadedEntry, StoreEngine } from './engine.ts';
import { badDecision, storeClosed, tooLarge, tooOld } from './errors.ts';
import { DEFAULT_HISTORY, History } from './history.ts';
import type { HistoryLimits } from './history.ts';
import type { CollectionKey, Decision, Store, StoreEvent, StoreKey } from './store.ts';
import { withResourceVersion } from './stamp.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly history?: Partial<HistoryLimits>;
  /** How often a quiet watcher hears how far the store has come, while it moves. */
  readonly progressIntervalMs?: number;
  /** Called with every object before it is stored; tests deep-freeze here. */
  readonly inspect?: (object: Stored) => void;
  /** Receives a message in plain words when writes stop being possible and when they are again. */
  readonly notice?: (message: string) => void;
  /**
   * Called when a write failed and may come back after a crash. No writer may be told that it was refused, so the process
   * has to end; where this is not given, the error is thrown as an uncaught exception.
   */
  readonly halt?: (error: Error) => void;
}

/** A store that begins empty, over an engine that has nothing to load. */
export function createStoreOver(engine: StoreEngine, options: StoreOptions): Store {
  return buildStore(options, engine, new CollectionMap(), 0);
}

/** A store over an engine: reads everything, then serves. History starts empty, so older watches get a 410. */
export async function openStore(options: StoreOptions & { readonly engine: StoreEngine }): Promise<Store> {
  const collections = new CollectionMap();
  const { engine, clock } = options;
  const loaded: CollectionState[] = [];
  const receive = (entries: readonly LoadedEntry[]): void => {
    for (const { key, object } of entries) {
      const state = collections.getOrCreate(key, (k) => {
        const made = new CollectionState(k, 0, clock);
        loaded.push(made);
        return made;
      });
      state.touched = true;
      const { namespace, name } = identityOf(key, object);
      state.committed.put(namespace, name, object);
    }
  };
  const currentRevision = (key: StoreKey): number | undefined => {
    const object = collections.get(key)?.committed.get(key.namespace, key.name);
    return object === undefined ? undefined : Number(object.metadata.resourceVersion);
  };
  let revision: number;
  try {
    revision = await engine.load(receive, currentRevision);
  } catch (error) {
    await engine.close();
    throw error;
  }
  for (const { log } of loaded) log.compactedThrough = log.lastRevision = revision;
  return buildStore(options, engine, collections, revision);
}

function buildStore(options: StoreOptions, engine: StoreEngine, collections: CollectionMap, start: number): Store {
  const { clock, inspect } = options;
  const history = new History({ ...DEFAULT_HISTORY, ...options.history }, start);
  const committer = new Committer({
    clock,
    engine,
    collections,
    history,
    startRevision: start,
    progressIntervalMs: options.progressIntervalMs ?? 5_000,
    notice: options.notice,
    halt: options.halt,
  });
  let deciding = false;

  const stateOf = (key: CollectionKey): CollectionState =>
    collections.getOrCreate(key, (k) => new CollectionState(k, start, clock));

  function decideNow(accepted: Stored | undefined, decide: (a: Stored | undefined, r: number) => Decision): Decision {
    if (deciding) throw badDecision('a decision may not write: it has to be made before anything else is ordered');
    deciding = true;
    try {
      return decide(accepted, committer.nextRevision);
    } finally {
      deciding = false;
    }
  }

  function write(key: StoreKey, decide: (a: Stored | undefined, r: number) => Decision): Promise<Stored> {
    const { settling } = committer;
    if (settling !== undefined) return settling.then(() => write(key, decide));
    const refusal = committer.refusal();
    if (refusal !== undefined) return Promise.reject(refusal);
    const known = collections.get(key);
    const pending = known?.pending(key.namespace, key.name);
    const accepted = known?.accepted(key.namespace, key.name);
    let decision: Decision;
    try {
      decision = decideNow(accepted, decide);
    } catch (error) {
      // A "no" that rests on a pending write (AlreadyExists, Conflict) would contradict the writer's next read, and be wrong
      // if that write failed: the "no" is given when the write is there to be seen.
      if (pending === undefined) return Promise.reject(error);
      return pending.settled.then(() => {
        throw error;
      });
    }
    if ('keep' in decision) {
      const { keep } = decision;
      return pending === undefined ? Promise.resolve(keep) : pending.settled.then(() => keep);
    }
    const event = eventOf(key, decision, accepted, committer.nextRevision);
    if (event === undefined) return Promise.reject(badDecision(`there is nothing to remove at ${describe(key)}`));
    const noRoom = committer.refusalOf(event);
    if (noRoom !== undefined) return Promise.reject(noRoom);
    inspect?.(event.object);
    return committer.accept(known ?? stateOf(key), event);
  }

  return {
    get revision() {
      return committer.revision;
    },
    get compactedRevision() {
      return history.compactedRevision;
    },
    trimHistory: (through, keepBytes) => history.trim(through, keepBytes),
    get: (key) => collections.get(key)?.committed.get(key.namespace, key.name),
    accepted: (key) => collections.get(key)?.accepted(key.namespace, key.name),
    list(collection, listOptions = {}) {
      const { namespace = '', after, revision = committer.revision } = listOptions;
      if (revision > committer.revision) throw tooLarge(revision, committer.revision);
      const state = collections.get(collection);
      // A collection without a write was empty at every revision since the start.
      if (state === undefined && revision < start) throw tooOld(revision, start);
      const snapshot = state?.past.at(revision) ?? [];
      return { [Symbol.iterator]: () => iterateSnapshot(snapshot, namespace, after) };
    },
    count: (collection, namespace) => collections.get(collection)?.committed.count(namespace) ?? 0,
    *collections() {
      for (const state of collections) if (state.touched) yield state.key;
    },
    watch(collection, watchOptions, watcher) {
      if (committer.isClosed) throw storeClosed();
      return stateOf(collection).hub.watch(watchOptions, watcher, () => committer.revision);
    },
    write,
    get trouble() {
      return committer.trouble;
    },
    close: () => committer.close(),
  };
}

function eventOf(
  key: StoreKey,
  decision: Exclude<Decision, { keep: Stored }>,
  previous: Stored | undefined,
  revision: number,
): StoreEvent | undefined {
  if ('put' in decision) {
    const object = withResourceVersion(decision.put, revision);
    const { namespace, name } = identityOf(key, object);
    return { revision, type: previous === undefined ? 'ADDED' : 'MODIFIED', namespace, name, object, previous };
  }
  if (previous === undefined) return undefined;
  const object = withResourceVersion(decision.remove, revision);
  const { namespace, name } = identityOf(key, object);
  return { revision, type: 'DELETED', namespace, name, object, previous };
}

/** The object's own strings where they say the same, so that index and object share one copy in memory. */
function identityOf(key: StoreKey, { metadata }: Stored): { namespace: string; name: string } {
  return {
    namespace: metadata.namespace === key.namespace ? metadata.namespace : key.namespace,
    name: metadata.name === key.name ? metadata.name : key.name,
  };
}

const describe = (key: StoreKey): string =>
  [key.tenant, key.group, key.resource, key.namespace, key.name].filter((part) => part !== '').join('/');
