/** Creating, replacing and binding objects on the fake API server. */
import { PODS } from '../../core/api/registry/resources.ts';
import { apiVersionOf, type KubeObject, type ObjectKey, type Resource, type Stored } from '../../core/kube/objects.ts';
import { alreadyExists, badRequest, conflict, StatusError } from '../../core/kube/status-error.ts';
import type { ListOptions, WriteOptions } from '../client/client.ts';
import { checkUid, pathKey, specText, tenantOf, withStatusOf } from './fake-rules.ts';
import { existing, timestamp, type FakeServer } from './fake-server.ts';
import { collectionOf } from './fake-store.ts';

export function insert<T extends KubeObject>(
  server: FakeServer,
  resource: Resource<T>,
  object: T,
  options?: WriteOptions & ListOptions,
): Stored<T> {
  const { random, store } = server;
  const { generateName } = object.metadata;
  const name = object.metadata.name || (generateName ? `${generateName}${random.suffix(5)}` : '');
  if (name === '') {
    throw new StatusError(
      422,
      'Invalid',
      `${resource.kind} "" is invalid: metadata.name: Required value: name or generateName is required`,
    );
  }
  const namespace = resource.namespaced ? (options?.namespace ?? object.metadata.namespace ?? 'default') : undefined;
  const collection = collectionOf(resource, tenantOf(options));
  const key = pathKey(namespace, name);
  if (store.get(collection, key) !== undefined) throw alreadyExists(resource, name);
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  const make = (resourceVersion: string): Stored<T> => ({
    ...object,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      ...object.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: random.uuid(),
      resourceVersion,
      creationTimestamp: timestamp(server),
      ...('spec' in object ? { generation: 1 } : {}),
    },
  });
  return (options?.dryRun === true ? make(String(store.revision)) : store.put(collection, key, make)) as Stored<T>;
}

/** Stores `object` over `old`: keeps identity, counts generations, and removes an object that only waited for finalizers. */
export function replace<T extends KubeObject>(
  { store }: FakeServer,
  resource: Resource<T>,
  old: Stored<T>,
  object: T,
  options: (WriteOptions & { readonly tenant?: string }) | undefined,
): Stored<T> {
  const { name, namespace } = old.metadata;
  const wanted = object.metadata.resourceVersion ?? '';
  if (wanted !== '' && wanted !== old.metadata.resourceVersion) {
    throw conflict(
      resource,
      name,
      'the object has been modified; please apply your changes to the latest version and try again',
    );
  }
  checkUid(resource, old, object.metadata.uid === '' ? undefined : object.metadata.uid);
  const merged = options?.subresource === 'status' ? withStatusOf(old, object) : withStatusOf(object, old);
  const make = replacing(old, merged);
  const same = make(old.metadata.resourceVersion);
  if (JSON.stringify(same) === JSON.stringify(old)) return old;
  if (options?.dryRun === true) return same;
  const collection = collectionOf(resource, tenantOf(options));
  const finished = old.metadata.deletionTimestamp !== undefined && (same.metadata.finalizers ?? []).length === 0;
  const waits = (same.metadata.deletionGracePeriodSeconds ?? 0) > 0;
  const key = pathKey(namespace, name);
  const stored = finished && !waits ? store.remove(collection, key, make) : store.put(collection, key, make);
  return stored as Stored<T>;
}

/** `merged` with the metadata that the server owns taken from `old`. */
function replacing<T extends KubeObject>(old: Stored<T>, merged: T): (resourceVersion: string) => Stored<T> {
  const { uid, name, creationTimestamp, generation, deletionTimestamp } = old.metadata;
  const changed = specText(merged) !== specText(old);
  return (resourceVersion) => ({
    ...merged,
    metadata: {
      ...merged.metadata,
      uid,
      name,
      creationTimestamp,
      resourceVersion,
      ...(generation === undefined ? {} : { generation: generation + (changed ? 1 : 0) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  });
}

export function bindPod(server: FakeServer, pod: ObjectKey & { readonly uid?: string }, nodeName: string): void {
  const old = existing<KubeObject & { readonly spec?: { readonly nodeName?: string } }>(server, PODS, pod);
  checkUid(PODS, old, pod.uid);
  if (old.spec?.nodeName !== undefined && old.spec.nodeName !== '') {
    throw conflict(
      { group: '', resource: 'pods/binding' },
      pod.name,
      `pod ${pod.name} is already assigned to node "${old.spec.nodeName}"`,
    );
  }
  server.store.put(collectionOf(PODS, tenantOf(pod)), pathKey(pod.namespace, pod.name), (resourceVersion) => ({
    ...old,
    spec: { ...old.spec, nodeName },
    metadata: { ...old.metadata, resourceVersion },
  }));
}
