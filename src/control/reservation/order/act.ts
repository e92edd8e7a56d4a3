/** The writes of one reconcile: claims, deletes, creates, marks and extends Tickets, and replaces those of a former template. */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { ORDERS } from '../../../core/api/registry/resources.ts';
import { maxUnavailableOf } from '../../../core/daemons/order-definition.ts';
import { scaled } from '../../../core/daemons/rollout-plan.ts';
import { planReplacements } from '../../../core/daemons/ticket-rollout.ts';
import { WANTED } from '../../../core/daemons/ticket-rules.ts';
import { createClaims } from '../../../machinery/children/claims.ts';
import { allOf } from '../../../machinery/children/write-outcomes.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Clock } from '../../../machinery/time/clock.ts';
import type { KnownOrder } from './known-order.ts';
import type { OrderRegistry } from './order-registry.ts';
import { planWork } from './place-work.ts';
import { claimTickets, strayTickets } from './ticket-claims.ts';
import type { TicketStatuses } from './ticket-statuses.ts';
import type { TicketWriter } from './ticket-writer.ts';

export interface ActOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly registry: OrderRegistry;
  readonly writer: TicketWriter;
  readonly statuses: TicketStatuses;
}

/** The outcome of one reconcile's writes. */
export interface Acted {
  /** There is more to do than one reconcile does. */
  readonly more: boolean;
  /** The first failure. */
  readonly error: { readonly error: unknown } | undefined;
}

export const NOTHING_DONE: Acted = Object.freeze({ more: false, error: undefined });

/** A failure of one sort of writes keeps none of the others from being done. */
export async function act(
  options: ActOptions,
  order: KnownOrder,
  tick: number | undefined,
  signal: AbortSignal,
): Promise<Acted> {
  const { client, clock, registry, writer, statuses } = options;
  let error: Acted['error'];
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return true;
    } catch (failure) {
      signal.throwIfAborted();
      error ??= { error: failure };
      return false;
    }
  };
  const view = registry.view(order);
  await attempt(() => claimTickets(order, view, createClaims(client, ORDERS, order.object)));
  const work = planWork(order, view, (place) => writer.hasFailed(order, place), clock.now());
  const areRemoved = await attempt(() => writer.remove(order, [...strayTickets(order), ...work.remove], signal));
  const creations = areRemoved ? work.creations : work.creations.filter(({ waits }) => !waits);
  const { durationMs } = orderPlan(order.object.spec).ticket;
  await allOf([
    attempt(() => writer.create(order, creations, signal)),
    attempt(() => statuses.mark(order, work.mark, signal)),
    attempt(async () => {
      if (tick === undefined || durationMs === undefined) return;
      await statuses.extend(order, work.extend, tick, tick + durationMs, signal);
    }),
  ]);
  await attempt(() => writer.remove(order, replacements(options, order), signal));
  return { more: work.more && error === undefined, error };
}

/** Tickets of a former template whose room is given up now. */
function replacements({ registry, clock }: ActOptions, order: KnownOrder): ReturnType<typeof planReplacements> {
  const view = registry.view(order);
  const most = scaled(maxUnavailableOf(order.object), view.count(WANTED), 'up');
  return planReplacements(order.board.engine, view, most, order.line, clock.now());
}
