/**
 * Whose wish the deletion of a custom resource is. Whoever deletes a definition deletes every object of it, and says nothing about the
 * daemons: uninstalling must not stop what runs on every node. Such objects are let go of, and what they brought stays.
 */
import { COMPONENT_PLURAL } from '../../../core/api/component/generations.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../../core/api/registry/resources.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Client } from '../../../machinery/client/client.ts';

/**
 * True when the definition is on its way out, or gone, and the object was not deleted before it. The server is asked and not a
 * cache: it marks the definition before the objects, but our watches of the two may tell of it in either order.
 */
export async function goesWithDefinition(
  client: Client,
  group: string,
  object: Stored,
  signal: AbortSignal,
): Promise<boolean> {
  // As a list: the right to it can be given for a name, and the operator has it already.
  const fieldSelector = `metadata.name=${COMPONENT_PLURAL}.${group}`;
  const { items } = await client.list(CUSTOM_RESOURCE_DEFINITIONS, { fieldSelector, signal });
  const [definition] = items;
  if (definition === undefined) return true;
  const ended = timeOf(definition);
  const deleted = timeOf(object);
  // Times are of whole seconds: in the same one the daemon gets the benefit of the doubt.
  return ended !== undefined && (deleted === undefined || deleted >= ended);
}

const timeOf = ({ metadata }: Stored): number | undefined =>
  metadata.deletionTimestamp === undefined ? undefined : parseTime(metadata.deletionTimestamp);
