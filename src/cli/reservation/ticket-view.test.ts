import { describe, expect, it } from 'vitest';
import type { Ticket, TicketSpec, TicketStatus } from '../../core/api/types/korder-v1alpha1.ts';
import { inPlace } from './places.ts';
import { ticketNotes } from './ticket-notes.ts';
import { presentTickets, ticketsTable, ticketView } from './ticket-view.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const pinned = (node: string): TicketSpec => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  },
});

const controller = (order: string) => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  name: order,
  uid: `${order}-uid`,
  controller: true,
});

const ticket = (name: string, node: string | undefined, status: TicketStatus, order = 'agents'): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name,
    namespace: 'shop',
    creationTimestamp: '2026-03-01T11:55:00Z',
    ...(order === '' ? {} : { labels: { 'korder.dev/order': order }, ownerReferences: [controller(order)] }),
  },
  spec: node === undefined ? {} : pinned(node),
  status,
});

const held = { activationTime: '2026-03-01T11:58:00Z', expirationTime: '2026-03-02T11:58:00Z' };
const FULL = "0/9 nodes are available: 1 Insufficient cpu, 8 node(s) didn't satisfy plugin(s) [NodeAffinity].";
const refused = { phase: 'Pending', reason: 'Unschedulable', message: FULL };

const all = [
  ticket('agents-c', 'node-10', refused),
  ticket('agents-a', 'node-1', { phase: 'Reserved', nodeName: 'node-1', guardianPod: 'shop/agents-a-x', ...held }),
  ticket('agents-b', 'node-2', refused),
  ticket('agents-d', 'node-3', {
    phase: 'Claimed',
    nodeName: 'node-3',
    ...held,
    claimedTime: '2026-03-01T11:59:30Z',
    claim: { podNamespace: 'shop', podName: 'scanner-1' },
  }),
  ticket('agents-e', 'node-4', {
    phase: 'Expired',
    ...held,
    expirationTime: '2026-03-01T11:50:00Z',
    finishedTime: '2026-03-01T11:50:00Z',
  }),
  ticket('by-hand', undefined, {}, ''),
];

const views = all.map(ticketView).toSorted(inPlace);

describe('the table of Tickets', () => {
  it('has a line for every Ticket, in the order of nodes', () => {
    expect(`\n${ticketsTable(views, { now: NOW, isWide: false, withNamespace: false })}`).toBe(`
TICKET     NODE      PHASE      SINCE     UNTIL     CLAIMED-BY       WHY-NOT
by-hand    -         Pending    5m ago    -         -                GuardianPending
agents-a   node-1    Reserved   2m ago    in 23h    -                -
agents-b   node-2    Pending    5m ago    -         -                Unschedulable
agents-d   node-3    Claimed    30s ago   in 23h    shop/scanner-1   -
agents-e   node-4    Expired    10m ago   10m ago   -                Expired
agents-c   node-10   Pending    5m ago    -         -                Unschedulable
`);
  });

  it('has guardians, Orders and full times when it is wide', () => {
    const text = ticketsTable(views.slice(1, 2), { now: NOW, isWide: true, withNamespace: true });
    expect(`\n${text}`).toBe(`
NAMESPACE   TICKET     NODE     PHASE      SINCE                  UNTIL                  CLAIMED-BY   WHY-NOT   ORDER    GUARDIAN
shop        agents-a   node-1   Reserved   2026-03-01T11:58:00Z   2026-03-02T11:58:00Z   -            -         agents   shop/agents-a-x
`);
  });

  it('leaves finished Tickets out where another one has taken their place', () => {
    const late = ticketView(ticket('agents-0', 'node-1', { phase: 'Expired' }));
    const names = presentTickets([late, ...views]).map(({ name }) => name);
    expect(names).toEqual(views.map(({ name }) => name));
    expect(names).toContain('agents-e');
  });

  it('says that room is held without end', () => {
    const endless = ticketView(ticket('t', 'n', { phase: 'Reserved', activationTime: held.activationTime }));
    expect(ticketsTable([endless], { now: NOW, isWide: false, withNamespace: false })).toMatch(
      /Reserved +2m ago +endless/,
    );
  });

  it('says below why not, once for all nodes with the same reason', () => {
    expect(ticketNotes(views, false)).toEqual([
      `shop/agents on node-2, node-10: Unschedulable: ${FULL}`,
      '    free cpu on node-2 (kubectl describe node node-2 lists who requests it), or reserve less in Order agents',
      'shop/by-hand: GuardianPending: the guardian does not run yet',
    ]);
  });

  it('names few nodes and few reasons however many there are', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      ticketView(ticket(`t-${index}`, `node-${index}`, { ...refused, message: `${FULL} ${index % 12}` })),
    );
    const notes = ticketNotes(many, false);
    expect(notes).toHaveLength(21);
    expect(notes[0]).toMatch(/^shop\/agents on node-\d+, node-\d+, node-\d+ and 39 more: /);
    expect(ticketNotes(many, true)).toHaveLength(24);
    expect(notes.at(-1)).toBe('… and 2 other reasons: -o wide or -o json has all');
  });
});

