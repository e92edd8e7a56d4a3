/** Which pods a rollout replaces now. Pure: the state of the engine and the strategy in, pods and nodes out. */
import type { DaemonSetUpdateStrategy } from '../api/types/apps-v1.ts';
import { type IntOrString, scaledIntOrPercent } from '../kube/int-or-string.ts';
import {
  CRASHING,
  DESIRED,
  type DaemonSetDefinition,
  HAS_OLD,
  livePods,
  OLD_AVAILABLE,
  OLD_DESIRED,
  OLD_DONE,
  OLD_UNAVAILABLE,
  SERVING,
  SPENT,
  SUNSET,
  SURGING,
} from './daemon-pod-rules.ts';
import type { DaemonView } from './engine-types.ts';
import { NODE_DOWN } from './verdict.ts';
import { type DaemonPod, isScheduled } from './pod-child.ts';
import type { NodeNames, RolloutOrder } from './rollout-order.ts';

export type DaemonSetView = DaemonView<DaemonPod, DaemonSetDefinition>;

export interface RolloutLimits {
  readonly maxUnavailable: number;
  readonly maxSurge: number;
}

/** Controls that users may set beyond the strategy; with all of them absent the rollout behaves as upstream's. */
export interface RolloutWishes {
  readonly paused: boolean;
  /** Number or share of nodes that keep their old pods, counted from the end of the order. */
  readonly partition: IntOrString | undefined;
  /** Number or share of nodes that are updated first; the others follow once the canary has passed. */
  readonly canary: IntOrString | undefined;
  /** The canary pods were available for long enough, or a person approved them. */
  readonly canaryPassed: boolean;
  /** Number of crashing new pods that stops the rollout; undefined: crashing pods never stop the rollout. */
  readonly stopAfterCrashes: number | undefined;
}

export const NO_WISHES: RolloutWishes = Object.freeze({
  paused: false,
  partition: undefined,
  canary: undefined,
  canaryPassed: false,
  stopAfterCrashes: undefined,
});

export type RolloutState = 'Complete' | 'Progressing' | 'Paused' | 'Partitioned' | 'Canary' | 'Stopped';

export interface RolloutPlan {
  readonly remove: readonly DaemonPod[];
  /** Places that get a new pod beside the old one. */
  readonly createAt: readonly number[];
  readonly state: RolloutState;
}

/** Percentages are of the desired number, rounded up. Where both limits come to nothing, one node at a time. */
export function rolloutLimits(strategy: DaemonSetUpdateStrategy | undefined, desired: number): RolloutLimits {
  const rolling = strategy?.rollingUpdate;
  const maxSurge = scaled(rolling?.maxSurge, desired, 'up');
  const maxUnavailable = scaled(rolling?.maxUnavailable, desired, 'up');
  if (desired > 0 && maxSurge === 0 && maxUnavailable === 0) return { maxSurge, maxUnavailable: 1 };
  return { maxSurge, maxUnavailable };
}

export function scaled(value: IntOrString | undefined, total: number, rounding: 'up' | 'down'): number {
  if (value === undefined) return 0;
  const result = scaledIntOrPercent(value, total, rounding);
  return result.ok ? result.value : 0;
}

/**
 * Whether a rollout decides the same before and after nodes without a pod get theirs, so that both can be done at once. A pod
 * that has just been made is as unavailable as none. But a node that is down may be excused for having none, and is not for a new
 * pod that does not come up; and where pods surge, the rollout makes some itself.
 */
export const decidesBeforeCreation = ({ surge, ignoreDownNodes }: DaemonSetDefinition): boolean =>
  !surge && !ignoreDownNodes;

const oldPodAt = (nodes: NodeNames, view: DaemonSetView, place: number): DaemonPod | undefined =>
  livePods(view.definition, nodes.node(place), view.children(place)).old;

