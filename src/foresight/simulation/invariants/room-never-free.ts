/**
 * The controllers do not let go of a guardian that runs where the Order wants just that guardian. In particular a Ticket whose time is
 * over keeps its guardian until the next Ticket has it: between the two nobody else can take the room.
 */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { parseTime } from '../../../core/kube/time.ts';
import { isGoing, isReadyPod, TICKETS, type ClusterView } from '../cluster-view.ts';
import { resourceName, type Commit } from '../commit.ts';
import { createNodeHistory, createOrderHistory, type NodeState, type OrderState } from './histories.ts';
import type { InvariantFactory } from './invariant.ts';
import { isLive } from './one-guardian.ts';
import { expiryOf, isFinished, isReserved, renewsExpired, RESERVATION, standing } from './order-facts.ts';
import { wallWithin } from './wall-clock.ts';

export const roomNeverFree: InvariantFactory = () => {
  const orders = createOrderHistory();
  const nodes = createNodeHistory();
  /** Tickets that exist, by UID. */
  const tickets = new Map<string, Stored<Ticket>>();
  /** UIDs of guardians whose room a Ticket has said to be Reserved; a guardian that nobody spoke of may be made again. */
  const told = new Set<string>();

  function judgeTicket(commit: Commit, view: ClusterView): string | undefined {
    const { object, type, by } = commit;
    const ticket = object as Stored<Ticket>;
    const { uid } = ticket.metadata;
    if (type !== 'DELETED' && !isGoing(ticket)) {
      tickets.set(uid, ticket);
      if (isReserved(ticket)) for (const { metadata } of view.guardiansOf(uid).values()) told.add(metadata.uid);
      return undefined;
    }
    // With the Ticket goes its guardian.
    const isNew = tickets.delete(uid);
    if (!isNew || by !== RESERVATION) return undefined;
    for (const guardian of view.guardiansOf(uid).values()) {
      const problem = judge(ticket, guardian, view);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  function judgePod({ object, previous, type, by }: Commit, view: ClusterView): string | undefined {
    if (previous === undefined || by !== RESERVATION) return undefined;
    if (type !== 'DELETED' && isLive(object as Stored<Pod>)) return undefined;
    const ticket = tickets.get(controllerOf(previous)?.uid ?? '');
    return ticket === undefined ? undefined : judge(ticket, previous as Stored<Pod>, view);
  }

  /** The controllers let go of this guardian. */
  function judge(ticket: Stored<Ticket>, guardian: Stored<Pod>, view: ClusterView): string | undefined {
    if (!told.has(guardian.metadata.uid) || !isLive(guardian) || !isReadyPod(guardian)) return undefined;
    if (hasOther(ticket, guardian, view)) return undefined;
    const { latest } = wallWithin(view, view.reactionMs);
    const isOver = isFinished(ticket) || (expiryOf(ticket) ?? Infinity) <= latest;
    const name = guardian.spec.nodeName ?? '';
    const near = nodes.current(view, name);
    const isKept = ({ order }: OrderState): boolean =>
      order !== undefined &&
      !isGoing(order) &&
      (!isOver || renewsExpired(order)) &&
      wantsGuardian(order, ticket) &&
      (!orderPlan(order.spec).daemonSet || near.every((state) => wantsNode(order, ticket, state)));
    const states = orders.current(view, controllerOf(ticket)?.uid ?? '');
    if (states.length === 0 || !states.every(isKept)) return undefined;
    // What was decided at the end of the Ticket is carried out although the Order has changed since.
    const { finishedTime } = ticket.status ?? {};
    if (isOver && (states[0]?.wall ?? 0) >= (parseTime(finishedTime ?? '') ?? latest) - view.reactionMs)
      return undefined;
    return `${guardian.metadata.name} let go of the room on ${name} that ${states[0]?.order?.metadata.name} wants`;
  }

  return {
    name: 'room-never-free',
    committed(commit, view) {
      orders.note(commit, view);
      nodes.note(commit, view);
      const resource = resourceName(commit.key);
      if (resource === TICKETS) return judgeTicket(commit, view);
      return resource === 'pods' ? judgePod(commit, view) : undefined;
    },
  };
};

/** Another guardian holds room for the same node or slot of the Order. */
function hasOther(ticket: Stored<Ticket>, guardian: Stored<Pod>, view: ClusterView): boolean {
  const place = placeOf(ticket);
  for (const other of view.ticketsOf(controllerOf(ticket)?.uid ?? '').values()) {
    if (placeOf(other) !== place) continue;
    for (const pod of view.guardiansOf(other.metadata.uid).values())
      if (pod.metadata.uid !== guardian.metadata.uid && isLive(pod)) return true;
  }
  return false;
}

const placeOf = ({ metadata }: Stored<Ticket>): string | undefined =>
  metadata.annotations?.[RESERVATION_ANNOTATIONS.slot] ?? metadata.annotations?.[RESERVATION_ANNOTATIONS.nodeUid];

function wantsNode(order: Order, ticket: Stored<Ticket>, { node }: NodeState): boolean {
  const uid = ticket.metadata.annotations?.[RESERVATION_ANNOTATIONS.nodeUid];
  return node !== undefined && node.metadata.uid === uid && standing(order, node).isWanted;
}

/** The Order has not given the slot up, and wants the guardian that is there. */
function wantsGuardian({ spec }: Order, { metadata, spec: own }: Stored<Ticket>): boolean {
  const { daemonSet, replicas } = orderPlan(spec);
  if (!daemonSet && Number(metadata.annotations?.[RESERVATION_ANNOTATIONS.slot]) >= replicas) return false;
  const guardianOf = (ticket: Ticket['spec']): string => {
    const { resources, tolerations, nodeSelector, priorityClassName, schedulerName } = ticket;
    return JSON.stringify([resources, tolerations, nodeSelector, priorityClassName, schedulerName]);
  };
  return guardianOf(own) === guardianOf(spec.template?.spec ?? {});
}
