/**
 * The shapes every Kubernetes object shares, whatever its kind.
 *
 * This room, `kube/`, holds the values that all kinds have in common, one small file each: quantities, selectors, names,
 * times, hashes, JSON and its patches, conditions, owner references, and the API's errors. All of it is pure. Where a
 * rule is Kubernetes' own, a table in `golden/` holds what its Go packages answered, and a test compares.
 */
import type { ObjectMeta } from './meta-v1.ts';

/** An API object: an immutable JSON value with a type and metadata. Objects handed out are frozen and shared. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** Metadata of an object that an API server has stored. */
export interface StoredMeta extends ObjectMeta {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
}

/** An object as an API server answers with it: identity and version are known. */
export type Stored<T extends KubeObject = KubeObject> = T & { readonly metadata: StoredMeta };

/** The tenant of objects without a tenant of their own. */
export const SYSTEM_TENANT = 'system';

/**
 * Names one object of a known resource. Without `tenant` the object is the system tenant's; without `namespace`,
 * cluster-scoped.
 */
export interface ObjectKey {
  readonly tenant?: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A resource as it appears in paths: group (empty for the core group), version and plural name. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A resource with its kind and scope; the type parameter carries the object's shape to the compiler. */
export interface Resource<T extends KubeObject = KubeObject> extends GroupVersionResource {
  readonly kind: string;
  readonly namespaced: boolean;
  /** Never present at run time: ties the resource to its object type. */
  readonly objectType?: T;
}

/** `v1` or `apps/v1`, as apiVersion is written. */
export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
