/** Reconciles one DaemonSet, in upstream's order: history, owners, manage, roll out, clean up, status. */
import { DAEMON_SETS } from '../../core/api/registry/resources.ts';
import type { DaemonSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import { DESIRED, HAS_OLD } from '../../core/daemons/daemon-pod-rules.ts';
import {
  decidesBeforeCreation,
  rolloutLimits,
  type RolloutLimits,
  type RolloutState,
} from '../../core/daemons/rollout-plan.ts';
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { ObjectKey, Stored } from '../../core/kube/objects.ts';
import { newer } from '../../core/kube/resource-version.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import { keyText } from '../../machinery/cache/object-keys.ts';
import type { Lister } from '../../machinery/cache/object-store.ts';
import { type Claims, createClaims } from '../../machinery/children/claims.ts';
import { isEmptySelector } from '../../machinery/children/selectors.ts';
import { requeueAfter, takeTurn } from '../../machinery/children/turn.ts';
import { isNamespaceTerminating, isRefused } from '../../machinery/children/write-outcomes.ts';
import type { Reconciler, ReconcileResult } from '../../machinery/controller/controller.ts';
import { tellAnnotations } from './annotation-events.ts';
import { daemonConditions, setConditions, withoutConditions } from './conditions.ts';
import { definitionOf, isSameDefinition } from './definition.ts';
import { constructHistory, type HistoryOptions, markCanaryPassed, trimHistory } from './history.ts';
import type { History, KnownDaemon } from './known-daemon.ts';
import { type NodeWork, type NodeWorkOptions, planNodes } from './node-work.ts';
import { claimPods, learnOrphans } from './pod-claims.ts';
import { createPodMakers } from './pod-makers.ts';
import type { Rollouts } from './rollout.ts';
import { rolloutOptions } from './rollout-options.ts';
import { countsOf, type NextConditions, writeDaemonStatus } from './status.ts';

/** The parts that every reconcile works with; none of them changes. */
export interface DaemonSync extends HistoryOptions, NodeWorkOptions {
  readonly sets: Lister<DaemonSet>;
  readonly pods: Informer<Pod>;
  readonly rollouts: Rollouts;
  /** How long to gather changes of pods and nodes before the next reconcile. */
  readonly coalesceMs: number;
}

export const createSync =
  (sync: DaemonSync): Reconciler<ObjectKey> =>
  async (key, signal) => {
    const { registry, clock, coalesceMs } = sync;
    const set = sync.sets.get(key.name, key.namespace);
    if (set === undefined) {
      const known = registry.byName(keyText(key));
      if (known !== undefined) registry.forget(known);
      return undefined;
    }
    if (isEmptySelector(set.spec.selector)) {
      sync.events.selectsAll(set);
      return undefined;
    }
    const daemon = daemonFor(sync, key, set);
    // The pods and revisions are the garbage collector's now, and no count of them could be relied on.
    if (isBeingDeleted(daemon.object)) return undefined;
    return takeTurn(
      daemon.turn,
      clock,
      () => coalesceMs,
      () => reconcile(sync, daemon, signal).catch(unlessNamespaceEnds),
    );
  };

/** A namespace that is being deleted lets no pod in: no retry could succeed, and the DaemonSet is deleted with it. */
function unlessNamespaceEnds(error: unknown): ReconcileResult {
  if (isNamespaceTerminating(error)) return {};
  throw error;
}

/** The record of this DaemonSet, with the newest state in it; a new one for another UID. */
function daemonFor({ registry }: DaemonSync, key: ObjectKey, set: Stored<DaemonSet>): KnownDaemon {
  const known = registry.byName(keyText(key));
  if (known !== undefined && known.uid === set.metadata.uid) {
    known.object = newer(set, known.object);
    return known;
  }
  if (known !== undefined) registry.forget(known);
  return registry.register(set, definitionOf(set, ''));
}

/** The outcome of one reconcile's writes; parts are undefined that a failure kept from being decided. */
interface Progress {
  work?: NodeWork;
  rolled?: RolledOut;
  failure?: { readonly error: unknown };
}

async function reconcile(sync: DaemonSync, daemon: KnownDaemon, signal: AbortSignal): Promise<ReconcileResult> {
  const { client, clock, registry, writer, events } = sync;
  await writer.settle(daemon, signal);
  registry.tick();
  registry.dropSeenAnswers(daemon);
  await learnOrphans(client, sync.pods, daemon, signal);
  const claims = createClaims(client, DAEMON_SETS, daemon.object);
  const history = await constructHistory(sync, daemon, claims).catch((error: unknown) => {
    // Without a revision there are no pods: an event says why.
    if (isRefused(error)) events.createFailed(daemon.object, error);
    throw error;
  });
  define(sync, daemon, history.hash);
  const isUnderWay = registry.view(daemon).count(HAS_OLD) > 0;
  const { rollout } = daemon;
  rollout.toldAnnotations = tellAnnotations(daemon.object, isUnderWay, rollout.toldAnnotations, events);
  const progress = await bringPods(sync, daemon, history, claims, signal);
  await report(sync, daemon, history, progress);
  const { work, rolled, failure } = progress;
  if (failure !== undefined) throw failure.error;
  if (work?.more === true) return { requeueAfterMs: 0 };
  const { nextDue } = registry.view(daemon);
  const dueMs = nextDue === undefined ? undefined : Math.max(1, nextDue - clock.now());
  return requeueAfter(dueMs, work?.retryMs, rolled?.dueMs);
}

/** Tells the engine what the DaemonSet has become, and sets the maker of its pods. */
function define({ registry }: DaemonSync, daemon: KnownDaemon, hash: string): void {
  const definition = definitionOf(daemon.object, hash);
  const isSame = isSameDefinition(definition, daemon.definition);
  if (isSame && daemon.maker !== undefined) return;
  daemon.maker = createPodMakers(daemon.object, hash, rolloutOptions(daemon.object).overrides);
  if (!isSame) registry.define(daemon, definition);
}

/** Claims, creates and deletes pods, and trims the history; a failure ends it and is part of the result. */
async function bringPods(
  sync: DaemonSync,
  daemon: KnownDaemon,
  history: History,
  claims: Claims,
  signal: AbortSignal,
): Promise<Progress> {
  const progress: Progress = {};
  try {
    await claimPods(daemon, claims);
    progress.work = planNodes(sync, daemon);
    progress.rolled = await manageAndRollOut(sync, daemon, history, progress.work, signal);
    await trimHistory(sync, daemon);
  } catch (error) {
    progress.failure = { error };
  }
  return progress;
}

/**
 * Nodes first, then the rollout; both at once where no pod is deleted but by the rollout, and the rollout decides the same before
 * and after. Unless creates may fail: the rollout deletes no pod whose successor could not be created.
 */
async function manageAndRollOut(
  sync: DaemonSync,
  daemon: KnownDaemon,
  history: History,
  work: NodeWork,
  signal: AbortSignal,
): Promise<RolledOut> {
  const { writer } = sync;
  const managing = writer.write(daemon, work.creations, work.remove, signal);
  const isApart = work.remove.length === 0 && decidesBeforeCreation(daemon.definition) && writer.isProven(daemon);
  const roll = (): Promise<RolledOut> => rollOut(sync, daemon, history, signal);
  const [managed, rolled] = await Promise.allSettled([managing, isApart ? roll() : managing.then(roll)]);
  if (managed.status === 'rejected') throw managed.reason;
  if (rolled.status === 'rejected') throw rolled.reason;
  return rolled.value;
}

interface RolledOut {
  readonly state: RolloutState;
  readonly limits: RolloutLimits;
  /** When the canary will have been available for long enough. */
  readonly dueMs: number | undefined;
}

async function rollOut(
  sync: DaemonSync,
  daemon: KnownDaemon,
  history: History,
  signal: AbortSignal,
): Promise<RolledOut> {
  const { writer, registry, rollouts } = sync;
  const { updateStrategy } = daemon.object.spec;
  const view = registry.view(daemon);
  const limits = rolloutLimits(updateStrategy, view.count(DESIRED));
  if (updateStrategy?.type === 'OnDelete')
    return { state: view.count(HAS_OLD) === 0 ? 'Complete' : 'Progressing', limits, dueMs: undefined };
  const wishes = rolloutOptions(daemon.object);
  const { plan, canaryDueMs, canaryPassed } = rollouts.step(daemon, history, limits, wishes, sync.clock.now());
  const creations = writer.plan(daemon, plan.createAt);
  if (canaryPassed) await markCanaryPassed(sync, daemon);
  await writer.write(daemon, creations, plan.remove, signal);
  return { state: plan.state, limits, dueMs: canaryDueMs };
}

/** Writes the status, also where a write of pods failed: the others are reported. The first failure stays the one that is thrown. */
async function report(sync: DaemonSync, daemon: KnownDaemon, history: History, progress: Progress): Promise<void> {
  try {
    const counts = countsOf(sync.registry.view(daemon));
    await writeDaemonStatus(sync.client, daemon, counts, nextConditions(sync, daemon, history, progress.rolled));
  } catch (error) {
    progress.failure ??= { error };
  }
}

/** Undefined leaves the conditions as they are: they are wished for, but the rollout's state is not known. */
function nextConditions(
  { registry, clock }: DaemonSync,
  daemon: KnownDaemon,
  { current }: History,
  rolled: RolledOut | undefined,
): NextConditions | undefined {
  const wishes = rolloutOptions(daemon.object);
  if (!wishes.conditions) return withoutConditions;
  if (rolled === undefined) return undefined;
  const { state, limits } = rolled;
  const conditions = daemonConditions(registry.view(daemon), state, current.revision, limits, wishes);
  return setConditions(conditions, formatTime(clock.now()));
}
