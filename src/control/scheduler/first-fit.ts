/**
 * A small scheduler: every pod without a node goes to the first node that takes it, the search starting where the last
 * one ended, so that pods spread. It judges with the full rules of placement/ but neither scores nor preempts. It stands
 * in where nothing larger is wanted, and says why a pod waits.
 */
import { NAMESPACES, NODES, PODS } from '../../core/api/registry/resources.ts';
import type { Pod, PodCondition } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import { compilePod, feasible, judge } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import { preparePod } from '../../core/placement/prepared-pod.ts';
import { summarize } from '../../core/placement/summary.ts';
import type { Actor } from '../../machinery/actor.ts';
import { aborted } from '../../machinery/abort.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { Informers } from '../../machinery/informers.ts';
import { silentLogger, type Logger } from '../../machinery/logger.ts';
import { keyOf, keyText } from '../../machinery/object-keys.ts';

export interface FirstFitOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Pods that name another scheduler are left to it. */
  readonly schedulerName?: string;
}

const SLICE_MS = 4;
const MAX_IN_FLIGHT = 256;
/** How long changes are gathered before waiting pods are tried again. */
const RETRY_AFTER_CHANGE_MS = 50;
const DEFAULT_NAME = 'default-scheduler';

export function createFirstFit(options: FirstFitOptions): Actor {
  const { client, informers, clock } = options;
  const logger = options.logger ?? silentLogger;
  const schedulerName = options.schedulerName ?? DEFAULT_NAME;
  const pods = informers.for(PODS);
  const nodes = informers.for(NODES);
  const namespaces = informers.for(NAMESPACES);
  const cluster = createClusterState();
  /** Pods to place, each once, oldest first. */
  const queue = new Map<string, Stored<Pod>>();
  /** Pods no node takes; tried again when something changes that could help. */
  const unplaced = new Map<string, Stored<Pod>>();
  /** In the order of arrival; `next` is where the coming search begins. */
  let order: NodeState[] = [];
  let orderVersion = -1;
  let next = 0;
  let inFlight = 0;
  let pumping = false;
  let retryPlanned = false;
  let stopped = false;

  const wants = (pod: Pod): boolean =>
    (pod.spec.nodeName ?? '') === '' &&
    pod.metadata.deletionTimestamp === undefined &&
    !isTerminal(pod) &&
    (pod.spec.schedulerName ?? DEFAULT_NAME) === schedulerName &&
    (pod.spec.schedulingGates ?? []).length === 0;

  function see(pod: Stored<Pod>): void {
    const key = keyText(keyOf(pod));
    if ((pod.spec.nodeName ?? '') !== '') {
      queue.delete(key);
      unplaced.delete(key);
      cluster.setPod(pod);
      if (isTerminal(pod)) retryUnplaced();
    } else if (wants(pod)) {
      // Our own note on a waiting pod is no reason to try again.
      if (unplaced.has(key) && unplaced.get(key)?.spec === pod.spec) unplaced.set(key, pod);
      else enqueue(key, pod);
    }
  }

  function enqueue(key: string, pod: Stored<Pod>): void {
    unplaced.delete(key);
    queue.set(key, pod);
    schedulePump();
  }

  function schedulePump(): void {
    if (pumping || stopped) return;
    pumping = true;
    clock.after(0, pump);
  }

  function retryUnplaced(): void {
    if (unplaced.size === 0 || retryPlanned || stopped) return;
    retryPlanned = true;
    clock.after(RETRY_AFTER_CHANGE_MS, () => {
      retryPlanned = false;
      for (const [key, pod] of unplaced) enqueue(key, pod);
    });
  }

  function pump(): void {
    pumping = false;
    const end = clock.monotonic() + SLICE_MS;
    for (const [key, pod] of queue) {
      if (stopped || inFlight >= MAX_IN_FLIGHT) return;
      queue.delete(key);
      place(key, pod);
      if (clock.monotonic() >= end) break;
    }
    if (queue.size > 0) schedulePump();
  }

  function place(key: string, pod: Stored<Pod>): void {
    const prepared = preparePod(compilePod(pod), cluster);
    const state = prepared.pinnedNodes === undefined ? search(prepared) : searchPinned(prepared, prepared.pinnedNodes);
    if (state !== undefined) return void bind(key, pod, state.name);
    unplaced.set(key, pod);
    const message = summarize(nodeStates().map((each) => judge(prepared, each)));
    void explain(pod, message);
  }

  function nodeStates(): readonly NodeState[] {
    if (orderVersion !== cluster.topologyVersion) {
      order = [...cluster.nodes.values()];
      orderVersion = cluster.topologyVersion;
    }
    return order;
  }

  function search(prepared: ReturnType<typeof preparePod>): NodeState | undefined {
    const states = nodeStates();
    for (let i = 0; i < states.length; i += 1) {
      const at = (next + i) % states.length;
      const state = states[at];
      if (state !== undefined && feasible(prepared, state)) {
        next = at + 1;
        return state;
      }
    }
    return undefined;
  }

  const searchPinned = (prepared: ReturnType<typeof preparePod>, names: ReadonlySet<string>): NodeState | undefined =>
    [...names].map((name) => cluster.nodes.get(name)).find((state) => state !== undefined && feasible(prepared, state));

  async function bind(key: string, pod: Stored<Pod>, nodeName: string): Promise<void> {
    cluster.setPod(pod, nodeName);
    inFlight += 1;
    try {
      await client.bind({ ...keyOf(pod), uid: pod.metadata.uid }, nodeName);
    } catch (error) {
      cluster.removePod(pod);
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) {
        logger.warn('Could not bind a pod', { name: key, node: nodeName, error });
        unplaced.set(key, pod);
        retryUnplaced();
      }
    }
    inFlight -= 1;
    if (queue.size > 0) schedulePump();
  }

  /** Puts the reason where `kubectl describe pod` shows it; once for each reason. */
  async function explain(pod: Stored<Pod>, message: string): Promise<void> {
    const old = pod.status?.conditions ?? [];
    const before = old.find((condition) => condition.type === 'PodScheduled');
    if (before?.status === 'False' && before.message === message) return;
    const condition: PodCondition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastTransitionTime:
        before?.status === 'False' && before.lastTransitionTime !== undefined
          ? before.lastTransitionTime
          : formatTime(clock.now()),
    };
    const conditions = [...old.filter((each) => each.type !== 'PodScheduled'), condition];
    try {
      await client.update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' });
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict'))
        logger.warn('Could not write why a pod waits', { error });
    }
  }

  return {
    name: 'first-fit',
    ready: () => pods.hasSynced() && nodes.hasSynced() && namespaces.hasSynced(),
    async start(signal) {
      const registrations = [
        namespaces.addHandler({
          add: (namespace) => cluster.setNamespace(namespace.metadata.name, namespace.metadata.labels),
          update: (_old, namespace) => cluster.setNamespace(namespace.metadata.name, namespace.metadata.labels),
          delete: (namespace) => cluster.removeNamespace(namespace.metadata.name),
        }),
        nodes.addHandler({
          add: (node) => {
            cluster.setNode(node);
            retryUnplaced();
          },
          update: (_old, node) => {
            cluster.setNode(node);
            retryUnplaced();
          },
          delete: (node) => cluster.removeNode(node.metadata.name),
        }),
      ];
      await Promise.all(registrations.map((registration) => registration.synced(signal))).catch(() => undefined);
      registrations.push(
        pods.addHandler({
          add: see,
          update: (_old, pod) => see(pod),
          delete: (pod) => {
            const key = keyText(keyOf(pod));
            queue.delete(key);
            unplaced.delete(key);
            cluster.removePod(pod);
            retryUnplaced();
          },
        }),
      );
      await aborted(signal);
      stopped = true;
      for (const registration of registrations) registration.remove();
    },
  };
}
