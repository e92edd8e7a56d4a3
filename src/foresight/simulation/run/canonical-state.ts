/**
 * The outcome of a run, without random and timed parts (names, UIDs, versions, timestamps): equal for every run of a
 * scenario that ended as it should.
 */
import { TICKET_PHASES, UNRESERVED_TAINT } from '../../../core/api/names.ts';
import type { DaemonSet } from '../../../core/api/types/apps-v1.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { isGoing, isReadyPod, targetOf, type ClusterView } from '../cluster-view.ts';
import { eligibility, isHeldUp } from '../invariants/daemon-facts.ts';
import { isFinished, phaseOf, standing } from '../invariants/order-facts.ts';
import type { Action, Scenario } from '../scenario/scenario.ts';

export interface CanonicalState {
  /** One line a fact, in a fixed order. */
  readonly lines: readonly string[];
  /** `daemon namespace/name`, `order namespace/name`: their end depends on the order of events, and is not compared. */
  readonly open: ReadonlySet<string>;
}

/** Steps whose outcome depends on where a pod happened to be, or which of two pods came first. */
const UNSETTLING: ReadonlySet<Action['do']> = new Set([
  'fail',
  'flap',
  'drain',
  'cordon',
  'remove',
  'recreate',
  'taint',
  'label',
]);

export function canonicalState(view: ClusterView, { contended, steps }: Scenario): CanonicalState {
  const lines: string[] = [];
  const open = new Set<string>();
  for (const node of view.nodes.values()) lines.push(nodeLine(node));
  for (const [name, daemon] of view.daemonSets) {
    if (isHeldUp(view, daemon)) open.add(`daemon ${name}`);
    lines.push(daemonLine(daemon, contended));
    for (const [nodeName, pods] of view.daemonPods(daemon.metadata.uid)) {
      const node = view.nodes.get(nodeName);
      // On a node where a pod may stay but none would be created, the pods depend on history.
      if (node === undefined || !eligibility(daemon, node).shouldRun) continue;
      for (const pod of pods.values()) lines.push(podLine(daemon, nodeName, pod, contended));
    }
  }
  for (const [name, order] of view.orders) {
    // Where a Ticket finds no room, which of them that is depends on who asked first.
    if (view.ticketsOf(order.metadata.uid).values().some(isWaiting)) open.add(`order ${name}`);
    lines.push(...orderLines(view, order, contended));
  }
  // Preemption and eviction depend on timing where pods compete, so not even the number of pods is compared there.
  if (contended || steps.some(({ action }) => UNSETTLING.has(action.do))) return { lines: lines.toSorted(), open };
  const workloads = new Map<string, number>();
  for (const pod of view.pods.values()) {
    const owner = controllerOf(pod)?.kind;
    if (owner === 'DaemonSet' || owner === 'Ticket') continue;
    const state = `${pod.status?.phase ?? 'Pending'}${isReadyPod(pod) ? ' ready' : ''}`;
    const line = `workload ${pod.metadata.labels?.['workload'] ?? pod.metadata.name}: ${state}${isGoing(pod) ? ' going' : ''}`;
    workloads.set(line, (workloads.get(line) ?? 0) + 1);
  }
  for (const [line, count] of workloads) lines.push(`${line} × ${count}`);
  return { lines: lines.toSorted(), open };
}

/** Tickets of Orders that refill what ends. Those of others depend on whether an end came before or after something else. */
function orderLines(view: ClusterView, order: Stored<Order>, contended: boolean): readonly string[] {
  const { namespace, name, uid, generation } = order.metadata;
  const { daemonSet, paused, refresh, strategy } = orderPlan(order.spec);
  const who = `order ${namespace}/${name}`;
  const lines = [`${who}: generation=${generation} wanted=${order.status?.replicas ?? 0}`];
  if (paused || refresh === 'Never' || strategy === 'Scheduled') return lines;
  for (const ticket of view.ticketsOf(uid).values()) {
    const node = view.nodes.get(targetOf(ticket) ?? '');
    const isCompared = daemonSet ? node !== undefined && standing(order, node).isWanted : true;
    const where = daemonSet ? ` on ${targetOf(ticket)}` : '';
    if (isCompared && !isFinished(ticket)) lines.push(`${who}${where}: ${contended ? 'a Ticket' : phaseOf(ticket)}`);
  }
  return lines;
}

const isWaiting = (ticket: Ticket): boolean => phaseOf(ticket) === TICKET_PHASES.pending;

function nodeLine(node: Stored<Node>): string {
  const labels = Object.entries(node.metadata.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');
  const taints = (node.spec.taints ?? [])
    // On a node that was cordoned or failed it stays if it was still there by then.
    .filter(({ key }) => key !== UNRESERVED_TAINT)
    .map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`)
    .toSorted();
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'absent';
  return `node ${node.metadata.name}: ready=${ready} cordoned=${node.spec.unschedulable === true} taints=[${taints.join(' ')}] ${labels}`;
}

function daemonLine({ metadata, spec, status }: Stored<DaemonSet>, contended: boolean): string {
  const { desiredNumberScheduled: desired, numberReady: ready, updatedNumberScheduled: updated } = status ?? {};
  const isOnDelete = spec.updateStrategy?.type === 'OnDelete';
  const counts = [
    `desired=${desired}`,
    ...(isOnDelete ? [] : [`updated=${updated}`]),
    ...(contended ? [] : [`ready=${ready}`]),
  ].join(' ');
  return `daemon ${metadata.namespace}/${metadata.name}: ${spec.template.spec?.containers[0]?.image} generation=${metadata.generation} ${counts}`;
}

function podLine(daemon: Stored<DaemonSet>, node: string, pod: Stored<Pod>, contended: boolean): string {
  const state = contended ? '' : ` ${pod.status?.phase ?? 'Pending'}${isReadyPod(pod) ? ' ready' : ''}`;
  // Without rollouts each pod keeps the template it was made from.
  const image = daemon.spec.updateStrategy?.type === 'OnDelete' ? 'some image' : pod.spec.containers[0]?.image;
  return `daemon ${daemon.metadata.namespace}/${daemon.metadata.name} on ${node}: ${image}${state}${isGoing(pod) ? ' going' : ''}`;
}

/** The difference between the ends of two runs, in words; undefined when they ended alike. */
export function difference(expected: CanonicalState, actual: CanonicalState): string | undefined {
  const open = new Set([...expected.open, ...actual.open]);
  const compared = ({ lines }: CanonicalState): readonly string[] =>
    lines.filter((line) => ![...open].some((each) => line.startsWith(`${each}:`) || line.startsWith(`${each} on `)));
  const missing = without(compared(expected), compared(actual));
  const extra = without(compared(actual), compared(expected));
  if (missing.length + extra.length === 0) return undefined;
  const some = (lines: readonly string[]): string => lines.slice(0, 3).join(' | ') + (lines.length > 3 ? ' | …' : '');
  return `without faults: ${some(missing) || 'nothing more'}; with them: ${some(extra) || 'nothing more'}`;
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    if (count > 0) left.set(line, count - 1);
    return count === 0;
  });
}
