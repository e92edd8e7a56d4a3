/**
 * Topology spread constraints: a domain may not hold more matching pods than the emptiest one plus `maxSkew`. Which
 * nodes form domains depends on the incoming pod (its node affinity and tolerations), so tables are made per kind of
 * incoming pod, kept by the cluster, and updated as pods come and go; a change of nodes starts them afresh.
 */
import type { PodSpec, TopologySpreadConstraint } from '../api/types/core-v1.ts';
import { labelOf } from '../kube/labels.ts';
import type { Requirement, Selector } from '../kube/selector.ts';
import { createNo, type No } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import { addDomain, countInto, createDomainCounts, type DomainCounts, leastWith, podsIn } from './domain-counts.ts';
import { type Labels, narrow, readSelector } from './label-match.ts';
import type { RequiredNodeAffinity } from './node-affinity.ts';
import type { NodeState } from './node-state.ts';
import type { PodRecord } from './pod-record.ts';
import type { PodKind } from './population.ts';
import { AFFINITY_MATCHES, type StaticVerdicts, staticVerdict, TAINTS_TOLERATED } from './static-verdicts.ts';
import { domainOf, domainsOf, NO_DOMAIN, type TopologyColumn } from './topology-columns.ts';

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly selector: Selector;
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

export interface SpreadConstraints {
  /** DoNotSchedule: the filter. */
  readonly hard: readonly SpreadConstraint[];
  /** ScheduleAnyway: the score. */
  readonly soft: readonly SpreadConstraint[];
  /** Some selector cannot be read; kube-scheduler then fails the attempt with an error. */
  readonly invalid: boolean;
}

const NO_SPREAD: SpreadConstraints = { hard: [], soft: [], invalid: false };

type Written = readonly TopologySpreadConstraint[];
const MAX_CONTEXTS = 1000;
const compiledConstraints = new WeakMap<Written, Map<string, SpreadConstraints>>();

export function compileSpread(spec: PodSpec, labels: Labels): SpreadConstraints {
  const written = spec.topologySpreadConstraints;
  if (written === undefined || written.length === 0) return NO_SPREAD;
  let context = '';
  for (const { matchLabelKeys } of written) {
    for (const key of matchLabelKeys ?? []) context += `\n${labelOf(labels, key) ?? '\t'}`;
  }
  let byContext = compiledConstraints.get(written);
  if (byContext === undefined) compiledConstraints.set(written, (byContext = new Map()));
  let compiled = byContext.get(context);
  if (compiled === undefined) {
    if (byContext.size >= MAX_CONTEXTS) byContext.clear();
    byContext.set(context, (compiled = compileConstraints(written, labels)));
  }
  return compiled;
}

function compileConstraints(written: Written, labels: Labels): SpreadConstraints {
  const hard: SpreadConstraint[] = [];
  const soft: SpreadConstraint[] = [];
  for (const entry of written) {
    const constraint = compileConstraint(entry, labels);
    if (constraint === undefined) return { hard: [], soft: [], invalid: true };
    if (entry.whenUnsatisfiable === 'DoNotSchedule') hard.push(constraint);
    else if (entry.whenUnsatisfiable === 'ScheduleAnyway') soft.push(constraint);
  }
  return { hard, soft, invalid: false };
}

function compileConstraint(entry: TopologySpreadConstraint, labels: Labels): SpreadConstraint | undefined {
  const written = readSelector(entry.labelSelector);
  if (written === 'invalid') return undefined;
  const own = (entry.matchLabelKeys ?? []).flatMap((key): Requirement[] => {
    const value = labelOf(labels, key);
    return value === undefined ? [] : [{ key, operator: '=', values: [value] }];
  });
  return {
    topologyKey: entry.topologyKey,
    maxSkew: entry.maxSkew,
    minDomains: entry.minDomains ?? 1,
    selector: narrow(written, own),
    honorAffinity: (entry.nodeAffinityPolicy ?? 'Honor') === 'Honor',
    honorTaints: (entry.nodeTaintsPolicy ?? 'Ignore') === 'Honor',
  };
}

export const hasAllKeys = (labels: Labels, constraints: readonly SpreadConstraint[]): boolean => {
  for (const { topologyKey } of constraints) if (labelOf(labels, topologyKey) === undefined) return false;
  return true;
};

/** Whether the node counts towards the constraint's domains for this pod, by what its verdict (see there) says. */
export function includesNode(constraint: SpreadConstraint, verdict: number): boolean {
  if (constraint.honorAffinity && (verdict & AFFINITY_MATCHES) === 0) return false;
  return !constraint.honorTaints || (verdict & TAINTS_TOLERATED) !== 0;
}

/** Pods counted for spreading: not the terminating ones, which are about to leave their domain. */
export const countsForSpread = (kind: PodKind, namespace: string, selector: Selector): boolean =>
  !kind.terminating && kind.namespace === namespace && !selector.isEmpty && selector.matches(kind.labels);

export interface SpreadTable {
  readonly namespace: string;
  readonly constraints: readonly SpreadConstraint[];
  readonly verdicts: StaticVerdicts;
  /** One column for each constraint, as are `domains`. */
  readonly columns: readonly TopologyColumn[];
  readonly domains: readonly DomainCounts[];
}

