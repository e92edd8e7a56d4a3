/**
 * Creates and deletes Tickets, many at a time but never blindly: creation starts with one and widens while all goes well, so an
 * error that all of them would meet (a quota, a webhook) is met once. How many of a template went well at a time is remembered
 * until one does not. Answers, doubts and repeated creates are the child writer's business.
 */
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isFinished, isHanded, phaseOf } from '../../../core/daemons/ticket-phase.ts';
import { TICKET_PHASES } from '../../../core/api/names.ts';
import type { DaemonTicket } from '../../../core/daemons/ticket-child.ts';
import { formatLabelSelector } from '../../../core/kube/label-selector.ts';
import { StatusError } from '../../../core/kube/status-error.ts';
import { createChildWriter, type ChildEvents } from '../../../machinery/children/child-writer.ts';
import { isAdoptable } from '../../../machinery/children/claims.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { throughWindow } from '../../../machinery/structures/window.ts';
import type { KnownOrder, PlaceTicketMaker } from './known-order.ts';

/**
 * A Ticket for a place. Its name follows from the Ticket that was there when this was decided, not from one that has come since:
 * another controller that decided the same creates the same Ticket, and one of the two finds it created.
 */
export interface Creation {
  readonly place: number;
  readonly predecessor: string;
  /** UID of the Ticket whose guardian the new one takes over. */
  readonly takesOver: string | undefined;
  /** Tickets at the place are to be deleted first. */
  readonly waits: boolean;
}

export interface TicketWriter {
  /** Whether the server refused the last Ticket of this template for the place. */
  hasFailed(order: KnownOrder, place: number): boolean;
  create(order: KnownOrder, creations: readonly Creation[], signal: AbortSignal): Promise<void>;
  /** Deletes Tickets; one that holds no room only if it still does not. */
  remove(order: KnownOrder, tickets: readonly DaemonTicket[], signal: AbortSignal): Promise<void>;
  /** Finds out how writes without a clear outcome ended. */
  settle(order: KnownOrder, signal: AbortSignal): Promise<void>;
}

export interface TicketWriterOptions {
  readonly client: Client;
  readonly events: ChildEvents<Order>;
  /** Writes under way at a time for one Order. */
  readonly burst: number;
}

/** Tickets of the Order would be released as soon as they are made. */
export class NotSelectedError extends Error {
  override readonly name = 'NotSelectedError';
}

/** Names tried for one Ticket before it counts as not created. */
const NAMES = 3;

/** How creates with one maker went. */
interface Attempts {
  /** How many Tickets may be created at once next time; undefined before the first success and after a failure. */
  width: number | undefined;
  /** Places whose last create the server refused. */
  readonly failed: Set<number>;
}

export function createTicketWriter({ client, events, burst }: TicketWriterOptions): TicketWriter {
  const writer = createChildWriter<Order, Ticket>({ client, resource: TICKETS, events });
  const attempts = new WeakMap<PlaceTicketMaker, Attempts>();

  function attemptsOf(maker: PlaceTicketMaker): Attempts {
    let found = attempts.get(maker);
    if (found === undefined) attempts.set(maker, (found = { width: undefined, failed: new Set() }));
    return found;
  }

  async function createOne(order: KnownOrder, creation: Creation, names = NAMES): Promise<void> {
    const { place, predecessor, takesOver } = creation;
    const { object, selects } = order;
    const ticket = order.maker?.(place, predecessor, takesOver);
    if (ticket === undefined) return;
    if (!selects(ticket.metadata.labels)) throw notSelected(order, 'the template has', ticket.metadata.name);
    const outcome = await writer.create(order, ticket);
    if (outcome.type === 'ending') throw outcome.error;
    if (outcome.type === 'taken') {
      const { by, error } = outcome;
      // Claimed with the next reconcile; or the name is another's and the next one may be free.
      if (isAdoptable(by, selects)) order.claims.adoptable.set(by.metadata.uid, by);
      else if (names > 1) return createOne(order, { ...creation, predecessor: by.metadata.uid }, names - 1);
      events.createFailed(object, error, ticket.metadata.name);
      throw error;
    }
    const { child } = outcome;
    // Of Tickets made within a second the newest is not known: this one was not the last, so the next is named after it.
    if (outcome.type === 'found' && (isFinished(child) || isHanded(child)))
      return createOne(order, { ...creation, predecessor: child.metadata.uid }, names);
    if (outcome.type === 'found' || selects(child.metadata.labels)) return;
    // A webhook, say, gave the Ticket other labels. It would be released and another created, and so on without end.
    await writer.remove(order, child);
    throw notSelected(order, `Ticket ${child.metadata.name} was given`, child.metadata.name);
  }

  function notSelected({ object, selector }: KnownOrder, subject: string, name: string): Error {
    const error = new NotSelectedError(
      `${subject} labels that the selector ${formatLabelSelector(selector)} does not match`,
    );
    events.createFailed(object, error, name);
    return error;
  }

  return {
    settle: (order, signal) => writer.settle(order, signal),

    hasFailed: ({ maker }, place) => maker !== undefined && attempts.get(maker)?.failed.has(place) === true,

    async create(order, creations, signal) {
      const { maker } = order;
      if (maker === undefined || creations.length === 0) return;
      const record = attemptsOf(maker);
      const attempt = async (creation: Creation): Promise<void> => {
        record.failed.delete(creation.place);
        try {
          await createOne(order, creation);
        } catch (error) {
          // A create that no server has answered fails at every place alike.
          if (error instanceof StatusError) record.failed.add(creation.place);
          throw error;
        }
      };
      try {
        record.width = await throughWindow(creations, attempt, { first: record.width ?? 1, most: burst, signal });
      } catch (error) {
        record.width = undefined;
        throw error;
      }
    },

    async remove(order, tickets, signal) {
      const removeOne = async (ticket: DaemonTicket): Promise<void> =>
        void (await writer.remove(order, ticket, phaseOf(ticket) === TICKET_PHASES.pending));
      await throughWindow(tickets, removeOne, { first: burst, most: burst, signal });
    },
  };
}
