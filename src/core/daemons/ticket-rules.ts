/**
 * The rules of Orders for one place, which is a node in daemonSet mode: how its Tickets count. What to do about them is in
 * ticket-work.ts; a changed template whose guardians must change is rolled out by ticket-rollout.ts.
 */
import type { Node } from '../api/types/core-v1.ts';
import type { ChildAdapter, Rules } from './engine-types.ts';
import type { OrderDefinition } from './order-definition.ts';
import { REFRESH_TABLE } from './refresh-table.ts';
import { type DaemonTicket, isTerminating, ticketChild } from './ticket-child.ts';
import { isForATime } from './ticket-grace.ts';
import { isDenied, isFinished, isHanded, isUnschedulable, markOf, reservedSince } from './ticket-phase.ts';
import { isFormer, isOfTemplate, isReserved } from './ticket-sorts.ts';
import { assess, type Assessment, isToBeExtended } from './ticket-work.ts';
import { SHOULD_RUN } from './verdict.ts';

const bit = (index: number): number => 1 << index;

/** The place should have a Ticket, whether the strategy makes one now or not. */
export const WANTED = bit(0);
/** A Ticket is to be created now. */
export const MISSING = bit(1);
/** Tickets are to be deleted. */
export const SURPLUS = bit(2);
/** A Ticket here is Reserved. */
export const RESERVED = bit(3);
/** Wanted, and Reserved for minReadySeconds. */
export const AVAILABLE = bit(4);
/** Wanted, and a Ticket of the present template is here. */
export const UPDATED = bit(5);
/** A Ticket of a former template is here, and not given to a pod. */
export const OUTDATED = bit(6);
/** A Ticket here is Claiming or Claimed. */
export const CLAIMED = bit(7);
/** A Ticket here has expired or was released. */
export const TERMINAL = bit(8);
/** The node is not eligible for a time; a Ticket stays. */
export const GRACE = bit(9);
/** The start of that time is not recorded on a Ticket yet. */
export const GRACE_UNMARKED = bit(10);
/** A Ticket says that its node is not eligible, and the node is. */
export const MARKED_WRONGLY = bit(11);
/** A Ticket has expired and its successor is to be created now. */
export const RENEW = bit(12);
/** A tick gives a Reserved Ticket another duration. */
export const EXTEND = bit(13);
/** A Ticket of a former template whose guardian must change holds room: replaced when the budget allows. */
export const OUTDATED_HELD = bit(14);
/** Counts against maxUnavailable: a Ticket belongs here now, and none is available. */
export const SPENT = bit(15);
/** The tick that is being carried out has something to do here. */
export const TICK = bit(16);
/** `manageTickets` has something to do. */
export const WORK = bit(17);
/** Time alone will change the judgement. */
const WAITS = bit(18);
/** Wanted, but the Ticket here has ended and none follows. */
export const ENDED = bit(19);
/** Wanted, and the scheduler found no room for the guardian. */
export const NO_ROOM = bit(20);
/** Wanted, and the API server refused the guardian, or made it too small. */
export const DENIED = bit(21);

function judge(
  definition: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  tickets: readonly DaemonTicket[],
  now: number,
): number {
  const [only] = tickets;
  if (only === undefined) return (verdict & SHOULD_RUN) === 0 ? 0 : judgeVacant(definition);
  if (tickets.length === 1 && isSettled(definition, verdict, node, only)) return judgeSettled(definition, only, now);
  return judgeAll(definition, verdict, now, assess(definition, verdict, node, tickets, now));
}

function judgeVacant({ strategy, refresh, tick }: OrderDefinition): number {
  const row = REFRESH_TABLE[strategy][refresh];
  if (row.vacant === 'create') return WANTED | MISSING | SPENT | WORK;
  return tick !== undefined && row.tick.vacant === 'create' ? WANTED | MISSING | SPENT | WORK | TICK : WANTED;
}

/** The usual case: one Ticket where one should be, and nothing to do about it. */
const isSettled = (definition: OrderDefinition, verdict: number, node: Node | undefined, only: DaemonTicket): boolean =>
  (verdict & SHOULD_RUN) !== 0 &&
  !isForATime(verdict) &&
  !isTerminating(only) &&
  !isFinished(only) &&
  !isHanded(only) &&
  isOfTemplate(definition.templateHash, only) &&
  !isFormer(node, only) &&
  markOf(only) === undefined &&
  !isToBeExtended(definition, only);

