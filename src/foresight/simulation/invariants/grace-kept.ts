/**
 * A Ticket that waits for room or holds it is deleted by its Order's controller only for a reason: the Order asks for something else,
 * the node is gone or does not suit any more, or it has been away for the whole grace period.
 */
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isGoing, targetOf, TICKETS, type ClusterView } from '../cluster-view.ts';
import { resourceName, type Commit } from '../commit.ts';
import { createNodeHistory, createOrderHistory, type NodeState } from './histories.ts';
import type { InvariantFactory } from './invariant.ts';
import { graceOf, isOfTemplate, isOpen, RESERVATION, standing } from './order-facts.ts';
import { wallWithin } from './wall-clock.ts';

/** Timestamps in the API have no fractions of a second. */
const ROUNDING_MS = 1_000;

export const graceKept: InvariantFactory = () => {
  const orders = createOrderHistory();
  const nodes = createNodeHistory();
  /** Revision at which each Ticket was created, by UID. */
  const born = new Map<string, number>();

  function judge({ previous, by }: Commit, view: ClusterView): string | undefined {
    if (previous === undefined || by !== RESERVATION) return undefined;
    const ticket = previous as Stored<Ticket>;
    const name = targetOf(ticket);
    const orderUid = controllerOf(ticket)?.uid ?? '';
    const order = [...view.orders.values()].find(({ metadata }) => metadata.uid === orderUid);
    if (!isOpen(ticket) || name === undefined || order === undefined || isGoing(order)) return undefined;
    if ((orders.changed(orderUid)?.revision ?? 0) > (born.get(ticket.metadata.uid) ?? 0)) return undefined;
    if (!isOfTemplate(order, ticket)) return undefined;
    for (const other of view.ticketsOf(orderUid).values())
      if (targetOf(other) === name && other.metadata.uid !== ticket.metadata.uid && isOpen(other)) return undefined;
    const states = nodes.current(view, name);
    if (states.length === 0 || states.some((state) => mayGo(order, ticket, state, view))) return undefined;
    const elapsed = Math.round((view.now() - (awaySince(order, name, states.at(-1), view)?.at ?? view.now())) / 1000);
    return `${ticket.metadata.name} was deleted, and ${name} had been away for ${elapsed} s only`;
  }

  function mayGo(order: Stored<Order>, ticket: Stored<Ticket>, state: NodeState, view: ClusterView): boolean {
    const { node } = state;
    if (node === undefined || node.metadata.uid !== ticket.metadata.annotations?.[RESERVATION_ANNOTATIONS.nodeUid])
      return true;
    const { isUnwanted, isAway, until } = standing(order, node);
    const { latest } = wallWithin(view, view.reactionMs);
    if (isUnwanted || until - ROUNDING_MS <= latest) return true;
    const since = isAway ? awaySince(order, node.metadata.name, state, view) : undefined;
    if (since === undefined) return false;
    const grace = graceOf(order) - ROUNDING_MS;
    return view.now() - since.at >= grace || latest - since.wall >= grace;
  }

  /** The state with which the absence began, as far as the controller has seen: a short return may have passed unseen. */
  function awaySince(
    order: Stored<Order>,
    name: string,
    until: NodeState | undefined,
    view: ClusterView,
  ): NodeState | undefined {
    const all = nodes.of(name);
    let since: NodeState | undefined;
    for (let i = all.findLastIndex((state) => state === until); i >= 0; i -= 1) {
      const state = all[i];
      if (state?.node === undefined) break;
      if (standing(order, state.node).isAway) {
        since = state;
        continue;
      }
      const next = all[i + 1];
      if (next === undefined || !mayHaveMissed(view, state, next)) break;
    }
    return since;
  }

  return {
    name: 'grace-kept',
    committed(commit, view) {
      orders.note(commit, view);
      nodes.note(commit, view);
      const { key, type, object, revision } = commit;
      if (resourceName(key) !== TICKETS) return undefined;
      if (type === 'ADDED') born.set(object.metadata.uid, revision);
      return type === 'DELETED' || isGoing(object) ? judge(commit, view) : undefined;
    },
  };
};

/** The controller had no time to act on the state, or learned of it together with the next, as at its start. */
const mayHaveMissed = (view: ClusterView, state: NodeState, next: NodeState): boolean =>
  next.at - state.at <= view.patienceMs + ROUNDING_MS ||
  view.knewAt(RESERVATION, 'nodes', state.revision) === view.knewAt(RESERVATION, 'nodes', next.revision);
