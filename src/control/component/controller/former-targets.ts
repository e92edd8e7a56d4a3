/** A spec may name another namespace than before: the objects in the former one are deleted after those in the new one are applied. */
import { COMPONENT_EVENTS } from '../../../core/api/names.ts';
import { identityText, type ComponentIdentity } from '../apply/rendered.ts';
import { applyContext, type Reconcile } from './controller-state.ts';
import { deleteComponents } from './delete-objects.ts';
import { emitSteps } from './events.ts';

/** True when nothing is left in any former target. */
export async function deleteFormerTargets(reconcile: Reconcile, current: ComponentIdentity): Promise<boolean> {
  const { state, tracked, children, object } = reconcile;
  const { uid } = object.metadata;
  const former = children.inventoriesOf(uid).filter((each) => identityText(each.identity) !== identityText(current));
  tracked.formerTargets = former.map(({ identity }) => identity);
  if (former.length === 0) return true;
  const { steps, pending } = await deleteComponents(applyContext(reconcile), children, uid, former);
  emitSteps(state.recorder, object, COMPONENT_EVENTS.deleted, steps);
  return pending === undefined;
}
