/** Whether a place that should have a Ticket gets a new one now, and from whom it takes over the guardian. */
import { TICKET_PHASES } from '../api/names.ts';
import type { OrderDefinition } from './order-definition.ts';
import { REFRESH_TABLE } from './refresh-table.ts';
import { guardianHash } from './reservation-hash.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { holdsGuardian, isRefused, predecessorOf, timeOf } from './ticket-phase.ts';
import { isOfTemplate, isReserved, type SortedTickets } from './ticket-sorts.ts';

export interface TicketCreation {
  /** UID of the Ticket whose guardian the new one takes over. */
  readonly takesOver: string | undefined;
  readonly cause: 'vacant' | 'claimed' | 'expired' | 'template';
  /** Only a tick of the schedule allows it. */
  readonly byTick: boolean;
}

export interface Succession {
  readonly create: TicketCreation | undefined;
  /** A Ticket that holds nothing and is replaced at once. */
  readonly replaced: DaemonTicket | undefined;
  /** A Ticket of a former template whose guardian must change. Its room is given up only when few others are free. */
  readonly heldOutdated: DaemonTicket | undefined;
  /** `heldOutdated` may go only because a tick has come. */
  readonly outdatedByTick: boolean;
  /** The Ticket has ended and none will follow. */
  readonly isEnded: boolean;
  /** The room is not the Order's to fill: a claimed Ticket has it, and none follows yet. */
  readonly isClaimed: boolean;
}

const NOTHING: Succession = Object.freeze({
  create: undefined,
  replaced: undefined,
  heldOutdated: undefined,
  outdatedByTick: false,
  isEnded: false,
  isClaimed: false,
});

/**
 * For places that should have a Ticket.
 *
 * @param kept live Tickets that stay, best first.
 */
export function successionOf(
  definition: OrderDefinition,
  sorted: SortedTickets,
  kept: readonly DaemonTicket[],
): Succession {
  const [best] = kept;
  if (best !== undefined) return kept.length === 1 ? renewTemplate(definition, best) : NOTHING;
  const { handed, leaving } = sorted;
  if (handed.some(({ status }) => status?.phase === TICKET_PHASES.claiming)) return { ...NOTHING, isClaimed: true };
  const claimed = handed.length === 0 ? undefined : afterClaim(definition, handed);
  if (claimed === 'nothing') return { ...NOTHING, isClaimed: true };
  // Room that is still being given up is not there for another Ticket.
  if (leaving.length > 0) return NOTHING;
  return afterEnd(definition, sorted, claimed);
}

/** One live Ticket, perhaps of a former template. */
function renewTemplate(definition: OrderDefinition, best: DaemonTicket): Succession {
  if (isOfTemplate(definition.templateHash, best)) return NOTHING;
  const byTick = REFRESH_TABLE[definition.strategy][definition.refresh].templateChanged === 'wait';
  if (byTick && definition.tick === undefined) return NOTHING;
  const create = { takesOver: undefined, cause: 'template', byTick } as const;
  // One that takes over a guardian may have it already: it is Reserved in a moment, and passes it on then.
  if (!isReserved(best) && predecessorOf(best) !== '' && !isRefused(best)) return NOTHING;
  if (!isReserved(best)) return { ...NOTHING, create, replaced: best };
  return canPassOn(definition, best)
    ? { ...NOTHING, create: { ...create, takesOver: best.metadata.uid } }
    : { ...NOTHING, heldOutdated: best, outdatedByTick: byTick };
}

const canPassOn = (definition: OrderDefinition, ticket: DaemonTicket): boolean =>
  isOfTemplate(definition.templateHash, ticket) || guardianHash(ticket.spec) === definition.guardianHash;

type Claimed = 'nothing' | Pick<TicketCreation, 'byTick'>;

function afterClaim({ strategy, refresh, tick }: OrderDefinition, handed: readonly DaemonTicket[]): Claimed {
  const row = REFRESH_TABLE[strategy][refresh];
  if (row.claimed === 'create') return { byTick: false };
  if (row.claimed === 'nothing' || row.tick.claimed === 'nothing' || tick === undefined) return 'nothing';
  return handed.every((ticket) => claimedAt(ticket) <= tick) ? { byTick: true } : 'nothing';
}

const claimedAt = ({ status, metadata }: DaemonTicket): number =>
  timeOf(status?.claimedTime) ?? timeOf(metadata.creationTimestamp) ?? 0;

/** No live Ticket, and none that was claimed counts. */
function afterEnd(
  definition: OrderDefinition,
  { ended, live }: SortedTickets,
  claimed: Pick<TicketCreation, 'byTick'> | undefined,
): Succession {
  const { strategy, refresh, tick } = definition;
  const row = REFRESH_TABLE[strategy][refresh];
  const [last] = ended;
  const isExpired = last?.status?.phase === TICKET_PHASES.expired;
  const holder = ended.find(
    (each) => holdsGuardian(each) && !live.some((heir) => predecessorOf(heir) === each.metadata.uid),
  );
  const isSucceeding = row.expired === 'succeed' && (isExpired || holder !== undefined);
  if (isSucceeding && holder !== undefined && !canPassOn(definition, holder))
    return { ...NOTHING, heldOutdated: holder };
  const takesOver = isSucceeding ? holder?.metadata.uid : undefined;
  const creation = (cause: TicketCreation['cause'], byTick: boolean): Succession => ({
    ...NOTHING,
    create: { takesOver, cause, byTick },
  });
  if (claimed !== undefined) return creation('claimed', claimed.byTick);
  if (last === undefined) return vacant(row.vacant, row.tick.vacant, tick, creation);
  if (isSucceeding) return creation('expired', false);
  // A tick acts once at a place, also if what it made has ended before the tick is done everywhere.
  const openTick = tick !== undefined && (timeOf(last.metadata.creationTimestamp) ?? 0) < tick ? tick : undefined;
  // A changed template begins anew where Tickets of the former one have ended.
  const isOver = row.expired === 'end' && isOfTemplate(definition.templateHash, last);
  if (isOver)
    return row.tick.expired === 'create' && openTick !== undefined
      ? creation('expired', true)
      : { ...NOTHING, isEnded: true };
  if (!isExpired || row.expired === 'end') return vacant(row.vacant, row.tick.vacant, openTick, creation);
  return openTick !== undefined && row.tick.expired === 'create' ? creation('expired', true) : NOTHING;
}

function vacant(
  now: 'create' | 'wait',
  atTick: 'create' | 'nothing',
  tick: number | undefined,
  creation: (cause: 'vacant', byTick: boolean) => Succession,
): Succession {
  if (now === 'create') return creation('vacant', false);
  return tick !== undefined && atTick === 'create' ? creation('vacant', true) : NOTHING;
}
