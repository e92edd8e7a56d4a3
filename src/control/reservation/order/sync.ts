/**
 * Reconciles one Order: writes without a clear outcome are settled, the schedule is read, Tickets are brought to what the Order asks for
 * (act.ts), and all of it is reported (report.ts).
 */
import { type OrderPlan, orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { RESERVATION_EVENTS } from '../../../core/api/names.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { OUTDATED, TICK, WANTED } from '../../../core/daemons/ticket-rules.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { ObjectKey } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { keyText } from '../../../machinery/cache/object-keys.ts';
import type { Lister } from '../../../machinery/cache/object-store.ts';
import { requeueAfter, takeTurn } from '../../../machinery/children/turn.ts';
import { isNamespaceTerminating, textOf } from '../../../machinery/children/write-outcomes.ts';
import type { Reconciler, ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { Alarm } from '../../../machinery/time/alarm.ts';
import { act, type ActOptions, type Acted, NOTHING_DONE } from './act.ts';
import type { KnownOrder, OrderFailure } from './known-order.ts';
import { define, forgetOrder, orderFor } from './order-define.ts';
import { orderProblem } from './order-problems.ts';
import { scheduleOf, type Ticks, ticksOf } from './order-ticks.ts';
import { report, reportInvalid, type ReportOptions } from './report.ts';
import { learnOrphans } from './ticket-claims.ts';
import type { TicketTally } from './ticket-tally.ts';
import { NotSelectedError } from './ticket-writer.ts';

/** The parts that every reconcile works with; none of them changes. */
export interface OrderSync extends ReportOptions, ActOptions {
  readonly orders: Lister<Order>;
  readonly tickets: Informer<Ticket>;
  readonly tally: TicketTally;
  /** Rings at times of the wall clock: ticks, ends of grace periods. */
  readonly alarm: Alarm;
  /** How long to gather changes of Tickets and nodes before the next reconcile, after one that so many changes asked for. */
  readonly pauseMs: (changes: number, places: number) => number;
}

export const createSync =
  (sync: OrderSync): Reconciler<ObjectKey> =>
  async (key, signal) => {
    const { registry, clock } = sync;
    const object = sync.orders.get(key.name, key.namespace);
    const known = registry.byName(keyText(key));
    if (object === undefined || isBeingDeleted(object)) {
      // Its Tickets are the garbage collector's now.
      if (known !== undefined) forgetOrder(sync, known);
      sync.alarm.set(keyText(key), undefined);
      return undefined;
    }
    const problem = orderProblem(object);
    if (problem !== undefined) {
      const written = await reportInvalid(sync, object, problem);
      if (known?.uid === written.metadata.uid) known.object = newer(written, known.object);
      return undefined;
    }
    const order = orderFor(sync, known, object);
    const { changes } = order;
    order.changes = 0;
    return takeTurn(
      order.turn,
      clock,
      () => sync.pauseMs(changes, order.board.engine.daemon(order.uid)?.count(WANTED) ?? 0),
      () => reconcile(sync, order, signal).catch(unlessNamespaceEnds),
    );
  };

/** A namespace that is being deleted lets no Ticket in: no retry could succeed, and the Order is deleted with it. */
function unlessNamespaceEnds(error: unknown): ReconcileResult {
  if (isNamespaceTerminating(error)) return {};
  throw error;
}

async function reconcile(sync: OrderSync, order: KnownOrder, signal: AbortSignal): Promise<ReconcileResult> {
  const { client, clock, registry, writer, tally } = sync;
  await writer.settle(order, signal);
  registry.tick(order);
  registry.dropSeenAnswers(order);
  await learnOrphans(client, sync.tickets, order, signal);
  const plan = orderPlan(order.object.spec);
  const ticks = readTicks(order, plan, clock.now());
  const tick = ticks.isOpen && !plan.paused ? ticks.last : undefined;
  define(sync, order, tick);
  const acted = plan.paused ? NOTHING_DONE : await act(sync, order, tick, signal);
  if (tick !== undefined && acted.error === undefined && !acted.more && registry.view(order).count(TICK) === 0) {
    order.doneTick = tick;
    define(sync, order, undefined);
  }
  order.failure = nextFailure(order, acted.error);
  const isOver = acted.error !== undefined || (!acted.more && registry.view(order).count(OUTDATED) === 0);
  const tellAt = tally.flush(order.object, isOver, clock.now());
  const times = { last: order.doneTick, next: plan.strategy === 'OneTime' ? undefined : ticks.next };
  let waitMs: number | undefined;
  let failure = acted.error;
  try {
    waitMs = await report(sync, order, times);
  } catch (error) {
    failure ??= { error };
  }
  setAlarm(sync, order, plan.paused ? undefined : ticks.next, tellAt);
  if (failure !== undefined) throw failure.error;
  return requeueAfter(waitMs, acted.more ? 0 : undefined);
}

function readTicks(order: KnownOrder, plan: OrderPlan, now: number): Ticks {
  const { metadata, status } = order.object;
  order.schedule = scheduleOf(plan, order.schedule, now);
  const written = status?.lastScheduleTime === undefined ? undefined : parseTime(status.lastScheduleTime);
  const done = written === undefined || (order.doneTick ?? written) > written ? order.doneTick : written;
  return ticksOf(order.schedule, done, parseTime(metadata.creationTimestamp) ?? now, now);
}

/** A server that is not there, or busy, says nothing about the Order: the condition stays as it was. */
function nextFailure({ failure }: KnownOrder, acted: Acted['error']): OrderFailure | undefined {
  if (acted === undefined) return undefined;
  const { error } = acted;
  return isFinal(error) ? { reason: RESERVATION_EVENTS.ticketFailed, message: textOf(error) } : failure;
}

const isFinal = (error: unknown): boolean =>
  error instanceof NotSelectedError ||
  (error instanceof StatusError && error.code < 500 && error.code !== 429 && !isStatus(error, 'Conflict'));

/** The Order is reconciled at the first of these times, and when the engine must count again, whatever happens. */
function setAlarm({ registry, alarm }: OrderSync, order: KnownOrder, ...times: readonly (number | undefined)[]): void {
  const { nextDue } = registry.view(order);
  const at = Math.min(...[nextDue, ...times].map((time) => time ?? Infinity));
  alarm.set(keyText(order.key), at === Infinity ? undefined : at);
}
