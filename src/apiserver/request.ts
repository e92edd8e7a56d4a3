/**
 * A request after the wire has been taken off: what both the HTTP server and the in-process client hand to the
 * handlers, so that the two cannot differ.
 */
import type { GroupVersionResource, KubeObject, Stored } from '../core/kube/objects.ts';
import type { DeleteOptions, ListOptions, Patch, WatchOptions, WriteOptions } from '../machinery/client.ts';
import type { UserInfo } from '../machinery/admission.ts';
import type { Status } from '../core/kube/status-error.ts';

export interface RequestTarget extends GroupVersionResource {
  readonly tenant: string;
  /** Empty for cluster-scoped resources and for lists over all namespaces. */
  readonly namespace: string;
  /** Empty for collections. */
  readonly name: string;
  readonly subresource: string;
}

interface Base {
  readonly target: RequestTarget;
  readonly user: UserInfo;
  readonly signal?: AbortSignal;
  /** Collects warnings for the client (`Warning: 299`). */
  readonly warn?: (message: string) => void;
}

export type ApiRequest =
  | (Base & { readonly verb: 'get'; readonly resourceVersion?: string })
  | (Base & { readonly verb: 'list'; readonly options: ListOptions })
  | (Base & { readonly verb: 'create'; readonly object: KubeObject; readonly options: WriteOptions })
  | (Base & { readonly verb: 'update'; readonly object: KubeObject; readonly options: WriteOptions })
  | (Base & { readonly verb: 'patch'; readonly patch: Patch; readonly options: WriteOptions })
  | (Base & { readonly verb: 'delete'; readonly options: DeleteOptions })
  | (Base & { readonly verb: 'deletecollection'; readonly options: DeleteOptions & ListOptions });

export interface WatchRequest extends Base {
  readonly verb: 'watch';
  readonly options: WatchOptions;
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
