/** The fake API server's rules for objects in general: selection, preconditions, subresources, grace, and how watches see changes. */
import { SYSTEM_TENANT, type KubeObject, type Resource, type Stored } from '../../core/kube/objects.ts';
import { conflict } from '../../core/kube/status-error.ts';
import type { ListOptions, WatchEvent, WatchOptions } from '../client/client.ts';
import { fieldTest, labelTest } from './fake-selectors.ts';
import { collectionOf, type FakeEvent } from './fake-store.ts';

export const pathKey = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;
export const tenantOf = (where?: { readonly tenant?: string }): string => where?.tenant ?? SYSTEM_TENANT;

/** The collection and the objects in it that a list or watch with these options selects. */
export function matching(resource: Resource, options: ListOptions | WatchOptions | undefined) {
  const byLabel = labelTest(options?.labelSelector);
  const byField = fieldTest(options?.fieldSelector);
  const collection = collectionOf(resource, tenantOf(options));
  const inScope = (object: KubeObject): boolean =>
    (options?.namespace === undefined || object.metadata.namespace === options.namespace) &&
    byLabel(object) &&
    byField(object);
  return { collection, inScope };
}

/** The UID precondition of an update, a deletion or a binding. */
export function checkUid(resource: Resource, { metadata }: Stored, uid: string | undefined): void {
  if (uid === undefined || uid === metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`;
  throw conflict(resource, metadata.name, why);
}

/** The first with the second's status: fields that either subresource may not touch stay as they were. */
export function withStatusOf<T extends KubeObject>(object: T, from: T): T {
  const { status, ...rest } = object as T & { readonly status?: unknown };
  const other = (from as T & { readonly status?: unknown }).status;
  if (status === other) return object;
  return (other === undefined ? rest : { ...rest, status: other }) as T;
}

export function specText(object: KubeObject): string {
  const { metadata: _metadata, status: _status, ...rest } = object as KubeObject & { readonly status?: unknown };
  return JSON.stringify(rest);
}

/** Pods on a node linger until their node lets go; everything else goes at once. */
export function graceOf(resource: Resource, object: KubeObject, asked: number | undefined): number {
  if (resource.resource !== 'pods' || resource.group !== '') return 0;
  const pod = object as KubeObject & {
    readonly spec?: { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number };
    readonly status?: { readonly phase?: string };
  };
  const finished = pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded';
  if (finished || pod.spec?.nodeName === undefined || pod.spec.nodeName === '') return 0;
  return asked ?? pod.spec.terminationGracePeriodSeconds ?? 30;
}

/** An event as a watch with this selection sees it: entering is ADDED, leaving is DELETED with the object last seen. */
export function seenAs(event: FakeEvent, inScope: (object: KubeObject) => boolean): WatchEvent<KubeObject> | undefined {
  const before = event.previous !== undefined && inScope(event.previous);
  const now = event.type !== 'DELETED' && inScope(event.object);
  if (now) return { type: before ? 'MODIFIED' : 'ADDED', object: event.object };
  if (!before || event.previous === undefined) return undefined;
  if (event.type === 'DELETED') return { type: 'DELETED', object: event.object };
  const { resourceVersion } = event.object.metadata;
  return { type: 'DELETED', object: { ...event.previous, metadata: { ...event.previous.metadata, resourceVersion } } };
}
