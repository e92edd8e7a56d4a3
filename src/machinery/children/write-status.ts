/** Writes a status. A conflict, or any other failure, is met with one fresh read and a second attempt. */
import type { KubeObject, Resource, Stored } from '../../core/kube/objects.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Client } from '../client/client.ts';
import { unlessGone } from './write-outcomes.ts';

/** @param statusFor the status, given the object it is written into. Returns the object as written; as it was when gone. */
export async function writeStatus<O extends KubeObject & { readonly status?: S }, S>(
  client: Client,
  resource: Resource<O>,
  object: Stored<O>,
  statusFor: (base: Stored<O>) => S,
): Promise<Stored<O>> {
  const write = (base: Stored<O>): Promise<Stored<O>> =>
    client.update(resource, { ...base, status: statusFor(base) }, { subresource: 'status' });
  try {
    return await write(object);
  } catch (error) {
    const fresh = await unlessGone(client.get(resource, keyOf(object)));
    if (fresh === undefined) return object;
    if (fresh.metadata.uid !== object.metadata.uid) throw error;
    return write(fresh);
  }
}
