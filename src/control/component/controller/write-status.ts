/** Writes the status of a custom resource where it differs from the stored one, and emits the events of conditions that turned. */
import { COMPONENT_FIELD_MANAGERS } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { ComponentIdentity } from '../apply/rendered.ts';
import type { ComponentObjectStatus } from './component-object.ts';
import { parseComponentKey } from './component-key.ts';
import type { Reconcile } from './controller-state.ts';
import { inventoryText } from './delete-objects.ts';
import type { DesiredState } from './desired-state.ts';
import { enqueueDependents } from './enqueue.ts';
import { conditionEvents } from './events.ts';
import type { Outcome } from './outcome.ts';
import { rolloutOf } from './rollout-view.ts';
import { statusOf } from './status.ts';

export async function writeStatus(reconcile: Reconcile, outcome: Outcome, desired?: DesiredState): Promise<void> {
  const { state, kind, tracked, object, signal } = reconcile;
  const status = await currentStatus(reconcile, outcome, desired);
  if (deepEqual(status, object.status)) return;
  reconcile.object = tracked.lastWritten = await state.client.update(
    kind.resource,
    { ...object, status },
    { subresource: 'status', fieldManager: COMPONENT_FIELD_MANAGERS.controller, signal },
  );
  if (status.inventory !== object.status?.inventory) enqueueDependents(state, object);
  const events = conditionEvents(object.status, status);
  for (const event of events) state.recorder.event(object, event);
  if (outcome.is === 'failed' && events.length > 0)
    state.logger.warn('A component could not be applied', {
      ...parseComponentKey(tracked.key),
      reason: outcome.reason,
      message: outcome.message,
    });
}

async function currentStatus(
  reconcile: Reconcile,
  outcome: Outcome,
  desired: DesiredState | undefined,
): Promise<ComponentObjectStatus> {
  const { state, tracked, object, children, signal } = reconcile;
  const inventories = children.inventoriesOf(object.metadata.uid);
  const identity = desired?.is === 'valid' ? desired.rendered.identity : inventories[0]?.identity;
  // A DaemonSet of that name may belong to another owner; only an inventory in its namespace makes it ours.
  const isOurs = inventories.some((each) => each.identity.namespace === identity?.namespace);
  const set = isOurs ? daemonSetOf(reconcile, identity) : undefined;
  const snapshot = set === undefined ? undefined : await rolloutOf(state, children, tracked, set, signal);
  return statusOf({
    generation: object.metadata.generation ?? 0,
    now: formatTime(state.clock.now()),
    outcome,
    before: object.status,
    ...(desired?.is === 'valid' ? { component: desired.component } : {}),
    ...(set === undefined ? {} : { set }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(identity !== undefined && isOurs ? { inventory: inventoryText(identity) } : {}),
  });
}

function daemonSetOf(
  { tracked, children }: Reconcile,
  identity: ComponentIdentity | undefined,
): Stored<DaemonSet> | undefined {
  const cached = identity === undefined ? undefined : children.daemonSet(identity.namespace, identity.name);
  return cached === undefined ? undefined : newer(cached, tracked.appliedDaemonSet);
}
