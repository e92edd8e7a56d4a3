/** PodTopologySpread's score: nodes whose domains hold fewer matching pods are better. */
import { labelOf } from '../kube/labels.ts';
import type { Selector } from '../kube/selector.ts';
import type { NodeState } from './node-state.ts';
import { countAt, type PodKind, sumTallies, tallyFor } from './population.ts';
import type { PreparedPod } from './prepared-pod.ts';
import { MAX_SCORE } from './score-scale.ts';
import { staticVerdict } from './static-verdicts.ts';
import { domainOf } from './topology-columns.ts';
import { countsForSpread, hasAllKeys, includesNode, type SpreadConstraint } from './topology-spread.ts';

const HOSTNAME = 'kubernetes.io/hostname';

const systemDefault = (topologyKey: string, maxSkew: number, selector: Selector): SpreadConstraint => ({
  topologyKey,
  maxSkew,
  minDomains: 1,
  selector,
  honorAffinity: true,
  honorTaints: false,
});

/** Pods without constraints of their own spread with their siblings, if they have any. */
function constraintsOf(prepared: PreparedPod, siblings: Selector | undefined): readonly SpreadConstraint[] {
  const { pod, spread } = prepared.compiled;
  if ((pod.spec.topologySpreadConstraints?.length ?? 0) > 0) return spread.soft;
  if (siblings === undefined || siblings.isEmpty) return [];
  return [systemDefault(HOSTNAME, 3, siblings), systemDefault('topology.kubernetes.io/zone', 5, siblings)];
}

export function spreadScores(
  prepared: PreparedPod,
  nodes: readonly NodeState[],
  siblings?: Selector,
): readonly number[] | undefined {
  const constraints = constraintsOf(prepared, siblings);
  if (constraints.length === 0) return undefined;
  // With the system's defaults a node without a zone is still worth spreading over by hostname.
  const requireAllKeys = (prepared.compiled.pod.spec.topologySpreadConstraints?.length ?? 0) > 0;
  const ignored = nodes.map((state) => requireAllKeys && !hasAllKeys(state.node.metadata.labels, constraints));
  const scored = ignored.filter((skip) => !skip).length;

  const raw = nodes.map(() => 0);
  for (const constraint of constraints) {
    const count = countPods(prepared, nodes, ignored, constraint, constraints, requireAllKeys);
    const weight = Math.log((constraint.topologyKey === HOSTNAME ? scored : count.domains) + 2);
    nodes.forEach((state, index) => {
      const value = ignored[index] === true ? undefined : labelOf(state.node.metadata.labels, constraint.topologyKey);
      if (value === undefined) return;
      raw[index] = (raw[index] ?? 0) + count.at(state, value) * weight + (constraint.maxSkew - 1);
    });
  }
  return normaliseSpread(raw.map(Math.round), ignored);
}

interface PodCount {
  readonly domains: number;
  at(state: NodeState, value: string): number;
}

function countPods(
  prepared: PreparedPod,
  nodes: readonly NodeState[],
  ignored: readonly boolean[],
  constraint: SpreadConstraint,
  constraints: readonly SpreadConstraint[],
  requireAllKeys: boolean,
): PodCount {
  const { compiled, cluster } = prepared;
  const { namespace } = compiled.record;
  const { topologyKey, selector } = constraint;
  const kinds = [...cluster.index.kindsIn(namespace)].filter((kind) => countsForSpread(kind, namespace, selector));
  if (topologyKey === HOSTNAME) {
    return { domains: 0, at: (state) => kinds.reduce((sum, kind) => sum + (kind.nodes.get(state) ?? 0), 0) };
  }
  if (!requireAllKeys && compiled.nodeAffinity.anyNode && !constraint.honorTaints) {
    return countByDomain(prepared, nodes, kinds, topologyKey);
  }
  // Only domains some candidate is in matter. A missing label counts as the empty domain, as upstream.
  const counts = new Map<string, number>();
  nodes.forEach((state, index) => {
    if (ignored[index] !== true) counts.set(labelOf(state.node.metadata.labels, topologyKey) ?? '', 0);
  });
  for (const kind of kinds) {
    for (const [state, pods] of kind.nodes) {
      const { labels } = state.node.metadata;
      const value = labelOf(labels, topologyKey) ?? '';
      const before = counts.get(value);
      if (before === undefined || (requireAllKeys && !hasAllKeys(labels, constraints))) continue;
      if (includesNode(constraint, staticVerdict(prepared.verdicts, state))) counts.set(value, before + pods);
    }
  }
  return { domains: counts.size, at: (_, value) => counts.get(value) ?? 0 };
}

/** Every node counts: then the populations know the sums already, however many pods there are. */
function countByDomain(
  { cluster }: PreparedPod,
  nodes: readonly NodeState[],
  kinds: readonly PodKind[],
  topologyKey: string,
): PodCount {
  const column = cluster.columns.topology(topologyKey);
  const tallies = sumTallies(kinds.map((kind) => tallyFor(kind, column)));
  const domains = new Set<number>();
  for (const state of nodes) domains.add(domainOf(column, state));
  return { domains: domains.size, at: (state) => countAt(tallies, domainOf(column, state)) };
}

function normaliseSpread(scores: readonly number[], ignored: readonly boolean[]): readonly number[] {
  let [least, most] = [Infinity, 0];
  scores.forEach((score, index) => {
    if (ignored[index] === true) return;
    least = Math.min(least, score);
    most = Math.max(most, score);
  });
  return scores.map((score, index) => {
    if (ignored[index] === true) return 0;
    return most === 0 ? MAX_SCORE : Math.trunc((MAX_SCORE * (most + least - score)) / most);
  });
}
