/** The Tickets of one place, told apart by what an Order may do with them. */
import { TICKET_PHASES } from '../api/names.ts';
import type { Node } from '../api/types/core-v1.ts';
import { compareAge, type DaemonTicket, isTerminating } from './ticket-child.ts';
import { isFinished, isHanded, isHeld, nodeUidOf, predecessorOf, templateHashOf } from './ticket-phase.ts';

export interface SortedTickets {
  /** Pending and Reserved ones, best first. Those of the other lists but `former` are made for this node, too. */
  readonly live: readonly DaemonTicket[];
  /** Claiming and Claimed: not the Order's to delete while the node is there. */
  readonly handed: readonly DaemonTicket[];
  /** Expired and Released, the newest first. */
  readonly ended: readonly DaemonTicket[];
  /** Being deleted, and not finished: their room is not free yet. */
  readonly leaving: readonly DaemonTicket[];
  /** Made for a former node of the same name, and not being deleted. */
  readonly former: readonly DaemonTicket[];
}

/** @param tickets best first. */
export function sortTickets(node: Node | undefined, tickets: readonly DaemonTicket[]): SortedTickets {
  const live: DaemonTicket[] = [];
  const handed: DaemonTicket[] = [];
  const ended: DaemonTicket[] = [];
  const leaving: DaemonTicket[] = [];
  const former: DaemonTicket[] = [];
  for (const ticket of tickets) {
    if (isFormer(node, ticket)) {
      if (!isTerminating(ticket)) former.push(ticket);
    } else if (isTerminating(ticket)) leaving.push(ticket);
    else if (isFinished(ticket)) ended.push(ticket);
    else if (isHanded(ticket)) handed.push(ticket);
    else live.push(ticket);
  }
  if (ended.length > 1) ended.sort((a, b) => compareAge(b, a));
  return { live, handed, ended, leaving, former };
}

/** Nodes of slots, and Tickets made by hand, have no UID to compare. */
export function isFormer(node: Node | undefined, ticket: DaemonTicket): boolean {
  const uid = node?.metadata.uid ?? '';
  const recorded = nodeUidOf(ticket);
  return uid !== '' && recorded !== '' && uid !== recorded;
}

export const isReserved = ({ status }: DaemonTicket): boolean => status?.phase === TICKET_PHASES.reserved;

/** The Ticket that is to take over the guardian of this one. */
export const heirOf = (ticket: DaemonTicket, { live, handed }: SortedTickets): DaemonTicket | undefined =>
  [...handed, ...live].find((each) => predecessorOf(each) === ticket.metadata.uid);

export const isHeldBy = (heir: DaemonTicket | undefined): boolean => heir !== undefined && isHeld(heir);

export const isOfTemplate = (hash: string, ticket: DaemonTicket): boolean => templateHashOf(ticket) === hash;
