/** One DaemonSet brought to its desired state, in upstream's order: history, owners, manage, roll out, clean up, status. */
import { PODS } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { DESIRED, HAS_OLD, manage, WORK } from '../../core/daemons/daemon-pod-rules.ts';
import {
  decidesBeforeCreation,
  rolloutLimits,
  type RolloutLimits,
  type RolloutState,
} from '../../core/daemons/rollout-plan.ts';
import { formatLabelSelector } from '../../core/kube/label-selector.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { compareResourceVersions, newer } from '../../core/kube/resource-version.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Clock } from '../../machinery/time/clock.ts';
import type { Reconciler, ReconcileResult } from '../../machinery/controller/controller.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { keyText } from '../../machinery/cache/object-keys.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';
import { tellAnnotations } from './annotation-events.ts';
import { type Claims, createClaims } from './claims.ts';
import type { DaemonWorld } from './daemon-registry.ts';
import { daemonConditions, setConditions, withoutConditions } from './conditions.ts';
import { definitionOf, isSameDefinition } from './definition.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import type { Histories } from './history.ts';
import type { History, KnownDaemon } from './known-daemon.ts';
import type { PodEvents } from './pod-events.ts';
import { type Creation, isNamespaceTerminating, isRefused, type PodWriter } from './pod-writer.ts';
import { createPodMakers } from './pod-makers.ts';
import { createRollouts } from './rollout.ts';
import { rolloutOptions } from './rollout-options.ts';
import { countsOf, writeStatus } from './status.ts';

export interface SyncOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly world: DaemonWorld;
  readonly writer: PodWriter;
  readonly events: PodEvents;
  readonly sets: Lister<DaemonSet>;
  readonly pods: Informer<Pod>;
  readonly histories: Histories;
  readonly backoff: FailedPodBackoff;
  /** How long to gather what changes during a sync before the next. */
  readonly coalesceMs: number;
}

/** Pods created before the status is written again and others get a turn. */
const CREATIONS_PER_SYNC = 2000;

