/**
 * InterPodAffinity's score: what the pod prefers to be near or far from, what pods already there prefer, and a point
 * for every pod whose required affinity this pod would satisfy.
 */
import { termSelects } from './affinity-terms.ts';
import { labelOf } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import { kindsSelectedBy } from './pod-affinity.ts';
import { countsFor, type Population } from './population.ts';
import type { PreparedPod } from './prepared-pod.ts';

const MAX_SCORE = 100;
/** What satisfying another pod's required affinity is worth. */
const HARD_AFFINITY_WEIGHT = 1;

type TopologyScores = Map<string, Map<string, number>>;

function credit(scores: TopologyScores, population: Population, topologyKey: string, weight: number): void {
  const counts = countsFor(population, topologyKey);
  if (counts.size === 0) return;
  let byValue = scores.get(topologyKey);
  if (byValue === undefined) scores.set(topologyKey, (byValue = new Map()));
  for (const [value, pods] of counts) byValue.set(value, (byValue.get(value) ?? 0) + weight * pods);
}

function topologyScores({ compiled, cluster }: PreparedPod): TopologyScores {
  const scores: TopologyScores = new Map();
  const { namespace, labels, affinity } = compiled.record;
  for (const { term, weight } of affinity?.preferred ?? []) {
    for (const kind of kindsSelectedBy(term, cluster)) credit(scores, kind, term.topologyKey, weight);
  }
  const namespaceLabels = cluster.namespaceLabels(namespace);
  for (const holder of cluster.index.termHolders) {
    for (const term of holder.terms.requiredAffinity) {
      if (termSelects(term, namespace, labels, namespaceLabels)) {
        credit(scores, holder, term.topologyKey, HARD_AFFINITY_WEIGHT);
      }
    }
    for (const { term, weight } of holder.terms.preferred) {
      if (termSelects(term, namespace, labels, namespaceLabels)) credit(scores, holder, term.topologyKey, weight);
    }
  }
  return scores;
}

export function interPodScores(prepared: PreparedPod, nodes: readonly NodeState[]): readonly number[] | undefined {
  const scores = topologyScores(prepared);
  if (scores.size === 0) return undefined;
  const raw = nodes.map((state) => {
    let sum = 0;
    for (const [topologyKey, byValue] of scores) {
      const value = labelOf(state.node.metadata.labels, topologyKey);
      if (value !== undefined) sum += byValue.get(value) ?? 0;
    }
    return sum;
  });
  let [least, most] = [Infinity, -Infinity];
  for (const score of raw) {
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  const range = most - least;
  return raw.map((score) => (range > 0 ? Math.trunc(MAX_SCORE * ((score - least) / range)) : 0));
}
