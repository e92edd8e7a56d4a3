/** Which components a change re-enqueues, and how long after the change. */
import type { ChildListener } from './child-caches.ts';
import type { ComponentObject } from './component-object.ts';
import { dependencyName } from './component-key.ts';
import type { ControllerState } from './controller-state.ts';
import { CHILD_DELAY_MS, POD_DELAY_MS } from './requeue.ts';
import { concerns, livesIn, type TrackedComponent } from './tracked-component.ts';

function enqueueWhere(
  { components, queue }: ControllerState,
  delayMs: number,
  isConcerned: (tracked: TrackedComponent) => boolean,
): void {
  for (const tracked of components.values()) if (isConcerned(tracked)) queue.addAfter(tracked.key, delayMs);
}

/** Components that refer to this one. */
export function enqueueDependents(state: ControllerState, object: ComponentObject): void {
  const name = dependencyName(object);
  enqueueWhere(state, 0, ({ dependencies }) => dependencies.includes(name));
}

export const enqueueOnChildChange = (state: ControllerState): ChildListener => ({
  childChanged: (component) => enqueueWhere(state, CHILD_DELAY_MS, (tracked) => concerns(tracked, component)),
  podChanged: (component) => enqueueWhere(state, POD_DELAY_MS, ({ target }) => target === component),
  namespaceChanged: (name) => enqueueWhere(state, CHILD_DELAY_MS, (tracked) => livesIn(tracked, name)),
  inventoryChanged: (owner) => enqueueWhere(state, CHILD_DELAY_MS, ({ uid }) => uid === owner),
});
