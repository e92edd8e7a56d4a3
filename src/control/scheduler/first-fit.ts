/**
 * A small scheduler: every pod without a node goes to the first node that takes it. It judges with the full rules of
 * placement/ but neither scores nor preempts. It stands in where nothing larger is wanted, and says why a pod waits.
 * Beside it, in first-fit/: the search over the nodes, and the pods no node takes.
 */
import { NAMESPACES, NODES, PODS } from '../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { createClusterState } from '../../core/placement/cluster-state.ts';
import { isTerminal } from '../../core/placement/pod-record.ts';
import type { Actor } from '../../machinery/actor.ts';
import type { Client } from '../../machinery/client.ts';
import type { Clock } from '../../machinery/clock.ts';
import type { EventNote, EventRecorder } from '../../machinery/event-recorder.ts';
import type { Informers } from '../../machinery/informers.ts';
import { silentLogger, type Logger } from '../../machinery/logger.ts';
import { keyOf, keyText, parseKeyText } from '../../machinery/object-keys.ts';
import { createSlicedWork } from '../../machinery/sliced-work.ts';
import { createTokenBucket } from '../../machinery/workqueue/rate-limiter.ts';
import { createSearch, type SearchResult } from './first-fit/search.ts';
import { createWaitingPods, isSameMap, isSocial } from './first-fit/waiting.ts';

export interface FirstFitOptions {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly logger?: Logger;
  /** Pods that name another scheduler are left to it. */
  readonly schedulerName?: string;
  /** Where `Scheduled` and `FailedScheduling` go; none are made when absent. */
  readonly events?: EventRecorder | undefined;
}

const SLICE_MS = 2;
const MAX_IN_FLIGHT = 256;
const DEFAULT_NAME = 'default-scheduler';
const EVENT_BURST = 500;
const EVENTS_PER_SECOND = 50;

