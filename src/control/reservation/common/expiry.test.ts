import { describe, expect, it } from 'vitest';
import { RESERVATION_LABELS } from '../../../core/api/names.ts';
import type { Order, OrderSpec, Ticket, TicketStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { templateHash } from '../../../core/daemons/reservation-hash.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { effectiveExpiry, keepsFinished, renews } from './expiry.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;

const order = (spec: OrderSpec = {}, more: Partial<Order['metadata']> = {}, status: Order['status'] = {}): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'o', namespace: 'default', uid: 'order', ...more },
  spec,
  status,
});
const ticketOf = (owner: Order, status: TicketStatus = {}): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: {
    name: 't',
    namespace: 'default',
    labels: { [RESERVATION_LABELS.templateHash]: templateHash(owner.spec) },
    ownerReferences: [{ apiVersion: owner.apiVersion, kind: 'Order', name: 'o', uid: 'order', controller: true }],
  },
  spec: {},
  status,
});
const strategy = (type: string, refreshPolicy: string, schedule?: string): OrderSpec => ({
  strategy: { type, refreshPolicy, ...(schedule === undefined ? {} : { schedule }) },
});

describe('the guardian of an expired Ticket stays for a successor', () => {
  it.each([
    ['OneTime', 'OnClaim', true],
    ['OneTime', 'Always', true],
    ['OneTime', 'Never', false],
    ['Scheduled', 'OnClaim', false],
    ['Scheduled', 'Always', false],
    ['Scheduled', 'Never', false],
    ['Recurring', 'OnClaim', true],
    ['Recurring', 'Always', true],
    ['Recurring', 'Never', false],
  ])('%s, %s: %s', (type, refresh, expected) => {
    const owner = order(strategy(type, refresh, '* * * * *'));
    expect(renews(owner, ticketOf(owner))).toBe(expected);
  });
  it('not of an Order that is gone, another one, paused or being deleted', () => {
    const owner = order();
    const ticket = ticketOf(owner);
    expect(renews(owner, ticket)).toBe(true);
    expect(renews(undefined, ticket)).toBe(false);
    expect(renews(order({}, { uid: 'other' }), ticket)).toBe(false);
    expect(renews(order({ paused: true }), ticket)).toBe(false);
    expect(renews(order({}, { deletionTimestamp: formatTime(0) }), ticket)).toBe(false);
  });
});

describe('the end of a Ticket', () => {
  const recurring = (schedule: string, duration: string, refresh = 'Always'): Order =>
    order({ ...strategy('Recurring', refresh, schedule), template: { spec: { duration } } });
  const endOf = (owner: Order | undefined, from: number, until: number, renewed?: number): number | undefined =>
    effectiveExpiry(
      ticketOf(owner ?? order(), {
        activationTime: formatTime(from),
        expirationTime: formatTime(until),
        ...(renewed === undefined ? {} : { renewedTime: formatTime(renewed) }),
      }),
      owner,
    );

  it('is its expiration time, and there is none without one', () => {
    expect(endOf(order(), HOUR, 2 * HOUR)).toBe(2 * HOUR);
    expect(endOf(undefined, HOUR, 2 * HOUR)).toBe(2 * HOUR);
    expect(effectiveExpiry(ticketOf(order()), order())).toBeUndefined();
  });

  it('is put off by ticks that are to extend it, written or not', () => {
    // A tick every six hours gives eight: it never ends while ticks come.
    expect(endOf(recurring('0 */6 * * *', '8h'), 0, 8 * HOUR)).toBeGreaterThan(24 * HOUR);
    // A tick a day gives eight hours: the first tick comes too late.
    expect(endOf(recurring('0 0 * * *', '8h'), HOUR, 9 * HOUR)).toBe(9 * HOUR);
    // The tick at midnight comes in time, the one a day later does not.
    expect(endOf(recurring('0 0 * * *', '8h'), 20 * HOUR, 28 * HOUR)).toBe(32 * HOUR);
    // That tick has been written: it counts once.
    expect(endOf(recurring('0 0 * * *', '8h'), 20 * HOUR, 32 * HOUR, 24 * HOUR)).toBe(32 * HOUR);
  });

  it('is put off in the time zone of the schedule', () => {
    const zoned = order({
      strategy: { type: 'Recurring', refreshPolicy: 'Always', schedule: '0 0 * * *', timeZone: 'Asia/Tokyo' },
      template: { spec: { duration: '2h' } },
    });
    // Midnight in Tokyo is 15:00 UTC.
    expect(endOf(zoned, 14 * HOUR, 16 * HOUR)).toBe(17 * HOUR);
  });

  it('is not put off by ticks of other policies and strategies, nor by those of an Order that does not act', () => {
    const schedule = '0 */6 * * *';
    for (const refresh of ['OnClaim', 'Never'])
      expect(endOf(recurring(schedule, '8h', refresh), 0, 8 * HOUR)).toBe(8 * HOUR);
    const scheduled = order({ ...strategy('Scheduled', 'Always', schedule), template: { spec: { duration: '8h' } } });
    expect(endOf(scheduled, 0, 8 * HOUR)).toBe(8 * HOUR);
    expect(endOf(order({ ...recurring(schedule, '8h').spec, paused: true }), 0, 8 * HOUR)).toBe(8 * HOUR);
    expect(endOf(recurring('no schedule', '8h'), 0, 8 * HOUR)).toBe(8 * HOUR);
  });
});

describe('a finished Ticket outlasts its TTL', () => {
  const finished = (owner: Order): Ticket =>
    ticketOf(owner, { phase: 'Expired', finishedTime: formatTime(10 * MINUTE) });
  it('where it is the only record that none follows', () => {
    for (const type of ['OneTime', 'Scheduled']) {
      const owner = order(strategy(type, 'Never', '* * * * *'));
      expect(keepsFinished(owner, finished(owner))).toBe(true);
    }
  });
  it('of a recurring Order until the next tick', () => {
    const spec = strategy('Recurring', 'Never', '* * * * *');
    const at = (minutes: number): Order => order(spec, {}, { lastScheduleTime: formatTime(minutes * MINUTE) });
    expect(keepsFinished(order(spec), finished(order(spec)))).toBe(true);
    expect(keepsFinished(at(9), finished(at(9)))).toBe(true);
    expect(keepsFinished(at(11), finished(at(11)))).toBe(false);
  });
  it('in no other case', () => {
    const never = order(strategy('OneTime', 'Never'));
    const ticket = finished(never);
    const always = order(strategy('OneTime', 'Always'));
    expect(keepsFinished(always, finished(always))).toBe(false);
    expect(keepsFinished(undefined, ticket)).toBe(false);
    expect(keepsFinished(order(never.spec, { deletionTimestamp: formatTime(0) }), ticket)).toBe(false);
    expect(keepsFinished(order({ ...never.spec, template: { spec: { duration: '1h' } } }), ticket)).toBe(false);
  });
});
