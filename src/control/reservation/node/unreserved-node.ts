/**
 * Whether a node that registered with the taint `everynode.dev/unreserved` may lose it. Pure. The taint keeps workload off the node until
 * every Order that wants the node holds its room there or has said why not.
 */
import { ORDER_CONDITIONS, TICKET_PHASES, UNRESERVED_TAINT } from '../../../core/api/names.ts';
import { orderPlan, ticketPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isFinished, isHeld, isRefused, phaseOf } from '../../../core/daemons/ticket-phase.ts';
import { isCordoned, isReady, SHOULD_RUN, TEMPORARY } from '../../../core/daemons/verdict.ts';
import { isConditionTrue } from '../../../core/kube/conditions.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { renews } from '../common/expiry.ts';

/** Time after which a node that is Ready and not cordoned loses the taint whatever the Orders say. */
export const PATIENCE_MS = 2 * 60_000;

/** Index of the taint in the node's list; -1: the node does not have it. */
export const taintIndex = (node: Node): number =>
  node.spec?.taints?.findIndex(({ key, effect }) => key === UNRESERVED_TAINT && effect === 'NoSchedule') ?? -1;

/** Whether the node could take workload but for its taints; before that, no time runs. */
export const isOpen = (node: Node): boolean => isReady(node) && !isCordoned(node);

/** Taints of nodes that are still being set up; Orders are asked again when they are gone. */
const isOfSetup = ({ key, effect }: Taint): boolean =>
  effect !== 'PreferNoSchedule' && key !== UNRESERVED_TAINT && SETUP_PREFIXES.some((prefix) => key.startsWith(prefix));

const SETUP_PREFIXES = ['node.kubernetes.io/', 'node.cloudprovider.kubernetes.io/', 'node.cilium.io/', 'karpenter.sh/'];

export const isBeingSetUp = (node: Node): boolean => node.spec?.taints?.some(isOfSetup) ?? false;

/** An Order in daemonSet mode as one node sees it. */
export interface OrderOnNode {
  readonly order: Stored<Order>;
  /** Eligibility of the node for the Order. */
  readonly verdict: number;
  /** Tickets of the Order on the node. */
  readonly tickets: readonly Stored<Ticket>[];
}

/** Why the node has to wait for the Order; undefined: the room is held, the Order has said why not, or it wants none now. */
export function waitsFor({ order, verdict, tickets }: OrderOnNode, now: number): string | undefined {
  const plan = orderPlan(order.spec);
  if (!plan.daemonSet || plan.paused || isBeingDeleted(order)) return undefined;
  if ((verdict & SHOULD_RUN) === 0) return (verdict & TEMPORARY) === 0 ? undefined : 'the node is not ready for it';
  const present = tickets.filter((ticket) => !isBeingDeleted(ticket));
  if (present.some((ticket) => isHeld(ticket) || isRefused(ticket))) return undefined;
  const pending = present.find((ticket) => phaseOf(ticket) === TICKET_PHASES.pending);
  if (pending !== undefined) {
    const { startMs } = ticketPlan(pending.spec);
    return startMs !== undefined && startMs > now ? undefined : `Ticket ${pending.metadata.name} is Pending`;
  }
  if (isConditionTrue(order.status?.conditions, ORDER_CONDITIONS.failure)) return undefined;
  const finished = present.find(isFinished);
  if (finished !== undefined)
    return renews(order, finished) ? `Ticket ${finished.metadata.name} is being renewed` : undefined;
  const isEarly = plan.ticket.startMs !== undefined && plan.ticket.startMs > now;
  return plan.strategy === 'Scheduled' || isEarly ? undefined : 'no Ticket yet';
}

/** An Order that a node has to wait for. */
export interface Wait {
  readonly order: Stored<Order>;
  readonly why: string;
}

/** Most Orders that an event names. */
const MOST_NAMED = 10;

/** `ns/a (no Ticket yet), ns/b (…) and 3 more`. */
export function describeWaits(waits: readonly Wait[]): string {
  const named = waits
    .slice(0, MOST_NAMED)
    .map(({ order: { metadata }, why }) => `${metadata.namespace ?? ''}/${metadata.name} (${why})`);
  const more = waits.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
