/**
 * A small API server behind `Client`, for tests of controllers: revisions, conflicts, finalizers, paging, watches with
 * history, and faults on demand. It knows no schemas, no admission and no access rules; the in-process client of the
 * API server is the one to use where those matter.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource, type Stored } from '../../core/kube/objects.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  notFound,
  StatusError,
  type Status,
} from '../../core/kube/status-error.ts';
import type {
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import type { Clock } from '../time/clock.ts';
import { createPushStream, type PushStream } from './push-stream.ts';
import type { Random } from '../random/random.ts';
import { patchObject } from './fake-patch.ts';
import { graceOf, matching, pathKey, seenAs, specText, tenantOf, withStatusOf } from './fake-rules.ts';
import { collectionOf, createFakeStore, type FakeEvent } from './fake-store.ts';

export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'bind' | 'evict';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** A promise it answers with is awaited (a slow server); what it throws is the answer. */
type FakeHook = (request: FakeRequest) => void | Promise<void>;

export interface FakeClient extends Client {
  /** Runs before the request takes effect: throwing refuses it. */
  before: FakeHook | undefined;
  /** Runs after it took effect: throwing loses the answer, as a timeout does. */
  after: FakeHook | undefined;
  readonly requests: readonly FakeRequest[];
  readonly revision: string;
  readonly openWatches: number;
  /** Forgets all history: older watches and pages get 410. */
  compact(): void;
  /** Sends a bookmark to all watches that asked for them. */
  bookmark(): void;
  /** Ends all open watches, orderly or with an error. */
  breakWatches(error?: Error): void;
}

interface OpenWatch {
  readonly stream: PushStream<WatchEvent<KubeObject>>;
  readonly bookmarks: boolean;
}

