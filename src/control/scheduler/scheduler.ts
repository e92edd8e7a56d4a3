/**
 * # scheduler — the default scheduler of the embedded cluster
 *
 * Pods without a node enter the queue (`queue/`), are decided one after the other (`attempts.ts`, `cycle.ts`), assumed on
 * their node (`assumed-pods.ts`) and bound beside the deciding of the next (`assume-and-bind.ts`, `binder.ts`). A pod that
 * no node takes may preempt (`preempt.ts`, `preemption-executor.ts`); the reason goes into an event and its status
 * (`failure-reports.ts`, `status-writer.ts`), and the pod waits until a change in the cluster can help. `caches.ts`
 * follows the cluster; filters and scores themselves are placement's. All state is one record (`scheduler-state.ts`).
 *
 * All of that can be lost at any moment: a scheduler that starts anew finds all it needs in the API's objects. The scheduler
 * works in short turns (`scheduling-turns.ts`), so that the other actors of the process get their share.
 */
import { POD_DISRUPTION_BUDGETS, PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import { compileBudgets } from '../../core/placement/victims.ts';
import { aborted, wasAborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { noMetrics } from '../../machinery/metrics/metrics.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { createAssumedPods } from './assumed-pods.ts';
import { createBinder } from './binder.ts';
import { followCluster } from './caches.ts';
import { createCycle } from './cycle.ts';
import { createFailureReports } from './failure-reports.ts';
import { createNodeOrder } from './node-order.ts';
import { createNominations } from './nominations.ts';
import { createPreemptionExecutor } from './preemption-executor.ts';
import { createSchedulingQueue, type QueueCounts } from './queue/scheduling-queue.ts';
import { createSchedulerEvents } from './scheduler-events.ts';
import { createSchedulerMetrics } from './scheduler-metrics.ts';
import { requestTurn, type SchedulerState } from './scheduler-state.ts';
import { runTurn } from './scheduling-turns.ts';
import { createSiblings } from './siblings.ts';
import { createStatusWriter } from './status-writer.ts';
import { createStorageCaches } from './storage.ts';
import { createVolumeBindings } from './volume-bindings.ts';
import { createTurn, type Turn } from './turn.ts';

export interface SchedulerOptions extends Surroundings {
  /** Pods that name another scheduler are left to it. */
  readonly schedulerName?: string;
  /** Plugins of other rooms, after the built-in ones. Always the same array. */
  readonly plugins?: readonly SchedulerPlugin[];
  /** Most bindings in flight at a time. */
  readonly maxBinding?: number;
  /** Records the events; by default a recorder that the scheduler starts and stops itself. */
  readonly events?: EventRecorder;
  /** How long one turn may take; tests pass their own. */
  readonly turn?: Turn;
}

export interface Scheduler extends Actor {
  ready(): boolean;
  /** The answers of the named plugin may have changed: pods that it refused are requeued. */
  pluginChanged(name: string): void;
  readonly counts: QueueCounts & { readonly binding: number };
}

const DEFAULT_SCHEDULER = 'default-scheduler';
const TURN_MS = 2;
const MAX_BINDING = 256;
/** How long bindings in flight may take when the scheduler is stopped. */
const DRAIN_MS = 5000;
const NO_PLUGIN_LIST: readonly SchedulerPlugin[] = Object.freeze([]);

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { informers } = options;
  const schedulerName = options.schedulerName ?? DEFAULT_SCHEDULER;
  const scheduler = createState(options, schedulerName);
  const { cluster, queue, cycle, assumed, nominations, order, statuses, volumes } = scheduler;
  const isOurs = (pod: Pod): boolean => (pod.spec.schedulerName ?? DEFAULT_SCHEDULER) === schedulerName;

  const follow = (): readonly HandlerRegistration[] => [
    ...scheduler.storage.follow(
      (change) => {
        cycle.forget();
        if (change.kind === 'claim') volumes.claimChanged(change.claim);
        else if (change.kind === 'volume') volumes.volumeChanged(change.volume);
        queue.changed(change);
      },
      { claim: volumes.claimChanged, volume: volumes.volumeChanged },
    ),
    informers.for(POD_DISRUPTION_BUDGETS).addHandler({ batch: () => void (scheduler.budgets = undefined) }),
    ...followCluster({
      informers,
      cluster,
      queue,
      assumed,
      nominations,
      order,
      isOurs,
      onSettled(uid) {
        statuses.forget(uid);
        volumes.podGone(uid);
      },
      onPart(isPart) {
        if (scheduler.isPart === isPart) return;
        scheduler.isPart = isPart;
        requestTurn(scheduler);
      },
    }),
  ];

  return {
    name: 'scheduler',
    ready: () => scheduler.phase === 'working',
    get counts() {
      return { ...queue.counts, binding: scheduler.bindings };
    },
    pluginChanged(name) {
      cycle.forgetAll();
      queue.changed({ kind: 'plugin', name });
    },

    async start(stop) {
      const recording = scheduler.events.record(scheduler.stopping.signal);
      const registrations = follow();
      try {
        await Promise.all(registrations.map((registration) => registration.synced(stop)));
        scheduler.phase = 'working';
        scheduler.logger.info('Scheduling');
        requestTurn(scheduler);
        await aborted(stop);
      } catch (error) {
        if (!wasAborted(error, stop)) throw error;
      } finally {
        scheduler.phase = 'stopped';
        for (const registration of registrations) registration.remove();
        queue.stop();
        scheduler.stopping.abort(stop.reason);
        await drain(scheduler);
        await statuses.stop();
        await recording;
      }
    },
  };
}

/** Waits for the work in flight, but not for ever: a server that does not answer must not keep the process. */
async function drain({ clock, inFlight }: SchedulerState): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.after(DRAIN_MS, resolve);
  await Promise.race([Promise.all(inFlight), promise]);
  timer.cancel();
}

