/**
 * Tells the deletion of one custom resource from the deletion of its definition. A deleted definition takes every custom resource
 * along, and uninstalling must not stop the daemons on every node: such resources are released, and their objects stay.
 */
import { COMPONENT_PLURAL } from '../../../core/api/component/generations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../core/api/registry/resources.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Client } from '../../../machinery/client/client.ts';

/**
 * True when the definition is terminating, or gone, and the object was not deleted before it. The server is asked and not a cache:
 * the server marks the definition before the objects, but our watches of the two may report that in either order.
 */
export async function isDeletedWithDefinition(
  client: Client,
  group: string,
  object: Stored,
  signal: AbortSignal,
): Promise<boolean> {
  // By list and not by get: the operator's rights already hold the list of this one name.
  const fieldSelector = `metadata.name=${COMPONENT_PLURAL}.${group}`;
  const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS, { fieldSelector, signal });
  const [definition] = items;
  if (definition === undefined) return true;
  const ended = timeOf(definition);
  const deleted = timeOf(object);
  // Timestamps have whole seconds: of two deletions in the same second the definition's counts, and the daemons stay.
  return ended !== undefined && (deleted === undefined || deleted >= ended);
}

const timeOf = ({ metadata }: Stored): number | undefined =>
  metadata.deletionTimestamp === undefined ? undefined : parseTime(metadata.deletionTimestamp);
