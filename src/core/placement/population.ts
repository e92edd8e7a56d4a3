/**
 * Pods that look alike to a selector, and where they are. Affinity and spread ask "how many pods like this are in that
 * domain?"; walking every pod for every question is what makes them slow upstream. Here pods with equal labels form one
 * population that is matched once, and its counts per topology domain are kept as pods come and go.
 */
import type { AffinityTerms } from './affinity-terms.ts';
import type { Labels } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import { domainsOf, type TopologyColumn } from './topology-columns.ts';

/** Pods per domain of one topology key, by domain number. */
export interface DomainTally {
  /** Shorter than the number of domains when the last ones hold none. */
  counts: Int32Array;
  total: number;
}

export interface Population {
  readonly nodes: Map<NodeState, number>;
  /** Filled in when first asked for. */
  readonly byTopology: Map<TopologyColumn, DomainTally>;
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

function tallyInto(tally: DomainTally, domain: number, delta: number): void {
  if (domain < 0) return;
  if (domain >= tally.counts.length) {
    const larger = new Int32Array(Math.max(domain + 1, tally.counts.length * 2));
    larger.set(tally.counts);
    tally.counts = larger;
  }
  tally.counts[domain] = (tally.counts[domain] ?? 0) + delta;
  tally.total += delta;
}

/** Adds `delta` times the pods of the node to every tally, by the domain the node is in now. */
export function tallyNode(population: Population, node: NodeState, delta: number): void {
  for (const [column, tally] of population.byTopology) {
    if (column.dead) population.byTopology.delete(column);
    else tallyInto(tally, column.ids[node.slot] ?? -1, delta);
  }
}

export function countPod(population: Population, node: NodeState, delta: 1 | -1): void {
  const pods = (population.nodes.get(node) ?? 0) + delta;
  if (pods === 0) population.nodes.delete(node);
  else population.nodes.set(node, pods);
  if (population.byTopology.size > 0) tallyNode(population, node, delta);
}

export function tallyFor(population: Population, column: TopologyColumn): DomainTally {
  let tally = population.byTopology.get(column);
  if (tally === undefined) {
    tally = { counts: new Int32Array(domainsOf(column)), total: 0 };
    for (const [node, pods] of population.nodes) tallyInto(tally, column.ids[node.slot] ?? -1, pods);
    population.byTopology.set(column, tally);
  }
  return tally;
}

/** Above this many populations one merged tally is cheaper than asking each. */
const MERGE_ABOVE = 3;

/** The tallies that count any pod, merged if there are many. Valid until the next pod or label change. */
export function sumTallies(tallies: readonly DomainTally[]): readonly DomainTally[] {
  const filled = tallies.filter((tally) => tally.total > 0);
  if (filled.length <= MERGE_ABOVE) return filled;
  const merged: DomainTally = {
    counts: new Int32Array(Math.max(...filled.map((tally) => tally.counts.length))),
    total: 0,
  };
  for (const tally of filled) {
    merged.total += tally.total;
    for (let domain = 0; domain < tally.counts.length; domain++) {
      merged.counts[domain] = (merged.counts[domain] ?? 0) + (tally.counts[domain] ?? 0);
    }
  }
  return [merged];
}

export function countAt(tallies: readonly DomainTally[], domain: number): number {
  let total = 0;
  // Past the end of the array, and for the negative numbers of nodes without a known domain, nothing is counted.
  for (const tally of tallies) total += tally.counts[domain] ?? 0;
  return total;
}
