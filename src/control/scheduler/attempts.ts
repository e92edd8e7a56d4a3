/**
 * One attempt to schedule a pod, from the queue to its outcome: a node (`assume-and-bind.ts`), a preemption, or a refusal
 * that is reported and sends the pod back to the queue. Functions return false when the turn expired before the outcome;
 * the attempt is then in `interrupted`.
 */
import { type CompiledPod, compilePodOnce } from '../../core/placement/compiled-pod.ts';
import { assumeAndBind } from './assume-and-bind.ts';
import type { Attempt, Decision, Refused } from './decision.ts';
import { noNodesMessage, refusalMessage } from './failure-reports.ts';
import { findPreemption, type Preemption, type PreemptionSearch } from './preempt.ts';
import { NO_PLUGINS, type QueuedPod } from './queue/queued-pod.ts';
import { REJECTOR } from './queue/rejectors.ts';
import { budgetsOf, type Interrupted, type SchedulerState, track } from './scheduler-state.ts';

export function beginAttempt(scheduler: SchedulerState, entry: QueuedPod): boolean {
  const { pod } = entry;
  if (pod.metadata.deletionTimestamp !== undefined) {
    scheduler.reports.skipped(pod);
    scheduler.queue.remove(entry.uid);
    return true;
  }
  const began = scheduler.clock.monotonic();
  const compiled = compilePodOnce(pod);
  const decision = scheduler.cycle.quick(compiled);
  if (decision !== undefined) return conclude(scheduler, entry, compiled, decision, began);
  return advanceNodeSearch(scheduler, entry, compiled, scheduler.cycle.attempt(compiled), began);
}

export function continueAttempt(scheduler: SchedulerState, interrupted: Interrupted): boolean {
  const { entry, compiled, began } = interrupted;
  return interrupted.search === 'node'
    ? advanceNodeSearch(scheduler, entry, compiled, interrupted.steps, began)
    : advanceVictimSearch(scheduler, entry, compiled, interrupted.refused, interrupted.steps, began);
}

function advanceNodeSearch(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  steps: Attempt,
  began: number,
): boolean {
  const step = steps.next();
  if (step.done === true) return conclude(scheduler, entry, compiled, step.value, began);
  scheduler.interrupted = { search: 'node', steps, entry, compiled, began };
  return false;
}

function conclude(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  decision: Decision,
  began: number,
): boolean {
  const { queue } = scheduler;
  // The pod was deleted, or bound by another scheduler, during the attempt.
  if (queue.get(entry.uid) !== entry) return true;
  switch (decision.outcome) {
    case 'placed':
      assumeAndBind(scheduler, entry, compiled, decision.nodeName, began);
      return true;
    case 'no-nodes':
      scheduler.metrics.attempted('unschedulable', scheduler.clock.monotonic() - began);
      scheduler.reports.unschedulable(entry.pod, noNodesMessage, '');
      queue.refused(entry, REJECTOR.NoNodes, NO_PLUGINS, compiled);
      return true;
    case 'overtaken':
      queue.putBack(entry);
      return true;
    case 'refused': {
      const { random, turn } = scheduler;
      const search = findPreemption(decision, { budgets: () => budgetsOf(scheduler), random, turn });
      return advanceVictimSearch(scheduler, entry, compiled, decision, search, began);
    }
  }
}

function advanceVictimSearch(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  refused: Refused,
  steps: PreemptionSearch,
  began: number,
): boolean {
  const step = steps.next();
  if (step.done === true) {
    if (scheduler.queue.get(entry.uid) === entry) refuse(scheduler, entry, compiled, refused, step.value, began);
    return true;
  }
  scheduler.interrupted = { search: 'victims', steps, entry, compiled, began, refused };
  return false;
}

function refuse(
  scheduler: SchedulerState,
  entry: QueuedPod,
  compiled: CompiledPod,
  refused: Refused,
  preemption: Preemption,
  began: number,
): void {
  const { queue, metrics, reports } = scheduler;
  if (preemption.result === 'overtaken') {
    queue.putBack(entry);
    return;
  }
  const victims = preemption.result === 'victims' ? preemption.victims : undefined;
  metrics.attempted('unschedulable', scheduler.clock.monotonic() - began);
  metrics.preempted(victims?.pods.length);
  const message = refusalMessage(refused, preemption.result === 'victims' ? undefined : preemption.message);
  // The nomination is set before the pod returns to the queue, which indexes nominated pods apart from their kind.
  if (victims !== undefined) {
    entry.held = true;
    reports.unschedulable(entry.pod, message, victims.nodeName);
  } else reports.unschedulable(entry.pod, message, preemption.result === 'no-candidates' ? '' : undefined);
  const further = preemption.result === 'no-candidates' ? preemption.rejectors : 0;
  queue.refused(entry, refused.rejectors | further, refused.plugins, compiled);
  if (victims === undefined) return;
  track(
    scheduler,
    scheduler.preemptions.run(entry.pod, victims, scheduler.stopping.signal).then(
      () => queue.release(entry.uid, 'done'),
      () => queue.release(entry.uid, 'failed'),
    ),
  );
}
