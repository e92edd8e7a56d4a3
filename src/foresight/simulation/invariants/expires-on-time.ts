/**
 * A Ticket is Expired when its time is over, neither before nor much later. One that a tick of its Order's schedule extends is
 * extended instead. Time is the wall clock's, which may jump; delays are measured in time that does not.
 */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { TICKET_PHASES } from '../../../core/api/names.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime, parseTime } from '../../../core/kube/time.ts';
import { TICKETS, type ClusterView } from '../cluster-view.ts';
import { resourceName, type Commit } from '../commit.ts';
import { createOrderHistory } from './histories.ts';
import type { InvariantFactory } from './invariant.ts';
import {
  type Extension,
  expiryOf,
  extensionOf,
  isReserved,
  phaseOf,
  RESERVATION,
  startedExpiry,
} from './order-facts.ts';
import { wallWithin } from './wall-clock.ts';

/** Time after a jump in which a controller whose timers do not notice it looks at the wall clock again. */
const NOTICE_MS = 12_000;
const LOOK_EVERY_MS = 1_000;

/**
 * When the last jump forward has been noticed. Timers that were set before it run as long as they would have, so what is due shortly
 * after the jump may be late as well as what the jump went past: the end of a Ticket, or the tick that extends it.
 */
const jumpNoticed = ({ jumps }: ClusterView): number =>
  (jumps.findLast(({ byMs }) => byMs > 0)?.at ?? -Infinity) + NOTICE_MS;

export const expiresOnTime: InvariantFactory = () => {
  const orders = createOrderHistory();
  /** Since when the controllers should know of Tickets that are past their time, by UID. */
  const late = new Map<string, number>();
  /** The last tick before each Reserved Ticket became so (epoch ms), by UID: later ones extend it. */
  const reserved = new Map<string, number>();
  let lookedAt = -Infinity;

  /** The tick that the controllers should know of and that extends the Ticket. */
  function extension(view: ClusterView, ticket: Stored<Ticket>, wall: number): Extension | undefined {
    const uid = controllerOf(ticket)?.uid ?? '';
    const order = orders.settled(view, uid);
    const changed = orders.changed(uid);
    if (order === undefined || changed === undefined) return undefined;
    return extensionOf(order, ticket, changed.wall, wall);
  }

  function judgeEarly({ object, previous, by, key }: Commit, view: ClusterView): string | undefined {
    if (previous === undefined || by !== RESERVATION) return undefined;
    const before = previous as Stored<Ticket>;
    if (phaseOf(before) === TICKET_PHASES.expired || phaseOf(object as Stored<Ticket>) !== TICKET_PHASES.expired)
      return undefined;
    const { latest } = wallWithin(view, view.reactionMs);
    const end = expiryOf(before) ?? startedExpiry(before);
    if (end === undefined) return `${key.name} expired and had no end`;
    if (latest < end) return `${key.name} expired at ${formatTime(latest)}, its time was until ${formatTime(end)}`;
    const order = orders.settled(view, controllerOf(before)?.uid ?? '');
    if (order === undefined || orderPlan(order.spec).paused) return undefined;
    const extended = extension(view, before, latest - view.reactionMs);
    return extended !== undefined && extended.until > latest
      ? `${key.name} expired although a tick of ${order.metadata.name} extends it to ${formatTime(extended.until)}`
      : undefined;
  }

  function judgeLate(view: ClusterView): string | undefined {
    const now = view.now();
    const wall = view.wall();
    lookedAt = now;
    for (const ticket of view.tickets.values()) {
      const { uid, name } = ticket.metadata;
      const end = endOf(view, ticket, wall);
      if (end === undefined || wall < end) {
        late.delete(uid);
        continue;
      }
      const known = late.get(uid);
      if (known === undefined) {
        late.set(uid, Math.max(now, jumpNoticed(view)));
        continue;
      }
      const knew = view.knewAt(RESERVATION, TICKETS, Number(ticket.metadata.resourceVersion));
      if (knew !== undefined && now - Math.max(known, knew) > view.patienceMs)
        return `${name} is still Reserved at ${formatTime(wall)}, its time was until ${formatTime(end)}`;
    }
    return undefined;
  }

  /** Ticks up to this time (epoch ms) are over; after a jump back of the clock they lie in the future, and do not come again. */
  function lastTick(view: ClusterView, ticket: Stored<Ticket>): number {
    const done = orders.latest(controllerOf(ticket)?.uid ?? '')?.status?.lastScheduleTime;
    return Math.max(view.wall(), done === undefined ? 0 : (parseTime(done) ?? 0));
  }

  /** The end that a Reserved Ticket has, or should have by now; undefined: none. */
  function endOf(view: ClusterView, ticket: Stored<Ticket>, wall: number): number | undefined {
    const end = isReserved(ticket) ? expiryOf(ticket) : undefined;
    const since = reserved.get(ticket.metadata.uid);
    if (end === undefined || since === undefined || wall < end) return end;
    // A tick extends those that hold their room; one that found room again later waits for the next tick.
    const extended = extension(view, ticket, wall);
    return extended !== undefined && since >= extended.tick ? Math.max(end, extended.until) : end;
  }

  return {
    name: 'expires-on-time',
    committed(commit, view) {
      orders.note(commit, view);
      if (resourceName(commit.key) === TICKETS && commit.type === 'MODIFIED') {
        const ticket = commit.object as Stored<Ticket>;
        if (!isReserved(ticket)) reserved.delete(ticket.metadata.uid);
        else if (!reserved.has(ticket.metadata.uid)) reserved.set(ticket.metadata.uid, lastTick(view, ticket));
        const early = judgeEarly(commit, view);
        if (early !== undefined) return early;
      }
      if (view.tickets.size === 0 || commit.at - lookedAt < LOOK_EVERY_MS) return undefined;
      return judgeLate(view);
    },
    *settled(view) {
      const problem = judgeLate(view);
      if (problem !== undefined) yield problem;
    },
  };
};
