/**
 * Counts what a reconcile did to Tickets, so that one event tells of a burst. The writer of children reports each write here;
 * `flush` emits the events and begins anew.
 */
import { RESERVATION_EVENTS } from '../../../core/api/names.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import type { ChildEvents } from '../../../machinery/children/child-writer.ts';
import { textOf } from '../../../machinery/children/write-outcomes.ts';
import type { OrderEvents } from './order-events.ts';

export interface TicketTally extends ChildEvents<Order> {
  renewed(order: Order, until: string): void;
  /**
   * Emits one event for each sort of write since the last time, at once where the burst is over, and else when it has lasted for a while.
   * Returns the time (epoch ms) of the next call at the latest; undefined where nothing is left to tell.
   */
  flush(order: Order, isOver: boolean, now: number): number | undefined;
}

/** A burst that goes on is told of this often. */
const TELL_EVERY_MS = 30_000;

interface Counted {
  /** Epoch ms of the first call of `flush` since the last events; undefined before it. */
  since: number | undefined;
  created: number;
  deleted: number;
  renewed: number;
  createFailed: number;
  deleteFailed: number;
  /** Name of the last Ticket of each sort; told where it is the only one. */
  readonly names: Map<string, string>;
  /** The first failure of each sort. */
  readonly errors: Map<string, string>;
  until: string;
}

const nothing = (): Counted => ({
  since: undefined,
  created: 0,
  deleted: 0,
  renewed: 0,
  createFailed: 0,
  deleteFailed: 0,
  names: new Map(),
  errors: new Map(),
  until: '',
});

export const tickets = (count: number): string => `${count} ${count === 1 ? 'Ticket' : 'Tickets'}`;

export function createTicketTally(events: OrderEvents): TicketTally {
  /** By UID of the Order; only Orders with something to tell. */
  const counted = new Map<string, Counted>();

  function of({ metadata: { uid = '' } }: Order): Counted {
    let found = counted.get(uid);
    if (found === undefined) counted.set(uid, (found = nothing()));
    return found;
  }

  function tell(order: Order, count: number, verb: string, reason: string, name: string | undefined, more = ''): void {
    if (count === 0) return;
    const what = count === 1 && name !== undefined ? `Ticket ${name}` : tickets(count);
    events.note(order, 'Normal', reason, `${verb} ${what}${more}`);
  }

  function tellFailure(order: Order, count: number, verb: string, error: string | undefined): void {
    if (count === 0) return;
    events.note(
      order,
      'Warning',
      RESERVATION_EVENTS.ticketFailed,
      `${tickets(count)} could not be ${verb}: ${error ?? ''}`,
    );
  }

  return {
    created(order, name) {
      const count = of(order);
      count.created += 1;
      count.names.set('created', name);
    },
    deleted(order, name) {
      const count = of(order);
      count.deleted += 1;
      count.names.set('deleted', name);
    },
    createFailed(order, error) {
      const count = of(order);
      count.createFailed += 1;
      if (!count.errors.has('create')) count.errors.set('create', textOf(error));
    },
    deleteFailed(order, error) {
      const count = of(order);
      count.deleteFailed += 1;
      if (!count.errors.has('delete')) count.errors.set('delete', textOf(error));
    },
    renewed(order, until) {
      const count = of(order);
      count.renewed += 1;
      count.until = until;
    },
    flush(order, isOver, now) {
      const { uid = '' } = order.metadata;
      const count = counted.get(uid);
      if (count === undefined) return undefined;
      count.since ??= now;
      const due = count.since + TELL_EVERY_MS;
      if (!isOver && now < due) return due;
      counted.delete(uid);
      const { names, errors } = count;
      tell(order, count.created, 'Created', RESERVATION_EVENTS.ticketCreated, names.get('created'));
      tell(order, count.deleted, 'Deleted', RESERVATION_EVENTS.ticketDeleted, names.get('deleted'));
      tell(order, count.renewed, 'Renewed', RESERVATION_EVENTS.ticketRenewed, undefined, ` until ${count.until}`);
      tellFailure(order, count.createFailed, 'created', errors.get('create'));
      tellFailure(order, count.deleteFailed, 'deleted', errors.get('delete'));
      return undefined;
    },
  };
}
