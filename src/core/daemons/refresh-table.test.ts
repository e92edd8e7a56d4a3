import { describe, expect, it } from 'vitest';
import type { OrderStrategyType, RefreshPolicy } from '../api/kinds/reservation/order-plan.ts';
import { REFRESH_TABLE } from './refresh-table.ts';
import { makeDefinition, makeTicket, readyNode, SECOND, type TicketWish } from './testing/ticket-samples.ts';
import { ticketChild } from './ticket-child.ts';
import { manageTickets } from './ticket-work.ts';
import { NODE_KNOWN, SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';

const NOW = 100 * SECOND;
const TICK = 50 * SECOND;
const ELIGIBLE = SHOULD_RUN | SHOULD_CONTINUE | NODE_KNOWN;
const { compare } = ticketChild();

/** What is done at a place with these Tickets, in one word. */
function answer(
  strategy: OrderStrategyType,
  refresh: RefreshPolicy,
  wishes: readonly TicketWish[],
  tick: number | undefined,
  verdict: number = ELIGIBLE,
): string {
  const definition = makeDefinition({ strategy, refresh, tick });
  const tickets = wishes.map((wish, index) => makeTicket({ uid: `t${index}`, ...wish })).toSorted(compare);
  const node = (verdict & NODE_KNOWN) === 0 ? undefined : readyNode('n0');
  const { create, remove, extend } = manageTickets(definition, verdict, node, tickets, NOW);
  const words = [
    ...remove.map(({ ticket, why }) => `delete ${ticket.metadata.uid} (${why})`),
    ...(create === undefined ? [] : [create.takesOver === undefined ? 'create' : `take over ${create.takesOver}`]),
    ...(extend.length === 0 ? [] : ['extend']),
  ];
  return words.length === 0 ? 'nothing' : words.join(', ');
}

type Row = readonly [oneTime: string, scheduled: string, recurring: string];
interface Event {
  readonly what: string;
  readonly tickets: readonly TicketWish[];
  readonly tick?: number;
  readonly verdict?: number;
  readonly rows: { readonly [refresh in RefreshPolicy]: Row };
}

const same = (row: Row): Event['rows'] => ({ OnClaim: row, Always: row, Never: row });
const expired: TicketWish = { phase: 'Expired', at: 40 * SECOND };
/** The Ticket controller keeps the guardian of an expired Ticket exactly where it is to be passed on. */
const expiredHolding: TicketWish = { ...expired, hasGuardian: true };
const gone = 'delete t0 (node-gone)';

const EVENTS: readonly Event[] = [
  { what: 'start, a node joins, or a Ticket was deleted', tickets: [], rows: same(['create', 'nothing', 'create']) },
  {
    what: 'a tick finds no Ticket',
    tickets: [],
    tick: TICK,
    rows: same(['create', 'create', 'create']),
  },
  {
    what: 'claimed',
    tickets: [{ phase: 'Claimed', at: 40 * SECOND }],
    rows: {
      OnClaim: ['create', 'nothing', 'nothing'],
      Always: ['nothing', 'nothing', 'nothing'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'being claimed',
    tickets: [{ phase: 'Claiming' }],
    tick: TICK,
    rows: same(['nothing', 'nothing', 'nothing']),
  },
  {
    what: 'a tick finds a claimed Ticket',
    tickets: [{ phase: 'Claimed', at: 40 * SECOND }],
    tick: TICK,
    rows: {
      OnClaim: ['create', 'create', 'create'],
      Always: ['nothing', 'nothing', 'nothing'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'claimed after the tick that is being carried out',
    tickets: [{ phase: 'Claimed', at: 60 * SECOND }],
    tick: TICK,
    rows: {
      OnClaim: ['create', 'nothing', 'nothing'],
      Always: ['nothing', 'nothing', 'nothing'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'expired, the guardian stands',
    tickets: [expiredHolding],
    rows: {
      OnClaim: ['take over t0', 'nothing', 'take over t0'],
      Always: ['take over t0', 'nothing', 'take over t0'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'expired, the guardian is lost',
    tickets: [expired],
    rows: {
      OnClaim: ['create', 'nothing', 'create'],
      Always: ['create', 'nothing', 'create'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'a tick finds an expired Ticket',
    tickets: [expired],
    tick: TICK,
    rows: {
      OnClaim: ['create', 'create', 'create'],
      Always: ['create', 'create', 'create'],
      Never: ['nothing', 'nothing', 'create'],
    },
  },
  {
    what: 'expired after it was made at the tick that is being carried out',
    tickets: [{ ...expired, createdAt: TICK, at: 55 * SECOND }],
    tick: TICK,
    rows: {
      OnClaim: ['create', 'nothing', 'create'],
      Always: ['create', 'nothing', 'create'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'released',
    tickets: [{ phase: 'Released', at: 40 * SECOND }],
    rows: {
      OnClaim: ['create', 'nothing', 'create'],
      Always: ['create', 'nothing', 'create'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'a tick finds a Reserved Ticket',
    tickets: [{ phase: 'Reserved', at: 10 * SECOND }],
    tick: TICK,
    rows: {
      OnClaim: ['nothing', 'nothing', 'nothing'],
      Always: ['nothing', 'nothing', 'extend'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'a tick finds a Ticket that it has extended',
    tickets: [{ phase: 'Reserved', at: 10 * SECOND, renewedAt: TICK }],
    tick: TICK,
    rows: same(['nothing', 'nothing', 'nothing']),
  },
  {
    what: 'a tick finds a Ticket that was Reserved after it',
    tickets: [{ phase: 'Reserved', at: 51 * SECOND }],
    tick: TICK,
    rows: same(['nothing', 'nothing', 'nothing']),
  },
  {
    what: 'Reserved, between ticks',
    tickets: [{ phase: 'Reserved' }],
    rows: same(['nothing', 'nothing', 'nothing']),
  },
  { what: 'the node is gone', tickets: [{ phase: 'Reserved' }], verdict: 0, rows: same([gone, gone, gone]) },
  {
    what: 'the node is gone with its claimed Ticket',
    tickets: [{ phase: 'Claimed' }],
    verdict: 0,
    rows: same([gone, gone, gone]),
  },
  {
    what: 'the node does not match any more',
    tickets: [{ phase: 'Reserved' }],
    verdict: NODE_KNOWN,
    rows: same(['delete t0 (not-eligible)', 'delete t0 (not-eligible)', 'delete t0 (not-eligible)']),
  },
  {
    what: 'the template changed, the guardian need not',
    tickets: [{ phase: 'Reserved', hash: 'old' }],
    rows: same(['take over t0', 'nothing', 'take over t0']),
  },
  {
    what: 'the template changed, the guardian need not, and a tick comes',
    tickets: [{ phase: 'Reserved', hash: 'old', at: 60 * SECOND }],
    tick: TICK,
    rows: same(['take over t0', 'take over t0', 'take over t0']),
  },
  {
    what: 'the template changed while a Ticket holds nothing yet',
    tickets: [{ phase: 'Pending', hash: 'old', isOtherSize: true }],
    rows: same(['delete t0 (outdated), create', 'nothing', 'delete t0 (outdated), create']),
  },
  {
    // Replaced node by node, as planReplacements allows.
    what: 'the template changed and the guardian must',
    tickets: [{ phase: 'Reserved', hash: 'old', isOtherSize: true }],
    rows: same(['nothing', 'nothing', 'nothing']),
  },
  {
    what: 'the template changed, and the Ticket is claimed',
    tickets: [{ phase: 'Claimed', hash: 'old', isOtherSize: true }],
    rows: {
      OnClaim: ['create', 'nothing', 'nothing'],
      Always: ['nothing', 'nothing', 'nothing'],
      Never: ['nothing', 'nothing', 'nothing'],
    },
  },
  {
    what: 'the template changed after the Ticket expired: a new one begins',
    tickets: [{ ...expired, hash: 'old' }],
    rows: same(['create', 'nothing', 'create']),
  },
];

const STRATEGIES: readonly OrderStrategyType[] = ['OneTime', 'Scheduled', 'Recurring'];
const POLICIES: readonly RefreshPolicy[] = ['OnClaim', 'Always', 'Never'];

describe('what an Order does', () => {
  const cells = EVENTS.flatMap((event) =>
    POLICIES.flatMap((refresh) =>
      STRATEGIES.map(
        (strategy, index) => [event.what, strategy, refresh, event, event.rows[refresh][index] ?? ''] as const,
      ),
    ),
  );
  it.each(cells)('%s: %s, %s', (_what, strategy, refresh, { tickets, tick, verdict }, expected) => {
    // A OneTime Order has no schedule, so no tick either.
    const openTick = strategy === 'OneTime' ? undefined : tick;
    expect(answer(strategy, refresh, tickets, openTick, verdict)).toBe(expected);
  });
});

describe('the refresh table', () => {
  it('is what the documentation shows', () => {
    const text = STRATEGIES.flatMap((strategy) =>
      POLICIES.map((refresh) => {
        const { tick, ...row } = REFRESH_TABLE[strategy][refresh];
        return `${strategy} ${refresh}: ${Object.values(row).join(' ')} | ${Object.values(tick).join(' ')}`;
      }),
    );
    // vacant, claimed, expired, template changed, node gone | tick: vacant, claimed, expired, held
    expect(text).toEqual([
      'OneTime OnClaim: create create succeed replace delete | nothing nothing nothing nothing',
      'OneTime Always: create nothing succeed replace delete | nothing nothing nothing nothing',
      'OneTime Never: create nothing end replace delete | nothing nothing nothing nothing',
      'Scheduled OnClaim: wait wait wait wait delete | create create create nothing',
      'Scheduled Always: wait nothing wait wait delete | create nothing create nothing',
      'Scheduled Never: wait nothing end wait delete | create nothing nothing nothing',
      'Recurring OnClaim: create wait succeed replace delete | create create create nothing',
      'Recurring Always: create nothing succeed replace delete | create nothing create extend',
      'Recurring Never: create nothing end replace delete | create nothing create nothing',
    ]);
  });
});
