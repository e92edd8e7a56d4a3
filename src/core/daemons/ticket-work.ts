/** What an Order does about the Tickets of one place: which to create, delete, mark and extend. */
import { ticketPlan } from '../api/kinds/reservation/order-plan.ts';
import type { Node } from '../api/types/core-v1.ts';
import type { OrderDefinition } from './order-definition.ts';
import { REFRESH_TABLE } from './refresh-table.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { isForATime, stayOf } from './ticket-grace.ts';
import { holdsGuardian, isFinished, isRefused, markOf, type NewMark, predecessorOf, timeOf } from './ticket-phase.ts';
import { heirOf, isHeldBy, isOfTemplate, isReserved, type SortedTickets, sortTickets } from './ticket-sorts.ts';
import { type Succession, successionOf, type TicketCreation } from './ticket-succession.ts';
import { NODE_KNOWN, SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';

type RemovalCause =
  | 'node-gone'
  /** Another node has the name now. */
  | 'node-replaced'
  /** Labels or a NoExecute taint, or a slot that is not wanted any more. */
  | 'not-eligible'
  | 'grace-over'
  | 'toleration-over'
  | 'duplicate'
  /** Its successor has the guardian, or cannot be placed before this one is gone. */
  | 'succeeded'
  | 'outdated';

interface TicketRemoval {
  readonly ticket: DaemonTicket;
  readonly why: RemovalCause;
}

/** The condition NodeEligible of a Ticket is to be written; without a mark the node is eligible again. */
export interface TicketMarking {
  readonly ticket: DaemonTicket;
  readonly mark: NewMark | undefined;
}

/** Removals go first: a new Ticket may need the room. */
export interface TicketWork {
  readonly create: TicketCreation | undefined;
  readonly remove: readonly TicketRemoval[];
  readonly mark: readonly TicketMarking[];
  /** Reserved Tickets that the tick gives another duration. */
  readonly extend: readonly DaemonTicket[];
}

/** The work with the facts that judgements are made from. */
export interface Assessment extends SortedTickets {
  readonly work: TicketWork;
  readonly succession: Succession | undefined;
  /** Tickets that stay for a time only, until this (epoch ms); Infinity where none does. */
  readonly stayUntil: number;
}

const NONE: readonly never[] = Object.freeze([]);

/** @param tickets best first, without those that are over. */
export const manageTickets = (
  definition: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  tickets: readonly DaemonTicket[],
  now: number,
): TicketWork => assess(definition, verdict, node, tickets, now).work;

export function assess(
  definition: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  tickets: readonly DaemonTicket[],
  now: number,
): Assessment {
  const sorted = sortTickets(node, tickets);
  const { live, handed, former } = sorted;
  const remove: TicketRemoval[] = former
    .filter((ticket) => !isFinished(ticket) || isUseless(definition, ticket))
    .map((ticket) => ({ ticket, why: 'node-replaced' }));
  const because = (why: RemovalCause, list: readonly DaemonTicket[]): void => {
    for (const ticket of list) remove.push({ ticket, why });
  };
  const finish = (rest: Partial<TicketWork>, succession?: Succession, stayUntil = Infinity): Assessment => ({
    ...sorted,
    work: { create: undefined, mark: NONE, extend: NONE, ...rest, remove },
    succession,
    stayUntil,
  });
  const holders = sorted.ended.filter(holdsGuardian);
  if ((verdict & NODE_KNOWN) === 0) {
    because('node-gone', [...handed, ...live, ...sorted.ended.filter((ticket) => isUseless(definition, ticket))]);
    return finish({});
  }
  if ((verdict & SHOULD_CONTINUE) === 0) {
    because('not-eligible', [...live, ...holders]);
    return finish({});
  }

  const stayUntil = isForATime(verdict) ? stay(definition, verdict, node, [...live, ...holders], now) : undefined;
  if (stayUntil !== undefined) remove.push(...stayUntil.remove);
  const gone = new Set(remove.map(({ ticket }) => ticket));
  const { kept, succeeded, duplicates } = keepOne(
    definition,
    verdict,
    sorted,
    live.filter((ticket) => !gone.has(ticket)),
  );
  because('succeeded', succeeded);
  because('duplicate', duplicates);
  const mark = stayUntil?.mark ?? [...kept, ...holders].filter((ticket) => markOf(ticket) !== undefined).map(unmark);
  const extend = kept.filter((ticket) => isToBeExtended(definition, ticket));
  if ((verdict & SHOULD_RUN) === 0) {
    if (stayUntil === undefined)
      because(
        'not-eligible',
        holders.filter((each) => heirOf(each, sorted) === undefined),
      );
    const isGoing = new Set(remove.map(({ ticket }) => ticket));
    return finish({ extend, mark: mark.filter(({ ticket }) => !isGoing.has(ticket)) }, undefined, stayUntil?.until);
  }

  const succession = successionOf(definition, sorted, kept);
  if (succession.replaced !== undefined) because('outdated', [succession.replaced]);
  because(
    'succeeded',
    holders.filter((each) => blocks(each, sorted)),
  );
  because('duplicate', heirless(definition, sorted, holders, succession));
  const isGoing = new Set(remove.map(({ ticket }) => ticket));
  return finish(
    {
      create: succession.create,
      extend: extend.filter((ticket) => !isGoing.has(ticket)),
      mark: mark.filter(({ ticket }) => !isGoing.has(ticket)),
    },
    succession,
  );
}

/**
 * Finished Tickets of a node that is gone: guardians are held for nobody there, and where no Ticket would have followed, nothing else
 * deletes them (see `keepsFinished`). Those that are to be kept are kept.
 */
const isUseless = ({ strategy, refresh }: OrderDefinition, ticket: DaemonTicket): boolean =>
  holdsGuardian(ticket) ||
  (REFRESH_TABLE[strategy][refresh].expired === 'end' && ticketPlan(ticket.spec).ttlSeconds !== undefined);

const unmark = (ticket: DaemonTicket): TicketMarking => ({ ticket, mark: undefined });

interface StayingTickets {
  readonly remove: readonly TicketRemoval[];
  readonly mark: readonly TicketMarking[];
  readonly until: number;
}

function stay(
  definition: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  tickets: readonly DaemonTicket[],
  now: number,
): StayingTickets {
  const remove: TicketRemoval[] = [];
  const mark: TicketMarking[] = [];
  let until = Infinity;
  for (const ticket of tickets) {
    const each = stayOf(definition, verdict, node, ticket, now);
    if (each.until <= now) remove.push({ ticket, why: each.why });
    else {
      until = Math.min(until, each.until);
      if (each.mark !== undefined) mark.push({ ticket, mark: each.mark });
    }
  }
  return { remove, mark, until };
}

interface Kept {
  readonly kept: readonly DaemonTicket[];
  readonly succeeded: readonly DaemonTicket[];
  readonly duplicates: readonly DaemonTicket[];
}

/**
 * One live Ticket a place, the best; of several that hold room one of the template, whose room need not be given up; and beside it the one that is about to take over its guardian.
 *
 * @param live best first.
 */
function keepOne(
  { templateHash }: OrderDefinition,
  verdict: number,
  sorted: SortedTickets,
  live: readonly DaemonTicket[],
): Kept {
  if (live.length < 2 && sorted.handed.length === 0) return { kept: live, succeeded: NONE, duplicates: NONE };
  const hasHeir = (ticket: DaemonTicket): boolean =>
    isHeldBy(heirOf(ticket, sorted)) ||
    ((verdict & SHOULD_RUN) !== 0 && !isOfTemplate(templateHash, ticket) && blocks(ticket, sorted));
  const succeeded = live.filter(hasHeir);
  const rest = succeeded.length === 0 ? live : live.filter((ticket) => !succeeded.includes(ticket));
  const best = rest.find((each) => isReserved(each) && isOfTemplate(templateHash, each)) ?? rest[0];
  if (best === undefined) return { kept: rest, succeeded, duplicates: NONE };
  // The heir may have the guardian already, so it stays although the template has changed again.
  const heir = rest.find((each) => predecessorOf(each) === best.metadata.uid && !isRefused(each));
  const kept = heir === undefined ? [best] : [best, heir];
  return { kept, succeeded, duplicates: rest.filter((each) => !kept.includes(each)) };
}

/** Its successor could not take over the guardian, and finds no room for one of its own. */
function blocks(ticket: DaemonTicket, sorted: SortedTickets): boolean {
  const heir = heirOf(ticket, sorted);
  return heir !== undefined && isRefused(heir);
}

/** Expired Tickets that hold room which no Ticket will take over. */
function heirless(
  { strategy, refresh }: OrderDefinition,
  sorted: SortedTickets,
  holders: readonly DaemonTicket[],
  { create, heldOutdated }: Succession,
): readonly DaemonTicket[] {
  // In all other cases the guardian of an expired Ticket is deleted with its time.
  if (REFRESH_TABLE[strategy][refresh].expired !== 'succeed') return NONE;
  // A Ticket that holds nothing yet may find room beside this one; if it does not, it needs this one's.
  const [best] = sorted.live;
  if (best !== undefined && !isReserved(best) && !isRefused(best)) return NONE;
  return holders.filter(
    (each) => each !== heldOutdated && each.metadata.uid !== create?.takesOver && heirOf(each, sorted) === undefined,
  );
}

/** Reserved before the tick, and not extended by it yet. */
export function isToBeExtended({ strategy, refresh, tick }: OrderDefinition, ticket: DaemonTicket): boolean {
  if (tick === undefined || REFRESH_TABLE[strategy][refresh].tick.held !== 'extend' || !isReserved(ticket))
    return false;
  const { activationTime, renewedTime } = ticket.status ?? {};
  return Math.max(timeOf(activationTime) ?? 0, timeOf(renewedTime) ?? 0) < tick;
}