export function createSpreadTable(
  namespace: string,
  constraints: readonly SpreadConstraint[],
  verdicts: StaticVerdicts,
  cluster: ClusterState,
): SpreadTable {
  const columns = constraints.map((constraint) => cluster.columns.topology(constraint.topologyKey));
  const domains = columns.map((column) => createDomainCounts(domainsOf(column)));
  const table: SpreadTable = { namespace, constraints, verdicts, columns, domains };
  for (const state of candidates(constraints, verdicts.affinity, cluster)) {
    if (!inAllDomains(table, state)) continue;
    const verdict = staticVerdict(verdicts, state);
    for (let index = 0; index < constraints.length; index++) {
      if (!includesNode(constraints[index] as SpreadConstraint, verdict)) continue;
      addDomain(domains[index] as DomainCounts, (columns[index] as TopologyColumn).ids[state.slot] ?? NO_DOMAIN);
    }
  }
  for (const kind of cluster.index.kindsIn(namespace)) {
    for (const index of constraintsCounting(table, kind)) {
      for (const [state, pods] of kind.nodes) countNode(table, index, state, pods);
    }
  }
  return table;
}

/** A node takes part only if it has a domain under every constraint. */
function inAllDomains(table: SpreadTable, state: NodeState): boolean {
  for (const column of table.columns) if ((column.ids[state.slot] ?? NO_DOMAIN) === NO_DOMAIN) return false;
  return true;
}

const constraintsCounting = (table: SpreadTable, kind: PodKind): number[] =>
  [...table.constraints.keys()].filter((index) =>
    countsForSpread(kind, table.namespace, (table.constraints[index] as SpreadConstraint).selector),
  );

function countNode(table: SpreadTable, index: number, state: NodeState, pods: number): void {
  if (!inAllDomains(table, state)) return;
  if (!includesNode(table.constraints[index] as SpreadConstraint, staticVerdict(table.verdicts, state))) return;
  const domain = (table.columns[index] as TopologyColumn).ids[state.slot] ?? NO_DOMAIN;
  countInto(table.domains[index] as DomainCounts, domain, pods);
}

/** Where every constraint honours node affinity and that pins the pod, only those nodes can form domains. */
function candidates(
  constraints: readonly SpreadConstraint[],
  affinity: RequiredNodeAffinity,
  cluster: ClusterState,
): Iterable<NodeState> {
  if (affinity.pinnedNodes === undefined || !constraints.every((constraint) => constraint.honorAffinity)) {
    return cluster.nodes.values();
  }
  return [...affinity.pinnedNodes].map((name) => cluster.nodes.get(name)).filter((state) => state !== undefined);
}

export function updateSpreadTable(table: SpreadTable, kind: PodKind, state: NodeState, delta: 1 | -1): void {
  if (kind.namespace !== table.namespace || kind.terminating) return;
  for (const index of constraintsCounting(table, kind)) countNode(table, index, state, delta);
}

/** Changes of the counts when pods are imagined away from (or onto) the node in question: one number a constraint. */
export type SpreadShift = number[];

export function shiftSpread(
  shift: SpreadShift,
  table: SpreadTable,
  state: NodeState,
  other: PodRecord,
  delta: 1 | -1,
): void {
  if (other.namespace !== table.namespace || !hasAllKeys(state.node.metadata.labels, table.constraints)) return;
  const verdict = staticVerdict(table.verdicts, state);
  table.constraints.forEach((constraint, index) => {
    if (!constraint.selector.matches(other.labels) || !includesNode(constraint, verdict)) return;
    shift[index] = (shift[index] ?? 0) + delta;
  });
}

export interface SpreadView {
  readonly table: SpreadTable;
  /** Whether the pod itself would count, per constraint. */
  readonly self: readonly (0 | 1)[];
}

export type SpreadVerdict = 'ok' | { readonly missing: boolean; readonly constraint: SpreadConstraint };

const OK: SpreadVerdict = 'ok';

/** The index of the first constraint the node breaks, -1 for none, or -2-index when it lacks the label altogether. */
function firstBroken(view: SpreadView, state: NodeState, shift: SpreadShift | undefined): number {
  const { constraints, columns, domains } = view.table;
  for (let index = 0; index < constraints.length; index++) {
    const constraint = constraints[index] as SpreadConstraint;
    const domain = domainOf(columns[index] as TopologyColumn, state);
    if (domain === NO_DOMAIN) return -2 - index;
    const counts = domains[index] as DomainCounts;
    const delta = shift === undefined ? 0 : (shift[index] ?? 0);
    const least = counts.domains < constraint.minDomains ? 0 : leastWith(counts, domain, delta);
    if (podsIn(counts, domain) + delta + (view.self[index] ?? 0) - least > constraint.maxSkew) return index;
  }
  return -1;
}

export function spreads(view: SpreadView, state: NodeState, shift?: SpreadShift): boolean {
  return firstBroken(view, state, shift) === -1;
}

export function judgeSpread(view: SpreadView, state: NodeState, shift?: SpreadShift): SpreadVerdict {
  const broken = firstBroken(view, state, shift);
  if (broken === -1) return OK;
  const index = broken < 0 ? -2 - broken : broken;
  return { missing: broken < 0, constraint: view.table.constraints[index] as SpreadConstraint };
}

export function spreadNo(verdict: Exclude<SpreadVerdict, 'ok'>): No {
  const { topologyKey, maxSkew } = verdict.constraint;
  if (verdict.missing) {
    return createNo('SpreadLabelMissing', () => `label the node with \`${topologyKey}\`, which the pod spreads over`);
  }
  return createNo(
    'SpreadSkew',
    () =>
      `this node's \`${topologyKey}\` domain is full; raise maxSkew above ${maxSkew}, free other domains, or use ScheduleAnyway`,
  );
}
