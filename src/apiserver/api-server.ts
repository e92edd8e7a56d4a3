/**
 * apiserver/ — Kubernetes' API semantics, once. `store/` keeps objects and their history; `handlers/` has one file a
 * verb; `admission/` decides what may be written and completes it; `access/` says who may ask; `inprocess/` and
 * `wire/` carry requests here, one by function call and one by HTTP, and add no meaning of their own.
 *
 * There are no loops in this room: what happens by itself happens in controllers.
 */
import type { HeldNames } from '../core/api/custom/crd/held-names.ts';
import type { KindDefinition } from '../core/api/kind/kind-definition.ts';
import type { Registry } from '../core/api/registry/registry.ts';
import { StatusError, internalError } from '../core/kube/status-error.ts';
import type { AdmissionPlugin } from '../machinery/ports/admission.ts';
import type { Clock } from '../machinery/time/clock.ts';
import type { Logger } from '../machinery/logging/logger.ts';
import type { Random } from '../machinery/random/random.ts';
import { requestAttributes } from './access/attributes.ts';
import { accessDenied } from './access/authorizer.ts';
import type { ClusterAuthorizer } from './access/rbac/rbac.ts';
import { createReviews } from './access/reviews.ts';
import { createAdmissionChain } from './admission/chain.ts';
import { type ConvertObjects, withConversions } from './custom/conversion.ts';
import { createCustomKinds } from './custom/custom-kinds.ts';
import { noConversionWebhooks, watchConverted } from './handlers/watch-converted.ts';
import type { HandlerContext } from './handlers/steps/context.ts';
import {
  fromStorageResponse,
  fromStorageSink,
  inFormsWords,
  toStorageRequest,
  toStorageWatch,
} from './handlers/converted.ts';
import { connect } from './handlers/connect.ts';
import { create } from './handlers/create.ts';
import { createDecoder } from './handlers/steps/decode.ts';
import { remove, removeCollection } from './handlers/delete.ts';
import { get } from './handlers/get.ts';
import { createFieldOwners } from './handlers/steps/managed-fields.ts';
import { list } from './handlers/list.ts';
import { patch } from './handlers/patch.ts';
import { builtInPatchers, createPatchEngine } from './handlers/steps/patchers.ts';
import { createSelections } from './handlers/steps/selection.ts';
import { createNewObjectSharing } from './handlers/steps/share-new.ts';
import { DEFAULT_SERVICE_CIDR, createServiceAllocator } from './handlers/service-allocation.ts';
import { createTimestamps } from './handlers/steps/timestamps.ts';
import { update } from './handlers/update.ts';
import { watch } from './handlers/watch.ts';
import { type ApiHooks, quietHooks } from './contract/hooks.ts';
import type {
  ApiRequest,
  ApiResponse,
  ConnectRequest,
  ConnectResponse,
  RequestBase,
  WatchHandle,
  WatchRequest,
  WatchSink,
} from './contract/request.ts';
import type { Store } from './store/store.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly authorizer: ClusterAuthorizer;
  /** In the order they run. */
  readonly admission: readonly AdmissionPlugin[];
  readonly hooks?: Partial<ApiHooks>;
  /** Where cluster IPs come from. */
  readonly serviceCIDR?: string;
  /** Asks the webhooks of custom resources that convert between versions. */
  readonly convert?: ConvertObjects;
  /** Names of custom resources that controllers of this server keep; none unless given. */
  readonly heldNames?: readonly HeldNames[];
  readonly logger?: Logger;
}

export interface ApiServer {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly authorizer: ClusterAuthorizer;
  /** Throws a 403 where the user may not. Transports ask before they read a body; `handle` and `watch` ask by themselves. */
  authorize(request: RequestBase, verb: string, fieldSelector?: string): void;
  /** Rejects with `StatusError` only. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Refusals are thrown as `StatusError` at once; events come later, never before this has returned. */
  watch(request: WatchRequest, sink: WatchSink): WatchHandle;
  /** Opens a stream to what is behind an object. */
  connect(request: ConnectRequest): Promise<ConnectResponse>;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { authorizer, clock, logger, random, registry, store } = options;
  const serviceCIDR = options.serviceCIDR ?? DEFAULT_SERVICE_CIDR;
  const services = createServiceAllocator({ store, clock, random, serviceCIDR });
  const hooks: ApiHooks = { ...quietHooks, allocators: new Map([['services', services]]), ...options.hooks };

