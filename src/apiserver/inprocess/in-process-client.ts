/**
 * The transport without a wire: `Client` calls the API server's handlers. Semantics are those of HTTP (admission,
 * conflicts, errors), objects are shared instead of copied, nothing is delivered synchronously, and what could not
 * have crossed a wire is refused.
 */
import type { Binding } from '../../core/api/types/core-v1.ts';
import { type KubeObject, type ObjectKey, type Resource, SYSTEM_TENANT, type Stored } from '../../core/kube/objects.ts';
import { internalError } from '../../core/kube/status-error.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Client, GetOptions, ListResult, Patch, RequestOptions, Scope } from '../../machinery/client/client.ts';
import type { ApiServer } from '../api-server.ts';
import type { ApiRequest, ApiResponse, RequestTarget } from '../contract/request.ts';
import { handedOver } from './hand-over.ts';
import { openStream } from './watch-stream.ts';

export interface InProcessClientOptions {
  readonly user: UserInfo;
  /** The tenant of requests that name none. */
  readonly tenant?: string;
}

const NOTHING = {};

export function createInProcessClient(server: ApiServer, identity: InProcessClientOptions): Client {
  const { user } = identity;
  const home = identity.tenant ?? SYSTEM_TENANT;

  const at = (resource: Resource, where: Scope, name: string, subresource: string): RequestTarget => ({
    tenant: where.tenant ?? home,
    group: resource.group,
    version: resource.version,
    resource: resource.resource,
    namespace: resource.namespaced ? (where.namespace ?? '') : '',
    name,
    subresource,
  });
  const key = (resource: Resource, what: ObjectKey, subresource = ''): RequestTarget =>
    at(resource, what, what.name, subresource);

  /** The answer, unless the caller gives up first; a write that was under way may still happen, as over a wire. */
  const ask = (request: ApiRequest): Promise<ApiResponse> => {
    const answer = server.handle(request);
    return request.signal === undefined ? answer : untilAborted(answer, request.signal);
  };
  const object = async <T extends KubeObject>(request: ApiRequest): Promise<Stored<T>> => {
    const response = await ask(request);
    if (response.type !== 'object') throw internalError(`unexpected ${response.type} answer`);
    return response.object as Stored<T>;
  };
  const signalOf = (options: RequestOptions): { signal?: AbortSignal } =>
    options.signal === undefined ? NOTHING : { signal: options.signal };

  return {
    get<T extends KubeObject>(resource: Resource<T>, what: ObjectKey, options: GetOptions = {}) {
      const found = object<T>({
        verb: 'get',
        target: key(resource, what, options.subresource),
        user,
        ...signalOf(options),
        ...(options.resourceVersion === undefined ? NOTHING : { resourceVersion: options.resourceVersion }),
      });
      if (options.metadataOnly !== true) return found;
      return found.then(({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }) as Stored<T>);
    },
    async list<T extends KubeObject>(resource: Resource<T>, options = {}) {
      const target = at(resource, options, '', '');
      const response = await ask({ verb: 'list', target, user, options, ...signalOf(options) });
      if (response.type !== 'list') throw internalError(`unexpected ${response.type} answer`);
      return response.list as ListResult<T>;
    },
    watch: (resource, options = {}) =>
      openStream(server, {
        verb: 'watch',
        target: at(resource, options, '', ''),
        user,
        // Asking for the initial state says how old it may be; there is only one answer.
        options:
          options.sendInitialEvents === undefined ? options : { ...options, resourceVersionMatch: 'NotOlderThan' },
        ...signalOf(options),
      }),
    create: async (resource, created, options = {}) =>
      object({
        verb: 'create',
        target: at(
          resource,
          scopeOf(created, options),
          options.subresource ? created.metadata.name : '',
          options.subresource ?? '',
        ),
        user,
        object: handedOver(created),
        options,
        ...signalOf(options),
      }),
    update: async (resource, updated, options = {}) =>
      object({
        verb: 'update',
        target: at(resource, scopeOf(updated, options), updated.metadata.name, options.subresource ?? ''),
        user,
        object: handedOver(updated),
        options,
        ...signalOf(options),
      }),
    patch: async (resource, what, patch, options = {}) =>
      object({
        verb: 'patch',
        target: key(resource, what, options.subresource),
        user,
        patch: { ...patch, body: handedOver(patch.body) } as Patch,
        options,
        ...signalOf(options),
      }),
    apply: async (resource, applied, options) =>
      object({
        verb: 'patch',
        target: at(resource, scopeOf(applied, options), applied.metadata.name, options.subresource ?? ''),
        user,
        patch: { type: 'apply', body: handedOver(applied), force: options.force === true },
        options,
        ...signalOf(options),
      }),
    async delete<T extends KubeObject>(resource: Resource<T>, what: ObjectKey, options = {}) {
      const response = await ask({ verb: 'delete', target: key(resource, what), user, options, ...signalOf(options) });
      if (response.type === 'list') throw internalError('unexpected list answer');
      return response.type === 'status' ? response.status : response.object;
    },
    async deleteCollection(resource, options = {}) {
      await ask({
        verb: 'deletecollection',
        target: at(resource, options, '', ''),
        user,
        options,
        ...signalOf(options),
      });
    },
    async bind(pod, nodeName, options = {}) {
      const binding: Binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: pod.name, ...(pod.uid === undefined ? NOTHING : { uid: pod.uid }) },
        target: { kind: 'Node', name: nodeName },
      };
      const target = key(PODS, pod, 'binding');
      await ask({ verb: 'create', target, user, object: binding, options: NOTHING, ...signalOf(options) });
    },
    async evict(pod, options = {}) {
      const { dryRun, signal, ...deleteOptions } = options;
      const eviction: KubeObject & { readonly deleteOptions: object } = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: pod.name },
        deleteOptions,
      };
      await ask({
        verb: 'create',
        target: key(PODS, pod, 'eviction'),
        user,
        object: eviction,
        options: dryRun === true ? { dryRun } : NOTHING,
        ...(signal === undefined ? NOTHING : { signal }),
      });
    },
  };
}

const PODS: Resource = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };

/** The object says where it belongs, unless the caller does. */
function scopeOf(object: KubeObject, scope: Scope): Scope {
  // Callers are typed, but a missing name or namespace is the server's to complain about.
  const namespace = scope.namespace ?? (object as Partial<KubeObject>).metadata?.namespace;
  return {
    ...(scope.tenant === undefined ? NOTHING : { tenant: scope.tenant }),
    ...(namespace === undefined ? NOTHING : { namespace }),
  };
}

function untilAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
