/**
 * machinery/ holds the parts that controllers are made of, and is the only room that touches the platform's time, chance and network:
 * `Clock` and `Random`, this `Client` and its HTTP transport (http/), the reflector that follows a resource (reflector/),
 * informers over it, the queue of keys (workqueue/), the reconcile loop (controller), leader election, events, logs,
 * metrics, and the ports that other rooms fill in (admission, actor, node-source). testing/ has a fake API server.
 *
 * The one way to talk to an API server. Two transports implement it: HTTP (here) and in-process (apiserver/), with
 * the same admission, conflicts, errors and watch semantics; one contract suite is run against both.
 *
 * Objects handed in become the server's, objects handed out are shared: neither may be changed afterwards.
 * Every failure is a `StatusError`, or an `AbortError` when the signal fired.
 */
import type { ObjectKey, Resource, KubeObject, Stored } from '../../core/kube/objects.ts';
import type { Json } from '../../core/kube/json.ts';
import type { Status } from '../../core/kube/status-error.ts';

export interface RequestOptions {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends RequestOptions {
  readonly resourceVersion?: string;
  readonly subresource?: string;
  /** Only the object's metadata; the rest is not sent, so that it appears neither on the network nor in this process. */
  readonly metadataOnly?: boolean;
}

/** Where to look: one namespace, all of them (no namespace), one tenant (default `system`). */
export interface Scope {
  readonly tenant?: string;
  readonly namespace?: string;
}

export interface ListOptions extends RequestOptions, Scope {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface ListResult<T extends KubeObject> {
  readonly items: readonly Stored<T>[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface WatchOptions extends RequestOptions, Scope {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  /** Everything up to `resourceVersion` has been seen. `initialEventsEnd` closes the initial state. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };

/**
 * Events in revision order, several at a time. The stream ends when the server closes the watch and throws `StatusError`
 * (`Expired`, 410) when the history it needs is gone. The stream never repeats and never skips an event.
 */
export type WatchStream<T extends KubeObject> = AsyncIterable<readonly WatchEvent<T>[]>;

export interface WriteOptions extends RequestOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  readonly subresource?: string;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  readonly force?: boolean;
}

interface Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: Preconditions;
}

export type Patch =
  | { readonly type: 'json'; readonly body: readonly Json[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: Json };

export interface Client {
  get<T extends KubeObject>(resource: Resource<T>, key: ObjectKey, options?: GetOptions): Promise<Stored<T>>;
  list<T extends KubeObject>(resource: Resource<T>, options?: ListOptions): Promise<ListResult<T>>;
  watch<T extends KubeObject>(resource: Resource<T>, options?: WatchOptions): WatchStream<T>;
  create<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions & Scope): Promise<Stored<T>>;
  update<T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions & Scope): Promise<Stored<T>>;
  patch<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    patch: Patch,
    options?: WriteOptions,
  ): Promise<Stored<T>>;
  apply<T extends KubeObject>(resource: Resource<T>, object: T, options: ApplyOptions & Scope): Promise<Stored<T>>;
  /** The deleted object while it lingers (finalizers, grace), or the final `Status`. */
  delete<T extends KubeObject>(
    resource: Resource<T>,
    key: ObjectKey,
    options?: DeleteOptions,
  ): Promise<Stored<T> | Status>;
  deleteCollection<T extends KubeObject>(resource: Resource<T>, options?: DeleteOptions & ListOptions): Promise<void>;
  /** Binds a pod to a node: the scheduler's one write. */
  bind(pod: ObjectKey & { readonly uid?: string }, nodeName: string, options?: RequestOptions): Promise<void>;
  /** Deletes a pod if its disruption budgets allow it (429 otherwise). */
  evict(pod: ObjectKey, options?: DeleteOptions): Promise<void>;
}
