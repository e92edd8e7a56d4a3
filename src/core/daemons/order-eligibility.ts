/**
 * Which nodes an Order wants. Unlike a DaemonSet's pod, a Ticket has no business on nodes that are not Ready or cordoned, and where a
 * node becomes so the Ticket stays for a time: nodes flap, and room that is given up is hard to get back.
 */
import type { Node, Taint, Toleration } from '../api/types/core-v1.ts';
import { parseTime } from '../kube/time.ts';
import { createNo, describeNo, type No } from '../placement/answer.ts';
import { printTaint, taintNo, toleratesTaint } from '../placement/taints.ts';
import { FOR_A_TIME, isCordoned, isOfCordon, isReady, SHOULD_CONTINUE, SHOULD_RUN, TEMPORARY } from './verdict.ts';

/** The verdict on a node whose labels and name are right. */
export function judgeForOrder(node: Node, tolerations: readonly Toleration[]): number {
  let verdict = isCordoned(node) || !isReady(node) ? SHOULD_CONTINUE | TEMPORARY : SHOULD_RUN | SHOULD_CONTINUE;
  const taints = node.spec?.taints;
  if (taints === undefined) return verdict;
  for (const taint of taints) {
    const effect = effectOf(taint, tolerations);
    if (effect === EVICTS) return 0;
    if (effect !== 0) verdict = (verdict & ~SHOULD_RUN) | effect;
  }
  return verdict;
}

/** When the first toleration of a NoExecute taint ends (epoch ms). A taint that does not say when it was added counts from `since`. */
export function toleratedUntil(node: Node, tolerations: readonly Toleration[], since: number): number {
  let until = Infinity;
  for (const taint of node.spec?.taints ?? NO_TAINTS) {
    if (taint.effect !== 'NoExecute' || isOfCordon(taint)) continue;
    const seconds = firstToleration(taint, tolerations)?.tolerationSeconds;
    if (seconds === undefined) continue;
    const from = taint.timeAdded === undefined ? since : (parseTime(taint.timeAdded) ?? since);
    until = Math.min(until, from + Math.max(0, seconds) * 1000);
  }
  return until;
}

const NO_TAINTS: readonly Taint[] = Object.freeze([]);
/** The taint leaves no child on the node. A verdict never has this bit. */
const EVICTS = 64;

/** What the taint takes from a node: nothing, bits of a verdict to add while SHOULD_RUN goes, or EVICTS. */
function effectOf(taint: Taint, tolerations: readonly Toleration[]): number {
  if (taint.effect !== 'NoSchedule' && taint.effect !== 'NoExecute') return 0;
  if (isOfCordon(taint)) return SHOULD_CONTINUE | TEMPORARY;
  const toleration = firstToleration(taint, tolerations);
  if (toleration === undefined) {
    if (isOfReadiness(taint)) return SHOULD_CONTINUE | TEMPORARY;
    return taint.effect === 'NoExecute' ? EVICTS : SHOULD_CONTINUE;
  }
  if (taint.effect !== 'NoExecute' || toleration.tolerationSeconds === undefined) return 0;
  return toleration.tolerationSeconds <= 0 ? EVICTS : SHOULD_CONTINUE | FOR_A_TIME;
}

/** Only the toleration found first counts for a taint, as where running pods are evicted. */
function firstToleration(taint: Taint, tolerations: readonly Toleration[]): Toleration | undefined {
  for (const toleration of tolerations) if (toleratesTaint(toleration, taint)) return toleration;
  return undefined;
}

/** The two by which Kubernetes keeps pods away from nodes that are not ready; a node loses them a moment after it is Ready. */
const isOfReadiness = ({ key }: Taint): boolean =>
  key === 'node.kubernetes.io/not-ready' || key === 'node.kubernetes.io/unreachable';

/** Why a node whose labels and name are right gets no Ticket. */
export function explainForOrder(node: Node, tolerations: readonly Toleration[]): readonly No[] {
  const { name } = node.metadata;
  const nos: No[] = [];
  let isUnready = !isReady(node);
  for (const taint of node.spec?.taints ?? NO_TAINTS) {
    const effect = effectOf(taint, tolerations);
    if (effect === 0 || isOfCordon(taint)) continue;
    if ((effect & FOR_A_TIME) !== 0) nos.push(forATimeNo(taint));
    else if ((effect & TEMPORARY) !== 0) isUnready = true;
    else nos.push(taintNo(taint));
  }
  if (isCordoned(node)) nos.push(cordonedNo(name));
  if (isUnready) nos.push(notReadyNo(name));
  return nos;
}

const POLICY_PLUGIN = 'DaemonPolicy';

const notReadyNo = (name: string): No =>
  describeNo('NodeNotReady', POLICY_PLUGIN, 'node(s) were not ready', false, () => {
    return `wait for node \`${name}\` to become Ready, or look at \`kubectl describe node ${name}\``;
  });

/** Not the scheduler's words: a pod may tolerate a cordon, room is reserved under none. */
const cordonedNo = (name: string): No =>
  createNo('NodeUnschedulable', () => `uncordon the node (\`kubectl uncordon ${name}\`); a toleration does not help`);

const forATimeNo = (taint: Taint): No =>
  describeNo(
    'TaintToleratedForATime',
    POLICY_PLUGIN,
    'node(s) had taint(s) that are tolerated for a time only',
    false,
    () => `tolerate \`${printTaint(taint)}\` without tolerationSeconds or remove that taint from the node`,
  );
