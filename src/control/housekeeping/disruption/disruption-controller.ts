/**
 * disruption/ — keeps the status of PodDisruptionBudgets, which the eviction subresource spends from. `budget-status.ts`
 * counts, `owner-scale.ts` asks owners how many pods they want, this file watches and writes.
 *
 * A budget over many pods is counted again at most so often that counting stays a small share of the time.
 */
import { DISRUPTION_TARGET } from '../../../core/api/kinds/disruption-status.ts';
import { POD_DISRUPTION_BUDGETS, PODS } from '../../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../../core/api/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../../core/api/types/policy-v1.ts';
import { setCondition } from '../../../core/kube/conditions.ts';
import { compileLabelSelector, formatLabelSelector } from '../../../core/kube/label-selector.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController, NO_KEYS, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import { eventsFor, type KeeperOptions, together } from '../keeper.ts';
import { countBudget, expectation, failedBudget, needsScale, staleNoteIn } from './budget-status.ts';
import { createOwnerScales, type ScalableResource } from './owner-scale.ts';

export interface DisruptionControllerOptions extends KeeperOptions {
  /** Every kind served: owners of any of them may have a scale. */
  readonly resources: () => readonly ScalableResource[];
}

/** Looking at a pod takes about a tenth of this, so counting takes no more than a tenth of the time. */
const PAUSE_PER_POD_MS = 0.002;

export function createDisruptionController(options: DisruptionControllerOptions): Actor {
  const { client, informers, clock, random } = options;
  const budgets = informers.for(POD_DISRUPTION_BUDGETS);
  const pods = informers.for(PODS);
  const scales = createOwnerScales(client, options.resources);
  const { recorder, actors } = eventsFor(options, 'controllermanager');
  const base = {
    clock,
    random,
    logger: options.logger ?? silentLogger,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  };
  /** When a budget may be counted again (monotonic), where that is not at once. */
  const notBefore = new Map<string, number>();

  async function count(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const id = keyText(key);
    const budget = budgets.lister.get(key.name, key.namespace);
    if (budget === undefined) {
      notBefore.delete(id);
      return;
    }
    const wait = (notBefore.get(id) ?? 0) - clock.monotonic();
    if (wait > 0) return { requeueAfterMs: wait };
    try {
      return await tryCount(budget, id, signal);
    } catch (error) {
      if (isStatus(error, 'Conflict') || signal.aborted) throw error;
      const failed = failedBudget(budget, error instanceof Error ? error.message : String(error), clock.now());
      if (failed !== budget) await write(failed, signal);
    }
  }

  async function tryCount(
    budget: Stored<PodDisruptionBudget>,
    id: string,
    signal: AbortSignal,
  ): Promise<ReconcileResult | void> {
    const { looked, matching } = selected(budget);
    const pause = looked * PAUSE_PER_POD_MS;
    if (pause >= 1) notBefore.set(id, clock.monotonic() + pause);
    if (matching.length === 0) tell(budget, 'Normal', 'NoPods', 'No matching pods found');
    const now = clock.now();
    const counted = countBudget(budget, matching, await expected(budget, matching, signal), now);
    for (const pod of counted.overdue) {
      const { namespace } = budget.metadata;
      const note = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
      recorder.event(pod, { type: 'Warning', reason: 'NotDeleted', note });
    }
    if (counted.budget !== budget) await write(counted.budget, signal);
    // One millisecond later, so that the approved eviction is past its deadline by then.
    return counted.recheckAt === undefined ? undefined : { requeueAfterMs: counted.recheckAt - now + 1 };
  }

  async function expected(budget: Stored<PodDisruptionBudget>, matching: readonly Stored<Pod>[], signal: AbortSignal) {
    if (!needsScale(budget)) return expectation(budget, matching.length, 0);
    try {
      const { scale, unmanaged } = await scales.total(matching, signal);
      if (unmanaged.length > 0) {
        const note = `Pods selected by this PodDisruptionBudget (selector: ${formatLabelSelector(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
        tell(budget, 'Warning', 'UnmanagedPods', note);
      }
      return expectation(budget, matching.length, scale);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const note = `Failed to calculate the number of expected pods: ${text}`;
      if (!signal.aborted) tell(budget, 'Warning', 'CalculateExpectedPodCountFailed', note);
      throw error;
    }
  }

  function selected(budget: Stored<PodDisruptionBudget>) {
    const selector = compileLabelSelector(budget.spec?.selector);
    const matching: Stored<Pod>[] = [];
    let looked = 0;
    for (const pod of pods.lister.list(budget.metadata.namespace ?? '')) {
      looked += 1;
      if (selector.matches(pod.metadata.labels ?? {})) matching.push(pod);
    }
    return { looked, matching };
  }

  const tell = (budget: Stored<PodDisruptionBudget>, type: 'Normal' | 'Warning', reason: string, note: string): void =>
    recorder.event(budget, { type, reason, note });

  async function write(budget: Stored<PodDisruptionBudget>, signal: AbortSignal): Promise<void> {
    try {
      await client.update(POD_DISRUPTION_BUDGETS, budget, { subresource: 'status', signal });
    } catch (error) {
      if (!isStatus(error, 'NotFound')) throw error;
    }
  }

  function budgetsOf(pod: Stored<Pod>): readonly ObjectKey[] {
    let keys: ObjectKey[] | undefined;
    for (const budget of budgets.lister.list(pod.metadata.namespace ?? '')) {
      try {
        if (!compileLabelSelector(budget.spec?.selector).matches(pod.metadata.labels ?? {})) continue;
      } catch {
        continue;
      }
      (keys ??= []).push(keyOf(budget));
    }
    return keys ?? NO_KEYS;
  }

  /** Sets the condition `DisruptionTarget` to False on a pod that was to be evicted and is still there. */
  async function clearNote(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const pod = pods.lister.get(key.name, key.namespace);
    const wait = pod === undefined ? undefined : staleNoteIn(pod, clock.now());
    if (pod === undefined || wait === undefined) return;
    if (wait > 0) return { requeueAfterMs: wait };
    const condition: PodCondition = { type: DISRUPTION_TARGET, status: 'False' };
    const conditions = setCondition(pod.status?.conditions, condition, formatTime(clock.now()));
    const cleared: Stored<Pod> = { ...pod, status: { ...pod.status, conditions } };
    await client.update(PODS, cleared, { subresource: 'status', signal });
  }

  const controller = createController<ObjectKey>({ ...base, name: 'disruption', reconcile: count })
    .watch(budgets, (budget) => [keyOf(budget)])
    .watch(pods, budgetsOf);
  const notes = createController<ObjectKey>({ ...base, name: 'disruption-notes', reconcile: clearNote }).watch(
    pods,
    (pod, { type }) => (type !== 'delete' && staleNoteIn(pod, clock.now()) !== undefined ? [keyOf(pod)] : NO_KEYS),
  );
  return together('disruption', [controller, notes, ...actors]);
}
