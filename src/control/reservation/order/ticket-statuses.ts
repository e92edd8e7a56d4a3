/**
 * The two things that an Order writes into the status of its Tickets: since when the node is not eligible, and the new end of a
 * Ticket that a tick extends. Each write is valid for the state it was decided from only; where the Ticket has changed, the decision is
 * made again.
 */
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { TicketStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { withMark } from '../../../core/daemons/ticket-phase.ts';
import type { DaemonTicket } from '../../../core/daemons/ticket-child.ts';
import { isToBeExtended, type TicketMarking } from '../../../core/daemons/ticket-work.ts';
import type { JsonObject } from '../../../core/kube/json.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { throughWindow } from '../../../machinery/structures/window.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { KnownOrder } from './known-order.ts';
import type { TicketTally } from './ticket-tally.ts';

export interface TicketStatusesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly tally: Pick<TicketTally, 'renewed'>;
  /** Writes under way at a time for one Order. */
  readonly burst: number;
}

export interface TicketStatuses {
  mark(order: KnownOrder, marks: readonly TicketMarking[], signal: AbortSignal): Promise<void>;
  /** Gives Tickets another duration from the tick on. @param until the new end (epoch ms). */
  extend(
    order: KnownOrder,
    tickets: readonly DaemonTicket[],
    tick: number,
    until: number,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Undefined: nothing is to be written any more. */
type Change = (ticket: DaemonTicket) => TicketStatus | undefined;

const TRIES = 3;
const NONE: readonly never[] = Object.freeze([]);

export function createTicketStatuses({ client, clock, tally, burst }: TicketStatusesOptions): TicketStatuses {
  /** Whether the change was written. */
  async function write(order: KnownOrder, ticket: DaemonTicket, change: Change, tries = TRIES): Promise<boolean> {
    const status = change(ticket);
    if (status === undefined) return false;
    const { resourceVersion, uid } = ticket.metadata;
    const body = { metadata: { resourceVersion, uid }, status } as unknown as JsonObject;
    try {
      order.children.wrote(
        await client.patch(TICKETS, keyOf(ticket), { type: 'merge', body }, { subresource: 'status' }),
      );
      return true;
    } catch (error) {
      if (!isStatus(error, 'NotFound') && (!isStatus(error, 'Conflict') || tries <= 1)) throw error;
    }
    const fresh = await unlessGone(client.get(TICKETS, keyOf(ticket)));
    if (fresh === undefined || fresh.metadata.uid !== uid) {
      order.children.gone(ticket);
      return false;
    }
    order.children.wrote(fresh);
    return write(order, fresh, change, tries - 1);
  }

  return {
    async mark(order, marks, signal) {
      const now = formatTime(clock.now());
      const one = async ({ ticket, mark }: TicketMarking): Promise<void> => {
        await write(order, ticket, ({ status }) => {
          const before = status?.conditions ?? NONE;
          const conditions = withMark(before, mark, now);
          return conditions === before ? undefined : { conditions };
        });
      };
      await throughWindow(marks, one, { first: burst, most: burst, signal });
    },

    async extend(order, tickets, tick, until, signal) {
      const { definition, object } = order;
      const status: TicketStatus = { expirationTime: formatTime(until), renewedTime: formatTime(tick) };
      const change: Change = (ticket) => (isToBeExtended(definition, ticket) ? status : undefined);
      const one = async (ticket: DaemonTicket): Promise<void> => {
        if (await write(order, ticket, change)) tally.renewed(object, formatTime(until));
      };
      await throughWindow(tickets, one, { first: burst, most: burst, signal });
    },
  };
}
