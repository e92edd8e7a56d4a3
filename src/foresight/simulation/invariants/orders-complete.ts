/**
 * When all is quiet: an Order in daemonSet mode has one Ticket on every eligible node and none elsewhere, an Order with replicas has
 * as many as it says; each holds its room or says why not; the status says so; and no Ready node keeps workload away any more.
 */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { RESERVATION_ANNOTATIONS, UNRESERVED_TAINT } from '../../../core/api/names.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isGoing, isReadyPod, targetOf, TICKETS, type ClusterView } from '../cluster-view.ts';
import { resourceName } from '../commit.ts';
import type { InvariantFactory } from './invariant.ts';
import { isLive } from './one-guardian.ts';
import { isFinished, isOfTemplate, isOpen, isReserved, isTaken, phaseOf, standing } from './order-facts.ts';
import { judgeOrderStatus } from './order-status.ts';

export const ordersComplete: InvariantFactory = () => {
  /** Order and node or slot where a Ticket has ended: with refresh policy Never none may follow. */
  const ended = new Set<string>();
  return {
    name: 'orders-complete',
    committed({ key, object }) {
      if (resourceName(key) !== TICKETS) return undefined;
      const ticket = object as Stored<Ticket>;
      if (isFinished(ticket)) ended.add(placeOf(controllerOf(ticket)?.uid, whereOf(ticket)));
      return undefined;
    },
    *settled(view) {
      for (const order of view.orders.values()) {
        if (isGoing(order)) continue;
        const { daemonSet } = orderPlan(order.spec);
        const mayLack = (where: string): boolean =>
          lacks(order, ended.has(placeOf(order.metadata.uid, where))) || isHeldUp(view, order, where);
        if (daemonSet) yield* judgeNodes(view, order, mayLack);
        else yield* judgeReplicas(view, order, mayLack);
        for (const ticket of view.ticketsOf(order.metadata.uid).values()) yield* judgeTicket(view, ticket);
        yield* judgeTemplate(view, order);
        yield* judgeOrderStatus(view, order);
      }
      for (const node of view.nodes.values())
        if (isOpenNode(node) && node.spec.taints?.some(({ key }) => key === UNRESERVED_TAINT) === true)
          yield `${node.metadata.name} still has the taint ${UNRESERVED_TAINT}`;
    },
  };
};

const placeOf = (order: string | undefined, where: string): string => `${order ?? ''}/${where}`;
const whereOf = (ticket: Stored<Ticket>): string =>
  ticket.metadata.annotations?.[RESERVATION_ANNOTATIONS.slot] ?? targetOf(ticket) ?? '';

/** No Ticket may be right: nothing is made while paused, nor between ticks, nor where one has ended for good. */
function lacks({ spec }: Order, hasEnded: boolean): boolean {
  const { paused, strategy, refresh } = orderPlan(spec);
  return paused || strategy === 'Scheduled' || (refresh === 'Never' && hasEnded);
}

/** An ended Ticket still holds the room, with a guardian that must change, and Tickets that find no room use up the budget for that. */
function isHeldUp(view: ClusterView, order: Stored<Order>, where: string): boolean {
  const tickets = [...view.ticketsOf(order.metadata.uid).values()];
  const holds = (ticket: Stored<Ticket>): boolean => view.guardiansOf(ticket.metadata.uid).values().some(isLive);
  return (
    tickets.some((each) => isFinished(each) && whereOf(each) === where && holds(each) && !isOfTemplate(order, each)) &&
    tickets.some((each) => isOpen(each) && !isReserved(each))
  );
}

const isOpenNode = (node: Node): boolean =>
  node.spec.unschedulable !== true &&
  (node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false);

