/** Deleting objects on the fake API server: at once, or after finalizers and a pod's grace period. */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { conflict, type Status } from '../../core/kube/status-error.ts';
import type { DeleteOptions } from '../client/client.ts';
import { checkUid, graceOf, pathKey, tenantOf } from './fake-rules.ts';
import { existing, timestamp, type FakeServer } from './fake-server.ts';
import { collectionOf } from './fake-store.ts';

const SUCCESS = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 200 } as const;

export function remove<T extends KubeObject>(
  server: FakeServer,
  resource: Resource<T>,
  old: Stored<T>,
  options: (DeleteOptions & { readonly tenant?: string }) | undefined,
): Stored<T> | Status {
  checkPreconditions(resource, old, options?.preconditions);
  const finalizers = finalizersOf(old, options?.propagationPolicy);
  const grace = graceOf(resource, old, options?.gracePeriodSeconds);
  const collection = collectionOf(resource, tenantOf(options));
  const { name, namespace, uid, deletionTimestamp } = old.metadata;
  const key = pathKey(namespace, name);
  if (finalizers.length === 0 && grace === 0) {
    if (options?.dryRun !== true) {
      server.store.remove(collection, key, (resourceVersion) => ({
        ...old,
        metadata: { ...old.metadata, resourceVersion },
      }));
    }
    const group = resource.group === '' ? {} : { group: resource.group };
    return { ...SUCCESS, details: { name, kind: resource.resource, uid, ...group } };
  }
  if (deletionTimestamp !== undefined && grace === (old.metadata.deletionGracePeriodSeconds ?? 0)) return old;
  const make = (resourceVersion: string): Stored<T> => ({
    ...old,
    metadata: {
      ...old.metadata,
      resourceVersion,
      deletionTimestamp: deletionTimestamp ?? timestamp(server),
      deletionGracePeriodSeconds: grace,
      ...(finalizers.length === 0 ? {} : { finalizers }),
    },
  });
  if (options?.dryRun === true) return make(old.metadata.resourceVersion);
  server.store.put(collection, key, make);
  return existing(server, resource, { ...options, name, ...(namespace === undefined ? {} : { namespace }) });
}

function checkPreconditions<T extends KubeObject>(
  resource: Resource<T>,
  old: Stored<T>,
  { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']> = {},
): void {
  checkUid(resource, old, uid);
  if (resourceVersion === undefined || resourceVersion === old.metadata.resourceVersion) return;
  const why = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${old.metadata.resourceVersion}`;
  throw conflict(resource, old.metadata.name, why);
}

function finalizersOf(old: Stored, policy: DeleteOptions['propagationPolicy']): readonly string[] {
  const finalizers = new Set(old.metadata.finalizers ?? []);
  if (policy === 'Orphan') finalizers.add('orphan');
  if (policy === 'Foreground') finalizers.add('foregroundDeletion');
  return [...finalizers];
}
