/**
 * Reconciles one Order: writes without a clear outcome are settled, the schedule is read, Tickets are claimed, deleted, created, marked
 * and extended, those of a former template replaced, and all of it reported.
 */
import { type OrderPlan, orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { RESERVATION_EVENTS } from '../../../core/api/names.ts';
import { ORDERS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isSameOrderDefinition, maxUnavailableOf, orderDefinition } from '../../../core/daemons/order-definition.ts';
import { scaled } from '../../../core/daemons/rollout-plan.ts';
import { planReplacements } from '../../../core/daemons/ticket-rollout.ts';
import { TICK, WANTED } from '../../../core/daemons/ticket-rules.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { ObjectKey, Stored } from '../../../core/kube/objects.ts';
import { newer } from '../../../core/kube/resource-version.ts';
import { isStatus, StatusError } from '../../../core/kube/status-error.ts';
import { parseTime } from '../../../core/kube/time.ts';
import type { Informer } from '../../../machinery/cache/informer.ts';
import { keyText } from '../../../machinery/cache/object-keys.ts';
import type { Lister } from '../../../machinery/cache/object-store.ts';
import { createClaims } from '../../../machinery/children/claims.ts';
import { takeTurn } from '../../../machinery/children/turn.ts';
import { allOf, isNamespaceTerminating, textOf } from '../../../machinery/children/write-outcomes.ts';
import type { Reconciler, ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { Alarm } from '../../../machinery/time/alarm.ts';
import { addSlots, slotsFor } from './board.ts';
import type { KnownOrder, OrderFailure } from './known-order.ts';
import { orderProblem } from './order-problems.ts';
import { scheduleOf, type Ticks, ticksOf } from './order-ticks.ts';
import { planWork } from './place-work.ts';
import { report, reportInvalid, type ReportOptions } from './report.ts';
import { claimTickets, learnOrphans, selectorOf, strayTickets } from './ticket-claims.ts';
import { makerFor } from './ticket-makers.ts';
import type { TicketStatuses } from './ticket-statuses.ts';
import type { TicketTally } from './ticket-tally.ts';
import { NotSelectedError, type TicketWriter } from './ticket-writer.ts';

/** The parts that every reconcile works with; none of them changes. */
export interface OrderSync extends ReportOptions {
  readonly orders: Lister<Order>;
  readonly tickets: Informer<Ticket>;
  readonly writer: TicketWriter;
  readonly statuses: TicketStatuses;
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
      if (known !== undefined) forget(sync, known);
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

function forget({ registry, census, alarm }: OrderSync, order: KnownOrder): void {
  registry.forget(order);
  census.removeOrder(order.uid);
  alarm.set(keyText(order.key), undefined);
}

/** The record of this Order, with the newest state in it; a new one for another UID, sort of places or selector. */
function orderFor(sync: OrderSync, known: KnownOrder | undefined, object: Stored<Order>): KnownOrder {
  const mode = orderPlan(object.spec).daemonSet ? 'nodes' : 'slots';
  const selector = selectorOf(object);
  if (known !== undefined) {
    const isSame =
      known.uid === object.metadata.uid && known.board.mode === mode && deepEqual(known.selector, selector);
    if (isSame) {
      known.object = newer(object, known.object);
      return known;
    }
    forget(sync, known);
  }
  const order = sync.registry.register(object, mode, selector, definitionOf(object, undefined));
  if (mode === 'slots') addSlots(order.board, orderPlan(object.spec).replicas);
  return order;
}

const definitionOf = (object: Stored<Order>, tick: number | undefined): KnownOrder['definition'] => {
  const { daemonSet, replicas } = orderPlan(object.spec);
  return daemonSet ? orderDefinition(object, tick) : orderDefinition(object, tick, slotsFor(replicas));
};

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
  tally.flush(order.object);
  const times = { last: order.doneTick, next: plan.strategy === 'OneTime' ? undefined : ticks.next };
  const reported = await report(sync, order, times).then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  const failure = acted.error ?? reported;
  if (failure !== undefined) throw failure.error;
  setAlarm(sync, order, plan.paused ? undefined : ticks.next);
  return acted.more ? { requeueAfterMs: 0 } : {};
}

function readTicks(order: KnownOrder, plan: OrderPlan, now: number): Ticks {
  const { metadata, status } = order.object;
  order.schedule = scheduleOf(plan, order.schedule, now);
  const written = status?.lastScheduleTime === undefined ? undefined : parseTime(status.lastScheduleTime);
  const done = written === undefined || (order.doneTick ?? written) > written ? order.doneTick : written;
  return ticksOf(order.schedule, done, parseTime(metadata.creationTimestamp) ?? now, now);
}

/** Tells the engine and the census what the Order has become, and sets the maker of its Tickets. */
function define({ registry, census }: OrderSync, order: KnownOrder, tick: number | undefined): void {
  const { spec, metadata } = order.object;
  const { annotations } = metadata;
  const { defined } = order;
  if (defined?.spec === spec && defined.annotations === annotations && defined.tick === tick) return;
  order.defined = { spec, annotations, tick };
  census.setOrder(order.object);
  const definition = definitionOf(order.object, tick);
  const isSame = isSameOrderDefinition(definition, order.definition);
  if (order.maker === undefined || definition.templateHash !== order.definition.templateHash)
    order.maker = makerFor(order);
  if (isSame) return;
  if (order.board.mode === 'slots') addSlots(order.board, orderPlan(order.object.spec).replicas);
  registry.define(order, definition);
}

/** The outcome of one reconcile's writes. */
interface Acted {
  /** There is more to do than one reconcile does. */
  readonly more: boolean;
  /** The first failure. */
  readonly error: { readonly error: unknown } | undefined;
}

const NOTHING_DONE: Acted = Object.freeze({ more: false, error: undefined });

/** Claims, deletes, creates, marks and extends Tickets. A failure of one sort of writes keeps none of the others from being done. */
async function act(sync: OrderSync, order: KnownOrder, tick: number | undefined, signal: AbortSignal): Promise<Acted> {
  const { client, clock, registry, writer, statuses } = sync;
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
  await attempt(() => writer.remove(order, replacements(sync, order), signal));
  return { more: work.more && error === undefined, error };
}

/** Tickets of a former template whose room is given up now. */
function replacements({ registry, clock }: OrderSync, order: KnownOrder): ReturnType<typeof planReplacements> {
  const view = registry.view(order);
  const most = scaled(maxUnavailableOf(order.object), view.count(WANTED), 'up');
  return planReplacements(order.board.engine, view, most, order.line, clock.now());
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

/** The next time at which the Order is reconciled whatever happens. */
function setAlarm({ registry, alarm }: OrderSync, order: KnownOrder, nextTick: number | undefined): void {
  const { nextDue } = registry.view(order);
  const at = Math.min(nextTick ?? Infinity, nextDue ?? Infinity);
  alarm.set(keyText(order.key), at === Infinity ? undefined : at);
}
