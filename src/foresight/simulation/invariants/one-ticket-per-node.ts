/**
 * One Order never has two Tickets that wait for room or hold it on one node, but for a Ticket beside the one whose guardian it takes
 * over. A node that was created again under its name is another node; a Ticket records which of them it is for.
 */
import { RESERVATION_ANNOTATIONS } from '../../../core/api/names.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { targetOf, TICKETS } from '../cluster-view.ts';
import { resourceName } from '../commit.ts';
import type { InvariantFactory } from './invariant.ts';
import { isOpen } from './order-facts.ts';

export const oneTicketPerNode: InvariantFactory = () => ({
  name: 'one-ticket-per-node',
  committed({ key, object, type }, view) {
    if (resourceName(key) !== TICKETS || type === 'DELETED') return undefined;
    const ticket = object as Stored<Ticket>;
    const name = targetOf(ticket);
    const order = controllerOf(ticket);
    if (name === undefined || order === undefined || !isOpen(ticket)) return undefined;
    for (const other of view.ticketsOf(order.uid).values()) {
      if (other.metadata.uid === ticket.metadata.uid || !isOpen(other) || targetOf(other) !== name) continue;
      if (noted(ticket, 'nodeUid') !== noted(other, 'nodeUid')) continue;
      if (noted(ticket, 'predecessor') === other.metadata.uid || noted(other, 'predecessor') === ticket.metadata.uid)
        continue;
      return `${order.name} has two Tickets for ${name}: ${other.metadata.name}, ${ticket.metadata.name}`;
    }
    return undefined;
  },
});

const noted = ({ metadata }: Stored<Ticket>, what: 'nodeUid' | 'predecessor'): string | undefined =>
  metadata.annotations?.[RESERVATION_ANNOTATIONS[what]];
