/** The state of a fake API server, and how a request passes through its hooks. */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { notFound } from '../../core/kube/status-error.ts';
import type { WatchEvent } from '../client/client.ts';
import type { Random } from '../random/random.ts';
import type { Clock } from '../time/clock.ts';
import { pathKey, tenantOf } from './fake-rules.ts';
import { collectionOf, createFakeStore, type FakeStore } from './fake-store.ts';
import type { PushStream } from './push-stream.ts';

export interface FakeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'bind' | 'evict';
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** A promise that the hook returns is awaited (a slow server); an error that it throws is the answer. */
export type FakeHook = (request: FakeRequest) => void | Promise<void>;

export interface OpenWatch {
  readonly stream: PushStream<WatchEvent<KubeObject>>;
  readonly bookmarks: boolean;
}

export interface FakeServer {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: FakeStore;
  /** Every request so far, also refused ones, in order of arrival. */
  readonly requests: FakeRequest[];
  readonly watches: Set<OpenWatch>;
  /** The unread rest of paged lists, by continue token. A token stays valid until the history is compacted. */
  readonly pages: Map<string, { readonly items: readonly Stored[]; readonly resourceVersion: string }>;
  /** Runs before a request takes effect: throwing refuses it. */
  before: FakeHook | undefined;
  /** Runs after a request took effect: throwing loses the answer, as a timeout does. */
  after: FakeHook | undefined;
}

export const newFakeServer = (clock: Clock, random: Random, firstRevision: number): FakeServer => ({
  clock,
  random,
  store: createFakeStore(firstRevision),
  requests: [],
  watches: new Set(),
  pages: new Map(),
  before: undefined,
  after: undefined,
});

export async function serve<R>(
  server: FakeServer,
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
  server.requests.push(request);
  signal?.throwIfAborted();
  // Never synchronous, as no server is.
  await Promise.resolve();
  await server.before?.(request);
  signal?.throwIfAborted();
  const result = run();
  await server.after?.(request);
  return result;
}

/** The stored object, or NotFound. */
export function existing<T extends KubeObject>(
  { store }: FakeServer,
  resource: Resource<T>,
  key: { readonly tenant?: string; readonly namespace?: string; readonly name: string },
): Stored<T> {
  const object = store.get(collectionOf(resource, tenantOf(key)), pathKey(key.namespace, key.name));
  if (object === undefined) throw notFound(resource, key.name);
  return object as Stored<T>;
}

export const timestamp = ({ clock }: FakeServer): string => new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
