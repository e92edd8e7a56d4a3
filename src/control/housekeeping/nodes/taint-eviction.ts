/**
 * Evicts pods that do not tolerate the NoExecute taints of their node, or no longer. A pod that tolerates them for a time
 * is given that time, counted by this process' steady clock from when the taint was first seen (`eviction-timers.ts`).
 *
 * Before a pod is deleted, pod and node are read again (`evict-pod.ts`): the deletion follows from what the API server
 * says now. A timer that fires much too late means that this process was away; then the node first gets a chance to be
 * heard again.
 */
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { aborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { HandlerRegistration } from '../../../machinery/cache/informer.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { Change, Lister } from '../../../machinery/cache/object-store.ts';
import { eventsFor, type KeeperOptions, together } from '../keeper.ts';
import { evictPod } from './evict-pod.ts';
import { cancelStay, type EvictionState, judgeStay } from './eviction-timers.ts';
import { executingTaints } from './toleration-time.ts';

const CONCURRENCY = 32;

export function createTaintEviction(options: KeeperOptions): Actor {
  const { client, informers, clock, random } = options;
  const nodes = informers.for(NODES);
  const pods = informers.for(PODS);
  const { recorder, actors } = eventsFor(options, 'taint-eviction-controller');
  const eviction: EvictionState = {
    clock,
    recorder,
    enqueue: (key) => controller.queue.add(key),
    tainted: new Map(),
    stays: new Map(),
    dirty: new Set(),
    walk: undefined,
  };

  const registrations: HandlerRegistration[] = [];
  const controller = createController<ObjectKey>({
    name: 'taint-eviction',
    async reconcile(key, signal) {
      const cached = pods.lister.get(key.name, key.namespace);
      if (cached === undefined || eviction.stays.has(keyText(key))) return;
      await evictPod(eviction, client, key, signal);
    },
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: CONCURRENCY,
    waitFor: [(signal) => Promise.all(registrations.map((each) => each.synced(signal))).then(() => undefined)],
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  });

  const watcher: Actor = {
    name: 'taint-eviction-watch',
    async start(signal) {
      await aborted(signal);
      for (const registration of registrations) registration.remove();
      eviction.walk?.cancel();
      for (const { timer } of eviction.stays.values()) timer.cancel();
      eviction.stays.clear();
    },
  };
  registrations.push(
    nodes.addHandler({ batch: (changes) => nodesChanged(eviction, pods.lister, changes) }),
    pods.addHandler({ batch: (changes) => podsChanged(eviction, changes) }),
  );
  return together('taint-eviction', [controller, watcher, ...actors]);
}

function nodesChanged(eviction: EvictionState, pods: Lister<Pod>, changes: readonly Change<Node>[]): void {
  const { clock, tainted, dirty } = eviction;
  for (const { type, object } of changes) {
    const { name } = object.metadata;
    const taints = type === 'delete' ? [] : executingTaints(object);
    const before = tainted.get(name);
    if (taints.length === 0 ? before === undefined : before !== undefined && deepEqual(before, taints)) continue;
    if (taints.length === 0) tainted.delete(name);
    else tainted.set(name, taints);
    // Pods of a deleted node are left to the collection of orphaned pods.
    if (type !== 'delete') dirty.add(name);
  }
  if (dirty.size > 0) eviction.walk ??= clock.after(0, () => walkPods(eviction, pods));
}

/** One walk over all pods, however many nodes are dirty. */
function walkPods(eviction: EvictionState, pods: Lister<Pod>): void {
  const { dirty } = eviction;
  eviction.walk = undefined;
  if (dirty.size === 0) return;
  for (const pod of pods.list()) if (dirty.has(pod.spec?.nodeName ?? '')) judgeStay(eviction, pod);
  dirty.clear();
}

function podsChanged(eviction: EvictionState, changes: readonly Change<Pod>[]): void {
  for (const { type, object, old } of changes) {
    if (type === 'delete') cancelStay(eviction, keyOf(object), 'deleted');
    else if (mayChangeStay(old, object) && eviction.tainted.has(object.spec?.nodeName ?? ''))
      judgeStay(eviction, object);
  }
}

const mayChangeStay = (old: Stored<Pod> | undefined, pod: Stored<Pod>): boolean =>
  old === undefined ||
  old.spec?.nodeName !== pod.spec?.nodeName ||
  (old.spec?.tolerations !== pod.spec?.tolerations && !deepEqual(old.spec?.tolerations, pod.spec?.tolerations));
