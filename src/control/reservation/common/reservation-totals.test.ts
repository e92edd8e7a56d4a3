import { describe, expect, it } from 'vitest';
import type { Order, Quota, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { countOrders, quotaLimits, quotaUsage, type Sums, totalTickets } from './reservation-totals.ts';

const entries = (sums: Sums) =>
  Object.fromEntries([...sums.entries()].map(({ labels, value }) => [labels.join(' '), value]));

const ticket = (namespace: string, phase: string | undefined, requests?: object, labels = {}): Ticket =>
  ({
    metadata: { name: 't', namespace, labels },
    spec: requests === undefined ? {} : { resources: { requests } },
    ...(phase === undefined ? {} : { status: { phase } }),
  }) as unknown as Ticket;
const order = (namespace: string, type: string): Order =>
  ({
    metadata: { name: 'o', namespace, labels: { team: namespace } },
    spec: { strategy: { type } },
  }) as unknown as Order;
const quota = (spec: object): Quota => ({ metadata: { name: 'q' }, spec }) as unknown as Quota;

it('Orders are counted by namespace and strategy', () => {
  const orders = [order('a', 'OneTime'), order('a', 'OneTime'), order('b', 'Recurring')];
  expect(entries(countOrders(orders))).toEqual({ 'a OneTime': 2, 'b Recurring': 1 });
});

it('Tickets are counted by phase, and the resources of those that hold or held room summed up', () => {
  const requests = { cpu: '500m', memory: '1Gi', 'example.com/gpu': '2' };
  const { phases, reserved, claimed } = totalTickets([
    ticket('a', 'Reserved', requests),
    ticket('a', 'Reserved', requests),
    ticket('a', 'Claiming', { cpu: '1' }),
    ticket('a', 'Claimed', { cpu: '2' }),
    ticket('a', undefined, { cpu: '64' }),
    ticket('b', 'Expired', { cpu: '64' }),
  ]);
  expect(entries(phases)).toEqual({ 'a Reserved': 2, 'a Claiming': 1, 'a Claimed': 1, 'a Pending': 1, 'b Expired': 1 });
  expect(entries(reserved)).toEqual({
    'a cpu cores': 2,
    'a memory bytes': 2 * 2 ** 30,
    'a example.com/gpu count': 4,
  });
  expect(entries(claimed)).toEqual({ 'a cpu cores': 2 });
});

describe('the use of a Quota', () => {
  const orders = [order('a', 'OneTime'), order('b', 'OneTime')];
  const tickets = [
    ticket('a', 'Reserved', { cpu: '1' }, { team: 'a' }),
    ticket('b', 'Pending', { cpu: '2' }, { team: 'b' }),
    ticket('b', 'Expired', { cpu: '4' }, { team: 'b' }),
  ];
  const usage = (scope: object | undefined) => {
    const used = quotaUsage(quota({ scope }), orders, tickets);
    return used === undefined ? undefined : Object.fromEntries(used);
  };

  it.each([
    [undefined, { orders: 2, tickets: 2, 'reserved.cpu': 3 }],
    [{ type: 'Cluster' }, { orders: 2, tickets: 2, 'reserved.cpu': 3 }],
    [
      { type: 'NamespaceList', namespaces: ['a'] },
      { orders: 1, tickets: 1, 'reserved.cpu': 1 },
    ],
    [
      { type: 'ObjectSelector', objectSelector: { matchLabels: { team: 'b' } } },
      { orders: 1, tickets: 1, 'reserved.cpu': 2 },
    ],
    [{ type: 'NamespaceSelector' }, undefined],
  ])('with the scope %j', (scope, expected) => {
    expect(usage(scope)).toEqual(expected);
  });

  it('is compared with limits that are amounts', () => {
    const hard = { orders: '10', tickets: 5, 'reserved.memory': '1Ki', 'max-duration': '3600' };
    expect(Object.fromEntries(quotaLimits(quota({ hard })))).toEqual({
      orders: 10,
      tickets: 5,
      'reserved.memory': 1024,
      'max-duration': 3600,
    });
    expect(quotaLimits(quota({})).size).toBe(0);
  });
});
