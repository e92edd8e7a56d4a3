/** Deletion of a custom resource: its objects are deleted first, then the finalizer is removed. */
import { COMPONENT_EVENTS, COMPONENT_FINALIZER } from '../../../core/api/names.ts';
import { readObject } from '../../../core/component/load/load.ts';
import { hasFinalizer } from '../../../core/kube/finalizers.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Inventory } from '../apply/inventory.ts';
import { refText, type ObjectRef } from '../apply/object-ref.ts';
import { identityText, type ComponentIdentity } from '../apply/rendered.ts';
import { isPaused } from './annotations.ts';
import type { ComponentObject } from './component-object.ts';
import { parseComponentKey } from './component-key.ts';
import { applyContext, type ControllerState, type Reconcile, type Requeue } from './controller-state.ts';
import { isDeletedWithDefinition } from './definition-deletion.ts';
import { deleteComponents, hasUnlistedObjects, inventoryText } from './delete-objects.ts';
import { emitSteps } from './events.ts';
import { removeFinalizer } from './finalizer.ts';
import { outcomeOf } from './outcome.ts';
import { backOff, TERMINATING_DELAY_MS } from './requeue.ts';
import { writeStatus } from './write-status.ts';

export async function finalizeComponent(reconcile: Reconcile): Promise<Requeue> {
  const { state, kind, tracked, object, signal } = reconcile;
  if (!hasFinalizer(object, COMPONENT_FINALIZER)) return undefined;
  if (await isDeletedWithDefinition(state.client, kind.resource.group, object, signal)) {
    state.logger.info('The definition was deleted: the component is released, and its objects stay', {
      ...parseComponentKey(tracked.key),
    });
    return removeFinalizer(reconcile);
  }
  if (isPaused(object)) {
    await writeStatus(reconcile, { is: 'paused' });
    return undefined;
  }
  try {
    const pending = await deleteObjects(reconcile);
    if (pending !== undefined) {
      await writeStatus(reconcile, { is: 'deleting', message: `waits for the end of ${refText(pending)}` });
      return { requeueAfterMs: TERMINATING_DELAY_MS };
    }
  } catch (error) {
    if (wasAborted(error, signal)) throw error;
    const outcome = outcomeOf(error);
    if (outcome === undefined) throw error;
    await writeStatus(reconcile, outcome);
    return backOff(tracked, reconcile.object);
  }
  return removeFinalizer(reconcile);
}

/** The first object that is still terminating; undefined when all are gone. */
async function deleteObjects(reconcile: Reconcile): Promise<ObjectRef | undefined> {
  const { state, tracked, children, object } = reconcile;
  const { uid } = object.metadata;
  const inventories = children.inventoriesOf(uid);
  const unlisted = await unlistedTargets(reconcile, inventories);
  tracked.formerTargets = [...inventories.map(({ identity }) => identity), ...unlisted];
  const { steps, pending } = await deleteComponents(applyContext(reconcile), children, uid, inventories, unlisted);
  emitSteps(state.recorder, object, COMPONENT_EVENTS.deleted, steps);
  return pending;
}

/** Targets that may hold objects of this custom resource although no cached inventory names them. */
async function unlistedTargets(
  reconcile: Reconcile,
  inventories: readonly Inventory[],
): Promise<readonly ComponentIdentity[]> {
  const { state, object } = reconcile;
  const { uid, name } = object.metadata;
  const listed = new Set(inventories.map(({ identity }) => identityText(identity)));
  const unlisted: ComponentIdentity[] = [];
  for (const namespace of targetNamespaces(object)) {
    const identity = { name, namespace };
    const isRecorded = object.status?.inventory === inventoryText(identity);
    if (listed.has(identityText(identity)) || isTargetOfAnother(state, identity, uid)) continue;
    if (await hasUnlistedObjects(applyContext(reconcile), identity, uid, isRecorded)) unlisted.push(identity);
  }
  return unlisted;
}

/** Namespaces in which the component may have objects: the one that the status records, and the spec's, if the spec can be read. */
function targetNamespaces(object: Stored<ComponentObject>): readonly string[] {
  const recorded = object.status?.inventory?.split('/')[0];
  const { component, problems } = readObject(object);
  const specified = problems.length === 0 ? component.spec.namespace.value : undefined;
  const named = [recorded, specified].flatMap((each) => (each === undefined || each === '' ? [] : [each]));
  return [...new Set(named)];
}

/** Another custom resource stands for the same component: objects that bear no uid may be its own. */
const isTargetOfAnother = ({ components }: ControllerState, identity: ComponentIdentity, uid: string): boolean =>
  components.values().some((tracked) => tracked.uid !== uid && tracked.target === identityText(identity));