/** Creates the parts and introduces them to each other; nothing is read or written before `start`. */
function createState(options: SchedulerOptions, schedulerName: string): SchedulerState {
  const { client, informers, clock, random, plugins = NO_PLUGIN_LIST } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'scheduler' });
  const turn = options.turn ?? createTurn(clock, TURN_MS);
  const stopping = new AbortController();
  const { signal } = stopping;
  const schedulerEvents = createSchedulerEvents({ ...options, logger, schedulerName });
  const { events } = schedulerEvents;

  const pods = informers.for(PODS).lister;
  const disruptionBudgets = informers.for(POD_DISRUPTION_BUDGETS).lister;
  const storage = createStorageCaches(informers);
  const volumes = createVolumeBindings({
    client,
    clock,
    seen: storage.view,
    isThere: ({ metadata: { name, namespace, uid } }) => pods.get(name, namespace)?.metadata.uid === uid,
  });
  const cluster = createClusterState({ storage: volumes.view });
  const queue = createSchedulingQueue({ clock, cluster, onReady: () => requestTurn(scheduler), plugins });
  const order = createNodeOrder(cluster);
  const nominations = createNominations(cluster, {
    room: (change) => queue.changed(change),
    renominated: (uid) => queue.renominated(uid),
  });
  const siblings = createSiblings(informers);
  const scoring = (compiled: CompiledPod) => {
    const found = siblings(compiled.pod);
    return found === undefined ? {} : { siblings: found };
  };
  const statuses = createStatusWriter({ client, clock, logger, pods, signal });
  const withdraw = (pod: Stored<Pod>): void => {
    nominations.set(pod, '');
    statuses.write(pod, { nominatedNodeName: '' });
  };

  const scheduler: SchedulerState = {
    clock,
    random,
    logger,
    stopping,
    maxBinding: options.maxBinding ?? MAX_BINDING,
    turn,
    plugins,
    runTurn: () => runTurn(scheduler),
    cluster,
    queue,
    order,
    assumed: createAssumedPods(cluster),
    nominations,
    storage,
    volumes,
    cycle: createCycle({ cluster, order, random, plugins, turn, scoring }),
    binder: createBinder({ client, clock, random, signal }),
    statuses,
    reports: createFailureReports({ events, statuses, nominations }),
    preemptions: createPreemptionExecutor({ client, clock, logger, events, cluster, pods, withdraw }),
    events: schedulerEvents,
    metrics: createSchedulerMetrics(options.metrics ?? noMetrics, schedulerName, () => queue.counts),
    pods,
    compileBudgets: () => compileBudgets(disruptionBudgets.list()),
    phase: 'new',
    turnRequested: false,
    isPart: false,
    bindings: 0,
    interrupted: undefined,
    budgets: undefined,
    inFlight: new Set(),
  };
  return scheduler;
}
