/**
 * # scheduler — the default scheduler of the embedded cluster
 *
 * Pods without a node come into the queue (`queue/`), one after the other is decided (`cycle.ts`), assumed on its node
 * (`assumed-pods.ts`) and bound beside the deciding of the next (`binder.ts`). One that no node takes may preempt
 * (`preempt.ts`, `preemption-executor.ts`), is told why (`failure-reports.ts`, `status-writer.ts`), and waits until
 * something changes that can help. `caches.ts` follows the cluster; filters and scores themselves are placement's.
 *
 * Everything here can be lost at any moment: a scheduler that starts anew finds all it needs in the API's objects.
 * It works in short turns, so that whatever else runs in the process gets its share.
 */
import { POD_DISRUPTION_BUDGETS, PODS } from '../../core/api/registry/resources.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import { type CompiledPod, compilePodOnce } from '../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import { type Budget, compileBudgets } from '../../core/placement/victims.ts';
import { aborted, wasAborted } from '../../machinery/time/abort.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { EventRecorder } from '../../machinery/events/event-recorder.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import { type Logger, silentLogger } from '../../machinery/logging/logger.ts';
import { type Metrics, noMetrics } from '../../machinery/metrics/metrics.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Random } from '../../machinery/random/random.ts';
import { createAssumedPods } from './assumed-pods.ts';
import { createBinder, type Binding } from './binder.ts';
import { followCluster } from './caches.ts';
import { createCycle, type Decision, type Refused } from './cycle.ts';
import { createFailureReports, noNodesMessage, refusalMessage } from './failure-reports.ts';
import { createNodeOrder } from './node-order.ts';
import { createNominations } from './nominations.ts';
import { findPreemption, type Preemption } from './preempt.ts';
import { createPreemptionExecutor } from './preemption-executor.ts';
import { NO_PLUGINS, type QueuedPod } from './queue/queued-pod.ts';
import { REJECTOR, rejectorBit } from './queue/rejectors.ts';
import { createSchedulingQueue, type QueueCounts } from './queue/scheduling-queue.ts';
import { createSchedulerEvents } from './scheduler-events.ts';
import { createSchedulerMetrics } from './scheduler-metrics.ts';
import { createSiblings } from './siblings.ts';
import { createStatusWriter } from './status-writer.ts';
import { createStorageCaches } from './storage.ts';
import { createVolumeBindings, type Reservation } from './volume-bindings.ts';
import { createTurn, type Turn } from './turn.ts';

export interface SchedulerOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Pods that name another scheduler are left to it. */
  readonly schedulerName?: string;
  /** Which of several processes speaks, in events. */
  readonly instance?: string;
  /** Plugins of other rooms, after the built-in ones. Always the same array. */
  readonly plugins?: readonly SchedulerPlugin[];
  /** Bindings under way at a time. */
  readonly maxBinding?: number;
  /** Where events go; by default a recorder of its own. */
  readonly events?: EventRecorder;
  /** How long one turn may take; tests pass their own. */
  readonly turn?: Turn;
}

export interface Scheduler extends Actor {
  ready(): boolean;
  /** A plugin's answers may have changed: pods it refused are tried again. */
  pluginChanged(name: string): void;
  readonly counts: QueueCounts & { readonly binding: number };
}

const DEFAULT_SCHEDULER = 'default-scheduler';
const TURN_MS = 2;
const MAX_BINDING = 256;
/** How long bindings under way may take when the scheduler is stopped. */
const DRAIN_MS = 5000;
const NO_PLUGIN_LIST: readonly SchedulerPlugin[] = Object.freeze([]);

