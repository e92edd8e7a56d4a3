/** Gathers from the caches what the next step of a Ticket is decided by. */
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS as LABEL, TICKET_PHASES } from '../../../core/api/names.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import { pinOfTicket } from '../../../core/daemons/ticket-child.ts';
import {
  isFinished,
  isHanded,
  isHeld,
  markOf,
  phaseOf,
  predecessorOf,
  templateHashOf,
} from '../../../core/daemons/ticket-phase.ts';
import { isCordoned } from '../../../core/daemons/verdict.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import type { IndexFunction, Lister } from '../../../machinery/cache/object-store.ts';
import type { Overlay } from '../../../machinery/children/overlay.ts';
import { effectiveExpiry, isFollowed, keepsFinished, renews } from '../common/expiry.ts';
import type { GuardianCache } from './guardian-cache.ts';
import { isAlive, isOfUse } from './guardian-state.ts';
import type { Claimant } from './handover-step.ts';
import { isShade } from './shade-pod.ts';
import type { HandoverMemory } from './ticket-memory.ts';
import { windowEnd } from './ticket-status.ts';
import type { Heir, TicketFacts } from './ticket-step.ts';

export interface TicketCaches {
  readonly tickets: Informer<Ticket>;
  /** Own writes of Tickets that the cache does not show yet. */
  readonly written: Overlay<Ticket>;
  readonly guardians: GuardianCache;
  readonly orders: Lister<Order>;
  readonly nodes: Lister<Node>;
}

const SUCCESSORS = 'reservation.predecessor';
const PLACES = 'reservation.place';
const NONE: readonly string[] = Object.freeze([]);

const byPredecessor: IndexFunction<Ticket> = (ticket) => {
  const uid = predecessorOf(ticket);
  return uid === '' ? NONE : [uid];
};

const placeText = (orderUid: string, node: string): string => `${orderUid} ${node}`;

const byPlace: IndexFunction<Ticket> = (ticket) => {
  const order = controllerOf(ticket)?.uid;
  const pin = pinOfTicket(ticket);
  return order === undefined || pin?.by !== 'name' ? NONE : [placeText(order, pin.value)];
};

/** Tickets are found by the UID of their predecessor, and by Order and node. */
export function indexTickets(tickets: Informer<Ticket>): void {
  tickets.addIndex(SUCCESSORS, byPredecessor);
  tickets.addIndex(PLACES, byPlace);
}

/** The Order that controls the Ticket; undefined: none, or it is gone. */
function orderOf(orders: Lister<Order>, ticket: Stored<Ticket>): Stored<Order> | undefined {
  const reference = controllerOf(ticket);
  if (reference?.kind !== 'Order') return undefined;
  const order = orders.get(reference.name, ticket.metadata.namespace);
  return order?.metadata.uid === reference.uid ? order : undefined;
}

/** What only this process knows of a Ticket. */
export interface KnownFacts {
  readonly toldAt?: number | undefined;
  readonly handover?: HandoverMemory | undefined;
}

export function factsOf(
  caches: TicketCaches,
  ticket: Stored<Ticket>,
  { toldAt, handover }: KnownFacts,
  now: number,
): TicketFacts {
  const order = orderOf(caches.orders, ticket);
  const children = caches.guardians.of(ticket.metadata.uid);
  const shades = children.filter(isShade);
  const guardians = shades.length === 0 ? children : children.filter((pod) => !isShade(pod));
  return {
    ticket,
    guardians,
    shades,
    claimant: claimantIn(caches, ticket, handover?.gone),
    follower: isCovering(ticket) ? followerOf(caches, ticket) : undefined,
    isFollowed: isCovering(ticket) && isFollowed(order, ticket),
    refusedClaim: handover?.refused,
    inheritance: phaseOf(ticket) === TICKET_PHASES.pending ? inheritanceOf(caches, ticket) : undefined,
    heir: heirOf(caches, ticket, guardians),
    expiresAt: ticket.status?.expirationTime === undefined ? windowEnd(ticket) : effectiveExpiry(ticket, order),
    renews: renews(order, ticket),
    keepsFinished: keepsFinished(order, ticket),
    mayMake: markOf(ticket) === undefined && cordonedNode(caches.nodes, ticket) === undefined,
    toldAt,
    now,
  };
}

/** The claimant as the cache shows it. @param gone UID of the claimant that the API server does not have. */
function claimantIn({ guardians }: TicketCaches, ticket: Stored<Ticket>, gone: string | undefined): Claimant {
  if (!isHanded(ticket)) return 'none';
  const { podNamespace = '', podName = '', podUID = '' } = ticket.status?.claim ?? {};
  if (podUID === '') return 'none';
  const pod = guardians.named(podName, podNamespace);
  if (pod?.metadata.uid === podUID) return pod;
  return gone === podUID ? 'gone' : 'unseen';
}

/** The guardian without a node of the next Ticket of the same Order that is pinned to the node of this one. */
function followerOf(caches: TicketCaches, ticket: Stored<Ticket>): Stored<Pod> | 'served' | undefined {
  const order = controllerOf(ticket)?.uid;
  const node = ticket.status?.nodeName ?? '';
  if (order === undefined || node === '') return undefined;
  for (const other of caches.tickets.lister.byIndex(PLACES, placeText(order, node))) {
    if (other.metadata.uid === ticket.metadata.uid || isBeingDeleted(other) || isFinished(other)) continue;
    if (isHeld(other)) return 'served';
    for (const pod of caches.guardians.of(other.metadata.uid)) {
      if (isShade(pod) || !isAlive(pod)) continue;
      return (pod.spec.nodeName ?? '') === '' ? pod : 'served';
    }
  }
  return undefined;
}

