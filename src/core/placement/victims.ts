/**
 * Preemption: which pods of lower priority would have to leave a node for this pod to fit, as few and as unimportant as
 * possible, and which node is the best place for that. Budgets (PDBs) are honoured where they can be, not always.
 */
import type { PodDisruptionBudget } from '../api/types/policy-v1.ts';
import type { Selector } from '../kube/selector.ts';
import { type Answer, createNo, type Refusal, refuse } from './answer.ts';
import { feasibleWithNominated, judgeWithNominated } from './filters.ts';
import { imagine, type Imagined, imagineWith, imagineWithout } from './imagined.ts';
import { readSelector } from './label-match.ts';
import type { NodeState } from './node-state.ts';
import type { PodRecord } from './pod-record.ts';
import type { PreparedPod } from './prepared-pod.ts';

export interface Victims {
  readonly nodeName: string;
  /** Most important first; never empty. */
  readonly pods: readonly PodRecord[];
  readonly budgetViolations: number;
}

export type VictimAnswer = { readonly ok: true; readonly victims: Victims } | Refusal;

/** Milliseconds; a pod that has not started counts as younger than all that have. */
function startTimeOf(record: PodRecord): number {
  const { startTime } = record.pod.status ?? {};
  return startTime === undefined ? Infinity : Date.parse(startTime);
}

/** Priority, then age. Pods upstream cannot tell apart are ordered by key, so that the same cluster gives the same answer. */
export function byImportance(a: PodRecord, b: PodRecord): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  const [startA, startB] = [startTimeOf(a), startTimeOf(b)];
  if (startA !== startB) return startA < startB ? -1 : 1;
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

/** PodDisruptionBudgets, ready to count against. */
export interface Budget {
  readonly namespace: string;
  readonly selector: Selector;
  readonly allowed: number;
  /** Pods whose eviction is already under way and already counted. */
  readonly disrupted: ReadonlySet<string>;
}

export function compileBudgets(budgets: Iterable<PodDisruptionBudget>): readonly Budget[] {
  const compiled: Budget[] = [];
  for (const { metadata, spec, status } of budgets) {
    const selector = readSelector(spec.selector);
    // Neither an unreadable nor an empty selector protects anything here.
    if (selector === 'invalid' || selector.isEmpty) continue;
    compiled.push({
      namespace: metadata.namespace ?? 'default',
      selector,
      allowed: status?.disruptionsAllowed ?? 0,
      disrupted: new Set(Object.keys(status?.disruptedPods ?? {})),
    });
  }
  return compiled;
}

/** Splits pods by whether evicting them, in this order, would break a budget. */
export function splitByBudget(
  records: readonly PodRecord[],
  budgets: readonly Budget[],
): { readonly violating: readonly PodRecord[]; readonly free: readonly PodRecord[] } {
  const left = budgets.map((budget) => budget.allowed);
  const violating: PodRecord[] = [];
  const free: PodRecord[] = [];
  for (const record of records) {
    let violates = false;
    const hasLabels = record.labels !== undefined && Object.keys(record.labels).length > 0;
    budgets.forEach((budget, index) => {
      if (!hasLabels || budget.namespace !== record.namespace || !budget.selector.matches(record.labels)) return;
      if (budget.disrupted.has(record.pod.metadata.name)) return;
      const remaining = (left[index] ?? 0) - 1;
      left[index] = remaining;
      if (remaining < 0) violates = true;
    });
    (violates ? violating : free).push(record);
  }
  return { violating, free };
}

/** May this pod be a victim at all, beyond having lower priority? Plugins may shield pods. */
export type MayEvict = (record: PodRecord, state: NodeState) => boolean;

/** The victims on one node, or why evicting there would not help. */
export function selectVictims(
  prepared: PreparedPod,
  state: NodeState,
  budgets: readonly Budget[],
  mayEvict?: MayEvict,
): VictimAnswer {
  const { priority } = prepared.compiled.record;
  const potential: PodRecord[] = [];
  for (const record of state.pods.values()) {
    if (record.priority < priority && (mayEvict === undefined || mayEvict(record, state))) potential.push(record);
  }
  if (potential.length === 0) {
    return refuse([
      createNo('NoVictims', () => 'nothing of lower priority runs on the node; raise the priority or free room'),
    ]);
  }
  const imagined = imagine(prepared, state);
  for (const record of potential) imagineWithout(prepared, imagined, record);
  const answer: Answer = judgeWithNominated(prepared, state, imagined);
  if (!answer.ok) return answer;

  const victims = reprieve(prepared, state, imagined, potential.toSorted(byImportance), budgets);
  return { ok: true, victims };
}

