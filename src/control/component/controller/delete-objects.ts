/**
 * Deletes the objects of a custom resource: those that its inventories list, which bear its uid, whatever its spec says by now.
 * Objects of another custom resource, or of people with a command line, are never touched, even under the same name.
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
import type { ChildCaches } from './child-caches.ts';

export interface Deletion {
  readonly steps: readonly AppliedStep[];
  /** The object that must be gone before the deletion goes on; undefined when all objects are gone. */
  readonly pending: ObjectRef | undefined;
}

/** An object of a begun deletion that is still terminating: asking the server again would not speed it up. */
function terminatingObject(children: ChildCaches, { phase, objects }: Inventory): ObjectRef | undefined {
  if (phase !== 'deleting') return undefined;
  return objects.find((ref) => children.find(ref)?.metadata.deletionTimestamp !== undefined);
}

/** `unlisted`: targets without a cached inventory that may hold objects all the same. */
export async function deleteComponents(
  context: ApplyContext,
  children: ChildCaches,
  uid: string,
  inventories: readonly Inventory[],
  unlisted: readonly ComponentIdentity[] = [],
): Promise<Deletion> {
  const steps: AppliedStep[] = [];
  for (const inventory of inventories) {
    const terminating = terminatingObject(children, inventory);
    if (terminating !== undefined) return { steps, pending: terminating };
    const { name, namespace } = inventory.identity;
    const result = await deleteOne(context, { name, namespace, uid }, steps);
    if (result.pending !== undefined) return { steps, pending: result.pending };
  }
  for (const identity of unlisted) {
    const result = await deleteOne(context, { ...identity, uid }, steps);
    if (result.pending !== undefined) return { steps, pending: result.pending };
  }
  return { steps, pending: undefined };
}

async function deleteOne(
  context: ApplyContext,
  identity: ComponentIdentity,
  steps: AppliedStep[],
): Promise<DeleteResult> {
  const result = await deleteComponent(context, identity, { isBrief: true });
  steps.push(...result.steps);
  return result;
}

/**
 * Whether objects of this custom resource may exist that no cached inventory lists: the cache is behind, the inventory was lost, or an
 * apply was cut off between the namespace and the inventory. `isRecorded`: the status names an inventory there.
 */
export async function hasUnlistedObjects(
  context: ApplyContext,
  identity: ComponentIdentity,
  uid: string,
  isRecorded: boolean,
): Promise<boolean> {
  const calls = createCalls(context, createScrubber());
  const found = await readInventory(calls, identity);
  if (found !== undefined) return found.inventory.identity.uid === uid;
  if (isRecorded) return true;
  const namespace = await calls.find(refOf(NAMESPACES, '', identity.namespace));
  return namespace !== undefined && wasCreatedBy(namespace, identity);
}

export const inventoryText = ({ namespace, name }: ComponentIdentity): string => `${namespace}/${inventoryName(name)}`;