function judgeSettled(definition: OrderDefinition, only: DaemonTicket, now: number): number {
  const bits = WANTED | UPDATED | judgeHeld(definition, only, now);
  if ((bits & RESERVED) === 0) return bits | judgeRefusal(only) | SPENT;
  return (bits & AVAILABLE) === 0 ? bits | SPENT : bits;
}

const judgeRefusal = (ticket: DaemonTicket): number =>
  isUnschedulable(ticket) ? NO_ROOM : isDenied(ticket) ? DENIED : 0;

/** For Tickets that are wanted. */
function judgeHeld({ minReadySeconds }: OrderDefinition, ticket: DaemonTicket, now: number): number {
  const since = reservedSince(ticket);
  if (since === undefined) return 0;
  if (minReadySeconds === 0 || since + minReadySeconds * 1000 <= now) return RESERVED | AVAILABLE;
  return RESERVED | WAITS;
}

function judgeAll(definition: OrderDefinition, verdict: number, now: number, facts: Assessment): number {
  const { live, handed, ended, work, stayUntil } = facts;
  let bits = (handed.length > 0 ? CLAIMED : 0) | (ended.length > 0 ? TERMINAL : 0);
  for (const ticket of live) {
    if (isReserved(ticket)) bits |= RESERVED;
    if (!isOfTemplate(definition.templateHash, ticket)) bits |= OUTDATED;
  }
  if (stayUntil !== Infinity) bits |= GRACE | WAITS;
  if (work.remove.length > 0) bits |= SURPLUS | WORK;
  if (work.extend.length > 0) bits |= EXTEND | TICK | WORK;
  if (work.mark.length > 0) bits |= WORK;
  for (const { mark } of work.mark) bits |= mark === undefined ? MARKED_WRONGLY : GRACE_UNMARKED;
  return (verdict & SHOULD_RUN) === 0 ? bits : bits | judgeWanted(definition, now, facts);
}

function judgeWanted(definition: OrderDefinition, now: number, facts: Assessment): number {
  const { live, handed, work, succession } = facts;
  let bits = WANTED;
  for (const ticket of live) bits |= judgeHeld(definition, ticket, now);
  if ((bits & RESERVED) === 0) for (const ticket of live) bits |= judgeRefusal(ticket);
  const present = live.length > 0 ? live : handed;
  if (present.some((ticket) => isOfTemplate(definition.templateHash, ticket))) bits |= UPDATED;
  const { create } = work;
  if (create !== undefined)
    bits |= MISSING | WORK | (create.byTick ? TICK : 0) | (create.cause === 'expired' ? RENEW : 0);
  if (succession?.isEnded === true) bits |= ENDED;
  if (succession?.heldOutdated !== undefined) bits |= OUTDATED_HELD | (succession.outdatedByTick ? TICK : 0);
  return isSpent(bits, facts) ? bits | SPENT : bits;
}

/** A Ticket is to be made and no room is held for it, or one is here and not available. */
function isSpent(bits: number, { live, leaving, work, succession }: Assessment): boolean {
  if ((bits & (AVAILABLE | ENDED | OUTDATED_HELD)) !== 0 || succession?.isClaimed === true) return false;
  return live.length > 0 || leaving.length > 0 || (work.create !== undefined && work.create.takesOver === undefined);
}

function dueAt(
  definition: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  tickets: readonly DaemonTicket[],
  now: number,
): number {
  let due = isForATime(verdict) ? assess(definition, verdict, node, tickets, now).stayUntil : Infinity;
  if ((verdict & SHOULD_RUN) === 0) return due;
  for (const ticket of tickets) {
    const since = reservedSince(ticket);
    if (since === undefined) continue;
    const at = since + definition.minReadySeconds * 1000;
    if (at > now && at < due) due = at;
  }
  return due;
}

/** @param child reads Tickets; by default as those of a daemonSet Order, whose places are nodes. */
export const ticketRules = (
  child: ChildAdapter<DaemonTicket> = ticketChild(),
): Rules<DaemonTicket, OrderDefinition> => ({
  child,
  judge,
  waits: WAITS,
  dueAt,
  listed: WORK | OUTDATED_HELD | NO_ROOM | DENIED,
});
