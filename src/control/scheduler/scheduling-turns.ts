/**
 * Turns: the scheduler decides pods for a short slice of time, then gives the process to others. An attempt that does not
 * fit into its turn is continued in the next one.
 */
import { beginAttempt, continueAttempt } from './attempts.ts';
import { mayDecide, requestTurn, type SchedulerState } from './scheduler-state.ts';

export function runTurn(scheduler: SchedulerState): void {
  const { queue, turn } = scheduler;
  scheduler.turnRequested = false;
  turn.begin();
  while (mayDecide(scheduler)) {
    const { interrupted } = scheduler;
    let isDecided: boolean;
    if (interrupted === undefined) {
      const entry = queue.take();
      // The queue requests the next turn when a pod becomes active.
      if (entry === undefined) return;
      isDecided = beginAttempt(scheduler, entry);
    } else {
      scheduler.interrupted = undefined;
      isDecided = continueAttempt(scheduler, interrupted);
    }
    if (!isDecided || turn.expired()) break;
  }
  requestTurn(scheduler);
}