function* judgeNodes(view: ClusterView, order: Stored<Order>, mayLack: (node: string) => boolean): Generator<string> {
  const { name: orderName, uid } = order.metadata;
  const { paused } = orderPlan(order.spec);
  const byNode = Map.groupBy(
    [...view.ticketsOf(uid).values()].filter((ticket) => isOpen(ticket) || isTaken(ticket)),
    (ticket) => targetOf(ticket) ?? '',
  );
  for (const [name, tickets] of byNode) {
    const node = view.nodes.get(name);
    const names = tickets.map(({ metadata }) => metadata.name).join(', ');
    if (paused || tickets.every(isTaken)) continue;
    if (node === undefined) yield `${orderName} still has ${names} for ${name || 'no node'}, which is gone`;
    else {
      const { isWanted, isUnwanted, isAway, until } = standing(order, node);
      const isOver = isUnwanted || isAway || until < view.wall();
      if (isOver) yield `${orderName} still has ${names} on ${name}, which is not eligible`;
      const foreign = tickets.find((each) => nodeUid(each) !== undefined && nodeUid(each) !== node.metadata.uid);
      if (foreign !== undefined) yield `${foreign.metadata.name} is for an earlier node ${name}`;
      if (isWanted && tickets.filter((each) => isOpen(each)).length > 1) yield `${orderName} has ${names} on ${name}`;
    }
  }
  for (const [name, node] of view.nodes)
    if (standing(order, node).isWanted && !byNode.has(name) && !mayLack(name))
      yield `${orderName} has no Ticket on ${name}`;
}

const nodeUid = ({ metadata }: Stored<Ticket>): string | undefined =>
  metadata.annotations?.[RESERVATION_ANNOTATIONS.nodeUid];

function* judgeReplicas(
  view: ClusterView,
  order: Stored<Order>,
  mayLack: (slot: string) => boolean,
): Generator<string> {
  const { name, uid } = order.metadata;
  const { replicas, paused } = orderPlan(order.spec);
  const slots = [...view.ticketsOf(uid).values()].filter(isOpen).map(whereOf);
  if (new Set(slots).size < slots.length) yield `${name} has two Tickets in a slot: ${slots.join(', ')}`;
  if (!paused && slots.some((slot) => Number(slot) >= replicas))
    yield `${name} has Tickets in slots ${slots.join(', ')}, wanted are ${replicas}`;
  for (let slot = 0; slot < replicas; slot += 1)
    if (!slots.includes(String(slot)) && !mayLack(String(slot))) yield `${name} has no Ticket in slot ${slot}`;
}

/** All Tickets are of the newest template, unless one that finds no room holds the others up. */
function* judgeTemplate(view: ClusterView, order: Stored<Order>): Generator<string> {
  const { paused, strategy, daemonSet } = orderPlan(order.spec);
  const all = [...view.ticketsOf(order.metadata.uid).values()].filter(isOpen);
  // One that may stay on a node that gets none has no successor there.
  const open = daemonSet ? all.filter((ticket) => isOnWantedNode(view, order, ticket)) : all;
  if (paused || strategy === 'Scheduled' || !open.every(isReserved)) return;
  for (const ticket of open)
    if (!isOfTemplate(order, ticket)) yield `${ticket.metadata.name} is not of the newest template`;
}

function isOnWantedNode(view: ClusterView, order: Stored<Order>, ticket: Stored<Ticket>): boolean {
  const node = view.nodes.get(targetOf(ticket) ?? '');
  return node !== undefined && standing(order, node).isWanted;
}

/** A Reserved Ticket has its guardian; one that waits has a guardian that waits, and a reason. */
function* judgeTicket(view: ClusterView, ticket: Stored<Ticket>): Generator<string> {
  if (!isOpen(ticket)) return;
  const { name, uid } = ticket.metadata;
  const live = [...view.guardiansOf(uid).values()].filter(isLive);
  const [guardian] = live;
  if (!isReserved(ticket)) {
    if ((ticket.status?.reason ?? '') === '' || (ticket.status?.message ?? '') === '')
      yield `${name} is ${phaseOf(ticket)} and says no reason`;
    const node = view.nodes.get(targetOf(ticket) ?? '');
    if (guardian === undefined && (node === undefined || isOpenNode(node))) yield `${name} waits without a guardian`;
    else if (guardian !== undefined && isReadyPod(guardian)) yield `${name} waits although its guardian runs`;
    return;
  }
  const where = ticket.status?.nodeName ?? '';
  if (guardian === undefined) yield `${name} is Reserved and has no guardian`;
  else if (guardian.spec.nodeName !== where)
    yield `${name} is Reserved on ${where}, its guardian is on ${guardian.spec.nodeName ?? 'no node'}`;
}
