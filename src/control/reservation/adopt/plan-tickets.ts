/** Which Tickets made by hand an Order can adopt, and why not the others. Pure. */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { isTerminating } from '../../../core/daemons/ticket-child.ts';
import { isFinished } from '../../../core/daemons/ticket-phase.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf, isControlledBy } from '../../../core/kube/owner-references.ts';
import { shortResources } from '../ticket/guardian-state.ts';
import { refused, type TicketAdoption } from './adoption.ts';
import { nodeNameOf, type OrderState, placesOf } from './places.ts';

export interface TicketPlanState extends OrderState {
  /** The Tickets to be adopted. */
  readonly selected: readonly Stored<Ticket>[];
}

export function planTickets(state: TicketPlanState): readonly TicketAdoption[] {
  const { order, nodes } = state;
  const places = placesOf(state);
  const plan = (ticket: Stored<Ticket>): TicketAdoption => {
    const node = nodeNameOf(ticket, nodes);
    const about = { ticket, ...(node === undefined ? {} : { node }) };
    if (isControlledBy(ticket, order)) return { ...about, outcome: 'already' };
    const owner = controllerOf(ticket);
    if (owner !== undefined) return { ...about, ...refused(`belongs to ${owner.kind} ${owner.name}`) };
    if (isTerminating(ticket)) return { ...about, ...refused('is being deleted') };
    if (isFinished(ticket))
      return {
        ...about,
        ...refused(`is ${ticket.status?.phase} and holds no room`, 'delete it: the Order reserves room itself'),
      };
    const known = node === undefined ? undefined : nodes.get(node);
    if (known === undefined) {
      const why = node === undefined ? 'is pinned to no node and holds no room yet' : `there is no node ${node}`;
      return { ...about, ...refused(why, 'repeat the command when it is Reserved, or delete it') };
    }
    const short = shortfall(places.sample(known), ticket);
    if (short !== '')
      return {
        ...about,
        ...refused(`reserves less than the template: ${short}`, 'lower the requests of the template'),
      };
    const place = places.take(known);
    if (place.outcome === 'refused') return { ...about, ...place };
    return { ...about, outcome: 'adopt', model: place.model };
  };
  return state.selected.map(plan);
}

function shortfall(model: Ticket, { spec }: Ticket): string {
  const short = shortResources(model, podOf(spec));
  return short.map(({ name, have, want }) => `${name} ${have} of ${want}`).join(', ');
}

/** A pod that requests what the Ticket reserves. */
const podOf = ({ resources }: TicketSpec): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: '' },
  spec: { containers: [{ name: 'guardian', ...(resources === undefined ? {} : { resources }) }] },
});
