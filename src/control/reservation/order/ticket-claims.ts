/** Which Tickets are the Order's: adopts orphans that its selector matches, releases Tickets that it no longer matches. */
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../../../core/api/names.ts';
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { pinnedTo } from '../../../core/daemons/daemon-pod.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import type { DaemonTicket } from '../../../core/daemons/ticket-child.ts';
import { holdsGuardian, isFinished, isHanded, isHeld } from '../../../core/daemons/ticket-phase.ts';
import { isDefaultSpread, orderLabels, ticketSpec } from '../../../core/daemons/ticket-maker.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { JsonObject } from '../../../core/kube/json.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import type { LabelSelector } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { type Claims, isAdoptable } from '../../../machinery/children/claims.ts';
import { hasSeen } from '../../../machinery/children/overlay.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { slotOf } from './board.ts';
import type { KnownOrder } from './known-order.ts';
import type { OrderView } from './order-registry.ts';

/** The selector of an Order; without one of its own it selects the Tickets that it has made. */
export const selectorOf = ({ spec, metadata }: Stored<Order>): LabelSelector =>
  spec.selector ?? { matchLabels: { [RESERVATION_LABELS.orderUid]: metadata.uid } };

/**
 * A new Order may find Tickets that a former one left behind. A cache that is older than the Order may show them as the former one's
 * still, and Tickets created beside them would be one too many a node: then the server is asked.
 */
export async function learnOrphans(
  client: Client,
  tickets: Informer<Ticket>,
  { object, claims, selector, board }: KnownOrder,
  signal: AbortSignal,
): Promise<void> {
  if (claims.knowsOrphans) return;
  if (object.spec.selector !== undefined && !hasSeen(tickets, object)) {
    const { namespace = '' } = object.metadata;
    const { items } = await client.list(TICKETS, { namespace, labelSelector: formatLabelSelector(selector), signal });
    for (const ticket of items)
      if (isFree(ticket) && (board.mode === 'slots' || board.pin(ticket) !== undefined))
        claims.adoptable.set(ticket.metadata.uid, ticket);
  }
  claims.knowsOrphans = true;
}

/** Works off the Tickets that are to be released or adopted. */
export async function claimTickets(order: KnownOrder, view: OrderView, claims: Claims): Promise<void> {
  const { claims: record, children } = order;
  for (const ticket of [...record.releasable.values()]) {
    const released = await claims.release(TICKETS, ticket);
    record.releasable.delete(ticket.metadata.uid);
    if (released !== 'gone' && released !== 'free') children.wrote(released);
  }
  for (const ticket of [...record.adoptable.values()]) {
    const adopted = isFree(ticket) ? await claims.adopt(TICKETS, ticket, adoption(order, view, ticket)) : 'gone';
    record.adoptable.delete(ticket.metadata.uid);
    if (adopted !== 'gone') children.wrote(adopted);
  }
}

/** The selector has been asked already, when the Ticket was listed or put among the adoptable. */
const isFree = (ticket: DaemonTicket): boolean => isAdoptable(ticket, () => true);

/**
 * An adopted Ticket counts as made from the template where it reserves the same; otherwise it is replaced in its turn. One of an Order
 * with replicas gets the first free slot.
 */
function adoption({ object, board, definition }: KnownOrder, view: OrderView, ticket: DaemonTicket): JsonObject {
  const { [RESERVATION_LABELS.templateHash]: hash = '', ...labels } = orderLabels(object);
  const reserved = board.mode === 'nodes' ? onItsNode(object, ticket) : withSpread(object, ticket.spec);
  const isSame = guardianHash(reserved) === definition.guardianHash;
  const slot = board.mode === 'slots' && slotOf(ticket) === undefined ? freeSlot(view) : undefined;
  return {
    labels: isSame ? { ...labels, [RESERVATION_LABELS.templateHash]: hash } : labels,
    ...(slot === undefined ? {} : { annotations: { [RESERVATION_ANNOTATIONS.slot]: String(slot) } }),
  };
}

/**
 * The spec of a Ticket that holds room, as the Order would pin it. How the Ticket came to its node is no reason to give the room up:
 * whether the node is one of the Order's is judged by the template.
 */
function onItsNode(order: Stored<Order>, ticket: DaemonTicket): TicketSpec {
  if (!isHeld(ticket) && !holdsGuardian(ticket)) return ticket.spec;
  const { nodeName: _name, nodeSelector: _selector, ...spec } = ticket.spec;
  const { nodeSelector } = ticketSpec(order, '');
  return { ...spec, ...(nodeSelector === undefined ? {} : { nodeSelector }), affinity: pinnedTo(spec.affinity, '') };
}

/** How replicas are spread by default, also those of another Order, is no reason to replace one that has its node. */
function withSpread(order: Stored<Order>, spec: TicketSpec): TicketSpec {
  const given = spec.topologySpreadConstraints;
  if (order.spec.template?.spec?.topologySpreadConstraints !== undefined) return spec;
  if (given !== undefined && !isDefaultSpread(given)) return spec;
  const { topologySpreadConstraints } = ticketSpec(order, '');
  return topologySpreadConstraints === undefined ? spec : { ...spec, topologySpreadConstraints };
}

function freeSlot(view: OrderView): number {
  const taken = new Set<number>();
  for (const ticket of view.allChildren()) if (!isFinished(ticket)) taken.add(slotOf(ticket) ?? -1);
  let slot = 0;
  while (taken.has(slot)) slot += 1;
  return slot;
}

/** Own Tickets of no node or slot, to be deleted: their places get others. Those given to a pod, or finished, are left alone. */
export const strayTickets = ({ claims: { strays } }: KnownOrder): readonly DaemonTicket[] =>
  strays.size === 0
    ? []
    : [...strays.values()].filter((ticket) => !isBeingDeleted(ticket) && !isFinished(ticket) && !isHanded(ticket));
