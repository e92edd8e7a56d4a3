/** The counts in the status of an Order, counted again. */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Order, OrderStatus, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { parseTime } from '../../../core/kube/time.ts';
import { targetOf, type ClusterView } from '../cluster-view.ts';
import { isFinished, isOfTemplate, isOpen, isReserved, isTaken, standing } from './order-facts.ts';

type Counts = { readonly [field in keyof OrderStatus]?: number };

export function* judgeOrderStatus(view: ClusterView, order: Stored<Order>): Generator<string> {
  const { name, generation } = order.metadata;
  const { status } = order;
  if (status?.observedGeneration !== generation)
    yield `${name}: status is of generation ${status?.observedGeneration ?? 'none'}, spec of ${generation}`;
  for (const [field, value] of Object.entries(countsOf(view, order))) {
    const said = status?.[field as 'replicas'] ?? 0;
    if (said !== value) yield `${name}: status.${field} is ${said}, counted ${value}`;
  }
}

function countsOf(view: ClusterView, order: Stored<Order>): Counts {
  const plan = orderPlan(order.spec);
  const wantedNodes = new Set(
    [...view.nodes].flatMap(([name, node]) => (standing(order, node).isWanted ? [name] : [])),
  );
  const replicas = plan.daemonSet ? wantedNodes.size : plan.replicas;
  const tickets = [...view.ticketsOf(order.metadata.uid).values()];
  const terminalReplicas = tickets.filter(isFinished).length;
  const present = tickets.filter((ticket) => isOpen(ticket) || isTaken(ticket));
  // A Ticket that may stay on a node that gets none is no part of what is wanted; whether it is counted is left open.
  const hasGuests = plan.daemonSet && present.some((ticket) => !wantedNodes.has(targetOf(ticket) ?? ''));
  if (hasGuests) return { replicas, terminalReplicas };
  const updatedReplicas = present.filter((ticket) => isOfTemplate(order, ticket)).length;
  const availableReplicas = present.filter((ticket) => isAvailable(ticket, plan.minReadySeconds, view.wall())).length;
  const unavailableReplicas = replicas - availableReplicas;
  return { replicas, terminalReplicas, updatedReplicas, availableReplicas, unavailableReplicas };
}

function isAvailable(ticket: Ticket, minReadySeconds: number, wall: number): boolean {
  if (!isReserved(ticket)) return false;
  const since = ticket.status?.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  return since !== undefined && (parseTime(since.lastTransitionTime ?? '') ?? 0) + minReadySeconds * 1000 <= wall;
}
