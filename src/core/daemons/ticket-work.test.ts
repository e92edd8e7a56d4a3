import { describe, expect, it } from 'vitest';
import { makeDefinition, makeTicket, readyNode, SECOND, type TicketWish } from './testing/ticket-samples.ts';
import type { OrderDefinition } from './order-definition.ts';
import { ticketChild } from './ticket-child.ts';
import { manageTickets, type TicketWork } from './ticket-work.ts';
import { NODE_KNOWN, SHOULD_CONTINUE, SHOULD_RUN } from './verdict.ts';

const ELIGIBLE = SHOULD_RUN | SHOULD_CONTINUE | NODE_KNOWN;
const { compare } = ticketChild();

function work(
  wishes: readonly TicketWish[],
  more: Partial<OrderDefinition> = {},
  verdict = ELIGIBLE,
  nodeUid = 'node-a',
): TicketWork {
  const tickets = wishes.map((wish, index) => makeTicket({ uid: `t${index}`, ...wish })).toSorted(compare);
  return manageTickets(makeDefinition(more), verdict, readyNode('n0', {}, nodeUid), tickets, 100 * SECOND);
}

const removed = ({ remove }: TicketWork): readonly string[] =>
  remove.map(({ ticket, why }) => `${ticket.metadata.uid} ${why}`);

