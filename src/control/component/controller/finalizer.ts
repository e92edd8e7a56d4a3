/** The finalizer that keeps a custom resource until its objects are deleted. */
import { COMPONENT_FIELD_MANAGERS, COMPONENT_FINALIZER } from '../../../core/api/names.ts';
import { hasFinalizer } from '../../../core/kube/finalizers.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { forget, type Reconcile } from './controller-state.ts';

/** Set before the first object is created: no object may outlive a deletion that the controller did not see. */
export async function addFinalizer(reconcile: Reconcile): Promise<void> {
  const { object } = reconcile;
  if (hasFinalizer(object, COMPONENT_FINALIZER)) return;
  await patchFinalizers(reconcile, [...(object.metadata.finalizers ?? []), COMPONENT_FINALIZER]);
}

/** Releases the custom resource: the API server may remove it now. */
export async function removeFinalizer(reconcile: Reconcile): Promise<undefined> {
  const rest = (reconcile.object.metadata.finalizers ?? []).filter((each) => each !== COMPONENT_FINALIZER);
  await patchFinalizers(reconcile, rest).catch((error: unknown) => {
    if (!isStatus(error, 'NotFound')) throw error;
  });
  forget(reconcile.state, reconcile.tracked);
}

async function patchFinalizers(reconcile: Reconcile, finalizers: readonly string[]): Promise<void> {
  const { state, kind, tracked, object, signal } = reconcile;
  const { namespace = '', name, resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion, finalizers: [...finalizers] } };
  const written = await state.client.patch(
    kind.resource,
    { namespace, name },
    { type: 'merge', body },
    { fieldManager: COMPONENT_FIELD_MANAGERS.controller, signal },
  );
  reconcile.object = tracked.lastWritten = written;
}
