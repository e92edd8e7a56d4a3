/**
 * Takes away what a custom resource has brought: by its inventories, which bear its uid, whatever its spec says by now. What
 * another one, or somebody with a command line, has brought is never touched, though it has the same name.
 */
import { NAMESPACES } from '../../../core/api/registry/resources.ts';
import { createCalls } from '../apply/calls.ts';
import { deleteComponent, type DeleteResult } from '../apply/delete.ts';
import { inventoryName } from '../../../core/component/inventory-name.ts';
import type { Inventory } from '../apply/inventory.ts';
import { readInventory } from '../apply/inventory-store.ts';
import { refOf, type ObjectRef } from '../apply/object-ref.ts';
import { wasCreatedBy } from '../apply/ownership.ts';
import type { AppliedStep } from '../apply/apply.ts';
import type { ApplyContext, ComponentIdentity } from '../apply/rendered.ts';
import { createScrubber } from '../apply/secrets.ts';
import type { World } from './child-caches.ts';

export interface Removal {
  readonly steps: readonly AppliedStep[];
  /** What has to be gone before it goes on; undefined when all is done. */
  readonly pending: ObjectRef | undefined;
}

/** Of a deletion that has begun, something is still on its way out: there is nothing to do but to wait for it. */
export function goingObject(world: World, { phase, objects }: Inventory): ObjectRef | undefined {
  if (phase !== 'deleting') return undefined;
  return objects.find((ref) => world.find(ref)?.metadata.deletionTimestamp !== undefined);
}

export async function removeComponents(
  context: ApplyContext,
  world: World,
  uid: string,
  inventories: readonly Inventory[],
  more: readonly ComponentIdentity[] = [],
): Promise<Removal> {
  const steps: AppliedStep[] = [];
  for (const inventory of inventories) {
    const going = goingObject(world, inventory);
    if (going !== undefined) return { steps, pending: going };
    const { name, namespace } = inventory.identity;
    const result = await removeOne(context, { name, namespace, uid }, steps);
    if (result.pending !== undefined) return { steps, pending: result.pending };
  }
  for (const identity of more) {
    const result = await removeOne(context, { ...identity, uid }, steps);
    if (result.pending !== undefined) return { steps, pending: result.pending };
  }
  return { steps, pending: undefined };
}

async function removeOne(
  context: ApplyContext,
  identity: ComponentIdentity,
  steps: AppliedStep[],
): Promise<DeleteResult> {
  const result = await deleteComponent(context, identity, { isBrief: true });
  steps.push(...result.steps);
  return result;
}

/**
 * Whether something of this custom resource may be there that no cache of inventories shows: the cache is behind, the list was lost,
 * or an apply was cut off between the namespace and the list. `recorded`: the status says that it has brought something there.
 */
export async function leftBehind(
  context: ApplyContext,
  identity: ComponentIdentity,
  uid: string,
  recorded: boolean,
): Promise<boolean> {
  const calls = createCalls(context, createScrubber());
  const found = await readInventory(calls, identity);
  if (found !== undefined) return found.inventory.identity.uid === uid;
  if (recorded) return true;
  const namespace = await calls.find(refOf(NAMESPACES, '', identity.namespace));
  return namespace !== undefined && wasCreatedBy(namespace, identity);
}

export const inventoryText = ({ namespace, name }: ComponentIdentity): string => `${namespace}/${inventoryName(name)}`;
