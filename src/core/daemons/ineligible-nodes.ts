/** Why an Order wants so few nodes: each node counted under one reason, in one sentence for condition, event and log. */
import type { Node, Taint } from '../api/types/core-v1.ts';
import { printTaint } from '../placement/taints.ts';
import type { Eligibility } from './eligibility.ts';
import { isCordoned, SHOULD_RUN, TEMPORARY } from './verdict.ts';

export interface IneligibleCount {
  readonly total: number;
  readonly eligible: number;
  /** Labels or name are not those that the node selector, the node affinity or the node name ask for. */
  readonly selector: number;
  /** Taints that are not tolerated, or for a time only. */
  readonly taint: number;
  readonly notReady: number;
  readonly cordoned: number;
  /** The different taints of the nodes in `taint`, as kubectl writes them, in order. */
  readonly taints: readonly string[];
}

const SELECTOR_CODES: ReadonlySet<string> = new Set(['NodeNameMismatch', 'NodeAffinityMismatch']);
const TAINT_CODES: ReadonlySet<string> = new Set(['UntoleratedTaint', 'TaintToleratedForATime']);

/** A node with several reasons counts under the one that lasts longest: selector, taint, cordon, readiness. */
export function countIneligible(eligibility: Eligibility, nodes: Iterable<Node>): IneligibleCount {
  const count = { total: 0, eligible: 0, selector: 0, taint: 0, notReady: 0, cordoned: 0 };
  const taints = new Set<string>();
  for (const node of nodes) {
    count.total += 1;
    if ((eligibility.judge(node) & SHOULD_RUN) !== 0) {
      count.eligible += 1;
      continue;
    }
    const nos = eligibility.explain(node);
    if (nos.some(({ code }) => SELECTOR_CODES.has(code))) count.selector += 1;
    else if (nos.some(({ code }) => TAINT_CODES.has(code))) {
      count.taint += 1;
      for (const taint of node.spec?.taints ?? [])
        if (isUntolerated(eligibility, node, taint)) taints.add(printTaint(taint));
    } else if (isCordoned(node)) count.cordoned += 1;
    else count.notReady += 1;
  }
  return { ...count, taints: [...taints].sort() };
}

const READY: NonNullable<Node['status']> = Object.freeze({ conditions: [{ type: 'Ready', status: 'True' }] });

/** Whether the taint alone keeps the Order from a node like this. */
function isUntolerated(eligibility: Eligibility, node: Node, taint: Taint): boolean {
  const verdict = eligibility.judge({ ...node, spec: { taints: [taint] }, status: READY });
  return (verdict & (SHOULD_RUN | TEMPORARY)) === 0;
}

/** Taints that a sentence names. */
const MAX_TAINTS = 5;

/** `0 of 12 nodes are eligible: 8 do not match the node selector, 4 are cordoned` */
export function describeIneligible({
  total,
  eligible,
  selector,
  taint,
  notReady,
  cordoned,
  taints,
}: IneligibleCount): string {
  if (total === 0) return 'the cluster has no nodes';
  const parts: string[] = [];
  const add = (count: number, one: string, several: string): void => {
    if (count > 0) parts.push(`${count} ${count === 1 ? one : several}`);
  };
  const named = listed(taints, MAX_TAINTS);
  add(selector, 'does not match the node selector', 'do not match the node selector');
  add(taint, `has taints that are not tolerated (${named})`, `have taints that are not tolerated (${named})`);
  add(notReady, 'is not Ready', 'are not Ready');
  add(cordoned, 'is cordoned', 'are cordoned');
  const verb = total === 1 ? `${eligible} of 1 node is eligible` : `${eligible} of ${total} nodes are eligible`;
  return parts.length === 0 ? verb : `${verb}: ${parts.join(', ')}`;
}

/** `a, b and 3 more` */
export const listed = (names: readonly string[], most: number, total: number = names.length): string => {
  const shown = names.slice(0, most);
  return shown.length < total ? `${shown.join(', ')} and ${total - shown.length} more` : shown.join(', ');
};