export function createSync(options: SyncOptions): Reconciler<ObjectKey> {
  const { client, clock, world, writer, events, histories } = options;
  const rollouts = createRollouts(world, events);

  function daemonFor(set: Stored<DaemonSet>): KnownDaemon {
    const known = world.byName(keyText({ namespace: set.metadata.namespace ?? '', name: set.metadata.name }));
    if (known !== undefined && known.uid !== set.metadata.uid) world.forget(known);
    else if (known !== undefined) {
      known.set = newer(set, known.set);
      return known;
    }
    return world.register(set, definitionOf(set, ''));
  }

  /** Tells the engine what the DaemonSet has become, and from which template pods are made from now on. */
  function define(daemon: KnownDaemon, hash: string): void {
    const definition = definitionOf(daemon.set, hash);
    if (isSameDefinition(definition, daemon.definition) && daemon.maker !== undefined) return;
    daemon.maker = createPodMakers(daemon.set, hash, rolloutOptions(daemon.set).overrides);
    if (!isSameDefinition(definition, daemon.definition)) world.define(daemon, definition);
  }

  /**
   * A new DaemonSet may find pods that a former one left behind. A cache that is older than the DaemonSet may show them as
   * the former one's still; making pods beside them would be making them twice.
   */
  async function learnOrphans(daemon: KnownDaemon, signal: AbortSignal): Promise<void> {
    if (daemon.knowsOrphans) return;
    const { namespace = '', resourceVersion } = daemon.set.metadata;
    if ((compareResourceVersions(options.pods.resourceVersion, resourceVersion) ?? -1) < 0) {
      const labelSelector = formatLabelSelector(daemon.set.spec.selector);
      const { items } = await client.list(PODS, { namespace, labelSelector, signal });
      for (const pod of items)
        if (controllerOf(pod) === undefined && pod.metadata.deletionTimestamp === undefined)
          daemon.adoptable.set(pod.metadata.uid, pod);
    }
    daemon.knowsOrphans = true;
  }

  async function claim(daemon: KnownDaemon, claims: Claims): Promise<void> {
    for (const pod of [...daemon.releasable.values()]) {
      const released = await claims.release(PODS, pod);
      daemon.releasable.delete(pod.metadata.uid);
      if (released === undefined) continue;
      world.wrote(daemon, released);
      if (released.spec.nodeName) daemon.letGo.add(released.spec.nodeName);
    }
    for (const pod of [...daemon.adoptable.values()]) {
      const adopted = await claims.adopt(PODS, pod);
      daemon.adoptable.delete(pod.metadata.uid);
      if (adopted !== undefined) world.wrote(daemon, adopted);
    }
  }

  /** Somebody who takes the labels off every new pod must not have us make pods without end. */
  function waitAfterLetGo(daemon: KnownDaemon, place: number): number {
    if (daemon.letGo.size === 0) return 0;
    const node = world.engine.nodeName(place);
    if (!daemon.letGo.has(node)) return 0;
    const waitMs = options.backoff.attempt(`let go ${daemon.uid}/${node}`);
    if (waitMs === 0) daemon.letGo.delete(node);
    return waitMs;
  }

  /** What is to be done node by node, whatever the rollout does. */
  interface NodeWork {
    readonly creations: readonly Creation[];
    readonly remove: readonly Stored<Pod>[];
    /** There is more to create than one sync does. */
    readonly more: boolean;
    /** A failed pod may be deleted only after this time. */
    readonly retryMs: number | undefined;
  }

  function planNodes(daemon: KnownDaemon): NodeWork {
    const view = world.view(daemon);
    const now = clock.now();
    const create: number[] = [];
    const remove: Stored<Pod>[] = [];
    let retryMs: number | undefined;
    for (const place of view.listed(WORK)) {
      const work = manage(daemon.definition, view.verdict(place), world.engine.node(place), view.children(place), now);
      if (work.create) {
        const waitMs = waitAfterLetGo(daemon, place);
        if (waitMs > 0) retryMs = Math.min(retryMs ?? waitMs, waitMs);
        else create.push(place);
      }
      remove.push(...work.remove);
      for (const pod of work.succeeded) {
        events.foundSucceeded(daemon.set, fullName(pod), world.engine.nodeName(place));
        remove.push(pod);
      }
      for (const pod of work.failed) {
        const waitMs = options.backoff.attempt(backoffKey(daemon.set, world.engine.nodeName(place)));
        if (waitMs > 0) {
          retryMs = Math.min(retryMs ?? waitMs, waitMs);
          continue;
        }
        events.foundFailed(daemon.set, fullName(pod), world.engine.nodeName(place));
        remove.push(pod);
      }
    }
    const creations = writer.plan(daemon, create, CREATIONS_PER_SYNC);
    return { creations, remove, more: create.length > CREATIONS_PER_SYNC, retryMs };
  }

  /**
   * Nodes first, then the rollout; both at once where nothing goes but by the rollout, and it decides the same before and after.
   * Unless creations may fail: it takes nothing down that could not come back.
   */
  async function bringPods(
    daemon: KnownDaemon,
    history: History,
    work: NodeWork,
    signal: AbortSignal,
  ): Promise<RolledOut> {
    const managing = writer.write(daemon, work.creations, work.remove, signal);
    const isApart = work.remove.length === 0 && decidesBeforeCreation(daemon.definition) && writer.isProven(daemon);
    const rolling = isApart ? rollOut(daemon, history, signal) : managing.then(() => rollOut(daemon, history, signal));
    const [managed, rolled] = await Promise.allSettled([managing, rolling]);
    if (managed.status === 'rejected') throw managed.reason;
    if (rolled.status === 'rejected') throw rolled.reason;
    return rolled.value;
  }

  interface RolledOut {
    readonly state: RolloutState;
    readonly limits: RolloutLimits;
    readonly dueMs: number | undefined;
  }

  async function rollOut(daemon: KnownDaemon, history: History, signal: AbortSignal): Promise<RolledOut> {
    const { updateStrategy } = daemon.set.spec;
    const view = world.view(daemon);
    const limits = rolloutLimits(updateStrategy, view.count(DESIRED));
    if (updateStrategy?.type === 'OnDelete')
      return { state: view.count(HAS_OLD) === 0 ? 'Complete' : 'Progressing', limits, dueMs: undefined };
    const wishes = rolloutOptions(daemon.set);
    const { plan, canaryDueMs, canaryPassed } = rollouts.step(daemon, history, limits, wishes, clock.now());
    const creations = writer.plan(daemon, plan.createAt);
    if (canaryPassed) await histories.markCanaryPassed(daemon);
    await writer.write(daemon, creations, plan.remove, signal);
    return { state: plan.state, limits, dueMs: canaryDueMs };
  }

  async function bring(daemon: KnownDaemon, signal: AbortSignal): Promise<ReconcileResult> {
    await writer.settleDoubts(daemon, signal);
    world.tick();
    world.reconcileAnswers(daemon);
    await learnOrphans(daemon, signal);
    const claims = createClaims(client, daemon);
    const history = await histories.construct(daemon, claims).catch((error: unknown) => {
      // Without a revision there are no pods, and nobody else would say why.
      if (isRefused(error)) events.createFailed(daemon.set, error);
      throw error;
    });
    define(daemon, history.hash);
    const isUnderWay = world.view(daemon).count(HAS_OLD) > 0;
    daemon.toldAnnotations = tellAnnotations(daemon.set, isUnderWay, daemon.toldAnnotations, events);
    let failure: { readonly error: unknown } | undefined;
    let managed: NodeWork | undefined;
    let rolled: RolledOut | undefined;
    try {
      await claim(daemon, claims);
      managed = planNodes(daemon);
      rolled = await bringPods(daemon, history, managed, signal);
      await histories.cleanUp(daemon);
    } catch (error) {
      failure = { error };
    }
    const view = world.view(daemon);
    // What did work is reported even where something else did not.
    try {
      const { current } = history;
      const wishes = rolloutOptions(daemon.set);
      const isAsked = wishes.conditions;
      const conditions =
        rolled === undefined || !isAsked
          ? isAsked
            ? undefined
            : withoutConditions
          : setConditions(
              daemonConditions(view, rolled.state, current.revision, rolled.limits, wishes),
              formatTime(clock.now()),
            );
      await writeStatus(client, daemon, countsOf(view), conditions);
    } catch (error) {
      failure ??= { error };
    }
    if (failure !== undefined) throw failure.error;
    if (managed?.more === true) return { requeueAfterMs: 0 };
    const due = view.nextDue === undefined ? undefined : Math.max(1, view.nextDue - clock.now());
    return soonest(soonest(due, managed?.retryMs).requeueAfterMs, rolled?.dueMs);
  }

  return async (key, signal) => {
    const set = options.sets.get(key.name, key.namespace);
    const known = world.byName(keyText(key));
    if (set === undefined) {
      if (known !== undefined) world.forget(known);
      return undefined;
    }
    if (isEmptySelector(set)) {
      events.selectsAll(set);
      return undefined;
    }
    const daemon = daemonFor(set);
    // Its pods and revisions are the garbage collector's now, and no count of them could be relied on.
    if (daemon.set.metadata.deletionTimestamp !== undefined) return undefined;
    daemon.busy = true;
    daemon.again = false;
    try {
      const result = await bring(daemon, signal);
      return soonest(result.requeueAfterMs, daemon.again ? options.coalesceMs : undefined);
    } catch (error) {
      // No attempt could succeed, and nothing is lost: what is left to see is how everything goes.
      if (isNamespaceTerminating(error)) return daemon.again ? { requeueAfterMs: options.coalesceMs } : {};
      throw error;
    } finally {
      daemon.busy = false;
      daemon.syncedAt = clock.monotonic();
    }
  };
}

const fullName = (pod: Pod): string => `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;

const backoffKey = (set: Stored<DaemonSet>, node: string): string =>
  `${set.metadata.uid}/${set.status?.observedGeneration ?? 0}/${node}`;

const isEmptySelector = ({ spec: { selector } }: DaemonSet): boolean =>
  selector !== undefined &&
  Object.keys(selector.matchLabels ?? {}).length === 0 &&
  (selector.matchExpressions ?? []).length === 0;

function soonest(a: number | undefined, b: number | undefined): ReconcileResult {
  const requeueAfterMs = a === undefined ? b : b === undefined ? a : Math.min(a, b);
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}
