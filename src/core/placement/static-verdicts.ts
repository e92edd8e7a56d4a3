/**
 * Verdicts of tolerations and node affinity on nodes. A verdict changes only with the node's labels and taints, and is the
 * same for all pods of one template: so each node is judged once, and again after it has changed.
 */
import type { ClusterState } from './cluster-state.ts';
import type { RequiredNodeAffinity } from './node-affinity.ts';
import type { NodeState } from './node-state.ts';
import type { CompiledTolerations } from './taints.ts';
import { schedulable } from './unschedulable.ts';

const SCHEDULABLE = 1;
export const TAINTS_TOLERATED = 2;
export const AFFINITY_MATCHES = 4;
export const ALL_STATIC = SCHEDULABLE | TAINTS_TOLERATED | AFFINITY_MATCHES;

export interface StaticVerdicts {
  readonly tolerations: CompiledTolerations;
  readonly affinity: RequiredNodeAffinity;
  /** By slot: the node's stamp when it was asked, and the answer. */
  stamps: Float64Array;
  flags: Uint8Array;
  readonly remember: boolean;
}

function compute(tolerations: CompiledTolerations, affinity: RequiredNodeAffinity, state: NodeState): number {
  const { spec } = state.node;
  return (
    (schedulable(tolerations, spec.unschedulable) ? SCHEDULABLE : 0) |
    (tolerations.firstUntolerated(spec.taints) === undefined ? TAINTS_TOLERATED : 0) |
    (affinity.anyNode || affinity.matches(state.node) ? AFFINITY_MATCHES : 0)
  );
}

export function staticVerdict(verdicts: StaticVerdicts, state: NodeState): number {
  const { slot } = state;
  if (verdicts.stamps[slot] === state.stamp) return verdicts.flags[slot] ?? 0;
  const flags = compute(verdicts.tolerations, verdicts.affinity, state);
  if (slot < 0 || !verdicts.remember) return flags;
  if (slot >= verdicts.stamps.length) growTo(verdicts, slot);
  verdicts.stamps[slot] = state.stamp;
  verdicts.flags[slot] = flags;
  return flags;
}

function growTo(verdicts: StaticVerdicts, slot: number): void {
  const capacity = Math.max(slot + 1, verdicts.stamps.length * 2, 64);
  const stamps = new Float64Array(capacity);
  stamps.set(verdicts.stamps);
  const flags = new Uint8Array(capacity);
  flags.set(verdicts.flags);
  verdicts.stamps = stamps;
  verdicts.flags = flags;
}

/** Most templates whose verdicts are kept; each costs nine bytes a node. */
const MAX_KEPT = 64;
const kept = new WeakMap<ClusterState, StaticVerdicts[]>();

export function verdictsFor(
  cluster: ClusterState,
  tolerations: CompiledTolerations,
  affinity: RequiredNodeAffinity,
): StaticVerdicts {
  // A pinned pod (every daemon pod is) asks about its few nodes once; remembering would cost more than asking.
  if (affinity.pinnedNodes !== undefined) return create(tolerations, affinity, 0, false);
  let list = kept.get(cluster);
  if (list === undefined) kept.set(cluster, (list = []));
  const at = list.findIndex((entry) => entry.tolerations === tolerations && entry.affinity === affinity);
  const found = at < 0 ? undefined : list.splice(at, 1)[0];
  const verdicts = found ?? create(tolerations, affinity, cluster.nodes.size, true);
  if (list.length >= MAX_KEPT) list.shift();
  list.push(verdicts);
  return verdicts;
}

const create = (
  tolerations: CompiledTolerations,
  affinity: RequiredNodeAffinity,
  capacity: number,
  remember: boolean,
): StaticVerdicts => ({
  tolerations,
  affinity,
  stamps: new Float64Array(capacity),
  flags: new Uint8Array(capacity),
  remember,
});