export function createFakeClient(options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly firstRevision?: number;
}): FakeClient {
  const { clock, random } = options;
  const store = createFakeStore(options.firstRevision ?? 100);
  const requests: FakeRequest[] = [];
  const watches = new Set<OpenWatch>();
  /** The unread rest of paged lists, by token. */
  const pages = new Map<string, { readonly items: readonly Stored[]; readonly resourceVersion: string }>();

  const timestamp = (): string => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');

  async function serve<R>(
    verb: FakeRequest['verb'],
    resource: Resource,
    where: { readonly namespace?: string; readonly name?: string; readonly subresource?: string },
    signal: AbortSignal | undefined,
    run: () => R,
  ): Promise<R> {
    const request: FakeRequest = {
      verb,
      resource: resource.resource,
      namespace: where.namespace ?? '',
      name: where.name ?? '',
      subresource: where.subresource ?? '',
    };
    requests.push(request);
    signal?.throwIfAborted();
    // Never synchronous, as no server is.
    await Promise.resolve();
    await fake.before?.(request);
    signal?.throwIfAborted();
    const result = run();
    await fake.after?.(request);
    return result;
  }

  const existing = <T extends KubeObject>(
    resource: Resource<T>,
    key: { readonly tenant?: string; readonly namespace?: string; readonly name: string },
  ): Stored<T> => {
    const object = store.get(collectionOf(resource, tenantOf(key)), pathKey(key.namespace, key.name));
    if (object === undefined) throw notFound(resource, key.name);
    return object as Stored<T>;
  };

  function insert<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options?: WriteOptions & ListOptions,
  ): Stored<T> {
    const { generateName } = object.metadata;
    const name = object.metadata.name || (generateName ? `${generateName}${random.suffix(5)}` : '');
    if (name === '') {
      throw new StatusError(
        422,
        'Invalid',
        `${resource.kind} "" is invalid: metadata.name: Required value: name or generateName is required`,
      );
    }
    const namespace = resource.namespaced ? (options?.namespace ?? object.metadata.namespace ?? 'default') : undefined;
    const collection = collectionOf(resource, tenantOf(options));
    const key = pathKey(namespace, name);
    if (store.get(collection, key) !== undefined) throw alreadyExists(resource, name);
    if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
    const make = (resourceVersion: string): Stored<T> => ({
      ...object,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        ...object.metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: random.uuid(),
        resourceVersion,
        creationTimestamp: timestamp(),
        ...('spec' in object ? { generation: 1 } : {}),
      },
    });
    return (options?.dryRun === true ? make(String(store.revision)) : store.put(collection, key, make)) as Stored<T>;
  }

  /** Stores `object` over `old`: keeps identity, counts generations, and removes what only waited for finalizers. */
  function replace<T extends KubeObject>(
    resource: Resource<T>,
    old: Stored<T>,
    object: T,
    options: (WriteOptions & { readonly tenant?: string }) | undefined,
  ): Stored<T> {
    const { name, namespace } = old.metadata;
    const wanted = object.metadata.resourceVersion ?? '';
    if (wanted !== '' && wanted !== old.metadata.resourceVersion) {
      throw conflict(
        resource,
        name,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
    }
    if (object.metadata.uid !== undefined && object.metadata.uid !== '' && object.metadata.uid !== old.metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${object.metadata.uid}, UID in object meta: ${old.metadata.uid}`;
      throw conflict(resource, name, why);
    }
    const merged = options?.subresource === 'status' ? withStatusOf(old, object) : withStatusOf(object, old);
    const changed = specText(merged) !== specText(old);
    const make = (resourceVersion: string): Stored<T> => ({
      ...merged,
      metadata: {
        ...merged.metadata,
        uid: old.metadata.uid,
        name,
        creationTimestamp: old.metadata.creationTimestamp,
        resourceVersion,
        ...(old.metadata.generation === undefined ? {} : { generation: old.metadata.generation + (changed ? 1 : 0) }),
        ...(old.metadata.deletionTimestamp === undefined ? {} : { deletionTimestamp: old.metadata.deletionTimestamp }),
      },
    });
    const same = make(old.metadata.resourceVersion);
    if (JSON.stringify(same) === JSON.stringify(old)) return old;
    if (options?.dryRun === true) return same;
    const collection = collectionOf(resource, tenantOf(options));
    const finished = old.metadata.deletionTimestamp !== undefined && (same.metadata.finalizers ?? []).length === 0;
    const waits = (same.metadata.deletionGracePeriodSeconds ?? 0) > 0;
    const key = pathKey(namespace, name);
    const stored = finished && !waits ? store.remove(collection, key, make) : store.put(collection, key, make);
    return stored as Stored<T>;
  }

  function remove<T extends KubeObject>(
    resource: Resource<T>,
    old: Stored<T>,
    options: (DeleteOptions & { readonly tenant?: string }) | undefined,
  ): Stored<T> | Status {
    const { name, namespace } = old.metadata;
    const { uid, resourceVersion } = options?.preconditions ?? {};
    if (uid !== undefined && uid !== old.metadata.uid) {
      const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
      throw conflict(resource, name, why);
    }
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
      const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${old.metadata.resourceVersion}`;
      throw conflict(resource, name, why);
    }
    const finalizers = new Set(old.metadata.finalizers ?? []);
    if (options?.propagationPolicy === 'Orphan') finalizers.add('orphan');
    if (options?.propagationPolicy === 'Foreground') finalizers.add('foregroundDeletion');
    const grace = graceOf(resource, old, options?.gracePeriodSeconds);
    const collection = collectionOf(resource, tenantOf(options));
    if (finalizers.size === 0 && grace === 0) {
      const gone = (version: string): Stored<T> => ({
        ...old,
        metadata: { ...old.metadata, resourceVersion: version },
      });
      if (options?.dryRun !== true) store.remove(collection, pathKey(namespace, name), gone);
      const { uid: oldUid } = old.metadata;
      return {
        ...SUCCESS,
        details: {
          name,
          kind: resource.resource,
          uid: oldUid,
          ...(resource.group === '' ? {} : { group: resource.group }),
        },
      };
    }
    if (old.metadata.deletionTimestamp !== undefined && grace === (old.metadata.deletionGracePeriodSeconds ?? 0))
      return old;
    const make = (version: string): Stored<T> => ({
      ...old,
      metadata: {
        ...old.metadata,
        resourceVersion: version,
        deletionTimestamp: old.metadata.deletionTimestamp ?? timestamp(),
        deletionGracePeriodSeconds: grace,
        ...(finalizers.size === 0 ? {} : { finalizers: [...finalizers] }),
      },
    });
    if (options?.dryRun === true) return make(old.metadata.resourceVersion);
    store.put(collection, pathKey(namespace, name), make);
    return existing(resource, { ...options, name, ...(namespace === undefined ? {} : { namespace }) });
  }

  async function* watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { signal } = options;
    const { collection, inScope } = matching(resource, options);
    const opened = await serve('watch', resource, options, signal, () => {
      const from = options.resourceVersion ?? '';
      const fresh = options.sendInitialEvents === true || from === '' || from === '0';
      const past = fresh ? [] : store.since(Number(from));
      const stream = createPushStream<WatchEvent<KubeObject>>(() => {
        unsubscribe();
        watches.delete(open);
        timer?.cancel();
        signal?.removeEventListener('abort', onAbort);
      });
      const deliver = (event: FakeEvent): void => {
        if (event.collection !== collection) return;
        const seen = seenAs(event, inScope);
        if (seen !== undefined) stream.push(seen);
      };
      if (fresh) {
        for (const object of store.list(collection).filter(inScope)) stream.push({ type: 'ADDED', object });
        if (options.sendInitialEvents === true) {
          stream.push({ type: 'BOOKMARK', resourceVersion: String(store.revision), initialEventsEnd: true });
        }
      }
      past.forEach(deliver);
      const unsubscribe = store.subscribe(deliver);
      const open: OpenWatch = { stream, bookmarks: options.allowWatchBookmarks === true };
      watches.add(open);
      const onAbort = (): void => stream.fail(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      const seconds = options.timeoutSeconds ?? 0;
      const timer = seconds > 0 ? clock.after(seconds * 1000, () => stream.end()) : undefined;
      return stream;
    });
    yield* opened.batches as AsyncIterable<readonly WatchEvent<T>[]>;
  }

  const fake: FakeClient = {
    before: undefined,
    after: undefined,
    requests,
    get revision() {
      return String(store.revision);
    },
    get openWatches() {
      return watches.size;
    },
    compact() {
      store.compact();
      pages.clear();
    },
    bookmark() {
      for (const { stream, bookmarks } of watches) {
        if (bookmarks)
          stream.push({ type: 'BOOKMARK', resourceVersion: String(store.revision), initialEventsEnd: false });
      }
    },
    breakWatches(error) {
      for (const { stream } of watches) {
        if (error === undefined) stream.end();
        else stream.fail(error);
      }
    },

    get: <T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions) =>
      serve('get', resource, key, options?.signal, () => {
        const found = existing(resource, key);
        if (options?.metadataOnly !== true) return found;
        const { apiVersion, kind, metadata } = found;
        return { apiVersion, kind, metadata } as Stored<T>;
      }),
    list: <T extends KubeObject>(resource: Resource<T>, options?: ListOptions) =>
      serve('list', resource, options ?? {}, options?.signal, () => {
        const { collection, inScope } = matching(resource, options);
        const page =
          options?.continue === undefined
            ? { items: store.list(collection).filter(inScope), resourceVersion: String(store.revision) }
            : pages.get(options.continue);
        if (page === undefined) {
          throw expired(
            'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
          );
        }
        const limit = options?.limit ?? 0;
        if (limit === 0 || page.items.length <= limit) {
          return { items: page.items as readonly Stored<T>[], resourceVersion: page.resourceVersion };
        }
        const token = random.uuid();
        pages.set(token, { items: page.items.slice(limit), resourceVersion: page.resourceVersion });
        return {
          items: page.items.slice(0, limit) as readonly KubeObject[] as readonly Stored<T>[],
          resourceVersion: page.resourceVersion,
          continue: token,
          remainingItemCount: page.items.length - limit,
        };
      }),
    watch,
    create: (resource, object, options) =>
      serve('create', resource, { ...options, name: object.metadata.name }, options?.signal, () =>
        insert(resource, object, options),
      ),
    update: (resource, object, options) => {
      const namespace = options?.namespace ?? object.metadata.namespace;
      const key = {
        tenant: tenantOf(options),
        ...(namespace === undefined ? {} : { namespace }),
        name: object.metadata.name,
      };
      const where = { ...key, ...(options?.subresource === undefined ? {} : { subresource: options.subresource }) };
      return serve('update', resource, where, options?.signal, () =>
        replace(resource, existing(resource, key), object, options),
      );
    },
    patch: (resource, key, patch, options) =>
      serve('patch', resource, { ...options, ...key }, options?.signal, () => {
        const old = existing(resource, key);
        return replace(resource, old, patchObject(old, patch), { ...options, tenant: tenantOf(key) });
      }),
    apply: (resource, object, options) => {
      const namespace = options.namespace ?? object.metadata.namespace;
      const { name } = object.metadata;
      const where = { ...(namespace === undefined ? {} : { namespace }), name };
      return serve('patch', resource, where, options.signal, () => {
        const old = store.get(collectionOf(resource, tenantOf(options)), pathKey(namespace, name));
        if (old === undefined) return insert(resource, object, options);
        const merged = patchObject(old, { type: 'merge', body: object as never });
        return replace(resource, old as Stored<typeof object>, merged as unknown as typeof object, options);
      });
    },
    delete: (resource, key, options) =>
      serve('delete', resource, key, options?.signal, () =>
        remove(resource, existing(resource, key), { ...options, tenant: tenantOf(key) }),
      ),
    deleteCollection: (resource, options) =>
      serve('delete', resource, options ?? {}, options?.signal, () => {
        const { collection, inScope } = matching(resource, options);
        for (const object of store.list(collection).filter(inScope)) remove(resource, object as never, options);
      }),
    bind: (pod, nodeName, options) =>
      serve('bind', PODS, { ...pod, subresource: 'binding' }, options?.signal, () => {
        const old = existing<KubeObject & { readonly spec?: { readonly nodeName?: string } }>(PODS, pod);
        if (pod.uid !== undefined && pod.uid !== old.metadata.uid) {
          throw conflict(
            PODS,
            pod.name,
            `Precondition failed: UID in precondition: ${pod.uid}, UID in object meta: ${old.metadata.uid}`,
          );
        }
        if (old.spec?.nodeName !== undefined && old.spec.nodeName !== '') {
          throw conflict(
            { group: '', resource: 'pods/binding' },
            pod.name,
            `pod ${pod.name} is already assigned to node "${old.spec.nodeName}"`,
          );
        }
        store.put(collectionOf(PODS, tenantOf(pod)), pathKey(pod.namespace, pod.name), (resourceVersion) => ({
          ...old,
          spec: { ...old.spec, nodeName },
          metadata: { ...old.metadata, resourceVersion },
        }));
      }),
    evict: (pod, options) =>
      serve('evict', PODS, { ...pod, subresource: 'eviction' }, options?.signal, () => {
        remove(PODS, existing(PODS, pod), { ...options, tenant: tenantOf(pod) });
      }),
  };
  return fake;
}

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 } as const;
