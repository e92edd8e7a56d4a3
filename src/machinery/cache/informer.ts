/**
 * A cache of one resource that tells its handlers of every change. A reflector fills the cache; objects in it are the
 * server's own references when the server is in the same process.
 */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { orAborted } from '../time/abort.ts';
import type { Client } from '../client/client.ts';
import { MachineryError } from '../errors.ts';
import { createGate } from '../structures/gate.ts';
import { createListener, SYNCED, type Listener } from './informer-listener.ts';
import { silentLogger } from '../logging/logger.ts';
import { createObjectStore, type Change, type IndexFunction, type Lister } from './object-store.ts';
import type { ObjectEvent, ReflectorOptions, ReflectorScope } from './reflector/reflector-options.ts';
import { createReflector } from './reflector/reflector.ts';
import { createSharer } from './share-objects.ts';

/**
 * Hears of changes after the cache shows them, in order, and never from inside the call that made them. A handler
 * only records and enqueues; if it throws, the error is logged and the next change comes all the same.
 */
export interface InformerHandler<T extends KubeObject> {
  add?(object: Stored<T>): void;
  update?(old: Stored<T>, object: Stored<T>): void;
  delete?(object: Stored<T>): void;
  /**
   * Instead of the three above: several changes at a time.
   *
   * @param isPart more changes of the same list follow: together they are one state of the server, alone they are none. Deletions come
   *   first, so that a handler which acts in between sees places as free that are taken.
   */
  batch?(changes: readonly Change<T>[], isPart: boolean): void;
  /** The state at the time of registration has been handed over. */
  synced?(): void;
}

export interface HandlerRegistration {
  /** True once the handler has heard of every object there was when the cache was first filled. */
  hasSynced(): boolean;
  synced(signal?: AbortSignal): Promise<void>;
  remove(): void;
}

export interface InformerOptions extends ReflectorOptions {
  /** Let objects share their equal parts. For servers in another process; one in this process shares already. */
  readonly share?: boolean;
  /** Keep no managedFields: controllers do not read them, and a server leaves them as they are on an update without them. */
  readonly dropManagedFields?: boolean;
}

export interface Informer<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly scope: ReflectorScope;
  readonly lister: Lister<T>;
  /** Everything up to this version is in the cache; empty at first. */
  readonly resourceVersion: string;
  /** The cache has been filled once. A filled cache stays filled, if stale, whatever happens to the server. */
  hasSynced(): boolean;
  /** The server refuses to let the informer list or watch (any more): the cache grows stale. */
  isRefused(): boolean;
  synced(signal?: AbortSignal): Promise<void>;
  /** Kept up with every change from now on. The same name with the same function may be added again. */
  addIndex(name: string, of: IndexFunction<T>): void;
  /** May be called at any time; a late handler hears of the present objects first. */
  addHandler(handler: InformerHandler<T>): HandlerRegistration;
  /** Follows the server until the signal fires. Called once. */
  run(signal: AbortSignal): Promise<void>;
}

export function createInformer<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  scope: ReflectorScope,
  options: InformerOptions,
): Informer<T> {
  const { clock } = options;
  const logger = options.logger ?? silentLogger;
  const sharer = options.share === true ? createSharer<T>() : undefined;
  const strip: (object: Stored<T>) => Stored<T> =
    options.dropManagedFields === true ? withoutManagedFields : (object) => object;
  const store = createObjectStore<T>(sharer);
  const listeners = new Set<Listener<T>>();
  const filled = createGate();
  let started = false;

  const report = (error: unknown): void =>
    logger.error('An informer handler threw', { resource: resource.resource, group: resource.group, error });

  const distribute = (changes: readonly Change<T>[]): void => {
    if (changes.length === 0) return;
    for (const listener of listeners) listener.push(changes);
  };

  const reflector = createReflector<T>(
    client,
    resource,
    scope,
    {
      intern: (object) => (sharer === undefined ? strip(object) : sharer(strip(object), undefined)),
      apply: (events) => distribute(store.apply(options.dropManagedFields === true ? stripped(events) : events)),
      replace(items) {
        distribute(store.replace(items));
        if (filled.isOpen()) return;
        filled.open();
        for (const listener of listeners) listener.push(SYNCED);
      },
    },
    options,
  );

  return {
    resource,
    scope,
    lister: store,
    get resourceVersion() {
      return reflector.resourceVersion;
    },
    hasSynced: () => filled.isOpen(),
    isRefused: () => reflector.refusal !== undefined,
    synced: (signal) => orAborted(filled.opened, signal),
    addIndex: (name, of) => store.addIndex(name, of),

    addHandler(handler) {
      const listener = createListener(handler, (run) => void clock.after(0, run), report);
      // The objects in the cache come first; later changes queue up behind them.
      const present = Array.from(store.list(), (object): Change<T> => ({ type: 'add', object, old: undefined }));
      if (present.length > 0) listener.push(present);
      if (filled.isOpen()) listener.push(SYNCED);
      listeners.add(listener);
      return {
        hasSynced: () => listener.gate.isOpen(),
        synced: (signal) => orAborted(listener.gate.opened, signal),
        remove() {
          listeners.delete(listener);
          listener.close();
        },
      };
    },

    async run(signal) {
      if (started) {
        throw new MachineryError('EN_MACHINERY_ALREADY_STARTED', `the informer of ${resource.resource} runs already`);
      }
      started = true;
      await reflector.run(signal);
    },
  };
}

function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _dropped, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const stripped = <T extends KubeObject>(events: readonly ObjectEvent<T>[]): readonly ObjectEvent<T>[] =>
  events.map((event) => {
    const object = withoutManagedFields(event.object);
    return object === event.object ? event : { ...event, object };
  });
