/**
 * Where the rest of the house reaches into API semantics without the API server knowing it: each hook is a port with
 * a quiet default.
 */
import type { KubeObject, Stored } from '../../core/kube/objects.ts';
import type { StatusError } from '../../core/kube/status-error.ts';
import type { ApiResponse, ConnectRequest, ConnectResponse, CreateRequest, RequestTarget } from './request.ts';
import type { ReadToken } from './token-reading.ts';

interface EvictionCheck {
  /** Refuses (429) an eviction that a disruption budget forbids; `undefined` lets it pass. */
  (pod: Stored, tenant: string): StatusError | undefined;
}

/** Gives out what is unique across objects, such as cluster IPs and node ports. */
export interface Allocator {
  /** Checks that the allocator makes of an update before the rest of it is validated. Throws. */
  checkUpdate?(object: KubeObject, old: Stored, dryRun: boolean): void;
  /** Called when the kind has prepared the object, before validation; the object itself where nothing is given out. */
  onCreate(object: KubeObject, target: RequestTarget, dryRun: boolean): KubeObject;
  /** Called last, for a valid change. */
  onUpdate(object: KubeObject, old: Stored, target: RequestTarget, dryRun: boolean): KubeObject;
}

/** Answers a POST to a subresource that is not the API server's own, such as `serviceaccounts/token`. */
export type SubresourceHandler = (request: CreateRequest) => ApiResponse | Promise<ApiResponse>;

/** Answers a stream behind an object (`pods/log`), usually by asking the node it runs on. */
type ConnectHandler = (request: ConnectRequest, object: Stored) => ConnectResponse | Promise<ConnectResponse>;

export interface ApiHooks {
  readonly eviction: EvictionCheck;
  /** By resource name. */
  readonly allocators: ReadonlyMap<string, Allocator>;
  /** By `resource/subresource`. */
  readonly subresources: ReadonlyMap<string, SubresourceHandler>;
  /** By `resource/subresource`. */
  readonly connect: ReadonlyMap<string, ConnectHandler>;
  readonly readToken: ReadToken;
}

export const quietHooks: ApiHooks = {
  eviction: () => undefined,
  allocators: new Map(),
  subresources: new Map(),
  connect: new Map(),
  readToken: () => ({}),
};
