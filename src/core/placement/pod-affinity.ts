/**
 * Inter-pod affinity and anti-affinity. Three questions per node: does every affinity term find a pod in the node's
 * domain; is every anti-affinity term's domain free of such pods; does no pod already there object to this pod?
 *
 * A view is made once per pod and cluster version from the populations, then asked about many nodes in O(terms).
 */
import { type AffinityTerm, type AffinityTerms, termSelects } from './affinity-terms.ts';
import { labelOf } from '../kube/labels.ts';
import { createNo, type No } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import type { Labels } from './label-match.ts';
import type { PodRecord } from './pod-record.ts';
import { countAt, type DomainTally, type PodKind, type Population, sumTallies, tallyFor } from './population.ts';
import type { NodeState } from './node-state.ts';
import { domainOf, NO_DOMAIN, type TopologyColumn } from './topology-columns.ts';

interface CountedTerm {
  readonly column: TopologyColumn;
  readonly tallies: readonly DomainTally[];
}

export interface AffinityView {
  readonly affinity: readonly CountedTerm[];
  readonly antiAffinity: readonly CountedTerm[];
  /** Domains in which a pod already there refuses this one, by topology key. */
  readonly objections: readonly CountedTerm[];
  /** No pod anywhere matches the affinity terms: the first of a group that wants to be together may start anywhere. */
  readonly noPodMatches: boolean;
  readonly matchesItself: boolean;
  /** Nothing to check on any node as things stand. */
  readonly trivial: boolean;
  /** kube-scheduler leaves the filter out altogether, even when it imagines other pods onto the node. */
  readonly skipped: boolean;
}

const NO_TERMS: readonly AffinityTerm[] = Object.freeze([]);

/** For the incoming pod's terms only namespaces that exist are selected by label; an empty selector takes them all. */
function selectsKind(term: AffinityTerm, namespace: string, labels: Labels, cluster: ClusterState): boolean {
  const inNamespace =
    term.namespaces.has(namespace) ||
    term.namespaceSelector.isEmpty ||
    (cluster.hasNamespace(namespace) && term.namespaceSelector.matches(cluster.namespaceLabels(namespace)));
  return inNamespace && term.selector.matches(labels);
}

function matchingKinds(
  terms: readonly AffinityTerm[],
  cluster: ClusterState,
  matches: (kind: PodKind) => boolean,
): PodKind[] {
  const byLabel = terms.some((term) => !term.namespaceSelector.selectsNothing);
  const namespaces = new Set<string>();
  if (byLabel) for (const namespace of cluster.index.namespaces) namespaces.add(namespace);
  else for (const term of terms) for (const namespace of term.namespaces) namespaces.add(namespace);
  const kinds: PodKind[] = [];
  for (const namespace of namespaces) {
    for (const kind of cluster.index.kindsIn(namespace)) if (matches(kind)) kinds.push(kind);
  }
  return kinds;
}

/** Pods anywhere that one term of an incoming pod selects. */
export const kindsSelectedBy = (term: AffinityTerm, cluster: ClusterState): PodKind[] =>
  matchingKinds([term], cluster, (kind) => selectsKind(term, kind.namespace, kind.labels, cluster));

function counted(topologyKey: string, populations: readonly Population[], cluster: ClusterState): CountedTerm {
  const column = cluster.columns.topology(topologyKey);
  return { column, tallies: sumTallies(populations.map((population) => tallyFor(population, column))) };
}

export function viewAffinity(record: PodRecord, cluster: ClusterState): AffinityView {
  const required = record.affinity?.requiredAffinity ?? NO_TERMS;
  const anti = record.affinity?.requiredAntiAffinity ?? NO_TERMS;
  const selects = (term: AffinityTerm, kind: PodKind): boolean =>
    selectsKind(term, kind.namespace, kind.labels, cluster);

  let affinity: readonly CountedTerm[] = [];
  if (required.length > 0) {
    // One pod must match every term; only then does it count for any of them.
    const kinds = matchingKinds(required, cluster, (kind) => required.every((term) => selects(term, kind)));
    affinity = required.map((term) => counted(term.topologyKey, kinds, cluster));
  }
  const antiAffinity = anti.map((term) => counted(term.topologyKey, kindsSelectedBy(term, cluster), cluster));
  const objections = viewObjections(record, cluster);
  return {
    affinity,
    antiAffinity,
    objections,
    noPodMatches: affinity.every((term) => term.tallies.length === 0),
    matchesItself: required.every((term) => selectsKind(term, record.namespace, record.labels, cluster)),
    trivial:
      affinity.length === 0 && objections.length === 0 && antiAffinity.every((term) => term.tallies.length === 0),
    skipped: required.length === 0 && anti.length === 0 && objections.length === 0,
  };
}

function viewObjections(record: PodRecord, cluster: ClusterState): readonly CountedTerm[] {
  const namespaceLabels = cluster.namespaceLabels(record.namespace);
  const byKey = new Map<string, Population[]>();
  for (const holder of cluster.index.termHolders) {
    for (const term of holder.terms.requiredAntiAffinity) {
      if (!termSelects(term, record.namespace, record.labels, namespaceLabels)) continue;
      const populations = byKey.get(term.topologyKey);
      if (populations === undefined) byKey.set(term.topologyKey, [holder]);
      else populations.push(holder);
    }
  }
  return [...byKey]
    .map(([topologyKey, populations]) => counted(topologyKey, populations, cluster))
    .filter((view) => view.tallies.length > 0);
}

