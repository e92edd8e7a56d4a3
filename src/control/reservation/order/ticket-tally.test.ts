import { describe, expect, it } from 'vitest';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { createTicketTally } from './ticket-tally.ts';

const order: Order = {
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name: 'rooms', namespace: 'default', uid: 'u' },
  spec: {},
};

function setUp() {
  const told: string[] = [];
  const tally = createTicketTally({
    note: (_order, type, reason, note) => void told.push(`${type} ${reason} ${note}`),
  });
  return { told, tally };
}

describe('the tally of Tickets', () => {
  it('tells of a single Ticket by its name, of many by their number', () => {
    const { told, tally } = setUp();
    tally.created(order, 'a');
    expect(tally.flush(order, true, 0)).toBe(undefined);
    for (let i = 0; i < 50; i += 1) tally.created(order, `t${i}`);
    tally.deleted(order, 'b');
    for (let i = 0; i < 3; i += 1) tally.renewed(order, '2026-01-01T14:00:00Z');
    tally.flush(order, true, 0);
    tally.flush(order, true, 0);
    expect(told).toEqual([
      'Normal TicketCreated Created Ticket a',
      'Normal TicketCreated Created 50 Tickets',
      'Normal TicketDeleted Deleted Ticket b',
      'Normal TicketRenewed Renewed 3 Tickets until 2026-01-01T14:00:00Z',
    ]);
  });

  it('tells of failures with the first reason', () => {
    const { told, tally } = setUp();
    tally.createFailed(order, new Error('exceeded quota'), 'a');
    tally.createFailed(order, new Error('another'), 'b');
    tally.deleteFailed(order, new Error('no'), 'c');
    tally.flush(order, true, 0);
    expect(told).toEqual([
      'Warning TicketFailed 2 Tickets could not be created: exceeded quota',
      'Warning TicketFailed 1 Ticket could not be deleted: no',
    ]);
  });

  it('waits while a burst goes on, but not for ever', () => {
    const { told, tally } = setUp();
    tally.created(order, 'a');
    expect(tally.flush(order, false, 1000)).toBe(31_000);
    tally.created(order, 'b');
    expect(tally.flush(order, false, 30_999)).toBe(31_000);
    expect(told).toEqual([]);
    expect(tally.flush(order, false, 31_000)).toBe(undefined);
    expect(told).toEqual(['Normal TicketCreated Created 2 Tickets']);
  });
});
