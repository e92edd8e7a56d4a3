/** When a component is reconciled again although no watch reports a change; and when correcting it is given up for a while. */
import type { Stored } from '../../../core/kube/objects.ts';
import type { ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { TrackedComponent } from './tracked-component.ts';

/** Several objects of one component often change together; one reconcile covers them. */
export const CHILD_DELAY_MS = 100;
/** A rollout changes many pods; the status follows them no more often than this. */
export const POD_DELAY_MS = 1_000;
/** Before the informers of the custom resources are filled, dependencies would look absent. */
export const UNSYNCED_DELAY_MS = 100;
/** Another client applied or deleted the component at the same time. */
export const SUPERSEDED_DELAY_MS = 1_000;
/** Objects that are terminating and may belong to kinds that are not watched. */
export const TERMINATING_DELAY_MS = 15_000;

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;

/** Doubles with every failure in a row; a new generation of the spec starts from the shortest delay. */
export function backOff(tracked: TrackedComponent, { metadata: { generation } }: Stored): ReconcileResult {
  if (tracked.failedGeneration !== generation) tracked.failures = 0;
  tracked.failedGeneration = generation;
  tracked.failures += 1;
  return { requeueAfterMs: Math.min(FIRST_BACKOFF_MS * 2 ** (tracked.failures - 1), LONGEST_BACKOFF_MS) };
}

export const MOST_CORRECTIONS = 10;
const CORRECTIONS_WITHIN_MS = 60_000;

/**
 * True when another client has undone the applies of one generation again and again within a minute. Two clients that overwrite each
 * other would otherwise keep the API server busy without end.
 */
export function isFought(tracked: TrackedComponent, { metadata: { generation } }: Stored, monotonic: number): boolean {
  if (tracked.correctedGeneration !== generation) tracked.corrections = [];
  tracked.correctedGeneration = generation;
  tracked.corrections = tracked.corrections.filter((at) => at > monotonic - CORRECTIONS_WITHIN_MS);
  return tracked.corrections.length >= MOST_CORRECTIONS;
}
