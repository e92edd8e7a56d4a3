import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderDefinition } from './order-definition.ts';
import { anyDefinition, anyTicketWish, makeTicket, readyNode, SECOND } from './testing/ticket-samples.ts';
import { type DaemonTicket, ticketChild } from './ticket-child.ts';
import { holdsGuardian, isHanded, phaseOf, predecessorOf, withMark } from './ticket-phase.ts';
import { assess } from './ticket-work.ts';
import { NODE_KNOWN } from './verdict.ts';

const NOW = 100 * SECOND;
const NODE = readyNode('n0', { labels: { zone: 'a' } }, 'node-a');
const { compare } = ticketChild();

const without = (ticket: DaemonTicket): DaemonTicket => {
  const { guardianPod: _guardianPod, ...status } = ticket.status ?? {};
  return { ...ticket, status };
};

/** The Ticket controller in short: guardians are taken over or made at once, and expired Tickets end. */
function guard(tickets: readonly DaemonTicket[]): readonly DaemonTicket[] {
  const taken = new Set<string>();
  const next = tickets.map((ticket) => {
    if (phaseOf(ticket) !== 'Pending' || ticket.metadata.deletionTimestamp !== undefined) return ticket;
    taken.add(predecessorOf(ticket));
    const { reason: _reason, ...status } = ticket.status ?? {};
    return { ...ticket, status: { ...status, phase: 'Reserved', activationTime: ticket.metadata.creationTimestamp } };
  });
  return next.map((ticket) => (taken.has(ticket.metadata.uid) && holdsGuardian(ticket) ? without(ticket) : ticket));
}

interface Round {
  readonly tickets: readonly DaemonTicket[];
  readonly isIdle: boolean;
}

/** The Order controller in short; Tickets that are being deleted are gone in the next round. */
function round(definition: OrderDefinition, known: readonly DaemonTicket[], number: number): Round {
  const sorted = known
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined || number === 0)
    .toSorted(compare);
  const { work } = assess(definition, definition.eligibility.judge(NODE) | NODE_KNOWN, NODE, sorted, NOW);
  const gone = new Set(work.remove.map(({ ticket }) => ticket));
  const marks = new Map(work.mark.map(({ ticket, mark }) => [ticket, mark] as const));
  const tickets = sorted
    .filter((ticket) => !gone.has(ticket))
    .map((ticket): DaemonTicket => {
      const status = { ...ticket.status };
      if (work.extend.includes(ticket)) Object.assign(status, { renewedTime: '2026-01-01T00:00:00Z' });
      const conditions = marks.has(ticket)
        ? withMark(status.conditions, marks.get(ticket), '2026-01-01T00:00:00Z')
        : undefined;
      return { ...ticket, status: conditions === undefined ? status : { ...status, conditions } };
    });
  if (work.create !== undefined) {
    const { takesOver } = work.create;
    const own = { uid: `made-${number}`, hash: definition.templateHash, createdAt: NOW, nodeUid: 'node-a' };
    tickets.push(makeTicket(takesOver === undefined ? own : { ...own, predecessor: takesOver }));
  }
  const isIdle = gone.size + work.mark.length + work.extend.length === 0 && work.create === undefined;
  return { tickets, isIdle };
}

describe('the work on a node', () => {
  it('comes to an end, and leaves one Ticket where one belongs', () => {
    fc.assert(
      fc.property(anyDefinition, fc.array(anyTicketWish, { maxLength: 4 }), (definition, wishes) => {
        let tickets: readonly DaemonTicket[] = wishes.map((wish, index) =>
          makeTicket({ ...wish, uid: `order/t${index}` }),
        );
        let isIdle = false;
        for (let number = 0; number < 12 && !isIdle; number += 1) {
          const next = round(definition, tickets, number);
          isIdle = next.isIdle && number > 0;
          tickets = guard(next.tickets);
        }
        expect(isIdle).toBe(true);
        const verdict = definition.eligibility.judge(NODE) | NODE_KNOWN;
        const { live, succession } = assess(definition, verdict, NODE, tickets.toSorted(compare), NOW);
        if (succession === undefined) return;
        const isFilled = live.length === 1;
        const isLeft =
          live.length === 0 && (succession.isEnded || succession.isClaimed || definition.strategy === 'Scheduled');
        expect(isFilled || isLeft || succession.heldOutdated !== undefined).toBe(true);
      }),
      { numRuns: 600 },
    );
  });

  it('frees no room that a Ticket holds for as long as one belongs there and its guardian fits', () => {
    const isHolding = (ticket: DaemonTicket): boolean =>
      phaseOf(ticket) === 'Reserved' || isHanded(ticket) || holdsGuardian(ticket);
    // Guardians of Tickets that have expired stand only where the Order passes them on.
    const passingOn = fc
      .tuple(anyDefinition, fc.constantFrom('OneTime', 'Recurring'), fc.constantFrom('OnClaim', 'Always'))
      .map(([definition, strategy, refresh]): OrderDefinition => ({ ...definition, strategy, refresh }));
    // A Ticket that finds no room gets that of one which has expired, so none has a reason here.
    const wish = anyTicketWish.map(({ predecessor: _predecessor, reason: _reason, ...rest }) => ({
      ...rest,
      isDeleting: false,
      isOtherSize: false,
      nodeUid: 'node-a',
    }));
    fc.assert(
      fc.property(passingOn, fc.array(wish, { maxLength: 3 }), (definition, wishes) => {
        const held = makeTicket({ uid: 'held', phase: 'Expired', hasGuardian: true });
        let tickets: readonly DaemonTicket[] = [
          held,
          ...wishes.map((each, index) => makeTicket({ ...each, uid: `order/t${index}` })),
        ];
        for (let number = 0; number < 6; number += 1) {
          tickets = round(definition, tickets, number).tickets;
          if (!tickets.some(isHolding)) expect(tickets).toContain('a Ticket that holds room');
          tickets = guard(tickets);
        }
      }),
      { numRuns: 500 },
    );
  });
});
