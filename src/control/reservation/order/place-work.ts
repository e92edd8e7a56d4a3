/** The work of one reconcile, collected from the places that have some. */
import { WORK } from '../../../core/daemons/ticket-rules.ts';
import type { DaemonTicket } from '../../../core/daemons/ticket-child.ts';
import { manageTickets, type TicketMarking } from '../../../core/daemons/ticket-work.ts';
import type { KnownOrder } from './known-order.ts';
import type { OrderView } from './order-registry.ts';
import type { Creation } from './ticket-writer.ts';

export interface PlaceWork {
  readonly creations: readonly Creation[];
  readonly remove: readonly DaemonTicket[];
  readonly mark: readonly TicketMarking[];
  readonly extend: readonly DaemonTicket[];
  /** There are places that this reconcile does not come to. */
  readonly more: boolean;
}

/** Places worked at before the status is written again and other Orders are reconciled. */
const PLACES_PER_SYNC = 2000;
/** Statuses of Tickets are written at the pace of the server; node events wait meanwhile. */
const STATUSES_PER_SYNC = 500;

/** @param hasFailed places whose last create was refused: they come last, so that none keeps the others waiting. */
export function planWork(
  { board: { engine }, definition }: KnownOrder,
  view: OrderView,
  hasFailed: (place: number) => boolean,
  now: number,
): PlaceWork {
  const creations: Creation[] = [];
  const last: Creation[] = [];
  const remove: DaemonTicket[] = [];
  const mark: TicketMarking[] = [];
  const extend: DaemonTicket[] = [];
  let more = false;
  for (const place of view.listed(WORK)) {
    if (creations.length + remove.length >= PLACES_PER_SYNC || mark.length + extend.length >= STATUSES_PER_SYNC) {
      more = true;
      break;
    }
    const work = manageTickets(definition, view.verdict(place), engine.node(place), view.children(place), now);
    for (const { ticket } of work.remove) remove.push(ticket);
    if (work.create !== undefined) {
      const { takesOver } = work.create;
      const creation = { place, predecessor: view.predecessor(place), takesOver, waits: work.remove.length > 0 };
      (hasFailed(place) ? last : creations).push(creation);
    }
    mark.push(...work.mark);
    extend.push(...work.extend);
  }
  return { creations: last.length === 0 ? creations : [...creations, ...last], remove, mark, extend, more };
}
