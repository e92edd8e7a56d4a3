/** Applies the desired objects of a component, unless the caches show that nothing has changed since an apply that wrote nothing. */
import { COMPONENT_EVENTS } from '../../../core/api/names.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import { applyComponent } from '../apply/apply.ts';
import { createCalls } from '../apply/calls.ts';
import { inventoryRef, type Undone } from '../apply/inventory.ts';
import { readInventory } from '../apply/inventory-store.ts';
import { refKey } from '../apply/object-ref.ts';
import { prepare } from '../apply/prepare.ts';
import type { RenderedComponent } from '../apply/rendered.ts';
import { createScrubber } from '../apply/secrets.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { adoptionOf } from './annotations.ts';
import type { ChildCaches } from './child-caches.ts';
import type { ComponentObject } from './component-object.ts';
import { applyContext, type Reconcile } from './controller-state.ts';
import { emitSteps } from './events.ts';
import { addFinalizer } from './finalizer.ts';
import { isUnchanged, type ObservedObjects } from './observed-objects.ts';
import { outcomeOf, type Outcome } from './outcome.ts';
import { isFought, MOST_CORRECTIONS } from './requeue.ts';

/** A replaced object must be gone before its successor is created; longer deletions are left to the next reconcile. */
const GONE_WITHIN_MS = 3_000;

const APPLIED: Outcome = { is: 'applied' };
const FOUGHT: Outcome = {
  is: 'failed',
  reason: 'ChangedByOthers',
  message: `another client changed objects of this component, and everynode corrected them, ${MOST_CORRECTIONS} times within a minute; find that client and stop it`,
};

export async function applyDesired(reconcile: Reconcile, component: RenderedComponent): Promise<Outcome> {
  const { state, tracked, children, signal } = reconcile;
  const observed = observe(component, children);
  const adopt = adoptionOf(reconcile.object);
  const { settled } = tracked;
  if (settled?.component === component && settled.adopt === adopt && isUnchanged(settled.observed, observed))
    return settled.outcome;
  tracked.settled = undefined;
  if (isFought(tracked, reconcile.object, state.clock.monotonic())) return FOUGHT;
  await addFinalizer(reconcile);
  try {
    const { changed, steps, daemonSets } = await applyComponent(applyContext(reconcile), component, {
      adopt,
      keepsUndone: keepsUndone(reconcile.object),
      reclaim: true,
      waitMs: GONE_WITHIN_MS,
    });
    tracked.appliedDaemonSet = daemonSets.find(({ metadata }) => metadata.name === component.identity.name);
    if (changed) tracked.corrections = [...tracked.corrections, state.clock.monotonic()];
    else tracked.settled = { component, adopt, observed, outcome: APPLIED };
    emitSteps(state.recorder, reconcile.object, COMPONENT_EVENTS.applied, steps);
    return APPLIED;
  } catch (error) {
    if (wasAborted(error, signal)) throw error;
    const outcome = outcomeOf(error, await undoneOf(reconcile, component, error));
    if (outcome === undefined) throw error;
    // Another apply gives the same answer until somebody applies or changes something, and the watches report that.
    if (outcome.is === 'undone') tracked.settled = { component, adopt, observed, outcome };
    return outcome;
  }
}

/** Cached copies of all objects of the component, its inventory among them. */
function observe(component: RenderedComponent, children: ChildCaches): ObservedObjects {
  const observed = new Map<string, Stored | undefined>();
  for (const { ref, key } of prepare(component)) observed.set(key, children.find(ref));
  const inventory = inventoryRef(component.identity);
  observed.set(refKey(inventory), children.find(inventory));
  return observed;
}

/** An undo holds for the generation that it undid; a newer spec is applied over it. */
const keepsUndone = ({ status, metadata }: ComponentObject): boolean =>
  status !== undefined && metadata.generation === (status.undone?.generation ?? status.observedGeneration);

async function undoneOf(
  reconcile: Reconcile,
  { identity }: RenderedComponent,
  error: unknown,
): Promise<Undone | undefined> {
  if ((error as { readonly code?: string }).code !== 'EN_COMPONENT_APPLY_UNDONE') return undefined;
  return (await readInventory(createCalls(applyContext(reconcile), createScrubber()), identity))?.inventory.undone;
}
