/** What a guardian says of itself. Pure. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { findCondition, isConditionTrue } from '../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { compareQuantities, formatQuantity, ZERO } from '../../../core/kube/quantity.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { podRequests } from '../../../core/placement/requests.ts';
import { readQuantity } from '../../../core/placement/resource-amounts.ts';

/** Holds room, or may come to: neither ended nor being deleted. */
export const isAlive = (pod: Pod): boolean => !isTerminal(pod) && !isBeingDeleted(pod);

const isBound = ({ spec }: Pod): boolean => (spec.nodeName ?? '') !== '';

/** A Ticket with these guardians is better off with the other one: it has none, or none that has found room as the other has. */
export function isOfUse(other: Pod, guardians: readonly Pod[]): boolean {
  const alive = guardians.filter(isAlive);
  return alive.length === 0 || (isBound(other) && !alive.some(isBound));
}

/** Runs on a node and says that it is ready. */
export const isHolding = (pod: Pod): boolean =>
  isAlive(pod) && pod.status?.phase === 'Running' && isBound(pod) && isConditionTrue(pod.status.conditions, 'Ready');

/** Why no node takes the pod, in the words of the scheduler; undefined before it has refused the pod. */
export function refusal(pod: Pod): string | undefined {
  if (isBound(pod)) return undefined;
  const condition = findCondition(pod.status?.conditions, 'PodScheduled');
  return condition?.status === 'False' && condition.reason === 'Unschedulable' ? (condition.message ?? '') : undefined;
}

/** `namespace/name`, as the status of a Ticket names its guardian. */
export const fullName = ({ metadata: { namespace = '', name } }: Pod): string => `${namespace}/${name}`;

/** Why a guardian is no more, as far as the pod tells; the most telling of several. */
export function lossOf(guardians: readonly Pod[]): string {
  for (const pod of guardians) {
    const target = findCondition(pod.status?.conditions, 'DisruptionTarget');
    if (target?.status !== 'True') continue;
    const { reason = '', message = '' } = target;
    if (reason === PREEMPTED)
      return `guardian ${pod.metadata.name} was preempted by a pod of higher priority, as system-critical pods may do (${message})`;
    return `guardian ${pod.metadata.name} was evicted: ${reason}${message === '' ? '' : `, ${message}`}`;
  }
  for (const pod of guardians) {
    if (!isTerminal(pod)) continue;
    const { phase = '', reason = '', message = '' } = pod.status ?? {};
    const why = [reason, message].filter((text) => text !== '').join(': ');
    return `guardian ${pod.metadata.name} ended in phase ${phase}${why === '' ? '' : ` (${why})`}`;
  }
  const [deleted] = guardians;
  return deleted === undefined ? 'the guardian was deleted' : `guardian ${deleted.metadata.name} was deleted`;
}

const PREEMPTED = 'PreemptionByScheduler';

interface ShortResource {
  readonly name: string;
  readonly have: string;
  readonly want: string;
}

/** Resources of which the pod requests less than the Ticket, injected containers and defaults included. */
export function shortResources({ spec }: Ticket, pod: Pod): readonly ShortResource[] {
  const wanted = spec.resources?.requests;
  if (wanted === undefined) return NONE;
  const held = podRequests(pod.spec);
  let short: ShortResource[] | undefined;
  for (const name of Object.keys(wanted)) {
    const want = readQuantity(wanted[name]);
    const have = held.get(name) ?? ZERO;
    if (compareQuantities(have, want) < 0)
      (short ??= []).push({ name, have: formatQuantity(have), want: formatQuantity(want) });
  }
  return short ?? NONE;
}

const NONE: readonly never[] = Object.freeze([]);

/** How far the pod falls short of the Ticket, as a sentence; undefined when the Ticket is covered. */
export function shortfall(ticket: Ticket, pod: Pod): string | undefined {
  const short = shortResources(ticket, pod);
  if (short.length === 0) return undefined;
  const list = short.map(({ name, have, want }) => `${have} instead of ${want} ${name}`).join(', ');
  return (
    `guardian ${pod.metadata.name} requests ${list}: a policy or a webhook changed the pod on its way in; ` +
    'exempt guardians from it (label korder.dev/guardian) and delete the guardian, and another is made'
  );
}
