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
import { NODE_DOWN } from './eligibility.ts';
import { type DaemonPod, isScheduled } from './pod-child.ts';
import type { NodeNames, RolloutOrder } from './rollout-order.ts';

export type DaemonSetView = DaemonView<DaemonPod, DaemonSetDefinition>;

export interface RolloutLimits {
  readonly maxUnavailable: number;
  readonly maxSurge: number;
}

/** What users may ask for beyond the strategy; all of it absent is upstream's behaviour. */
export interface RolloutWishes {
  readonly paused: boolean;
  /** So many nodes keep their old pods, the last ones in order. */
  readonly partition: IntOrString | undefined;
  /** So many nodes first; the others when the canary has proved itself. */
  readonly canary: IntOrString | undefined;
  /** The canary has proved itself, or a person said so. */
  readonly canaryPassed: boolean;
  /** So many crashing new pods stop the rollout; undefined: it goes on regardless. */
  readonly stopAfterCrashes: number | undefined;
}

const NO_WISHES: RolloutWishes = Object.freeze({
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

const ofNodes = (nodes: NodeNames, view: DaemonSetView, place: number): DaemonPod | undefined =>
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
  const oldAt = (place: number): DaemonPod | undefined => ofNodes(nodes, view, place);
  const isCandidate = (place: number): boolean => (view.judgement(place) & OLD_AVAILABLE) !== 0;
  const isDesired = (place: number): boolean => (view.judgement(place) & DESIRED) !== 0;
  const mayGo = scope === 'all' ? undefined : isDesired;
  const unavailable = unavailableFirst(nodes, view, allowed, scope, oldAt);
  const rest = allowed - unavailable.length;

  if (!view.definition.surge) {
    const budget = Math.max(0, limits.maxUnavailable - view.count(SPENT));
    const chosen = order.first(Math.min(budget, rest), isCandidate, mayGo);
    return { remove: pods([...unavailable, ...chosen], oldAt), createAt: [], state };
  }
  const budget = Math.max(0, limits.maxSurge - view.count(SURGING));
  const chosen = order.first(Math.min(budget, rest), isCandidate, mayGo);
  const spare = scope === 'all' ? Math.max(0, view.count(SERVING) - view.count(DESIRED)) : 0;
  const sunset = sorted(nodes, view.listed(SUNSET)).slice(0, Math.min(spare, allowed));
  const done = sorted(nodes, view.listed(OLD_DONE));
  return { remove: pods([...done, ...sunset], oldAt), createAt: [...unavailable, ...chosen], state };
}

/**
 * Nodes without an available pod have nothing to lose and come first, whatever the budget. Not in a canary's place, though,
 * where no pod would run whatever its template: a canary there would prove nothing, and keep all others waiting.
 */
function unavailableFirst(
  nodes: NodeNames,
  view: DaemonSetView,
  allowed: number,
  scope: Scope,
  oldAt: (place: number) => DaemonPod | undefined,
): readonly number[] {
  const all = view.listed(OLD_UNAVAILABLE);
  if (allowed === 0 || all.size === 0) return [];
  const inOrder = sorted(nodes, all);
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

/** Among which nodes those are chosen that may be touched. */
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

const sorted = (nodes: NodeNames, places: ReadonlySet<number>): readonly number[] =>
  places.size < 2 ? [...places] : [...places].sort((a, b) => (nodes.nodeName(a) < nodes.nodeName(b) ? -1 : 1));

function pods(places: readonly number[], oldAt: (place: number) => DaemonPod | undefined): readonly DaemonPod[] {
  const found: DaemonPod[] = [];
  for (const place of places) {
    const pod = oldAt(place);
    if (pod !== undefined) found.push(pod);
  }
  return found;
}
