/**
 * Pods that look alike to a selector, and where they are. Affinity and spread ask "how many pods like this are in that
 * domain?"; walking every pod for every question is what makes them slow upstream. Here pods with equal labels form one
 * population that is matched once, and its counts per topology domain are kept as pods come and go.
 */
import type { AffinityTerms } from './affinity-terms.ts';
import { labelOf, type Labels } from './label-match.ts';
import type { NodeState } from './node-state.ts';

/** Pods per value of one topology label; no zero entries. */
export type TopologyCounts = ReadonlyMap<string, number>;

export interface Population {
  readonly nodes: Map<NodeState, number>;
  /** By topology key, filled in when first asked for. */
  readonly byTopology: Map<string, Map<string, number>>;
}

/** Pods of one namespace with the same labels, all terminating or none. */
export interface PodKind extends Population {
  readonly namespace: string;
  readonly labels: Labels;
  readonly terminating: boolean;
}

/** Pods whose own affinity terms mean the same. */
export interface TermHolders extends Population {
  readonly terms: AffinityTerms;
}

export const emptyPopulation = (): Population => ({ nodes: new Map(), byTopology: new Map() });

const bump = <K>(counts: Map<K, number>, key: K, delta: number): void => {
  const count = (counts.get(key) ?? 0) + delta;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
};

export function countPod(population: Population, node: NodeState, delta: 1 | -1): void {
  bump(population.nodes, node, delta);
  if (population.byTopology.size === 0) return;
  for (const [key, counts] of population.byTopology) {
    const value = labelOf(node.node.metadata.labels, key);
    if (value !== undefined) bump(counts, value, delta);
  }
}

/** A node's labels changed from `before` to what it has now; its pods move between domains. */
export function moveNode(population: Population, node: NodeState, before: Labels): void {
  const pods = population.nodes.get(node);
  if (pods === undefined) return;
  for (const [key, counts] of population.byTopology) {
    const from = labelOf(before, key);
    const to = labelOf(node.node.metadata.labels, key);
    if (from === to) continue;
    if (from !== undefined) bump(counts, from, -pods);
    if (to !== undefined) bump(counts, to, pods);
  }
}

export function countsFor(population: Population, topologyKey: string): TopologyCounts {
  let counts = population.byTopology.get(topologyKey);
  if (counts === undefined) {
    counts = new Map();
    for (const [node, pods] of population.nodes) {
      const value = labelOf(node.node.metadata.labels, topologyKey);
      if (value !== undefined) bump(counts, value, pods);
    }
    population.byTopology.set(topologyKey, counts);
  }
  return counts;
}

/** Above this many populations one merged table is cheaper than asking each. */
const MERGE_ABOVE = 3;

/** Sums several populations; reading is O(1) either way. Valid until the next pod or label change. */
export function sumCounts(tables: readonly TopologyCounts[]): readonly TopologyCounts[] {
  const filled = tables.filter((table) => table.size > 0);
  if (filled.length <= MERGE_ABOVE) return filled;
  const merged = new Map<string, number>();
  for (const table of filled) for (const [value, pods] of table) bump(merged, value, pods);
  return [merged];
}

export function countAt(tables: readonly TopologyCounts[], value: string): number {
  let total = 0;
  for (const table of tables) total += table.get(value) ?? 0;
  return total;
}
