/**
 * A small API server behind `Client`, for tests of controllers: revisions, conflicts, finalizers, paging, watches with
 * history, and faults on demand. The fake knows no schemas, no admission and no access rules; the in-process client of the
 * API server is the one to use where those matter.
 */
import { PODS } from '../../core/api/registry/resources.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../core/kube/objects.ts';
import type { Client, GetOptions, WatchEvent, WatchOptions } from '../client/client.ts';
import type { Random } from '../random/random.ts';
import type { Clock } from '../time/clock.ts';
import { remove } from './fake-deletes.ts';
import { patchObject } from './fake-patch.ts';
import { listPage, openWatch } from './fake-reads.ts';
import { matching, pathKey, tenantOf } from './fake-rules.ts';
import { existing, newFakeServer, serve, type FakeHook, type FakeRequest, type FakeServer } from './fake-server.ts';
import { collectionOf } from './fake-store.ts';
import { bindPod, insert, replace } from './fake-writes.ts';

export interface FakeClient extends Client {
  /** Runs before a request takes effect: throwing refuses it. */
  before: FakeHook | undefined;
  /** Runs after a request took effect: throwing loses the answer, as a timeout does. */
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

export function createFakeClient(options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly firstRevision?: number;
}): FakeClient {
  const server = newFakeServer(options.clock, options.random, options.firstRevision ?? 100);
  const { store, watches, pages } = server;
  return {
    get before() {
      return server.before;
    },
    set before(hook) {
      server.before = hook;
    },
    get after() {
      return server.after;
    },
    set after(hook) {
      server.after = hook;
    },
    requests: server.requests,
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
    ...verbsOf(server),
  };
}

function verbsOf(server: FakeServer): Client {
  return {
    get: <T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions) =>
      serve(server, 'get', resource, key, options?.signal, () => {
        const found = existing(server, resource, key);
        if (options?.metadataOnly !== true) return found;
        const { apiVersion, kind, metadata } = found;
        return { apiVersion, kind, metadata } as Stored<T>;
      }),
    list: (resource, options) =>
      serve(server, 'list', resource, options ?? {}, options?.signal, () => listPage(server, resource, options)),
    watch: (resource, options) => watch(server, resource, options),
    create: (resource, object, options) =>
      serve(server, 'create', resource, { ...options, name: object.metadata.name }, options?.signal, () =>
        insert(server, resource, object, options),
      ),
    update: (resource, object, options) => {
      const namespace = options?.namespace ?? object.metadata.namespace;
      const key = {
        tenant: tenantOf(options),
        ...(namespace === undefined ? {} : { namespace }),
        name: object.metadata.name,
      };
      const where = { ...key, ...(options?.subresource === undefined ? {} : { subresource: options.subresource }) };
      return serve(server, 'update', resource, where, options?.signal, () =>
        replace(server, resource, existing(server, resource, key), object, options),
      );
    },
    patch: (resource, key, patch, options) =>
      serve(server, 'patch', resource, { ...options, ...key }, options?.signal, () => {
        const old = existing(server, resource, key);
        return replace(server, resource, old, patchObject(old, patch), { ...options, tenant: tenantOf(key) });
      }),
    apply: (resource, object, options) => {
      const namespace = options.namespace ?? object.metadata.namespace;
      const { name } = object.metadata;
      const where = { ...(namespace === undefined ? {} : { namespace }), name };
      return serve(server, 'patch', resource, where, options.signal, () => {
        const old = server.store.get(collectionOf(resource, tenantOf(options)), pathKey(namespace, name));
        if (old === undefined) return insert(server, resource, object, options);
        const merged = patchObject(old, { type: 'merge', body: object as never });
        return replace(server, resource, old as Stored<typeof object>, merged as unknown as typeof object, options);
      });
    },
    delete: (resource, key, options) =>
      serve(server, 'delete', resource, key, options?.signal, () =>
        remove(server, resource, existing(server, resource, key), { ...options, tenant: tenantOf(key) }),
      ),
    deleteCollection: (resource, options) =>
      serve(server, 'delete', resource, options ?? {}, options?.signal, () => {
        const { collection, inScope } = matching(resource, options);
        for (const object of server.store.list(collection).filter(inScope)) {
          remove(server, resource, object as never, options);
        }
      }),
    bind: (pod, nodeName, options) =>
      serve(server, 'bind', PODS, { ...pod, subresource: 'binding' }, options?.signal, () =>
        bindPod(server, pod, nodeName),
      ),
    evict: (pod, options) =>
      serve(server, 'evict', PODS, { ...pod, subresource: 'eviction' }, options?.signal, () => {
        remove(server, PODS, existing(server, PODS, pod), { ...options, tenant: tenantOf(pod) });
      }),
  };
}

async function* watch<T extends KubeObject>(
  server: FakeServer,
  resource: Resource<T>,
  options: WatchOptions = {},
): AsyncGenerator<readonly WatchEvent<T>[]> {
  const opened = await serve(server, 'watch', resource, options, options.signal, () =>
    openWatch(server, resource, options),
  );
  yield* opened.batches as AsyncIterable<readonly WatchEvent<T>[]>;
}
