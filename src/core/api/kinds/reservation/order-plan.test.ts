import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OrderSpec, TicketSpec } from '../../types/korder-v1alpha1.ts';
import { orderPlan, ticketPlan } from './order-plan.ts';
import { orderOf, refusals } from './testing/orders.ts';
import { published } from './testing/published.ts';

const HOUR = 3_600_000;

describe('the plan of an Order', () => {
  it('says what the published examples mean', () => {
    expect(orderPlan(published('infrastructure-reservation').spec)).toEqual({
      daemonSet: true,
      replicas: 1,
      paused: false,
      minReadySeconds: 0,
      strategy: 'OneTime',
      schedule: undefined,
      timeZone: undefined,
      refresh: 'OnClaim',
      ticket: { durationMs: 24 * HOUR, startMs: undefined, ttlSeconds: 3600 },
    });
    expect(orderPlan(published('gpu-node-buffer').spec)).toMatchObject({
      strategy: 'Recurring',
      schedule: '0 */6 * * *',
      refresh: 'Always',
      ticket: { durationMs: 8 * HOUR },
    });
  });

  it('is the same in the later shape', () => {
    const window = { duration: '2h', startTime: '2030-01-01T01:00:00+01:00', timeZone: 'Europe/Berlin' };
    const later: OrderSpec = {
      refreshPolicy: 'Always',
      template: { spec: { window, lifecycle: { ttlSecondsAfterFinished: 60, cleanupPolicy: 'Delete' } } },
    };
    const canonical: OrderSpec = {
      strategy: { type: 'OneTime', refreshPolicy: 'Always', timeZone: 'Europe/Berlin' },
      template: {
        spec: {
          duration: '120m',
          startTime: '2030-01-01T00:00:00Z',
          ttlSecondsAfterFinished: 60,
          cleanupPolicy: 'Delete',
        },
      },
    };
    expect(orderPlan(later)).toEqual(orderPlan(canonical));
    expect(orderPlan(later).ticket).toEqual({
      durationMs: 2 * HOUR,
      startMs: Date.parse('2030-01-01T00:00:00Z'),
      ttlSeconds: 60,
    });
  });

  it('holds room for a day, except where nothing follows: there without end', () => {
    const durationOf = (refreshPolicy?: string) =>
      orderPlan({ ...(refreshPolicy === undefined ? {} : { refreshPolicy }), template: { spec: {} } }).ticket
        .durationMs;
    expect(durationOf()).toBe(24 * HOUR);
    expect(durationOf('OnClaim')).toBe(24 * HOUR);
    expect(durationOf('Always')).toBe(24 * HOUR);
    expect(durationOf('Never')).toBeUndefined();
    expect(orderPlan({ refreshPolicy: 'Never', template: { spec: { duration: '1h' } } }).ticket.durationMs).toBe(HOUR);
  });

  it('keeps finished Tickets only where that is said', () => {
    expect(ticketPlan({}).ttlSeconds).toBe(3600);
    expect(ticketPlan({ ttlSecondsAfterFinished: 0 }).ttlSeconds).toBe(0);
    expect(ticketPlan({ cleanupPolicy: 'Retain', ttlSecondsAfterFinished: 5 }).ttlSeconds).toBeUndefined();
    expect(ticketPlan({ lifecycle: { cleanupPolicy: 'Retain' } }).ttlSeconds).toBeUndefined();
  });

  it('never ends Tickets as fast as they are made, where nothing refused such a duration', () => {
    for (const duration of ['0', '0s', '-5m', '1ns']) expect(ticketPlan({ duration }).durationMs).toBe(1000);
  });

  it('is remembered by the identity of the spec', () => {
    const spec: OrderSpec = { template: { spec: {} } };
    expect(orderPlan(spec)).toBe(orderPlan(spec));
    const ticket: TicketSpec = {};
    expect(ticketPlan(ticket)).toBe(ticketPlan(ticket));
  });

  it('can be made of anything', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('0s', '1h', '@every 1s', 'Never', 'Recurring', 'Retain'));
    const ticket = fc.record(
      {
        ...{ duration: anything, startTime: anything, ttlSecondsAfterFinished: anything, cleanupPolicy: anything },
        ...{ window: anything, lifecycle: anything },
      },
      { requiredKeys: [] },
    );
    const spec = fc.record(
      {
        ...{ daemonSet: anything, replicas: anything, paused: anything, minReadySeconds: anything },
        strategy: fc.oneof(anything, fc.record({ type: anything, schedule: anything, refreshPolicy: anything })),
        template: fc.oneof(anything, fc.record({ spec: fc.oneof(anything, ticket) })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(anything, spec), (value) => {
        const plan = orderPlan(value as OrderSpec);
        expect(plan.replicas).toBeGreaterThanOrEqual(0);
        expect(plan.minReadySeconds).toBeGreaterThanOrEqual(0);
        expect(plan.ticket.durationMs ?? 1000).toBeGreaterThanOrEqual(1000);
      }),
    );
  });
});

describe('shapes that contradict each other', () => {
  const durations = fc.constantFrom('1h', '60m', '3600s', '2h', '0.5h', '30m');
  const starts = fc.constantFrom('2030-01-01T00:00:00Z', '2030-01-01T01:00:00+01:00', '2030-01-02T00:00:00Z');
  const policies = fc.constantFrom('Always', 'OnClaim', 'Never');
  const counts = fc.integer({ min: 0, max: 2 });

  const pairs = [
    ['duration', durations, (a: unknown, b: unknown) => orderOf({}, { duration: a, window: { duration: b } })],
    ['startTime', starts, (a: unknown, b: unknown) => orderOf({}, { startTime: a, window: { startTime: b } })],
    [
      'refreshPolicy',
      policies,
      (a: unknown, b: unknown) => orderOf({ strategy: { refreshPolicy: a }, refreshPolicy: b }),
    ],
    [
      'ttlSecondsAfterFinished',
      counts,
      (a: unknown, b: unknown) =>
        orderOf({}, { ttlSecondsAfterFinished: a, lifecycle: { ttlSecondsAfterFinished: b } }),
    ],
    [
      'cleanupPolicy',
      fc.constantFrom('Delete', 'Retain'),
      (a: unknown, b: unknown) => orderOf({}, { cleanupPolicy: a, lifecycle: { cleanupPolicy: b } }),
    ],
  ] as const;

  it.each(pairs)('%s: whichever of the two shapes has which value', (_, values, order) => {
    fc.assert(
      fc.property(values as fc.Arbitrary<string | number>, values as fc.Arbitrary<string | number>, (a, b) => {
        const one = refusals(order(a, b));
        expect(refusals(order(b, a))).toHaveLength(one.length);
        // Where nothing contradicts, the plan does not depend on the shape that was read.
        if (one.length === 0) expect(orderPlan(order(a, b).spec)).toEqual(orderPlan(order(b, a).spec));
        else expect(one).toEqual([expect.stringContaining('contradicts spec.')]);
      }),
    );
  });
});
