/** Makes what is not there yet, and answers with what there is. */
import type { KubeObject, Resource, Stored } from '../core/kube/objects.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';

/** Looks first: what is there may well be refused when it is sent again, such as an address that is taken, by itself. */
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
