/** One reconcile of a custom resource: desired state → apply → delete former targets → status → when to reconcile again. */
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { identityText } from '../apply/rendered.ts';
import { applyDesired } from './apply-desired.ts';
import { isPaused } from './annotations.ts';
import type { ComponentObject } from './component-object.ts';
import { parseComponentKey } from './component-key.ts';
import { forget, type ControllerState, type Reconcile, type Requeue } from './controller-state.ts';
import { componentFinder, currentDesiredState, objectsToApply } from './desired-cache.ts';
import type { DesiredState, FindComponent } from './desired-state.ts';
import { enqueueDependents } from './enqueue.ts';
import { finalizeComponent } from './finalize.ts';
import { deleteFormerTargets } from './former-targets.ts';
import { wasSuperseded, type Outcome } from './outcome.ts';
import { backOff, CHILD_DELAY_MS, SUPERSEDED_DELAY_MS, TERMINATING_DELAY_MS, UNSYNCED_DELAY_MS } from './requeue.ts';
import { problemLine } from './status.ts';
import { trackComponent, type TrackedComponent } from './tracked-component.ts';
import { writeStatus } from './write-status.ts';

export async function reconcileKey(state: ControllerState, key: string, signal: AbortSignal): Promise<Requeue> {
  const { kinds, children, components, logger } = state;
  const { group, namespace, name } = parseComponentKey(key);
  const kind = kinds.find(group);
  if (!kinds.areFilled() || children === undefined) return { requeueAfterMs: UNSYNCED_DELAY_MS };
  await children.synced(signal);
  const cached = kind?.informer.lister.get(name, namespace);
  if (kind === undefined || cached === undefined) {
    const tracked = components.get(key);
    if (tracked !== undefined) forget(state, tracked);
    return undefined;
  }
  const tracked = trackedOf(state, key, cached.metadata.uid);
  const reconcile: Reconcile = {
    state,
    kind,
    tracked,
    children,
    signal,
    object: newer(cached, tracked.lastWritten),
  };
  try {
    return await (isBeingDeleted(reconcile.object) ? finalizeComponent(reconcile) : reconcileComponent(reconcile));
  } catch (error) {
    // Two clients worked on one component, and the other was faster: no fault, and the next reconcile sees the result.
    if (!wasSuperseded(error)) throw error;
    logger.debug('Another client applies or deletes the component, reconciling again', { group, namespace, name });
    return { requeueAfterMs: SUPERSEDED_DELAY_MS };
  }
}

function trackedOf(state: ControllerState, key: string, uid: string): TrackedComponent {
  const before = state.components.get(key);
  if (before?.uid === uid) return before;
  if (before !== undefined) forget(state, before);
  const tracked = trackComponent(key, uid);
  state.components.set(key, tracked);
  return tracked;
}

async function reconcileComponent(reconcile: Reconcile): Promise<Requeue> {
  const { state, tracked, object, kind } = reconcile;
  const find = componentFinder(state, kind.resource.group, object.metadata.namespace ?? '');
  const desired = currentDesiredState(reconcile, find);
  const { outcome, hasLeftovers } = await reconcileDesired(reconcile, desired, find);
  await writeStatus(reconcile, outcome, desired);
  switch (outcome.is) {
    case 'applied':
      tracked.failures = 0;
      // An apply that wrote something is followed by one more, which sees changes made meanwhile.
      if (tracked.settled === undefined) return { requeueAfterMs: CHILD_DELAY_MS };
      return hasLeftovers ? { requeueAfterMs: TERMINATING_DELAY_MS } : undefined;
    case 'conflict':
    case 'failed':
    case 'waiting':
      return backOff(tracked, reconcile.object);
    case 'invalid':
    case 'paused':
    case 'undone':
    case 'deleting':
      // Only a change of the custom resource or of its objects helps, and the watches report that.
      return undefined;
  }
}

interface Progress {
  readonly outcome: Outcome;
  /** Objects of former targets are still terminating. */
  readonly hasLeftovers: boolean;
}

const without = (outcome: Outcome): Progress => ({ outcome, hasLeftovers: false });

async function reconcileDesired(reconcile: Reconcile, desired: DesiredState, find: FindComponent): Promise<Progress> {
  const { tracked, object } = reconcile;
  if (desired.is === 'invalid') return without({ is: 'invalid', problems: desired.problems });
  if (desired.is === 'unresolved') {
    const message = desired.problems.map(problemLine).join('\n');
    return without({ is: 'waiting', reason: 'ReferenceNotFound', message });
  }
  const { identity } = desired.rendered;
  tracked.target = identityText(identity);
  tracked.targetNamespace = identity.namespace;
  if (isPaused(object)) return without({ is: 'paused' });
  const dependency = unappliedDependency(object, desired.dependencies, find);
  if (dependency !== undefined)
    return without({
      is: 'waiting',
      reason: 'DependencyNotApplied',
      message: `the spec refers to ${dependency}, which must be applied first`,
    });
  return applyAndCleanUp(reconcile, desired);
}

async function applyAndCleanUp(
  reconcile: Reconcile,
  desired: DesiredState & { readonly is: 'valid' },
): Promise<Progress> {
  const { state, tracked, object } = reconcile;
  const component = await objectsToApply(reconcile, desired);
  const wasSettled = tracked.settled?.component === component;
  const outcome = await applyDesired(reconcile, component);
  if (outcome.is !== 'applied') return without(outcome);
  const isClean = await deleteFormerTargets(reconcile, desired.rendered.identity);
  if (!wasSettled && tracked.settled !== undefined) enqueueDependents(state, object);
  return { outcome, hasLeftovers: !isClean };
}

/** A dependency has an inventory once it was applied; a component may also refer to its own fields. */
const unappliedDependency = (
  { metadata }: ComponentObject,
  dependencies: readonly string[],
  find: FindComponent,
): string | undefined =>
  dependencies.find((name) => name !== metadata.name && find(name)?.status?.inventory === undefined);