describe('the Tickets of one node', () => {
  it('are one: the best stays, then the oldest', () => {
    expect(removed(work([{}, { phase: 'Reserved' }]))).toEqual(['t0 duplicate']);
    expect(removed(work([{ createdAt: 2000 }, { createdAt: 1000 }]))).toEqual(['t0 duplicate']);
    expect(removed(work([{ phase: 'Reserved' }, { phase: 'Reserved' }, {}]))).toEqual(['t1 duplicate', 't2 duplicate']);
  });

  it('are left alone once they are given to a pod', () => {
    const handed: readonly TicketWish[] = [
      { phase: 'Claimed' },
      { phase: 'Claiming' },
      { phase: 'Claimed', hash: 'old' },
    ];
    expect(removed(work(handed))).toEqual([]);
    expect(removed(work(handed, {}, NODE_KNOWN))).toEqual([]);
    expect(removed(work([...handed, { phase: 'Reserved' }]))).toEqual([]);
  });

  it('are not followed by another one while one is being deleted', () => {
    expect(work([{ phase: 'Reserved', isDeleting: true }]).create).toBeUndefined();
    expect(work([{ phase: 'Expired', isDeleting: true }]).create).toBeUndefined();
    expect(work([]).create).toBeDefined();
  });

  it('of a former node of the same name go, claimed or not, and a new one comes', () => {
    const former: readonly TicketWish[] = [
      { phase: 'Reserved', nodeUid: 'node-b' },
      { phase: 'Claimed', nodeUid: 'node-b' },
    ];
    const now = work(former);
    expect(removed(now)).toEqual(['t1 node-replaced', 't0 node-replaced']);
    expect(now.create).toEqual({ takesOver: undefined, cause: 'vacant', byTick: false });
    expect(work([{ phase: 'Expired', hasGuardian: true, nodeUid: 'node-b' }]).create?.takesOver).toBeUndefined();
    expect(removed(work([{ phase: 'Reserved', nodeUid: 'node-a' }]))).toEqual([]);
    expect(removed(work([{ phase: 'Reserved' }]))).toEqual([]);
  });

  it('that record the end of a Never Order go with their node, unless they are to be retained', () => {
    const ended: TicketWish = { phase: 'Expired' };
    expect(removed(work([ended], { refresh: 'Never' }, 0))).toEqual(['t0 node-gone']);
    expect(removed(work([ended], { refresh: 'Always' }, 0))).toEqual([]);
    const ticket = makeTicket({ ...ended, uid: 't0' });
    const retained = { ...ticket, spec: { ...ticket.spec, cleanupPolicy: 'Retain' } };
    const definition = makeDefinition({ refresh: 'Never' });
    expect(manageTickets(definition, 0, undefined, [retained], 0).remove).toEqual([]);
  });

  it('stay under a NoSchedule taint, but none is made and none succeeds there', () => {
    expect(removed(work([{ phase: 'Reserved' }], {}, SHOULD_CONTINUE | NODE_KNOWN))).toEqual([]);
    const expired = work([{ phase: 'Expired', hasGuardian: true }], {}, SHOULD_CONTINUE | NODE_KNOWN);
    expect(expired.create).toBeUndefined();
    expect(removed(expired)).toEqual(['t0 not-eligible']);
  });

  describe('when a changed template passes a guardian on', () => {
    const old: TicketWish = { phase: 'Reserved', hash: 'old' };
    it('are two until the successor has it', () => {
      expect(removed(work([old, { predecessor: 't0' }]))).toEqual([]);
      expect(work([old, { predecessor: 't0' }]).create).toBeUndefined();
      expect(removed(work([old, { predecessor: 't0', phase: 'Reserved' }]))).toEqual(['t0 succeeded']);
      expect(removed(work([old, { predecessor: 't0', phase: 'Claimed' }]))).toEqual(['t0 succeeded']);
    });
    it('lose the old one where the successor could not take the guardian and finds no room', () => {
      expect(removed(work([old, { predecessor: 't0', reason: 'Unschedulable' }]))).toEqual(['t0 succeeded']);
      expect(removed(work([old, { predecessor: 't0', reason: 'GuardianLost' }]))).toEqual([]);
      const expired: TicketWish = { phase: 'Expired', hasGuardian: true };
      expect(removed(work([expired, { predecessor: 't0', reason: 'Unschedulable' }]))).toEqual(['t0 succeeded']);
    });
    it('lose no room when the template changes again on the way', () => {
      const again = { templateHash: 'newer' };
      // The heir may have the guardian already, though it does not look Reserved yet.
      expect(removed(work([old, { predecessor: 't0' }], again))).toEqual([]);
      expect(removed(work([old, { predecessor: 't0', phase: 'Reserved' }], again))).toEqual(['t0 succeeded']);
    });
    it('change back by way of the heir when the template does, which may have the guardian already', () => {
      const { create, ...rest } = work([old, { predecessor: 't0' }], { templateHash: 'old' });
      expect(create).toBeUndefined();
      expect(removed({ create, ...rest })).toEqual([]);
      const reserved = work([old, { predecessor: 't0', phase: 'Reserved' }], { templateHash: 'old' });
      expect(removed(reserved)).toEqual(['t0 succeeded']);
    });
  });

  it('that have expired pass their guardian on to one successor', () => {
    const expired: TicketWish = { phase: 'Expired', hasGuardian: true };
    expect(work([expired]).create).toEqual({ takesOver: 't0', cause: 'expired', byTick: false });
    expect(work([expired, { predecessor: 't0' }]).create).toBeUndefined();
    // Its successor was deleted by hand before it took the guardian: another one follows.
    expect(
      work([
        { phase: 'Expired', createdAt: 0 },
        { ...expired, createdAt: 1000 },
      ]).create?.takesOver,
    ).toBe('t1');
  });

  it('that have expired hold no room for nobody', () => {
    const expired: TicketWish = { phase: 'Expired', hasGuardian: true };
    expect(removed(work([expired, { phase: 'Reserved' }]))).toEqual(['t0 duplicate']);
    expect(removed(work([expired, { phase: 'Pending', reason: 'Unschedulable' }]))).toEqual(['t0 duplicate']);
    expect(removed(work([expired, { phase: 'Pending' }]))).toEqual([]);
    expect(removed(work([expired, { phase: 'Claimed' }], { refresh: 'Always' }))).toEqual(['t0 duplicate']);
    // The Ticket controller deletes the guardian itself where none succeeds.
    expect(removed(work([expired, { phase: 'Reserved' }], { refresh: 'Never' }))).toEqual([]);
  });

  it('that have expired with a guardian that must change wait for their turn', () => {
    const outdated = work([{ phase: 'Expired', hasGuardian: true, hash: 'old', isOtherSize: true }]);
    expect(outdated.create).toBeUndefined();
    expect(removed(outdated)).toEqual([]);
    expect(work([{ phase: 'Expired', hash: 'old', isOtherSize: true }]).create).toBeDefined();
  });
});
