/**
 * The scheduler's state in one record: the parts that `scheduler.ts` creates once, and the variables that change while it
 * runs. Decisions are made in `scheduling-turns.ts` and `attempts.ts`, bindings in `assume-and-bind.ts`; nothing else
 * writes here.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import type { Budget } from '../../core/placement/victims.ts';
import { wasAborted } from '../../machinery/time/abort.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { AssumedPods } from './assumed-pods.ts';
import type { Binder } from './binder.ts';
import type { Cycle } from './cycle.ts';
import type { Attempt, Refused } from './decision.ts';
import type { FailureReports } from './failure-reports.ts';
import type { NodeOrder } from './node-order.ts';
import type { Nominations } from './nominations.ts';
import type { PreemptionSearch } from './preempt.ts';
import type { PreemptionExecutor } from './preemption-executor.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { SchedulerEvents } from './scheduler-events.ts';
import type { SchedulerMetrics } from './scheduler-metrics.ts';
import type { StatusWriter } from './status-writer.ts';
import type { StorageCaches } from './storage.ts';
import type { Turn } from './turn.ts';
import type { VolumeBindings } from './volume-bindings.ts';

/** A search that its turn interrupted; the next turn continues it before the queue is asked for another pod. */
export type Interrupted =
  /** The search for a node. */
  | {
      readonly search: 'node';
      readonly steps: Attempt;
      readonly entry: QueuedPod;
      readonly compiled: CompiledPod;
      readonly began: number;
    }
  /** The search for victims, after every node refused the pod. */
  | {
      readonly search: 'victims';
      readonly steps: PreemptionSearch;
      readonly entry: QueuedPod;
      readonly compiled: CompiledPod;
      readonly began: number;
      readonly refused: Refused;
    };

/** Created once, never replaced. */
interface SchedulerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** Plugins of other rooms; always the same array. */
  readonly plugins: readonly SchedulerPlugin[];
  /** Aborts all writes and waits of the scheduler; aborted once, when it stops. */
  readonly stopping: AbortController;
  /** Most bindings in flight; at this number no further pod is decided. */
  readonly maxBinding: number;
  /** The time slice of the turn that runs; expired between turns. */
  readonly turn: Turn;
  /** The callback of a turn, created once so that requesting a turn allocates no closure. */
  readonly runTurn: () => void;
  /** Nodes and pods as filters read them; assumed pods and nominations included. */
  readonly cluster: ClusterState;
  /** Every pod of this scheduler that has no node and is not assumed. */
  readonly queue: SchedulingQueue;
  readonly order: NodeOrder;
  /** Pods that were given a node, until the cache shows the binding or the binding has failed. */
  readonly assumed: AssumedPods;
  readonly nominations: Nominations;
  readonly storage: StorageCaches;
  readonly volumes: VolumeBindings;
  readonly cycle: Cycle;
  readonly binder: Binder;
  readonly statuses: StatusWriter;
  readonly reports: FailureReports;
  readonly preemptions: PreemptionExecutor;
  readonly events: SchedulerEvents;
  readonly metrics: SchedulerMetrics;
  /** The informer's pods, newer than those in the queue when a binding fails. */
  readonly pods: Lister<Pod>;
  /** Compiles the PodDisruptionBudgets of the informer's cache. */
  readonly compileBudgets: () => readonly Budget[];
}

export interface SchedulerState extends SchedulerParts {
  /** `new` until the caches have synced, `stopped` from the abort on; pods are decided only while `working`. */
  phase: 'new' | 'working' | 'stopped';
  /** A turn is on the clock: at most one ever is. Set by `requestTurn`, cleared when the turn begins. */
  turnRequested: boolean;
  /** Part of a list of pods has been taken in, and the rest has not: nothing is decided in between. */
  isPart: boolean;
  /** Bindings whose API call is in flight, 0 to `maxBinding`. Pods that wait for their volumes do not count. */
  bindings: number;
  /** Set by an attempt when the turn expires under it, taken by the next turn. Its pod is in flight in the queue. */
  interrupted: Interrupted | undefined;
  /** The compiled budgets; undefined after a PodDisruptionBudget changed, until a preemption reads them. */
  budgets: readonly Budget[] | undefined;
  /** Bindings and preemptions in flight, settled ones removed; awaited when the scheduler stops. */
  readonly inFlight: Set<Promise<void>>;
}

export const mayDecide = (scheduler: SchedulerState): boolean =>
  scheduler.phase === 'working' && !scheduler.isPart && scheduler.bindings < scheduler.maxBinding;

/** Puts a turn on the clock unless there is one, or nothing may be decided now. */
export function requestTurn(scheduler: SchedulerState): void {
  if (scheduler.turnRequested || !mayDecide(scheduler)) return;
  scheduler.turnRequested = true;
  scheduler.clock.after(0, scheduler.runTurn);
}

export const budgetsOf = (scheduler: SchedulerState): readonly Budget[] =>
  (scheduler.budgets ??= scheduler.compileBudgets());

/** Runs work beside the turns; its errors are logged, and stopping the scheduler waits for it. */
export function track(scheduler: SchedulerState, work: Promise<void>): void {
  const { inFlight, logger, stopping } = scheduler;
  const tracked = work
    .catch((error: unknown) => {
      if (!wasAborted(error, stopping.signal)) logger.error('Scheduling work failed', { error });
    })
    .finally(() => inFlight.delete(tracked));
  inFlight.add(tracked);
}
