/** `Client` over HTTP: for real clusters, and for an embedded server in another process. */
import { PODS } from '../../../core/api/registry/resources.ts';
import { encodeObject } from '../../../core/api/encoding/object-json.ts';
import {
  apiVersionOf,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type Stored,
} from '../../../core/kube/objects.ts';
import { internalError, type Status } from '../../../core/kube/status-error.ts';
import type {
  ApplyOptions,
  Client,
  DeleteOptions,
  GetOptions,
  ListOptions,
  ListResult,
  Patch,
  Scope,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client.ts';
import { pathOf, queryOf, type Query, type Target } from './paths.ts';
import type { RestConfig } from './rest-config.ts';
import { createTransport, type HttpRequest, type TransportOptions } from './transport.ts';
import { createWatchDecoder, WatchBroken } from './watch-decoder.ts';

export interface HttpClient extends Client {
  /** Any other path of the server: discovery, health, version. */
  raw(path: string, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  close(): Promise<void>;
}

const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const satisfies { readonly [type in Patch['type']]: string };

const GONE: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Under the name of its own kind; also where a server sent all of it. */
const metadataOf = (resource: Resource, { metadata }: Stored): Stored => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  metadata,
});

/**
 * A kube-apiserver that finds an object deleted by another client, between the two steps of its own deletion, answers with
 * the object it last saw, without a resourceVersion: a client could not watch from it.
 */
const isLastTrace = ({ kind, metadata }: Stored | Status): boolean =>
  kind !== 'Status' && (metadata.resourceVersion ?? '') === '';

/** The answer, which must be an object. */
const object = async <T extends KubeObject>(answer: Promise<unknown>): Promise<Stored<T>> => {
  const body = await answer;
  if (typeof body !== 'object' || body === null) throw internalError('the server answered without an object');
  return body as Stored<T>;
};

