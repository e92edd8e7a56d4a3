import { describe, expect, it } from 'vitest';
import type { Order, OrderStatus } from '../../core/api/types/korder-v1alpha1.ts';
import { orderNotes, ordersTable, orderView } from './order-view.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

function order(name: string, spec: Order['spec'], status?: OrderStatus, metadata: object = {}): Order {
  return {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: { name, namespace: 'shop', generation: 1, ...metadata },
    spec,
    ...(status === undefined ? {} : { status: { observedGeneration: 1, ...status } }),
  };
}

const condition = (type: string, status: string, reason: string, message = '') => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-03-01T11:00:00Z',
});

const daemon: Order['spec'] = { daemonSet: true, strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' } };
const recurring: Order['spec'] = {
  daemonSet: true,
  strategy: { type: 'Recurring', schedule: '0 */6 * * *', timeZone: 'Europe/Berlin', refreshPolicy: 'Always' },
  template: { spec: { duration: '8h' } },
};
const buffer: Order['spec'] = { replicas: 3, refreshPolicy: 'Never' };
const counts = { replicas: 5, availableReplicas: 5, updatedReplicas: 5, terminalReplicas: 1 };

const all = [
  order('agents', daemon, { ...counts, conditions: [condition('Ready', 'True', 'TicketsAvailable')] }),
  order('gpu', recurring, {
    ...counts,
    availableReplicas: 3,
    lastScheduleTime: '2026-03-01T11:00:00Z',
    nextScheduleTime: '2026-03-01T17:00:00Z',
    conditions: [
      condition('Ready', 'False', 'TicketsUnavailable', '3 of 5 Tickets are available'),
      condition('Fits', 'False', 'NoRoom', 'no room for 2 of 5 Tickets (Insufficient cpu): node-1, node-2'),
    ],
  }),
  order('buffer', buffer),
];

describe('the table of Orders', () => {
  it('has what is wanted, what is there and when the next tick comes', () => {
    const options = { now: NOW, isWide: false, withNamespace: false };
    expect(
      `\n${ordersTable(
        all.map((each) => orderView(each)),
        options,
      )}`,
    ).toBe(`
NAME     MODE        STATE        WANTED   AVAILABLE   STRATEGY    REFRESH   NEXT-TICK
agents   daemonSet   ready        5        5           OneTime     OnClaim   -
gpu      daemonSet   no-room      5        3           Recurring   Always    in 5h
buffer   replicas    unobserved   -        -           OneTime     Never     -
`);
  });

  it('has times, schedules and finished Tickets when it is wide', () => {
    const options = { now: NOW, isWide: true, withNamespace: true };
    expect(`\n${ordersTable(all.slice(1).map(orderView), options)}`).toBe(`
NAMESPACE   NAME     MODE        STATE        WANTED   AVAILABLE   STRATEGY    REFRESH   NEXT-TICK              UPDATED   FINISHED   DURATION   SCHEDULE                    LAST-TICK
shop        gpu      daemonSet   no-room      5        3           Recurring   Always    2026-03-01T17:00:00Z   5         1          8h         0 */6 * * * Europe/Berlin   2026-03-01T11:00:00Z
shop        buffer   replicas    unobserved   -        -           OneTime     Never     -                      -         -          endless    -                           -
`);
  });

  it('says below why not, and where each node is told of', () => {
    expect(
      orderNotes(
        all.map((each) => orderView(each)),
        false,
      ),
    ).toEqual([
      'shop/gpu: no room for 2 of 5 Tickets (Insufficient cpu): node-1, node-2',
      'shop/gpu: node by node: everynode tickets gpu -n shop',
      'shop/buffer: no controller has acted on the newest spec yet: the controller `reservation` of everynode must run',
    ]);
  });
});

describe('the state of an Order', () => {
  const seen = (conditions: NonNullable<OrderStatus['conditions']>, spec = daemon, metadata: object = {}) =>
    orderView(order('o', spec, { conditions }, metadata));
  const notReady = condition('Ready', 'False', 'TicketsUnavailable', '0 of 2 Tickets are available');

  it.each([
    ['failed', seen([condition('Failure', 'True', 'InvalidOrder', 'spec.x: bad'), notReady]), ['spec.x: bad']],
    [
      'no-nodes',
      seen([condition('NodesEligible', 'False', 'NoEligibleNodes', '2 nodes are cordoned')]),
      ['2 nodes are cordoned'],
    ],
    ['progressing', seen([notReady, condition('Progressing', 'True', 'WaitingForGuardians')]), [notReady.message]],
    ['waiting', seen([notReady, condition('Progressing', 'False', 'WaitingForTick')]), [notReady.message]],
    ['waiting', seen([notReady, condition('Progressing', 'True', 'WaitingForStart')]), [notReady.message]],
    ['ended', seen([condition('Ready', 'False', 'TicketsEnded', '2 ended')]), ['2 ended']],
    ['paused', seen([notReady], { ...daemon, paused: true }), [notReady.message]],
    ['deleting', seen([], daemon, { deletionTimestamp: '2026-03-01T11:00:00Z' }), []],
    ['unobserved', seen([notReady], daemon, { generation: 2 }), [expect.stringContaining('no controller has acted')]],
  ])('is %s', (state, view, whyNot) => expect(view).toMatchObject({ state, whyNot }));

  it('tells of overlapping Orders where there is too little room, or when it is asked for', () => {
    const overlap = condition('Overlaps', 'True', 'NodesShared', '5 nodes are wanted by shop/gpu too');
    const ready = condition('Ready', 'True', 'TicketsAvailable', 'all');
    const short = condition('Fits', 'False', 'NoRoom', 'no room for 1 Ticket');
    expect(seen([ready, overlap])).toMatchObject({ whyNot: [], overlaps: overlap.message });
    expect(seen([ready, { ...overlap, reason: 'NodesTooSmall' }]).whyNot).toEqual([overlap.message]);
    expect(seen([notReady, short, overlap]).whyNot).toEqual([short.message, overlap.message]);
    expect(orderNotes([seen([ready, overlap])], false)).toEqual([]);
    expect(orderNotes([seen([ready, overlap])], true)).toEqual([`shop/o: ${overlap.message}`]);
  });

  it('lets no message forge lines', () => {
    const view = seen([condition('Failure', 'True', 'X', 'one\nshop/other: fine\u001b[2J')]);
    expect(view.whyNot).toEqual(['one shop/other: fine\ufffd[2J']);
  });

  it('tells of Tickets that a deleted Order of the name left behind', () => {
    const ready = { ...counts, conditions: [condition('Ready', 'True', 'TicketsAvailable')] };
    expect(orderNotes([orderView(order('agents', daemon, ready), 3)], false)).toEqual([
      'shop/agents: 3 Tickets without a controller bear its name: everynode tickets agents -n shop says what to do',
    ]);
    expect(orderNotes([orderView(order('agents', daemon, ready))], false)).toEqual([]);
  });
});