  const authorize = (request: RequestBase, verb: string, fieldSelector?: string): void => {
    const attributes = requestAttributes(request.target, request.user, verb, fieldSelector);
    const verdict = authorizer.authorize(attributes);
    if (!verdict.allowed) throw accessDenied(attributes, verdict.reason);
  };

  const timestamps = createTimestamps(clock);
  const context: HandlerContext = {
    authorize,
    store,
    registry,
    clock,
    random,
    admission: createAdmissionChain(options.admission),
    hooks,
    reviews: createReviews(authorizer, hooks.readToken, clock),
    decoder: createDecoder(),
    patches: createPatchEngine(builtInPatchers),
    selections: createSelections(),
    timestamps,
    owners: createFieldOwners(registry, timestamps),
    sharing: createNewObjectSharing(),
  };

  const custom = createCustomKinds({
    store,
    registry,
    convert: options.convert ?? noConversionWebhooks,
    logger,
    held: options.heldNames ?? [],
  });
  const customContexts = new WeakMap<KindDefinition, HandlerContext>();
  /** Custom resources are handled like any other, on the store as their version sees it. */
  const contextOf = (kind: KindDefinition): HandlerContext => {
    let own = customContexts.get(kind);
    if (own === undefined) customContexts.set(kind, (own = { ...context, store: custom.viewOf(kind) }));
    return own;
  };

  const kindOf = ({ target }: RequestBase): KindDefinition | undefined =>
    registry.byResource(target.group, target.version, target.resource);

  const respond = (request: ApiRequest): ApiResponse | Promise<ApiResponse> => {
    const kind = kindOf(request);
    if (kind?.custom !== undefined) return withConversions(() => dispatch(contextOf(kind), request));
    const conversion = kind?.conversion;
    if (kind === undefined || conversion === undefined) return dispatch(context, request);
    // The stored form is another one than the request speaks in.
    const answered = async (): Promise<ApiResponse> =>
      fromStorageResponse(
        kind,
        conversion,
        await dispatch(context, toStorageRequest(kind, conversion, context.decoder, request)),
      );
    return answered().catch((error: unknown) => {
      throw inFormsWords(kind, error);
    });
  };

  const failure = (error: unknown): StatusError => {
    if (error instanceof StatusError) return error;
    logger?.error('a request failed unexpectedly', { error });
    return internalError(error);
  };

  return {
    store,
    registry,
    clock,
    authorizer,
    authorize,
    handle(request) {
      try {
        request.signal?.throwIfAborted();
        authorize(request, request.verb, request.verb === 'list' ? request.options.fieldSelector : undefined);
        const answer = respond(request);
        if (!(answer instanceof Promise)) return Promise.resolve(answer);
        return answer.catch((error: unknown) => {
          throw failure(error);
        });
      } catch (error) {
        return Promise.reject(request.signal?.aborted === true ? error : failure(error));
      }
    },
    async connect(request) {
      try {
        authorize(request, connectVerb(request));
        return await connect(context, request);
      } catch (error) {
        throw failure(error);
      }
    },
    watch(request, sink) {
      try {
        authorize(request, 'watch', request.options.fieldSelector);
        const kind = kindOf(request);
        if (kind?.custom !== undefined) return watchConverted(contextOf(kind), request, sink, failure);
        if (kind?.conversion === undefined) return watch(context, request, sink);
        return watch(context, toStorageWatch(kind, request), fromStorageSink(kind.conversion, sink));
      } catch (error) {
        throw failure(error);
      }
    },
  };
}

/** The log of a pod is read, so to speak; every other stream does something and is asked for as such. */
const connectVerb = ({ method }: ConnectRequest): string => (method === 'GET' ? 'get' : 'create');

function dispatch(context: HandlerContext, request: ApiRequest): ApiResponse | Promise<ApiResponse> {
  switch (request.verb) {
    case 'get':
      return get(context, request);
    case 'list':
      return list(context, request);
    case 'create':
      return create(context, request);
    case 'update':
      return update(context, request);
    case 'patch':
      return patch(context, request);
    case 'delete':
      return remove(context, request);
    case 'deletecollection':
      return removeCollection(context, request);
  }
}
