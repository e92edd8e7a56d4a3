/**
 * Ends pods that do not tolerate the NoExecute taints of their node, or no longer. Who tolerates them for a time is
 * given that time, counted by our own steady clock from when we first saw it.
 *
 * Before a pod is deleted, pod and node are read anew: the deletion follows from what the API server says now. A timer
 * that fires much too late means that we were away; then the node first gets a chance to be heard again.
 */
import { DISRUPTION_TARGET } from '../../../core/api/kinds/disruption-status.ts';
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Node, Pod, PodCondition, Taint } from '../../../core/api/types/core-v1.ts';
import { findCondition, setCondition } from '../../../core/kube/conditions.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { aborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { Timer } from '../../../machinery/time/clock.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { HandlerRegistration } from '../../../machinery/cache/informer.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import { eventsFor, type KeeperOptions, together } from '../keeper.ts';
import { executingTaints, stayMs } from './toleration-time.ts';

/** A pod that may stay for a while. */
interface Stay {
  readonly uid: string;
  /** When its time began and ends (monotonic). */
  readonly since: number;
  readonly until: number;
  readonly timer: Timer;
}

const CONCURRENCY = 32;
/** So late a timer fires only if we were away. */
const AWAY_MS = 5_000;
/** What a node gets to be heard again before its pods pay for our absence: more than its grace. */
const SECOND_CHANCE_MS = 60_000;

