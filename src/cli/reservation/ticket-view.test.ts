import { describe, expect, it } from 'vitest';
import type { Node } from '../../core/api/types/core-v1.ts';
import type { Ticket, TicketSpec, TicketStatus } from '../../core/api/types/korder-v1alpha1.ts';
import { inPlace } from './places.ts';
import { ticketNotes } from './ticket-notes.ts';
import { presentTickets, ticketsTable, ticketView, type TicketView } from './ticket-view.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

const viewOf = (each: Ticket, nodes: readonly Node[] = []): TicketView => ticketView(each, { now: NOW, nodes });

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

const views = all.map((each) => viewOf(each)).toSorted(inPlace);

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
    const late = viewOf(ticket('agents-0', 'node-1', { phase: 'Expired' }));
    const names = presentTickets([late, ...views]).map(({ name }) => name);
    expect(names).toEqual(views.map(({ name }) => name));
    expect(names).toContain('agents-e');
  });

  it('says that room is held without end', () => {
    const endless = viewOf(ticket('t', 'n', { phase: 'Reserved', activationTime: held.activationTime }));
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

  it('says when a Ticket starts', () => {
    const spec = { startTime: '2026-03-02T08:00:00Z' };
    const [note] = ticketNotes([viewOf({ ...ticket('t', 'node-1', { phase: 'Pending' }), spec })], false);
    expect(note).toBe('shop/agents (t): NotStarted: the Ticket starts at 2026-03-02T08:00:00Z');
    const late = viewOf({ ...ticket('t', 'node-1', {}), spec: { startTime: '2026-03-01T08:00:00Z' } });
    expect(late.whyNot?.reason).toBe('GuardianPending');
  });

  it('says once what the API server says of the guardian of each Ticket', () => {
    const denied = (name: string, node: string): TicketView =>
      viewOf(
        ticket(name, node, {
          phase: 'Pending',
          reason: 'GuardianCreateFailed',
          message: `pods "${name}-6qz4x" is forbidden: no PriorityClass with name nosuch was found`,
        }),
      );
    expect(ticketNotes([denied('agents-a', 'node-1'), denied('agents-b', 'node-2')], false)).toEqual([
      'shop/agents on node-1, node-2: GuardianCreateFailed: pods "agents-a-6qz4x" is forbidden: no PriorityClass with name nosuch was found',
      '    create the PriorityClass, or leave priorityClassName out of the template',
    ]);
  });

  it('says that a node is too small, however empty it is', () => {
    const node = (name: string, cpu: string): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name },
      spec: {},
      status: { allocatable: { cpu, memory: '16Gi' } },
    });
    const nodes = [node('node-1', '4'), node('node-2', '96'), node('node-3', '4')];
    const asking = (name: string, at: string | undefined): TicketView => {
      const given = ticket(name, at, refused);
      return viewOf(
        { ...given, spec: { ...given.spec, resources: { requests: { memory: '1Gi', cpu: '64' } } } },
        nodes,
      );
    };
    expect(ticketNotes([asking('a', 'node-1'), asking('b', 'node-2'), asking('c', 'node-3')], false)).toEqual([
      `shop/agents on node-1, node-3: Unschedulable: ${FULL}`,
      '    node node-1 has only 4 cpu in all, and 64 are asked for: reserve less in Order agents, or leave the node out',
      `shop/agents on node-2: Unschedulable: ${FULL}`,
      '    free cpu on node-2 (kubectl describe node node-2 lists who requests it), or reserve less in Order agents',
    ]);
    const anywhere = ticket('d', undefined, refused);
    const spec = { resources: { requests: { cpu: '100' } } };
    expect(viewOf({ ...anywhere, spec }, nodes).whyNot?.fix).toBe(
      'no node has more than 96 cpu in all, and 100 are asked for: reserve less in Order agents, or add a larger node',
    );
    expect(viewOf({ ...anywhere, spec: {} }, nodes).whyNot?.fix).toMatch(/^free cpu on some node/);
  });

  it('names few nodes and few reasons however many there are', () => {
    const many = Array.from({ length: 500 }, (_, index) =>
      viewOf(ticket(`t-${index}`, `node-${index}`, { ...refused, message: `${FULL} ${index % 12}` })),
    );
    const notes = ticketNotes(many, false);
    expect(notes).toHaveLength(21);
    expect(notes[0]).toMatch(/^shop\/agents on node-\d+, node-\d+, node-\d+ and 39 more: /);
    expect(ticketNotes(many, true)).toHaveLength(24);
    expect(notes.at(-1)).toBe('… and 2 other reasons: -o wide or -o json has all');
  });
});

describe('what to do about a Ticket', () => {
  const fix = (status: TicketStatus): string | undefined => viewOf(ticket('t', 'node-1', status)).whyNot?.fix;
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
    expect(viewOf(orphan).whyNot).toEqual({
      reason: 'Orphaned',
      message: 'the Ticket bears the name of Order agents, but no Order controls it',
      fix: 'adopt it: everynode orders adopt agents -n shop --tickets korder.dev/order=agents; or give its room back: kubectl delete ticket left -n shop',
    });
    expect(viewOf({ ...orphan, status: { phase: 'Expired' } }).whyNot?.reason).toBe('Expired');
    expect(presentTickets([viewOf(orphan), viewOf(ticket('old', 'node-1', { phase: 'Expired' }))])).toHaveLength(2);
  });

  it('is nothing where room is held', () => {
    for (const phase of ['Reserved', 'Claiming', 'Claimed']) expect(fix({ phase })).toBeUndefined();
  });
});
