/** Creates an object that does not exist yet, and returns the object that is there. */
import type { KubeObject, Resource, Stored } from '../core/kube/objects.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';

/**
 * A get comes first: a create of an existing object may be refused for another reason than its name, such as a cluster
 * IP that the object itself holds.
 */
export async function createIfMissing<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
): Promise<Stored<T>> {
  const { name, namespace } = object.metadata;
  try {
    return await client.get(resource, namespace === undefined ? { name } : { namespace, name });
  } catch (error) {
    if (!isStatus(error, 'NotFound')) throw error;
    return client.create(resource, object);
  }
}