export function createTaintEviction(options: KeeperOptions): Actor {
  const { client, informers, clock, random } = options;
  const nodes = informers.for(NODES);
  const pods = informers.for(PODS);
  const { recorder, actors } = eventsFor(options, 'taint-eviction-controller');

  /** Only nodes that have such taints: most have none, and then nothing here costs anything. */
  const tainted = new Map<string, readonly Taint[]>();
  const stays = new Map<string, Stay>();
  /** Nodes whose pods must be looked at; all of them in one walk over the pods. */
  const dirty = new Set<string>();
  let walk: Timer | undefined;

  function nodesChanged(changes: readonly Change<Node>[]): void {
    for (const { type, object } of changes) {
      const { name } = object.metadata;
      const taints = type === 'delete' ? [] : executingTaints(object);
      const before = tainted.get(name);
      if (taints.length === 0 ? before === undefined : before !== undefined && deepEqual(before, taints)) continue;
      if (taints.length === 0) tainted.delete(name);
      else tainted.set(name, taints);
      // Pods of a node that is gone are left to the collection of orphaned pods.
      if (type !== 'delete') dirty.add(name);
    }
    if (dirty.size > 0) walk ??= clock.after(0, walkPods);
  }

  function walkPods(): void {
    walk = undefined;
    if (dirty.size === 0) return;
    for (const pod of pods.lister.list()) if (dirty.has(pod.spec?.nodeName ?? '')) judge(pod);
    dirty.clear();
  }

  function podsChanged(changes: readonly Change<Pod>[]): void {
    for (const { type, object, old } of changes) {
      if (type === 'delete') {
        cancel(keyOf(object), true);
        continue;
      }
      const isNews =
        old === undefined ||
        old.spec?.nodeName !== object.spec?.nodeName ||
        (old.spec?.tolerations !== object.spec?.tolerations &&
          !deepEqual(old.spec?.tolerations, object.spec?.tolerations));
      if (isNews && tainted.has(object.spec?.nodeName ?? '')) judge(object);
    }
  }

  /** Sets, moves or stops the pod's timer. */
  function judge(pod: Stored<Pod>): void {
    const key = keyOf(pod);
    const taints = tainted.get(pod.spec?.nodeName ?? '');
    const stay = taints === undefined ? Number.POSITIVE_INFINITY : stayMs(taints, pod.spec?.tolerations);
    if (stay === Number.POSITIVE_INFINITY) {
      cancel(key, false);
      return;
    }
    const now = clock.monotonic();
    const present = stays.get(keyText(key));
    if (stay === 0) {
      cancel(key, false);
      controller.queue.add(key);
      return;
    }
    // A shorter time counts from when the first began; a longer one changes nothing that has been promised.
    if (present !== undefined && present.uid === pod.metadata.uid) {
      if (present.since + stay < now + stay && present.until <= present.since + stay) return;
      cancel(key, false);
      arm(key, pod.metadata.uid, present.since, present.since + stay);
      return;
    }
    arm(key, pod.metadata.uid, now, now + stay);
  }

  function arm(key: ObjectKey, uid: string, since: number, until: number): void {
    const id = keyText(key);
    const timer = clock.after(Math.max(0, until - clock.monotonic()), () => {
      stays.delete(id);
      const late = clock.monotonic() - until;
      if (late > AWAY_MS) arm(key, uid, since, clock.monotonic() + Math.min(SECOND_CHANCE_MS, until - since));
      else controller.queue.add(key);
    });
    stays.set(id, { uid, since, until, timer });
  }

  function cancel(key: ObjectKey, isGone: boolean): void {
    const id = keyText(key);
    const stay = stays.get(id);
    if (stay === undefined) return;
    stay.timer.cancel();
    stays.delete(id);
    if (!isGone) tell(key, stay.uid, `Cancelling deletion of Pod ${key.namespace}/${key.name}`);
  }

  const tell = ({ namespace = '', name }: ObjectKey, uid: string, note: string): void =>
    recorder.event(
      { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      { type: 'Normal', reason: 'TaintManagerEviction', note },
    );

  /** The pod's time is over, as far as the caches know. */
  async function evict(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const cached = pods.lister.get(key.name, key.namespace);
    if (cached === undefined || stays.has(keyText(key))) return;
    const pod = await client.get(PODS, key, { signal }).catch(ignoreGone);
    const nodeName = pod?.spec?.nodeName ?? '';
    if (pod === undefined || nodeName === '' || pod.metadata.deletionTimestamp !== undefined) return;
    const node = await client.get(NODES, { name: nodeName }, { signal }).catch(ignoreGone);
    const stay = stayMs(executingTaints(node), pod.spec?.tolerations);
    // The taint is gone, or never was on this node: whoever comes next will be told by the caches.
    if (node === undefined || stay === Number.POSITIVE_INFINITY) return;
    tell(key, pod.metadata.uid, `Marking for deletion Pod ${key.namespace}/${key.name}`);
    const noted = await note(pod, signal);
    const preconditions = { uid: noted.metadata.uid };
    await client.delete(PODS, key, { preconditions, signal }).catch(ignoreGone);
  }

  async function note(pod: Stored<Pod>, signal: AbortSignal): Promise<Stored<Pod>> {
    const condition: PodCondition = {
      type: DISRUPTION_TARGET,
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    };
    const before = findCondition(pod.status?.conditions, DISRUPTION_TARGET);
    const conditions = setCondition(pod.status?.conditions, { ...before, ...condition }, formatTime(clock.now()));
    if (conditions === pod.status?.conditions) return pod;
    const noted: Stored<Pod> = { ...pod, status: { ...pod.status, conditions } };
    return client.update(PODS, noted, { subresource: 'status', signal });
  }

  const controller = createController<ObjectKey>({
    name: 'taint-eviction',
    reconcile: evict,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: CONCURRENCY,
    waitFor: [(signal) => Promise.all(registrations.map((each) => each.synced(signal))).then(() => undefined)],
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  });
  const registrations: HandlerRegistration[] = [];

  const watcher: Actor = {
    name: 'taint-eviction-watch',
    async start(signal) {
      await aborted(signal);
      for (const registration of registrations) registration.remove();
      walk?.cancel();
      for (const { timer } of stays.values()) timer.cancel();
      stays.clear();
    },
  };
  registrations.push(nodes.addHandler({ batch: nodesChanged }), pods.addHandler({ batch: podsChanged }));
  return together('taint-eviction', [controller, watcher, ...actors]);
}

function ignoreGone(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}
