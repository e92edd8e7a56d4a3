/**
 * A request after the wire has been taken off: what both the HTTP server and the in-process client hand to the
 * handlers, so that the two cannot differ.
 */
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { GroupVersionResource, KubeObject, Stored } from '../../core/kube/objects.ts';
import type { DeleteOptions, ListOptions, Patch, WatchOptions, WriteOptions } from '../../machinery/client/client.ts';
import type { UserInfo } from '../../machinery/ports/admission.ts';
import type { Status, StatusError } from '../../core/kube/status-error.ts';

export interface RequestTarget extends GroupVersionResource {
  readonly tenant: string;
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
}

/** Keeps long work from holding up other requests. */
export interface Pace {
  /**
   * Asked between two steps. Undefined: go on; otherwise go on when the promise resolves. It rejects (with a
   * `StatusError`) when the request is over, or when its user has too much under way.
   */
  turn(): Promise<void> | undefined;
}

export interface RequestBase {
  readonly target: RequestTarget;
  readonly user: UserInfo;
  readonly signal?: AbortSignal;
  /** Absent for callers in this process, which are served at once. */
  readonly pace?: Pace;
  /** Collects warnings for the client (`Warning: 299`). */
  readonly warn?: (message: string) => void;
  /**
   * The object was built by its caller and is not shared yet (parsed from a body): equal parts are replaced by those
   * the store holds already, so that many equal templates cost one.
   */
  readonly unshared?: boolean;
  /** The client's user agent, up to the first slash; absent where there is no wire. */
  readonly userAgent?: string;
  /** Set by the API server itself: the form of the kind the request speaks in, where it is not the stored one. */
  readonly form?: KindDefinition;
  /** Paths of keys that the body gave twice; the object has the last. */
  readonly duplicateFields?: readonly string[];
  /** Repeated keys of a YAML body, in the words of the YAML decoder. */
  readonly repeatedKeys?: readonly string[];
  /** The body was YAML, which Kubernetes reads in the order of its keys. */
  readonly unordered?: boolean;
}

export interface GetRequest extends RequestBase {
  readonly verb: 'get';
  readonly resourceVersion?: string;
}
export interface ListRequest extends RequestBase {
  readonly verb: 'list';
  readonly options: ListOptions;
}
export interface CreateRequest extends RequestBase {
  readonly verb: 'create';
  readonly object: KubeObject;
  readonly options: WriteOptions;
}
export interface UpdateRequest extends RequestBase {
  readonly verb: 'update';
  readonly object: KubeObject;
  readonly options: WriteOptions;
}
/** Forms of a PATCH body; `apply` also creates. */
export type ApiPatch = Patch | { readonly type: 'apply'; readonly body: KubeObject; readonly force: boolean };
export interface PatchRequest extends RequestBase {
  readonly verb: 'patch';
  readonly patch: ApiPatch;
  readonly options: WriteOptions;
}
export interface DeleteRequest extends RequestBase {
  readonly verb: 'delete';
  readonly options: DeleteOptions & { readonly orphanDependents?: boolean };
}
export interface DeleteCollectionRequest extends RequestBase {
  readonly verb: 'deletecollection';
  readonly options: DeleteOptions & ListOptions & { readonly orphanDependents?: boolean };
}

/** A request that opens a stream to something behind an object, such as the log of a pod. */
export interface ConnectRequest extends RequestBase {
  readonly verb: 'connect';
  readonly method: string;
  readonly query: URLSearchParams;
}

export interface ConnectResponse {
  readonly contentType: string;
  readonly body: AsyncIterable<Uint8Array | string>;
}

export type ApiRequest =
  | GetRequest
  | ListRequest
  | CreateRequest
  | UpdateRequest
  | PatchRequest
  | DeleteRequest
  | DeleteCollectionRequest;

export interface WatchRequest extends RequestBase {
  readonly verb: 'watch';
  readonly options: WatchOptions & { readonly resourceVersionMatch?: string };
}

export interface ApiList {
  readonly items: readonly Stored[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export type ApiResponse =
  | { readonly type: 'object'; readonly object: Stored; readonly created: boolean }
  | { readonly type: 'list'; readonly list: ApiList }
  | { readonly type: 'status'; readonly status: Status };

/**
 * One change as a watcher sees it. Where every watcher sees the same, all get the very same event and object, so
 * that encoded bytes can be kept by identity.
 */
export type ApiWatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

/** Where a watch delivers. Never called before `watch` has returned; `ended` is the last call. */
export interface WatchSink {
  /** In revision order; the array may be shared with other watchers and must not be changed. */
  events(batch: readonly ApiWatchEvent[]): void;
  /** Where given, asked between two batches of the initial state, which may be large: when more of it can be taken, if not now. */
  readyForMore?(): Promise<void> | undefined;
  /** Without error: closed in good order (timeout, shutdown), resume from the last revision. */
  ended(error?: StatusError): void;
}

export interface WatchHandle {
  /** Idempotent; nothing is delivered afterwards. */
  stop(): void;
}
