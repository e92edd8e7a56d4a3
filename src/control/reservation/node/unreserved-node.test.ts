import { describe, expect, it } from 'vitest';
import type { Node, Taint } from '../../../core/api/types/core-v1.ts';
import type { Order, OrderSpec, Ticket, TicketStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { SHOULD_CONTINUE, SHOULD_RUN, TEMPORARY } from '../../../core/daemons/verdict.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { describeWaits, isBeingSetUp, isOpen, taintIndex, waitsFor } from './unreserved-node.ts';

const NOW = Date.UTC(2026, 0, 1);
const stored = { uid: 'order', resourceVersion: '1', creationTimestamp: formatTime(NOW) };

const order = (spec: Partial<OrderSpec> = {}, status: Order['status'] = {}): Stored<Order> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'rooms', namespace: 'team', ...stored },
  spec: { daemonSet: true, strategy: { type: 'OneTime' }, ...spec },
  status,
});
const ticket = (status: TicketStatus, spec: Ticket['spec'] = {}): Stored<Ticket> => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 'room',
    namespace: 'team',
    ...stored,
    uid: 'ticket',
    ownerReferences: [
      { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: 'rooms', uid: 'order', controller: true },
    ],
  },
  spec,
  status,
});
const WANTED = SHOULD_RUN | SHOULD_CONTINUE;
const failing = { conditions: [{ type: 'Failure', status: 'True', reason: 'x', message: '', lastTransitionTime: '' }] };
const later = { template: { spec: { startTime: formatTime(NOW + 60_000) } } };

describe('a node waits for an Order', () => {
  it.each<[string, Stored<Order>, number, readonly Stored<Ticket>[]]>([
    ['that has no Ticket yet', order(), WANTED, []],
    ['whose Ticket is Pending', order(), WANTED, [ticket({})]],
    ['whose guardian was lost', order(), WANTED, [ticket({ phase: 'Pending', reason: 'GuardianLost' })]],
    ['that is to renew its Ticket', order(), WANTED, [ticket({ phase: 'Expired' })]],
    ['for which the node is not ready', order(), SHOULD_CONTINUE | TEMPORARY, []],
  ])('%s', (_what, given, verdict, tickets) => {
    expect(waitsFor({ order: given, verdict, tickets }, NOW)).toBeDefined();
  });
});

describe('a node does not wait for an Order', () => {
  it.each<[string, Stored<Order>, number, readonly Stored<Ticket>[]]>([
    ['that does not want it', order(), 0, []],
    ['that wants it no more', order(), SHOULD_CONTINUE, []],
    ['with replicas', order({ daemonSet: false }), WANTED, []],
    ['that is paused', order({ paused: true }), WANTED, []],
    ['whose room is held', order(), WANTED, [ticket({ phase: 'Reserved' })]],
    ['whose room was claimed', order(), WANTED, [ticket({ phase: 'Claimed' })]],
    ['without room', order(), WANTED, [ticket({ phase: 'Pending', reason: 'Unschedulable' })]],
    ['whose guardian was refused', order(), WANTED, [ticket({ phase: 'Pending', reason: 'GuardianCreateFailed' })]],
    ['whose guardian is too small', order(), WANTED, [ticket({ phase: 'Pending', reason: 'GuardianTooSmall' })]],
    ['that cannot make Tickets, and says so', order({}, failing), WANTED, []],
    ['of a schedule, before its tick', order({ strategy: { type: 'Scheduled', schedule: '0 3 * * *' } }), WANTED, []],
    ['that begins later', order(later), WANTED, []],
    ['whose Ticket begins later', order(), WANTED, [ticket({}, later.template.spec)]],
    ['that has ended', order({ refreshPolicy: 'Never' }), WANTED, [ticket({ phase: 'Expired' })]],
  ])('%s', (_what, given, verdict, tickets) => {
    expect(waitsFor({ order: given, verdict, tickets }, NOW)).toBe(undefined);
  });
});

describe('a node', () => {
  const node = (spec: Node['spec'], ready = 'True'): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'node' },
    spec,
    status: { conditions: [{ type: 'Ready', status: ready }] },
  });
  const taint = (key: string, effect = 'NoSchedule'): Taint => ({ key, effect });

  it('is open when it is Ready and not cordoned', () => {
    expect(isOpen(node({}))).toBe(true);
    expect(isOpen(node({}, 'False'))).toBe(false);
    expect(isOpen(node({ unschedulable: true }))).toBe(false);
  });

  it('has the taint by key and effect', () => {
    expect(taintIndex(node({ taints: [taint('a'), taint('everynode.dev/unreserved')] }))).toBe(1);
    expect(taintIndex(node({ taints: [taint('everynode.dev/unreserved', 'NoExecute')] }))).toBe(-1);
    expect(taintIndex(node({}))).toBe(-1);
  });

  it.each([
    ['node.cloudprovider.kubernetes.io/uninitialized', true],
    ['node.cilium.io/agent-not-ready', true],
    ['karpenter.sh/unregistered', true],
    ['dedicated', false],
    ['everynode.dev/unreserved', false],
  ])('with the taint %s is being set up: %s', (key, isSetUp) => {
    expect(isBeingSetUp(node({ taints: [taint(key)] }))).toBe(isSetUp);
  });
});

it('an event names ten Orders at most', () => {
  const waits = Array.from({ length: 12 }, () => ({ order: order(), why: 'no Ticket yet' }));
  expect(describeWaits(waits.slice(0, 1))).toBe('team/rooms (no Ticket yet)');
  expect(describeWaits(waits)).toMatch(
    /^(team\/rooms \(no Ticket yet\), ){9}team\/rooms \(no Ticket yet\) and 2 more$/,
  );
});
