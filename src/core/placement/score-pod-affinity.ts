/**
 * InterPodAffinity's score: what the pod prefers to be near or far from, what pods already there prefer, and a point
 * for every pod whose required affinity this pod would satisfy.
 */
import { type AffinityTerm, termSelects } from './affinity-terms.ts';
import type { NodeState } from './node-state.ts';
import { kindsSelectedBy } from './pod-affinity.ts';
import { type Population, tallyFor } from './population.ts';
import type { PreparedPod } from './prepared-pod.ts';
import { MAX_SCORE } from './score-scale.ts';
import { domainOf, domainsOf, type TopologyColumn } from './topology-columns.ts';

/** Weight of satisfying another pod's required affinity. */
const HARD_AFFINITY_WEIGHT = 1;

/** Scores by domain number. */
type TopologyScores = Map<TopologyColumn, Float64Array>;

function credit(scores: TopologyScores, population: Population, column: TopologyColumn, weight: number): void {
  const { counts, total } = tallyFor(population, column);
  if (total === 0) return;
  let byDomain = scores.get(column);
  if (byDomain === undefined) scores.set(column, (byDomain = new Float64Array(domainsOf(column))));
  for (let domain = 0; domain < byDomain.length; domain++) {
    byDomain[domain] = (byDomain[domain] ?? 0) + weight * (counts[domain] ?? 0);
  }
}

function topologyScores({ compiled, cluster }: PreparedPod): TopologyScores {
  const scores: TopologyScores = new Map();
  const { namespace, labels, affinity } = compiled.record;
  const columnOf = (term: AffinityTerm): TopologyColumn => cluster.columns.topology(term.topologyKey);
  for (const { term, weight } of affinity?.preferred ?? []) {
    for (const kind of kindsSelectedBy(term, cluster)) credit(scores, kind, columnOf(term), weight);
  }
  const namespaceLabels = cluster.namespaceLabels(namespace);
  for (const holder of cluster.index.termHolders) {
    for (const term of holder.terms.requiredAffinity) {
      if (termSelects(term, namespace, labels, namespaceLabels)) {
        credit(scores, holder, columnOf(term), HARD_AFFINITY_WEIGHT);
      }
    }
    for (const { term, weight } of holder.terms.preferred) {
      if (termSelects(term, namespace, labels, namespaceLabels)) credit(scores, holder, columnOf(term), weight);
    }
  }
  return scores;
}

export function interPodScores(prepared: PreparedPod, nodes: readonly NodeState[]): readonly number[] | undefined {
  const scores = topologyScores(prepared);
  if (scores.size === 0) return undefined;
  const raw = nodes.map((state) => {
    let sum = 0;
    for (const [column, byDomain] of scores) sum += byDomain[domainOf(column, state)] ?? 0;
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