/** An attempt that did not fit into one turn. */
interface Unfinished {
  readonly entry: QueuedPod;
  readonly next: () => boolean;
}

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { client, informers, clock, random } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'scheduler' });
  const schedulerName = options.schedulerName ?? DEFAULT_SCHEDULER;
  const plugins = options.plugins ?? NO_PLUGIN_LIST;
  const maxBinding = options.maxBinding ?? MAX_BINDING;
  const turn = options.turn ?? createTurn(clock, TURN_MS);
  const stopping = new AbortController();
  const { signal } = stopping;
  const { events, scheduled, record } = createSchedulerEvents({ ...options, logger, schedulerName });

  const pods = informers.for(PODS);
  const disruptionBudgets = informers.for(POD_DISRUPTION_BUDGETS);
  const storage = createStorageCaches(informers);
  const volumes = createVolumeBindings({
    client,
    clock,
    seen: storage.view,
    isThere: ({ metadata: { name, namespace, uid } }) => pods.lister.get(name, namespace)?.metadata.uid === uid,
  });
  const cluster = createClusterState({ storage: volumes.view });
  const queue = createSchedulingQueue({ clock, cluster, onReady: book, plugins });
  const order = createNodeOrder(cluster);
  const assumed = createAssumedPods(cluster);
  const nominations = createNominations(cluster, {
    room: (change) => queue.changed(change),
    renominated: (uid) => queue.renominated(uid),
  });
  const siblings = createSiblings(informers);
  const scoring = (compiled: CompiledPod) => {
    const found = siblings(compiled.pod);
    return found === undefined ? {} : { siblings: found };
  };
  const cycle = createCycle({ cluster, order, random, plugins, turn, scoring });
  const binder = createBinder({ client, clock, random, plugins, signal });
  const statuses = createStatusWriter({ client, clock, logger, pods: pods.lister, signal });
  const reports = createFailureReports({ events, statuses, nominations });
  const executor = createPreemptionExecutor({
    client,
    clock,
    logger,
    events,
    cluster,
    pods: pods.lister,
    withdraw(pod) {
      nominations.set(pod, '');
      statuses.write(pod, { nominatedNodeName: '' });
    },
  });
  const metrics = createSchedulerMetrics(options.metrics ?? noMetrics, schedulerName, () => queue.counts);

  /** Bindings and preemptions under way. */
  const underWay = new Set<Promise<void>>();
  let binding = 0;
  let booked = false;
  let state: 'new' | 'working' | 'stopped' = 'new';
  let unfinished: Unfinished | undefined;
  let budgets: readonly Budget[] | undefined;

  const currentBudgets = (): readonly Budget[] => (budgets ??= compileBudgets(disruptionBudgets.lister.list()));

  const mayWork = (): boolean => state === 'working' && binding < maxBinding;

  function book(): void {
    if (booked || !mayWork()) return;
    booked = true;
    clock.after(0, work);
  }

  function work(): void {
    booked = false;
    turn.begin();
    while (mayWork()) {
      if (unfinished !== undefined) {
        const { next } = unfinished;
        unfinished = undefined;
        if (!next()) break;
      } else {
        const entry = queue.take();
        if (entry === undefined) return;
        if (!begin(entry)) break;
      }
      if (turn.expired()) break;
    }
    book();
  }

  /** False when the turn ended before the attempt did. */
  function begin(entry: QueuedPod): boolean {
    const { pod } = entry;
    if (pod.metadata.deletionTimestamp !== undefined) {
      reports.skipped(pod);
      queue.remove(entry.uid);
      return true;
    }
    const began = clock.monotonic();
    const compiled = compilePodOnce(pod);
    const decision = cycle.quick(compiled);
    if (decision !== undefined) return settle(entry, compiled, decision, began);
    const attempt = cycle.attempt(compiled);
    const next = (): boolean => {
      const step = attempt.next();
      if (step.done === true) return settle(entry, compiled, step.value, began);
      unfinished = { entry, next };
      return false;
    };
    return next();
  }

  function settle(entry: QueuedPod, compiled: CompiledPod, decision: Decision, began: number): boolean {
    // Gone, or bound by somebody else, while it was being tried.
    if (queue.get(entry.uid) !== entry) return true;
    switch (decision.outcome) {
      case 'placed':
        place(entry, compiled, decision.nodeName, began);
        return true;
      case 'no-nodes':
        metrics.attempted('unschedulable', clock.monotonic() - began);
        reports.unschedulable(entry.pod, noNodesMessage, '');
        queue.refused(entry, REJECTOR.NoNodes, NO_PLUGINS, compiled);
        return true;
      case 'overtaken':
        queue.putBack(entry);
        return true;
      case 'refused':
        return preempt(entry, compiled, decision, began);
    }
  }

  function preempt(entry: QueuedPod, compiled: CompiledPod, refused: Refused, began: number): boolean {
    const search = findPreemption(refused, { budgets: currentBudgets, random, turn });
    const next = (): boolean => {
      const step = search.next();
      if (step.done === true) {
        if (queue.get(entry.uid) === entry) refuse(entry, compiled, refused, step.value, began);
        return true;
      }
      unfinished = { entry, next };
      return false;
    };
    return next();
  }

  function refuse(
    entry: QueuedPod,
    compiled: CompiledPod,
    refused: Refused,
    preemption: Preemption,
    began: number,
  ): void {
    if (preemption.result === 'overtaken') {
      queue.putBack(entry);
      return;
    }
    metrics.attempted('unschedulable', clock.monotonic() - began);
    metrics.preempted(preemption.result === 'victims' ? preemption.victims.pods.length : undefined);
    const message = refusalMessage(refused, preemption.result === 'victims' ? undefined : preemption.message);
    // Said before the pod is given back, so that it is found again as one that was promised room.
    if (preemption.result === 'victims') {
      entry.held = true;
      reports.unschedulable(entry.pod, message, preemption.victims.nodeName);
    } else reports.unschedulable(entry.pod, message, preemption.result === 'no-candidates' ? '' : undefined);
    const further = preemption.result === 'no-candidates' ? preemption.rejectors : 0;
    queue.refused(entry, refused.rejectors | further, refused.plugins, compiled);
    if (preemption.result !== 'victims') return;
    track(
      executor.run(entry.pod, preemption.victims, signal).then(
        () => queue.release(entry.uid, 'done'),
        () => queue.release(entry.uid, 'failed'),
      ),
    );
  }

  function place(entry: QueuedPod, compiled: CompiledPod, nodeName: string, began: number): void {
    const { pod } = entry;
    assumed.assume(pod, nodeName);
    const refusal = binder.reserve(compiled, nodeName);
    if (refusal !== undefined) {
      assumed.forget(pod);
      metrics.attempted('unschedulable', clock.monotonic() - began);
      const names = refusal.nos.map((no) => no.plugin);
      const rejectors = names.reduce((bits, name) => bits | rejectorBit(name), 0);
      const messages = refusal.nos.map((no) => `1 ${no.message}`).join(', ');
      reports.unschedulable(pod, `0/1 nodes are available: ${messages}.`, '');
      queue.refused(entry, rejectors, names, compiled);
      return;
    }
    const node = cluster.nodes.get(nodeName)?.node;
    const reserved = node === undefined ? undefined : volumes.reserve(pod, node);
    queue.placed(entry, nodeName);
    nominations.end(pod, nodeName);
    statuses.forget(entry.uid);
    queue.changed({ kind: 'pod-placed', record: recordOf(pod), nodeName });
    if (reserved !== undefined) {
      track(bindVolumes(reserved, entry, compiled, nodeName, began));
      return;
    }
    binding += 1;
    track(bind(entry, compiled, nodeName, began));
  }

  /** Volumes may take minutes; such pods do not count among the bindings that others wait for. */
  async function bindVolumes(
    reserved: Reservation,
    entry: QueuedPod,
    compiled: CompiledPod,
    nodeName: string,
    began: number,
  ): Promise<void> {
    const message = await reserved.bind(signal);
    reserved.undo();
    if (message === undefined) {
      binding += 1;
      return bind(entry, compiled, nodeName, began);
    }
    bindingEnded(entry, compiled, nodeName, { bound: false, settled: false, message }, began);
    book();
  }

  async function bind(entry: QueuedPod, compiled: CompiledPod, nodeName: string, began: number): Promise<void> {
    const result = await binder.bind(compiled, nodeName);
    binding -= 1;
    bindingEnded(entry, compiled, nodeName, result, began);
    book();
  }

  function bindingEnded(
    entry: QueuedPod,
    compiled: CompiledPod,
    nodeName: string,
    result: Binding,
    began: number,
  ): void {
    const pod = compiled.pod as Stored<Pod>;
    if (result.bound) {
      metrics.attempted('scheduled', clock.monotonic() - began);
      scheduled(pod, nodeName);
      return;
    }
    binder.unreserve(compiled, nodeName);
    if (assumed.forget(pod)) {
      queue.changed({ kind: 'room', nodeName, record: recordOf(pod), atMost: Infinity });
    }
    if (result.settled) return;
    metrics.attempted('error', clock.monotonic() - began);
    const now = pods.lister.get(pod.metadata.name, pod.metadata.namespace);
    if (now === undefined || now.metadata.uid !== entry.uid || (now.spec.nodeName ?? '') !== '') return;
    logger.warn('Could not bind a pod', { ...keyOf(pod), node: nodeName, reason: result.message });
    entry.pod = now;
    queue.failed(entry);
    reports.error(now, result.message);
  }

  function track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        if (!wasAborted(error, signal)) logger.error('Scheduling work failed', { error });
      })
      .finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  }

  /** A server that does not answer must not keep the process. */
  async function drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.after(DRAIN_MS, resolve);
    await Promise.race([Promise.all(underWay), promise]);
    timer.cancel();
  }

  const isOurs = (pod: Pod): boolean => (pod.spec.schedulerName ?? DEFAULT_SCHEDULER) === schedulerName;

  return {
    name: 'scheduler',
    ready: () => state === 'working',
    get counts() {
      return { ...queue.counts, binding };
    },
    pluginChanged(name) {
      cycle.forget();
      queue.changed({ kind: 'plugin', name });
    },

    async start(stop) {
      const recording = record(signal);
      const registrations = [
        ...storage.follow(
          (change) => {
            cycle.forget();
            if (change.kind === 'claim') volumes.claimChanged(change.claim);
            else if (change.kind === 'volume') volumes.volumeChanged(change.volume);
            queue.changed(change);
          },
          { claim: volumes.claimChanged, volume: volumes.volumeChanged },
        ),
        disruptionBudgets.addHandler({ batch: () => void (budgets = undefined) }),
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
        }),
      ];
      try {
        await Promise.all(registrations.map((registration) => registration.synced(stop)));
        state = 'working';
        logger.info('Scheduling');
        book();
        await aborted(stop);
      } catch (error) {
        if (!wasAborted(error, stop)) throw error;
      } finally {
        state = 'stopped';
        for (const registration of registrations) registration.remove();
        queue.stop();
        stopping.abort(stop.reason);
        await drained();
        await statuses.stop();
        await recording;
      }
    },
  };
}
