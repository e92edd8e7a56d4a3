/**
 * Inter-pod affinity and anti-affinity. Three questions per node: does every affinity term find a pod in the node's
 * domain; is every anti-affinity term's domain free of such pods; does nobody already there object to this pod?
 *
 * A view is made once per pod and cluster version from the populations, then asked about many nodes in O(terms).
 */
import { type AffinityTerm, type AffinityTerms, termSelects } from './affinity-terms.ts';
import { createNo, type No } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import { labelOf, type Labels } from './label-match.ts';
import type { PodRecord } from './pod-record.ts';
import { countAt, countsFor, type PodKind, sumCounts, type TopologyCounts } from './population.ts';

interface CountedTerm {
  readonly topologyKey: string;
  readonly tables: readonly TopologyCounts[];
}

export interface AffinityView {
  readonly affinity: readonly CountedTerm[];
  readonly antiAffinity: readonly CountedTerm[];
  /** Domains in which a pod already there refuses this one, by topology key. */
  readonly objections: readonly CountedTerm[];
  /** No pod anywhere matches the affinity terms: the first of a group that wants to be together may start anywhere. */
  readonly nobodyMatches: boolean;
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
    term.namespaceSelector.empty ||
    (cluster.hasNamespace(namespace) && term.namespaceSelector.matches(cluster.namespaceLabels(namespace)));
  return inNamespace && term.selector.matches(labels);
}

function matchingKinds(
  terms: readonly AffinityTerm[],
  cluster: ClusterState,
  matches: (kind: PodKind) => boolean,
): PodKind[] {
  const byLabel = terms.some((term) => term.namespaceSelector.empty || term.namespaceSelector.tests.length > 0);
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

const counted = (topologyKey: string, populations: readonly PodKind[]): CountedTerm => ({
  topologyKey,
  tables: sumCounts(populations.map((population) => countsFor(population, topologyKey))),
});

export function viewAffinity(record: PodRecord, cluster: ClusterState): AffinityView {
  const required = record.affinity?.requiredAffinity ?? NO_TERMS;
  const anti = record.affinity?.requiredAntiAffinity ?? NO_TERMS;
  const selects = (term: AffinityTerm, kind: PodKind): boolean =>
    selectsKind(term, kind.namespace, kind.labels, cluster);

  let affinity: readonly CountedTerm[] = [];
  if (required.length > 0) {
    // One pod must match every term; only then does it count for any of them.
    const kinds = matchingKinds(required, cluster, (kind) => required.every((term) => selects(term, kind)));
    affinity = required.map((term) => counted(term.topologyKey, kinds));
  }
  const antiAffinity = anti.map((term) => counted(term.topologyKey, kindsSelectedBy(term, cluster)));
  const objections = viewObjections(record, cluster);
  return {
    affinity,
    antiAffinity,
    objections,
    nobodyMatches: affinity.every((term) => term.tables.length === 0),
    matchesItself: required.every((term) => selectsKind(term, record.namespace, record.labels, cluster)),
    trivial: affinity.length === 0 && objections.length === 0 && antiAffinity.every((term) => term.tables.length === 0),
    skipped: required.length === 0 && anti.length === 0 && objections.length === 0,
  };
}

function viewObjections(record: PodRecord, cluster: ClusterState): readonly CountedTerm[] {
  const namespaceLabels = cluster.namespaceLabels(record.namespace);
  const byKey = new Map<string, TopologyCounts[]>();
  for (const holder of cluster.index.termHolders) {
    for (const term of holder.terms.requiredAntiAffinity) {
      if (!termSelects(term, record.namespace, record.labels, namespaceLabels)) continue;
      const tables = byKey.get(term.topologyKey);
      const table = countsFor(holder, term.topologyKey);
      if (tables === undefined) byKey.set(term.topologyKey, [table]);
      else tables.push(table);
    }
  }
  const views: CountedTerm[] = [];
  for (const [topologyKey, tables] of byKey) {
    const summed = sumCounts(tables);
    if (summed.length > 0) views.push({ topologyKey, tables: summed });
  }
  return views;
}

/**
 * What changes when pods are imagined away from (or onto) one node. All of them are on the same node, so one number a
 * term is enough.
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

export function judgeAffinity(view: AffinityView, labels: Labels, shift?: AffinityShift): AffinityVerdict {
  if (view.skipped || (view.trivial && shift === undefined)) return 'ok';
  if (!satisfiesAffinity(view, labels, shift)) return 'affinity';
  for (let index = 0; index < view.antiAffinity.length; index++) {
    const term = view.antiAffinity[index] as CountedTerm;
    if (term.tables.length === 0 && shift === undefined) continue;
    const value = labelOf(labels, term.topologyKey);
    if (value === undefined) continue;
    if (countAt(term.tables, value) + (shift?.antiAffinity[index] ?? 0) > 0) return 'anti-affinity';
  }
  for (const { topologyKey, tables } of view.objections) {
    const value = labelOf(labels, topologyKey);
    if (value === undefined) continue;
    if (countAt(tables, value) + (shift?.objections.get(topologyKey) ?? 0) > 0) return 'objection';
  }
  if (shift !== undefined && shift.objections.size > 0) return judgeNewObjections(view, labels, shift);
  return 'ok';
}

/** Pods imagined onto the node may object by a key under which nobody objected before. */
function judgeNewObjections(view: AffinityView, labels: Labels, shift: AffinityShift): AffinityVerdict {
  for (const [topologyKey, delta] of shift.objections) {
    if (delta <= 0 || view.objections.some((term) => term.topologyKey === topologyKey)) continue;
    if (labelOf(labels, topologyKey) !== undefined) return 'objection';
  }
  return 'ok';
}

function satisfiesAffinity(view: AffinityView, labels: Labels, shift: AffinityShift | undefined): boolean {
  let found = true;
  for (const { topologyKey, tables } of view.affinity) {
    const value = labelOf(labels, topologyKey);
    if (value === undefined) return false;
    if (countAt(tables, value) + (shift?.affinity ?? 0) <= 0) found = false;
  }
  if (found) return true;
  return view.matchesItself && nobodyMatches(view, labels, shift);
}

function nobodyMatches(view: AffinityView, labels: Labels, shift: AffinityShift | undefined): boolean {
  const delta = shift?.affinity ?? 0;
  if (delta === 0) return view.nobodyMatches;
  if (delta > 0) return false;
  // Imagining pods away empties the tables only if they held exactly those pods, all in this node's domain.
  return view.affinity.every(({ topologyKey, tables }) => {
    const value = labelOf(labels, topologyKey);
    let total = 0;
    for (const table of tables) for (const pods of table.values()) total += pods;
    return total + (value === undefined ? 0 : delta) <= 0;
  });
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
