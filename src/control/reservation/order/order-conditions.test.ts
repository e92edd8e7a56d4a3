import { describe, expect, it } from 'vitest';
import { orderConditions, type OrderFacts } from './order-conditions.ts';

const NOTHING = { count: 0, names: [] };
const RESTING: OrderFacts = {
  mode: 'nodes',
  isPaused: false,
  wanted: 5,
  available: 5,
  updated: 5,
  claimed: 0,
  ended: 0,
  missing: 0,
  surplus: 0,
  outdated: 0,
  refused: { ...NOTHING, why: [] },
  failure: undefined,
  noNodes: undefined,
  overlaps: { ...NOTHING, orders: [] },
  misfits: { ...NOTHING, resources: [] },
  nextTick: undefined,
  startsAt: undefined,
};

const say = (facts: Partial<OrderFacts>): { readonly [type: string]: string } =>
  Object.fromEntries(
    orderConditions({ ...RESTING, ...facts }).map(({ type, status, reason, message }) => [
      type,
      `${status} ${reason}: ${message}`,
    ]),
  );

describe('conditions of an Order', () => {
  it('at rest are all there, and none is a complaint', () => {
    expect(say({})).toEqual({
      Ready: 'True TicketsAvailable: 5 of 5 Tickets are available',
      Progressing: 'False Complete: there is nothing to do',
      Failure: 'False NoFailure: ',
      Fits: 'True NoneRefused: ',
      NodesEligible: 'True NodesEligible: 5 nodes are eligible',
      Overlaps: 'False NoOverlap: ',
    });
  });

  it('are without those of nodes where there are replicas', () => {
    expect(Object.keys(say({ mode: 'slots' }))).toEqual(['Ready', 'Progressing', 'Failure', 'Fits']);
  });

  it.each<[string, Partial<OrderFacts>, string, string]>([
    [
      'nothing made yet',
      { available: 0, updated: 0, missing: 5 },
      'Progressing',
      'True ChangingTickets: 5 Tickets to be made, 0 Tickets to be deleted',
    ],
    [
      'guardians to come',
      { available: 2 },
      'Progressing',
      'True WaitingForGuardians: Tickets wait for their guardians',
    ],
    ['guardians to come', { available: 2 }, 'Ready', 'False TicketsUnavailable: 2 of 5 Tickets are available'],
    [
      'a changed template',
      { updated: 2, outdated: 3 },
      'Progressing',
      'True ReplacingTickets: 2 of 5 Tickets made from the present template',
    ],
    [
      'a pause',
      { isPaused: true, missing: 2 },
      'Progressing',
      'Unknown Paused: the Order is paused: Tickets are neither made, renewed nor removed',
    ],
    [
      'a tick to come',
      { available: 0, updated: 0, nextTick: 0 },
      'Ready',
      'False TicketsUnavailable: 0 of 5 Tickets are available; the next tick of the schedule is at 1970-01-01T00:00:00Z',
    ],
    [
      'a tick to come',
      { available: 0, updated: 0, nextTick: 0 },
      'Progressing',
      'False WaitingForTick: Tickets are made at the next tick of the schedule',
    ],
    [
      'a start to come',
      { available: 0, startsAt: 0 },
      'Ready',
      'False TicketsUnavailable: 0 of 5 Tickets are available; they start at 1970-01-01T00:00:00Z',
    ],
    [
      'a start to come',
      { available: 0, startsAt: 0 },
      'Progressing',
      'True WaitingForStart: Tickets get their guardians at 1970-01-01T00:00:00Z',
    ],
    [
      'claims that stand',
      { available: 3, claimed: 2 },
      'Ready',
      'True TicketsAvailable: 3 of 5 Tickets are available, 2 claimed',
    ],
    [
      'Tickets that ended',
      { available: 3, updated: 3, ended: 2 },
      'Ready',
      'False TicketsEnded: 3 of 5 Tickets are available, 2 ended, and not to be renewed',
    ],
    [
      'Tickets that ended',
      { available: 3, updated: 3, ended: 2 },
      'Progressing',
      'False Complete: there is nothing to do',
    ],
    [
      'no node',
      { wanted: 0, available: 0, updated: 0, noNodes: 'the cluster has no nodes' },
      'Ready',
      'False NoEligibleNodes: the cluster has no nodes',
    ],
    [
      'no node',
      { wanted: 0, available: 0, updated: 0, noNodes: 'the cluster has no nodes' },
      'NodesEligible',
      'False NoEligibleNodes: the cluster has no nodes',
    ],
    [
      'a refusal',
      { failure: { reason: 'TicketFailed', message: 'exceeded quota' } },
      'Failure',
      'True TicketFailed: exceeded quota',
    ],
    [
      'no room',
      { refused: { count: 12, names: ['a', 'b'], why: ['Insufficient cpu'] } },
      'Fits',
      'False NoRoom: no room for 12 of 5 Tickets (Insufficient cpu): a, b and 10 more',
    ],
    [
      'no room for a replica',
      { mode: 'slots', refused: { count: 1, names: ['0'], why: [] } },
      'Fits',
      'False NoRoom: no room for 1 of 5 Tickets',
    ],
    [
      'another Order',
      { overlaps: { count: 1, names: ['a'], orders: ['default/b'] } },
      'Overlaps',
      'True NodesShared: 1 node is wanted by other Orders too (default/b): a',
    ],
  ])('tell of %s', (_what, facts, type, text) => {
    expect(say(facts)[type]).toBe(text);
  });
});