export function createFirstFit(options: FirstFitOptions): Actor {
  const { client, informers, clock, events } = options;
  const schedulerName = options.schedulerName ?? DEFAULT_NAME;
  const logger = (options.logger ?? silentLogger).with({ controller: schedulerName });
  const pods = informers.for(PODS);
  const nodes = informers.for(NODES);
  const namespaces = informers.for(NAMESPACES);
  const cluster = createClusterState();
  const search = createSearch(cluster);
  const budget = createTokenBucket(clock, EVENTS_PER_SECOND, EVENT_BURST);
  /** Pods to place, each once, oldest first. */
  const queue = new Map<string, Stored<Pod>>();
  /** Pods that are being bound, by UID: counted on a node although the API does not show them there yet. */
  const assumed = new Set<string>();
  /** Pods whose binding failed, to be looked at again after a pause. */
  const again = createSlicedWork({ clock, look: lookAgain, onError: () => false });
  const failedBinds = new Map<string, number>();
  let inFlight = 0;
  /** Spent on searches that found nothing. */
  let judgingMs = 0;
  let slices = 0;
  let sliceEnd = 0;
  let stopped = false;
  let wake: (() => void) | undefined;

  const tell = (pod: Stored<Pod>, note: EventNote): void => {
    if (events !== undefined && budget.tryTake()) events.event(pod, note);
  };

  const waiting = createWaitingPods({
    client,
    clock,
    logger,
    tell,
    cost() {
      const spent = judgingMs;
      judgingMs = 0;
      return spent;
    },
    retry(all) {
      for (const [key, pod] of all.toSorted(([, a], [, b]) => byUrgency(a, b))) queue.set(key, pod);
      wake?.();
    },
  });

  const wants = (pod: Pod): boolean =>
    (pod.spec.nodeName ?? '') === '' &&
    pod.metadata.deletionTimestamp === undefined &&
    !isTerminal(pod) &&
    (pod.spec.schedulerName ?? DEFAULT_NAME) === schedulerName &&
    (pod.spec.schedulingGates ?? []).length === 0;

  function see(pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const key = keyText(keyOf(pod));
    if ((pod.spec.nodeName ?? '') !== '') return seePlaced(key, pod, old);
    if (!wants(pod)) return drop(key, pod);
    // Until it is answered, a binding under way is the truth; and our own note on a waiting pod is no reason to try again.
    if (assumed.has(pod.metadata.uid) || waiting.renew(key, pod)) return;
    queue.set(key, pod);
    wake?.();
  }

  function seePlaced(key: string, pod: Stored<Pod>, old: Stored<Pod> | undefined): void {
    const isNew = old === undefined || (old.spec.nodeName ?? '') === '';
    if (isNew) {
      assumed.delete(pod.metadata.uid);
      drop(key, pod);
    }
    cluster.setPod(pod);
    if (isTerminal(pod)) {
      if (!isNew && !isTerminal(old)) waiting.changed();
    } else if (isNew || !isSameMap(old.metadata.labels, pod.metadata.labels)) waiting.podPlaced();
  }

  function drop(key: string, { metadata: { uid } }: Stored<Pod>): void {
    if (queue.get(key)?.metadata.uid === uid) queue.delete(key);
    waiting.delete(key);
    again.forget(key);
    failedBinds.delete(key);
  }

  function forget(pod: Stored<Pod>): void {
    drop(keyText(keyOf(pod)), pod);
    const wasPlaced = assumed.delete(pod.metadata.uid) || (pod.spec.nodeName ?? '') !== '';
    cluster.removePod(pod);
    if (wasPlaced) waiting.changed();
  }

  function lookAgain(key: string): undefined {
    const { name, namespace } = parseKeyText(key);
    const pod = pods.lister.get(name, namespace);
    if (pod !== undefined) see(pod, undefined);
  }

  /** One pod after another, so that each sees what the one before it took. */
  async function placeAll(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => wake?.(), { once: true });
    while (!signal.aborted) {
      const [first] = queue;
      if (first === undefined || inFlight >= MAX_IN_FLIGHT) {
        await new Promise<void>((resolve) => void (wake = resolve));
        wake = undefined;
        continue;
      }
      const [key, pod] = first;
      queue.delete(key);
      await breathe();
      try {
        await place(key, pod);
      } catch (error) {
        logger.error('A pod could not be judged', { name: key, error });
      }
    }
  }

  /** A turn for everybody else when our slice is used up. */
  function breathe(): Promise<void> | undefined {
    const now = clock.monotonic();
    if (now < sliceEnd) return undefined;
    slices += 1;
    return clock.sleep(0).then(() => void (sliceEnd = clock.monotonic() + SLICE_MS));
  }

  async function place(key: string, pod: Stored<Pod>): Promise<void> {
    const known = knownFailure(pod);
    const { changes } = waiting;
    const began = { at: clock.monotonic(), slices };
    const result: SearchResult = known ?? (await search.find(pod, breathe));
    // Gone or changed while we looked: whoever saw that has dealt with it.
    const current = pods.lister.get(pod.metadata.name, pod.metadata.namespace);
    if (current === undefined || current.metadata.uid !== pod.metadata.uid || !wants(current) || queue.has(key)) return;
    if (result.found !== undefined) {
      waiting.delete(key);
      void bind(key, current, result.found.name);
      return;
    }
    if (known === undefined) {
      const used = slices - began.slices;
      judgingMs += used === 0 ? clock.monotonic() - began.at : used * SLICE_MS;
      rememberFailure(pod, changes, result.message);
    }
    waiting.set(key, current, result.message);
  }

  /** The last failure of each template: its other pods need no search of their own until something changes. */
  const failures = new WeakMap<
    object,
    { readonly pod: Stored<Pod>; readonly changes: number; readonly message: string }
  >();

  function rememberFailure(pod: Stored<Pod>, changes: number, message: string): void {
    if (!isSocial(pod)) failures.set(pod.spec.containers, { pod, changes, message });
  }

  function knownFailure(pod: Stored<Pod>): SearchResult | undefined {
    const known = failures.get(pod.spec.containers);
    if (known === undefined || known.changes !== waiting.changes || !isTwin(known.pod, pod)) return undefined;
    return { found: undefined, message: known.message };
  }

  async function bind(key: string, pod: Stored<Pod>, nodeName: string): Promise<void> {
    const { uid, namespace, name } = pod.metadata;
    cluster.setPod(pod, nodeName);
    assumed.add(uid);
    inFlight += 1;
    try {
      await client.bind({ ...keyOf(pod), uid }, nodeName);
      failedBinds.delete(key);
      const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
      tell(pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', note });
    } catch (error) {
      if (!isStatus(error, 'NotFound') && !isStatus(error, 'Conflict')) {
        logger.warn('Could not bind a pod', { name: key, node: nodeName, error });
      }
      unassume(key, pod);
    }
    inFlight -= 1;
    wake?.();
  }

  /** The binding failed, or its answer was lost: the cache will tell what is true, a little later. */
  function unassume(key: string, pod: Stored<Pod>): void {
    if (!assumed.delete(pod.metadata.uid) || stopped) return;
    cluster.removePod(pod);
    waiting.changed();
    const count = (failedBinds.get(key) ?? 0) + 1;
    failedBinds.set(key, count);
    again.addAfter(key, Math.min(500 * 2 ** (count - 1), 30_000));
  }

  return {
    name: 'first-fit',
    ready: () => pods.hasSynced() && nodes.hasSynced() && namespaces.hasSynced(),
    async start(signal) {
      const setNamespace = ({
        metadata: { name, labels },
      }: {
        metadata: { name: string; labels?: Pod['metadata']['labels'] };
      }): void => {
        cluster.setNamespace(name, labels);
        waiting.podPlaced();
      };
      const registrations = [
        namespaces.addHandler({
          add: setNamespace,
          update: (old, namespace) =>
            void (old.metadata.labels !== namespace.metadata.labels && setNamespace(namespace)),
          delete: (namespace) => cluster.removeNamespace(namespace.metadata.name),
        }),
        nodes.addHandler({
          add(node) {
            cluster.setNode(node);
            waiting.changed();
          },
          update(old, node) {
            cluster.setNode(node);
            if (mayHelp(old, node)) waiting.changed();
          },
          delete(node) {
            cluster.removeNode(node.metadata.name);
            waiting.changed();
          },
        }),
        pods.addHandler({
          add: (pod) => see(pod, undefined),
          update(old, pod) {
            // Deleted and made again between two looks of the cache.
            const isAnother = old.metadata.uid !== pod.metadata.uid;
            if (isAnother) forget(old);
            see(pod, isAnother ? undefined : old);
          },
          delete: forget,
        }),
      ];
      // Nothing is placed before everything that is there has been counted.
      const isKnown = await Promise.all(registrations.map((registration) => registration.synced(signal))).then(
        () => true,
        () => false,
      );
      if (isKnown) {
        const oldestFirst = [...queue].toSorted(([, a], [, b]) => byUrgency(a, b));
        queue.clear();
        for (const [key, pod] of oldestFirst) queue.set(key, pod);
        await placeAll(signal);
      }
      stopped = true;
      for (const registration of registrations) registration.remove();
      await Promise.all([waiting.stop(), again.stop()]);
    },
  };
}