/** A claimant is, or may be, about to leave the slot. */
const isCovering = (ticket: Stored<Ticket>): boolean => phaseOf(ticket) === TICKET_PHASES.claimed;

/**
 * The name of the node that the Ticket is pinned to, where the node is cordoned: a guardian that tolerates everything would come back
 * onto a node that is being drained. The Order controller marks such a Ticket, but may not have done so yet.
 */
export function cordonedNode(nodes: Lister<Node>, ticket: Stored<Ticket>): string | undefined {
  const pin = pinOfTicket(ticket);
  if (pin?.by !== 'name') return undefined;
  const node = nodes.get(pin.value);
  return node !== undefined && isCordoned(node) ? pin.value : undefined;
}

function heirOf(caches: TicketCaches, ticket: Stored<Ticket>, guardians: readonly Stored<Pod>[]): Heir {
  const successors = caches.tickets.lister.byIndex(SUCCESSORS, ticket.metadata.uid);
  if (successors.size === 0) return 'none';
  let heir: Heir = 'none';
  for (const cached of successors) {
    const successor = caches.written.latest(cached);
    if (successor === undefined || isBeingDeleted(successor)) continue;
    if (successor.metadata.namespace !== ticket.metadata.namespace) continue;
    const own = caches.guardians.of(successor.metadata.uid).filter((pod) => !isShade(pod));
    const isWaiting =
      phaseOf(successor) === TICKET_PHASES.pending &&
      guardians.some((pod) => isFitFor(successor, pod, ticket) && isOfUse(pod, own));
    if (isWaiting) return 'waiting';
    heir = 'served';
  }
  return heir;
}

function inheritanceOf(caches: TicketCaches, ticket: Stored<Ticket>): Stored<Pod> | undefined {
  const predecessor = predecessorOf(ticket);
  if (predecessor !== '')
    for (const pod of caches.guardians.of(predecessor)) {
      const holder = holderOf(caches, pod);
      // A guardian that is being handed over stands until that is done.
      const isClaimed = holder !== undefined && isHanded(holder);
      if (!isShade(pod) && isFitFor(ticket, pod, holder) && !isClaimed) return pod;
    }
  const name = adoptedName(ticket);
  const adopted = name === undefined ? undefined : caches.guardians.named(name, ticket.metadata.namespace);
  return adopted !== undefined && isAdoptable(ticket, adopted) ? adopted : undefined;
}

/**
 * Whether the guardian is what the Ticket would make: alive, in its namespace, of its Order, and made from the same fields or for a
 * Ticket that counts as made from the same template.
 *
 * @param holder the Ticket that has the guardian; undefined where it is gone.
 */
const isFitFor = (ticket: Stored<Ticket>, pod: Stored<Pod>, holder: Stored<Ticket> | undefined): boolean =>
  isAlive(pod) &&
  pod.metadata.namespace === ticket.metadata.namespace &&
  isOfSameOrder(ticket, pod, holder) &&
  (hashOf(pod) === guardianHash(ticket.spec) || (holder !== undefined && isAlike(ticket, pod, holder)));

/** An Order that adopts a Ticket does not touch its guardian, whose labels may name a former Order, or none. */
function isOfSameOrder(ticket: Stored<Ticket>, pod: Stored<Pod>, holder: Stored<Ticket> | undefined): boolean {
  const order = holder === undefined ? undefined : controllerOf(holder);
  if (order !== undefined) return order.uid === controllerOf(ticket)?.uid;
  return labelOf(pod.metadata.labels, LABEL.orderUid) === labelOf(ticket.metadata.labels, LABEL.orderUid);
}

/** The Order has judged, when it adopted the holder, that the two reserve the same; the holder may only be pinned in another way. */
const isAlike = (ticket: Stored<Ticket>, pod: Stored<Pod>, holder: Stored<Ticket>): boolean =>
  templateHashOf(holder) !== '' &&
  templateHashOf(holder) === templateHashOf(ticket) &&
  hashOf(pod) === guardianHash(holder.spec);

const hashOf = ({ metadata }: Stored<Pod>): string | undefined => labelOf(metadata.labels, LABEL.guardianHash);

/** The Ticket that controls the guardian; undefined where it is gone. */
function holderOf({ tickets, written }: TicketCaches, pod: Stored<Pod>): Stored<Ticket> | undefined {
  const owner = controllerOf(pod);
  const cached = owner === undefined ? undefined : tickets.lister.get(owner.name, pod.metadata.namespace);
  return cached === undefined || cached.metadata.uid !== owner?.uid ? undefined : written.latest(cached);
}

/** Name of the pod that the Ticket is told to make its guardian. */
export const adoptedName = ({ metadata }: Ticket): string | undefined =>
  labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.adoptedGuardian);

/** The label with the hash is the consent: only somebody who may change the pod can have given it. */
export const isAdoptable = (ticket: Stored<Ticket>, pod: Stored<Pod>): boolean =>
  controllerOf(pod) === undefined &&
  (pod.spec.nodeName ?? '') !== '' &&
  isAlive(pod) &&
  pod.metadata.namespace === ticket.metadata.namespace &&
  labelOf(pod.metadata.labels, LABEL.guardianHash) === guardianHash(ticket.spec);
