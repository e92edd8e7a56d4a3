/** Writes a status. A conflict, or anything else that did not work, is met with a fresh read once. */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import type { Client } from '../client/client.ts';
import { keyOf } from '../cache/object-keys.ts';
import { unlessGone } from './write-outcomes.ts';

/** The object as written; as it was when it is gone. */
export async function writeStatus<O extends KubeObject & { readonly status?: S }, S>(
  client: Client,
  resource: Resource<O>,
  object: Stored<O>,
  status: S,
): Promise<Stored<O>> {
  try {
    return await client.update(resource, { ...object, status }, { subresource: 'status' });
  } catch (error) {
    const fresh = await unlessGone(client.get(resource, keyOf(object)));
    if (fresh === undefined) return object;
    if (fresh.metadata.uid !== object.metadata.uid) throw error;
    return client.update(resource, { ...fresh, status }, { subresource: 'status' });
  }
}