export function planRollout(
  nodes: NodeNames,
  view: DaemonSetView,
  limits: RolloutLimits,
  order: RolloutOrder,
  wishes: RolloutWishes = NO_WISHES,
): RolloutPlan {
  const { everything, places } = view.takeListed(OLD_AVAILABLE);
  if (everything) order.clear();
  order.add(places);
  const { allowed, scope, state } = allowance(view, wishes);
  const oldAt = (place: number): DaemonPod | undefined => oldPodAt(nodes, view, place);
  const isCandidate = (place: number): boolean => (view.judgement(place) & OLD_AVAILABLE) !== 0;
  const isDesired = (place: number): boolean => (view.judgement(place) & DESIRED) !== 0;
  const mayGo = scope === 'all' ? undefined : isDesired;
  const unavailable = unavailableFirst(order, view, allowed, scope, oldAt);
  const rest = allowed - unavailable.length;

  if (!view.definition.surge) {
    const budget = Math.max(0, limits.maxUnavailable - view.count(SPENT));
    const chosen = order.first(Math.min(budget, rest), isCandidate, mayGo);
    return { remove: pods([...unavailable, ...chosen], oldAt), createAt: [], state };
  }
  const budget = Math.max(0, limits.maxSurge - view.count(SURGING));
  const chosen = order.first(Math.min(budget, rest), isCandidate, mayGo);
  const spare = scope === 'all' ? Math.max(0, view.count(SERVING) - view.count(DESIRED)) : 0;
  const sunset = order.sorted(view.listed(SUNSET)).slice(0, Math.min(spare, allowed));
  const done = order.sorted(view.listed(OLD_DONE));
  return { remove: pods([...done, ...sunset], oldAt), createAt: [...unavailable, ...chosen], state };
}

/**
 * Nodes without an available pod have nothing to lose and come first, whatever the budget. Not in a canary's place, though,
 * where no pod would run whatever its template: a canary there would prove nothing, and keep all others waiting.
 */
function unavailableFirst(
  order: RolloutOrder,
  view: DaemonSetView,
  allowed: number,
  scope: Scope,
  oldAt: (place: number) => DaemonPod | undefined,
): readonly number[] {
  const all = view.listed(OLD_UNAVAILABLE);
  if (allowed === 0 || all.size === 0) return [];
  const inOrder = order.sorted(all);
  if (scope === 'all') return inOrder.slice(0, allowed);
  const desired = inOrder.filter((place) => (view.judgement(place) & DESIRED) !== 0);
  if (scope === 'desired') return desired.slice(0, allowed);
  const canRun = (place: number): boolean => {
    const pod = oldAt(place);
    return pod !== undefined && isScheduled(pod) && (view.verdict(place) & NODE_DOWN) === 0;
  };
  const first = desired.filter(canRun).slice(0, allowed);
  const available = view.count(OLD_DESIRED) - desired.length;
  const last = desired.filter((place) => !canRun(place));
  return [...first, ...last.slice(0, Math.max(0, allowed - first.length - available))];
}

/** From which nodes the rollout chooses: all, those that should run the daemon, or those that can prove a canary. */
type Scope = 'all' | 'desired' | 'canary';

interface Allowance {
  readonly allowed: number;
  readonly scope: Scope;
  readonly state: RolloutState;
}

/**
 * How many more nodes may be touched, and what holds the rollout back if anything does. A canary and a partition are
 * parts of the nodes that should run the daemon; pods that are left on others wait until the rollout is free.
 */
function allowance(view: DaemonSetView, wishes: RolloutWishes): Allowance {
  const crashing = view.count(CRASHING);
  const held = (state: RolloutState): Allowance => ({ allowed: 0, scope: 'all', state });
  if (view.count(HAS_OLD) === 0) return held(crashing > 0 && isTooMany(crashing, wishes) ? 'Stopped' : 'Complete');
  if (wishes.paused) return held('Paused');
  if (isTooMany(crashing, wishes)) return held('Stopped');
  const desired = view.count(DESIRED);
  const old = view.count(OLD_DESIRED);
  let allowed = view.count(HAS_OLD);
  let scope: Scope = 'all';
  let state: RolloutState = 'Progressing';
  if (wishes.partition !== undefined) {
    const kept = scaled(wishes.partition, desired, 'down');
    if (kept > 0) {
      allowed = Math.max(0, old - kept);
      scope = 'desired';
      if (allowed === 0) state = 'Partitioned';
    }
  }
  if (wishes.canary !== undefined && !wishes.canaryPassed) {
    const left = Math.max(0, scaled(wishes.canary, desired, 'up') - Math.max(0, desired - old));
    if (left < allowed) {
      allowed = left;
      scope = 'canary';
      state = 'Canary';
    }
  }
  return { allowed, scope, state };
}

const isTooMany = (crashing: number, { stopAfterCrashes }: RolloutWishes): boolean =>
  stopAfterCrashes !== undefined && crashing >= stopAfterCrashes;

function pods(places: readonly number[], oldAt: (place: number) => DaemonPod | undefined): readonly DaemonPod[] {
  const found: DaemonPod[] = [];
  for (const place of places) {
    const pod = oldAt(place);
    if (pod !== undefined) found.push(pod);
  }
  return found;
}