export function createHttpClient(config: RestConfig, options: TransportOptions): HttpClient {
  const transport = createTransport(config, options);

  const call = (
    method: HttpRequest['method'],
    target: Target,
    query: Query,
    rest: Omit<HttpRequest, 'method' | 'path'>,
  ) => transport.json({ method, path: pathOf(target) + queryOf(query), ...rest });
  const write = <T extends KubeObject>(
    method: 'POST' | 'PUT',
    resource: Resource<T>,
    value: T,
    options: WriteOptions & Scope,
    name: string,
  ) => {
    const namespace = resource.namespaced ? (options.namespace ?? value.metadata.namespace ?? 'default') : undefined;
    const target: Target = { resource, tenant: options.tenant, namespace, name, subresource: options.subresource };
    return object<T>(
      call(method, target, writeQuery(options), { body: encode(typed(resource, value)), signal: options.signal }),
    );
  };

  async function* watch<T extends KubeObject>(
    resource: Resource<T>,
    options: WatchOptions = {},
  ): AsyncGenerator<readonly WatchEvent<T>[]> {
    const initial = options.sendInitialEvents === true;
    const query: Query = [
      ['watch', 'true'],
      ...selection(options),
      ['resourceVersion', options.resourceVersion],
      ['allowWatchBookmarks', initial || options.allowWatchBookmarks],
      ['sendInitialEvents', initial],
      ['resourceVersionMatch', initial ? 'NotOlderThan' : undefined],
      ['timeoutSeconds', options.timeoutSeconds],
    ];
    const path = pathOf({ resource, tenant: options.tenant, namespace: options.namespace }) + queryOf(query);
    const decoder = createWatchDecoder<T>();
    try {
      for await (const chunk of transport.stream({ method: 'GET', path, signal: options.signal })) {
        const events = decoder.push(chunk);
        if (events.length > 0) yield events;
      }
    } catch (error) {
      if (!(error instanceof WatchBroken)) throw error;
      const { events } = error as WatchBroken<T>;
      if (events.length > 0) yield events;
      throw error.cause;
    }
  }

  return {
    get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: GetOptions = {}) {
      const isPartial = options.metadataOnly === true;
      const found = object<T>(
        call(
          'GET',
          { resource, ...key, subresource: options.subresource },
          [['resourceVersion', options.resourceVersion]],
          { signal: options.signal, ...(isPartial ? { accept: METADATA_ONLY } : {}) },
        ),
      );
      return isPartial ? found.then((partial) => metadataOf(resource, partial) as Stored<T>) : found;
    },

    async list<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): Promise<ListResult<T>> {
      const query: Query = [
        ...selection(options),
        ['limit', options.limit === 0 ? undefined : options.limit],
        ['continue', options.continue],
        ['resourceVersion', options.resourceVersion],
        ['resourceVersionMatch', options.resourceVersionMatch],
      ];
      const { tenant, namespace, signal } = options;
      const body = (await call('GET', { resource, tenant, namespace }, query, { signal })) as ListBody<T> | undefined;
      const { metadata = {}, items } = body ?? {};
      return {
        // In lists the server leaves out the items' apiVersion and kind.
        items: (items ?? []).map((item) => typed(resource, item) as Stored<T>),
        resourceVersion: metadata.resourceVersion ?? '',
        ...(metadata.continue === undefined || metadata.continue === '' ? {} : { continue: metadata.continue }),
        ...(metadata.remainingItemCount === undefined ? {} : { remainingItemCount: metadata.remainingItemCount }),
      };
    },

    watch,

    create: (resource, value, options = {}) =>
      write('POST', resource, value, options, options.subresource === undefined ? '' : value.metadata.name),
    update: (resource, value, options = {}) => write('PUT', resource, value, options, value.metadata.name),

    patch: (resource, key, patch, options = {}) =>
      object(
        call('PATCH', { resource, ...key, subresource: options.subresource }, writeQuery(options), {
          body: encode(patch.body),
          contentType: PATCH_TYPES[patch.type],
          signal: options.signal,
        }),
      ),

    apply: <T extends KubeObject>(resource: Resource<T>, value: T, options: ApplyOptions & Scope) => {
      const namespace = resource.namespaced ? (options.namespace ?? value.metadata.namespace ?? 'default') : undefined;
      const { tenant, subresource, signal } = options;
      return object<T>(
        call(
          'PATCH',
          { resource, tenant, namespace, name: value.metadata.name, subresource },
          [...writeQuery(options), ['force', options.force]],
          {
            // JSON is YAML, so the one content type for apply takes both.
            body: encode(typed(resource, value)),
            contentType: 'application/apply-patch+yaml',
            signal,
          },
        ),
      );
    },

    delete: async <T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options: DeleteOptions = {}) => {
      const request = { body: deleteBody(options), signal: options.signal };
      const answer = (await call('DELETE', { resource, ...key }, [], request)) as Stored<T> | Status;
      return isLastTrace(answer) ? GONE : answer;
    },

    async deleteCollection(resource, options = {}) {
      const { tenant, namespace, signal } = options;
      const query: Query = [
        ...selection(options),
        ['resourceVersion', options.resourceVersion],
        ['limit', options.limit],
      ];
      await call('DELETE', { resource, tenant, namespace }, query, { body: deleteBody(options), signal });
    },

    async bind(pod, nodeName, options = {}) {
      const { uid, tenant, namespace, name } = pod;
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name, ...(namespace === undefined ? {} : { namespace }), ...(uid === undefined ? {} : { uid }) },
        target: { apiVersion: 'v1', kind: 'Node', name: nodeName },
      };
      await call('POST', { resource: PODS, tenant, namespace, name, subresource: 'binding' }, [], {
        body: encode(body),
        signal: options.signal,
      });
    },

    async evict(pod, options = {}) {
      const { tenant, namespace, name } = pod;
      const body = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
        deleteOptions: deleteOptionsOf(options),
      };
      await call('POST', { resource: PODS, tenant, namespace, name, subresource: 'eviction' }, [], {
        body: encode(body),
        signal: options.signal,
        keep429: true,
      });
    },

    raw: (path, options = {}) => transport.json({ method: 'GET', path, signal: options.signal }),
    close: () => transport.close(),
  };
}

interface ListBody<T extends KubeObject> {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items?: readonly Stored<T>[] | null;
}

const encode = (value: unknown): string => encodeObject(value as object);

/** The object with its type written out; itself when it already is. */
function typed<T extends KubeObject>(resource: Resource<T>, object: T): T {
  if (object.kind === resource.kind && object.apiVersion) return object;
  return { ...object, apiVersion: object.apiVersion || apiVersionOf(resource), kind: resource.kind };
}

const selection = ({ labelSelector, fieldSelector }: ListOptions | WatchOptions): Query => [
  ['labelSelector', labelSelector],
  ['fieldSelector', fieldSelector],
];

const writeQuery = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): Query => [
  ['dryRun', dryRun === true ? 'All' : undefined],
  ['fieldManager', fieldManager],
  ['fieldValidation', fieldValidation],
];

const deleteOptionsOf = ({ dryRun, gracePeriodSeconds, propagationPolicy, preconditions }: DeleteOptions) => ({
  apiVersion: 'v1',
  kind: 'DeleteOptions',
  ...(dryRun === true ? { dryRun: ['All'] } : {}),
  ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
  ...(preconditions === undefined ? {} : { preconditions }),
});

const deleteBody = (options: DeleteOptions): string => encode(deleteOptionsOf(options));