describe('what to do about a Ticket', () => {
  const fix = (status: TicketStatus): string | undefined => ticketView(ticket('t', 'node-1', status)).whyNot?.fix;
  const nodeEligible = (reason: string) => ({
    phase: 'Reserved',
    conditions: [{ type: 'NodeEligible', status: 'False', reason, message: 'm', lastTransitionTime: '' }],
  });

  it.each([
    [{ ...refused, message: '1 Too many pods' }, /remove a pod on node-1/],
    [{ ...refused, message: '1 node(s) had untolerated taint(s)' }, /tolerate the taint in Order agents/],
    [{ ...refused, message: '1 node(s) were unschedulable' }, /kubectl uncordon node-1/],
    [
      { ...refused, message: "1 node(s) didn't match pod topology spread constraints" },
      /loosen topologySpreadConstraints/,
    ],
    [{ ...refused, message: "1 node(s) didn't match Pod's node affinity/selector" }, /labels of nodes/],
    [{ ...refused, message: 'a plugin of yours' }, /kubectl describe pod/],
    [
      { phase: 'Pending', reason: 'GuardianCreateFailed', message: 'pods "g" is forbidden: exceeded quota: q' },
      /raise the ResourceQuota of namespace shop/,
    ],
    [
      { phase: 'Pending', reason: 'GuardianCreateFailed', message: 'no PriorityClass with name x was found' },
      /create the PriorityClass/,
    ],
    [{ phase: 'Pending', reason: 'GuardianCreateFailed', message: 'pods is forbidden: no' }, /rights of the operator/],
    [{ phase: 'Pending', reason: 'GuardianCreateFailed', message: 'boom' }, /kubectl describe ticket t -n shop/],
    [{ phase: 'Pending', reason: 'GuardianTooSmall', message: 'm' }, /LimitRange/],
    [{ phase: 'Pending', reason: 'GuardianLost', message: 'm' }, /another guardian follows/],
    [nodeEligible('NodeNotReady'), /kubectl describe node node-1/],
    [nodeEligible('NodeCordoned'), /kubectl uncordon node-1/],
    [{ phase: 'Expired' }, /^$/],
  ])('%j', (status, expected) => expect(fix(status)).toMatch(expected));

  it('is to adopt or delete it where it only bears the name of an Order', () => {
    const left = ticket('left', 'node-1', { phase: 'Reserved' });
    const orphan = { ...left, metadata: { ...left.metadata, ownerReferences: [] } };
    expect(ticketView(orphan).whyNot).toEqual({
      reason: 'Orphaned',
      message: 'the Ticket bears the name of Order agents, but no Order controls it',
      fix: 'adopt it: everynode orders adopt agents -n shop --tickets korder.dev/order=agents; or give its room back: kubectl delete ticket left -n shop',
    });
    expect(ticketView({ ...orphan, status: { phase: 'Expired' } }).whyNot?.reason).toBe('Expired');
    expect(
      presentTickets([ticketView(orphan), ticketView(ticket('old', 'node-1', { phase: 'Expired' }))]),
    ).toHaveLength(2);
  });

  it('is nothing where room is held', () => {
    for (const phase of ['Reserved', 'Claiming', 'Claimed']) expect(fix({ phase })).toBeUndefined();
  });
});