/**
 * Changes of the counts when pods are imagined away from (or onto) one node. All of these pods are on the same node, so one
 * number a term is enough.
 */
export interface AffinityShift {
  /** Pods matching all affinity terms. */
  affinity: number;
  /** Pods matching each anti-affinity term. */
  readonly antiAffinity: number[];
  /** Objecting pods, by topology key. */
  readonly objections: Map<string, number>;
}

export const createAffinityShift = (record: PodRecord): AffinityShift => ({
  affinity: 0,
  antiAffinity: (record.affinity?.requiredAntiAffinity ?? NO_TERMS).map(() => 0),
  objections: new Map(),
});

export function shiftAffinity(
  shift: AffinityShift,
  incoming: PodRecord,
  other: PodRecord,
  cluster: ClusterState,
  delta: 1 | -1,
): void {
  const required = incoming.affinity?.requiredAffinity ?? NO_TERMS;
  const selects = (term: AffinityTerm): boolean => selectsKind(term, other.namespace, other.labels, cluster);
  if (required.length > 0 && required.every(selects)) shift.affinity += delta;
  (incoming.affinity?.requiredAntiAffinity ?? NO_TERMS).forEach((term, index) => {
    if (selects(term)) shift.antiAffinity[index] = (shift.antiAffinity[index] ?? 0) + delta;
  });
  const namespaceLabels = cluster.namespaceLabels(incoming.namespace);
  for (const term of other.affinity?.requiredAntiAffinity ?? NO_TERMS) {
    if (!termSelects(term, incoming.namespace, incoming.labels, namespaceLabels)) continue;
    shift.objections.set(term.topologyKey, (shift.objections.get(term.topologyKey) ?? 0) + delta);
  }
}

export type AffinityVerdict = 'ok' | 'affinity' | 'anti-affinity' | 'objection';

export function judgeAffinity(view: AffinityView, state: NodeState, shift?: AffinityShift): AffinityVerdict {
  if (view.skipped || (view.trivial && shift === undefined)) return 'ok';
  if (view.affinity.length > 0 && !satisfiesAffinity(view, state, shift)) return 'affinity';
  for (let index = 0; index < view.antiAffinity.length; index++) {
    const { column, tallies } = view.antiAffinity[index] as CountedTerm;
    if (tallies.length === 0 && shift === undefined) continue;
    const domain = domainOf(column, state);
    if (domain === NO_DOMAIN) continue;
    if (countAt(tallies, domain) + (shift?.antiAffinity[index] ?? 0) > 0) return 'anti-affinity';
  }
  for (const { column, tallies } of view.objections) {
    const domain = domainOf(column, state);
    if (domain === NO_DOMAIN) continue;
    if (countAt(tallies, domain) + (shift?.objections.get(column.key) ?? 0) > 0) return 'objection';
  }
  if (shift !== undefined && shift.objections.size > 0)
    return judgeNewObjections(view, state.node.metadata.labels, shift);
  return 'ok';
}

/** Pods imagined onto the node may object by a topology key under which no pod objected before. */
function judgeNewObjections(view: AffinityView, labels: Labels, shift: AffinityShift): AffinityVerdict {
  for (const [topologyKey, delta] of shift.objections) {
    if (delta <= 0 || view.objections.some((term) => term.column.key === topologyKey)) continue;
    if (labelOf(labels, topologyKey) !== undefined) return 'objection';
  }
  return 'ok';
}

function satisfiesAffinity(view: AffinityView, state: NodeState, shift: AffinityShift | undefined): boolean {
  let found = true;
  for (const { column, tallies } of view.affinity) {
    const domain = domainOf(column, state);
    if (domain === NO_DOMAIN) return false;
    if (countAt(tallies, domain) + (shift?.affinity ?? 0) <= 0) found = false;
  }
  if (found) return true;
  return view.matchesItself && noPodMatches(view, shift?.affinity ?? 0);
}

/** Imagining pods away leaves no matching pod only if those were all there are. The caller checked that the node has every key. */
function noPodMatches(view: AffinityView, delta: number): boolean {
  if (delta === 0) return view.noPodMatches;
  return view.affinity.every(({ tallies }) => tallies.reduce((sum, tally) => sum + tally.total, 0) + delta <= 0);
}

const printTerm = (terms: readonly AffinityTerm[] | undefined): string =>
  [...new Set((terms ?? []).map((term) => `\`${term.topologyKey}\``))].join(', ');

export function affinityNo(verdict: Exclude<AffinityVerdict, 'ok'>, terms: AffinityTerms | undefined): No {
  switch (verdict) {
    case 'affinity':
      return createNo(
        'PodAffinityMismatch',
        () =>
          `run a pod that matches the required pod affinity in this node's ${printTerm(terms?.requiredAffinity)} domain, or make the rule preferred`,
      );
    case 'anti-affinity':
      return createNo(
        'PodAntiAffinityConflict',
        () =>
          `a pod the required anti-affinity excludes is already in this node's ${printTerm(terms?.requiredAntiAffinity)} domain; move it or make the rule preferred`,
      );
    case 'objection':
      return createNo(
        'ExistingAntiAffinityConflict',
        () =>
          "a pod already in this node's domain has anti-affinity against this pod's labels; move it or change the labels",
      );
  }
}