/** Higher priority first, then age. */
function byUrgency(a: Pod, b: Pod): number {
  const priority = (b.spec.priority ?? 0) - (a.spec.priority ?? 0);
  if (priority !== 0) return priority;
  const [first = '', second = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** Heartbeats and conditions make no room. */
const mayHelp = (old: Node, node: Node): boolean =>
  !isSameMap(old.metadata.labels, node.metadata.labels) ||
  (old.spec.unschedulable ?? false) !== (node.spec.unschedulable ?? false) ||
  !deepEqual(old.spec.taints, node.spec.taints) ||
  !deepEqual(old.status?.allocatable, node.status?.allocatable);

/** The same to every filter that does not look at other pods. */
const isTwin = (a: Pod, b: Pod): boolean =>
  a.spec.containers === b.spec.containers &&
  a.spec.initContainers === b.spec.initContainers &&
  a.spec.overhead === b.spec.overhead &&
  a.spec.resources === b.spec.resources &&
  a.metadata.namespace === b.metadata.namespace &&
  deepEqual(a.spec.nodeSelector, b.spec.nodeSelector) &&
  deepEqual(a.spec.affinity, b.spec.affinity) &&
  deepEqual(a.spec.tolerations, b.spec.tolerations) &&
  deepEqual(a.spec.volumes, b.spec.volumes) &&
  !isSocial(b);