/** Reprieves, most important first, the pods that can stay; pods whose eviction violates a budget get the first chance. */
function reprieve(
  prepared: PreparedPod,
  state: NodeState,
  imagined: Imagined,
  potential: readonly PodRecord[],
  budgets: readonly Budget[],
): Victims {
  const { violating, free } = splitByBudget(potential, budgets);
  const pods: PodRecord[] = [];
  let budgetViolations = 0;
  const mustGo = (record: PodRecord): boolean => {
    imagineWith(prepared, imagined, record);
    if (feasibleWithNominated(prepared, state, imagined)) return false;
    imagineWithout(prepared, imagined, record);
    pods.push(record);
    return true;
  };
  for (const record of violating) if (mustGo(record)) budgetViolations++;
  for (const record of free) mustGo(record);
  return { nodeName: state.name, pods: pods.toSorted(byImportance), budgetViolations };
}

/** Why the pod preempts nobody, whatever the node; `undefined` where it may. */
export function preemptsNobody({ compiled, parts }: PreparedPod): string | undefined {
  if (compiled.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  return parts.find(({ part }) => part.preemptsNobody !== undefined)?.part.preemptsNobody;
}

/**
 * `undefined` when the pod may preempt; otherwise kube-scheduler's words for why not. `nominated` is the node it was promised,
 * if that can still become its own.
 */
export function preemptionForbidden(prepared: PreparedPod, nominated: string | undefined): string | undefined {
  const { record } = prepared.compiled;
  const nobody = preemptsNobody(prepared);
  if (nobody !== undefined) return nobody;
  if (nominated === undefined) return undefined;
  for (const other of prepared.cluster.nodes.get(nominated)?.pods.values() ?? []) {
    if (other.priority < record.priority && leavesByPreemption(other)) {
      return 'not eligible due to a terminating pod on the nominated node.';
    }
  }
  return undefined;
}

function leavesByPreemption(record: PodRecord): boolean {
  if (!record.terminating) return false;
  const condition = record.pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  return condition?.status === 'True' && condition.reason === 'PreemptionByScheduler';
}

/** How many candidate nodes are enough to choose from: a tenth, at least 100. */
export const candidatesWanted = (nodes: number): number => Math.min(nodes, Math.max(Math.trunc(nodes / 10), 100));

export interface Candidates {
  /** Candidates without budget violations first. */
  readonly found: readonly Victims[];
  /** Nodes where evicting does not help, and why. */
  readonly refusals: ReadonlyMap<string, Refusal>;
}

/**
 * Looks through nodes where preemption may help, from `offset` on and around, until there are enough candidates and at
 * least one of them respects every budget.
 */
export function findCandidates(
  prepared: PreparedPod,
  nodes: readonly NodeState[],
  budgets: readonly Budget[],
  offset: number,
  mayEvict?: MayEvict,
): Candidates {
  const wanted = candidatesWanted(nodes.length);
  const clean: Victims[] = [];
  const violating: Victims[] = [];
  const refusals = new Map<string, Refusal>();
  for (let step = 0; step < nodes.length; step++) {
    const state = nodes[(offset + step) % nodes.length] as NodeState;
    const answer = selectVictims(prepared, state, budgets, mayEvict);
    if (!answer.ok) {
      refusals.set(state.name, answer);
      continue;
    }
    const list = answer.victims.budgetViolations === 0 ? clean : violating;
    if (list.length < wanted && answer.victims.pods.length > 0) list.push(answer.victims);
    if (clean.length > 0 && clean.length + violating.length >= wanted) break;
  }
  return { found: [...clean, ...violating], refusals };
}

/** Priorities are shifted to be positive, so that more victims never make a smaller sum. */
const PRIORITY_SHIFT = 2 ** 31;

const earliestStartOfHighest = (victims: Victims): number => {
  const highest = victims.pods[0]?.priority ?? 0;
  let earliest = Infinity;
  for (const record of victims.pods) {
    if (record.priority === highest) earliest = Math.min(earliest, startTimeOf(record));
  }
  return earliest;
};

/** Less is better, each deciding only between those the ones before left equal. */
const TIE_BREAKS: readonly ((victims: Victims) => number)[] = [
  (victims) => victims.budgetViolations,
  (victims) => victims.pods[0]?.priority ?? 0,
  (victims) => victims.pods.reduce((sum, record) => sum + record.priority + PRIORITY_SHIFT, 0),
  (victims) => victims.pods.length,
  (victims) => -earliestStartOfHighest(victims),
];

/** The best node to preempt on; the first where the rules leave several. */
export function pickCandidate(candidates: readonly Victims[]): Victims | undefined {
  let left = candidates;
  for (const cost of TIE_BREAKS) {
    if (left.length <= 1) break;
    const costs = left.map(cost);
    const least = Math.min(...costs);
    left = left.filter((_, index) => costs[index] === least);
  }
  return left[0];
}
