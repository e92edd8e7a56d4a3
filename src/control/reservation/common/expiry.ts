/** When the time of a Ticket ends, and what its Order makes of that. Pure: Ticket and Order in, times (epoch ms) out. */
import { orderPlan, type OrderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { REFRESH_TABLE } from '../../../core/daemons/refresh-table.ts';
import { templateHash } from '../../../core/daemons/reservation-hash.ts';
import { templateHashOf, timeOf } from '../../../core/daemons/ticket-phase.ts';
import { mostRecent, readSchedule, type Schedule } from '../../../core/kube/cron/schedule.ts';
import { isControlledBy } from '../../../core/kube/owner-references.ts';

/** The Order makes a successor of the Ticket when its time ends, so the guardian stays until the successor has taken it over. */
export const renews = (order: Order | undefined, ticket: Ticket): boolean =>
  isActiveFor(order, ticket) && rowOf(orderPlan(order.spec)).expired === 'succeed';

/** The Order makes another Ticket of the same node as soon as this one is claimed. */
export const isFollowed = (order: Order | undefined, ticket: Ticket): boolean =>
  isActiveFor(order, ticket) && order.spec.daemonSet === true && rowOf(orderPlan(order.spec)).claimed === 'create';

/**
 * The end of the Ticket's time; undefined: it has none. A tick that extends the Ticket counts as soon as it has come, whether the new
 * time is written yet or not: writing fifty thousand takes minutes.
 */
export function effectiveExpiry(ticket: Ticket, order: Order | undefined): number | undefined {
  const { expirationTime, activationTime, renewedTime } = ticket.status ?? {};
  const end = timeOf(expirationTime);
  if (end === undefined || !isActiveFor(order, ticket)) return end;
  const plan = orderPlan(order.spec);
  const { durationMs } = plan.ticket;
  const ticks = rowOf(plan).tick.held === 'extend' ? ticksOf(plan) : undefined;
  if (ticks === undefined || durationMs === undefined) return end;
  const since = Math.max(timeOf(activationTime) ?? 0, timeOf(renewedTime) ?? 0);
  return extended(ticks, since, end, durationMs);
}

/**
 * The finished Ticket is the only record that its place has ended and gets no other one, so it outlasts its TTL: as long as the Order
 * has that template; of a recurring Order until the next tick, which fills the place.
 */
export function keepsFinished(order: Order | undefined, ticket: Ticket): boolean {
  if (order === undefined || !isOwn(order, ticket) || order.metadata.deletionTimestamp !== undefined) return false;
  const plan = orderPlan(order.spec);
  const row = rowOf(plan);
  if (row.expired !== 'end' || templateHashOf(ticket) !== templateHash(order.spec)) return false;
  if (row.tick.expired === 'nothing') return true;
  return (timeOf(order.status?.lastScheduleTime) ?? 0) <= (timeOf(ticket.status?.finishedTime) ?? 0);
}

const rowOf = ({ strategy, refresh }: OrderPlan) => REFRESH_TABLE[strategy][refresh];

const isOwn = (order: Order, ticket: Ticket): boolean => isControlledBy(ticket, order);

const isActiveFor = (order: Order | undefined, ticket: Ticket): order is Order =>
  order !== undefined &&
  isOwn(order, ticket) &&
  order.metadata.deletionTimestamp === undefined &&
  !orderPlan(order.spec).paused;

interface Ticks {
  readonly schedule: Schedule;
  /** Ends that were computed, by start, end and duration: thousands of Tickets are reserved in the same second. */
  readonly ends: Map<string, number>;
}

const ticksByPlan = new WeakMap<OrderPlan, Ticks | 'none'>();
const MAX_ENDS = 10_000;
/** Ticks looked ahead. A Ticket that so many ticks in a row failed to reach has an end. */
const MAX_EXTENSIONS = 8;

function ticksOf(plan: OrderPlan): Ticks | undefined {
  let known = ticksByPlan.get(plan);
  if (known === undefined) {
    const read = plan.schedule === undefined ? undefined : readSchedule(plan.schedule, plan.timeZone);
    known = read?.ok === true ? { schedule: read.schedule, ends: new Map() } : 'none';
    ticksByPlan.set(plan, known);
  }
  return known === 'none' ? undefined : known;
}

function extended({ schedule, ends }: Ticks, since: number, end: number, durationMs: number): number {
  const key = `${since} ${end} ${durationMs}`;
  const known = ends.get(key);
  if (known !== undefined) return known;
  let [from, until] = [since, end];
  for (let count = 0; count < MAX_EXTENSIONS; count += 1) {
    const tick = mostRecent(schedule, from, until).time;
    if (tick === undefined) break;
    from = tick;
    until = Math.max(until, tick + durationMs);
  }
  if (ends.size >= MAX_ENDS) ends.clear();
  ends.set(key, until);
  return until;
}
