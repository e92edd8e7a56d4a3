/**
 * How long a Ticket stays on a node that stopped being eligible but may come back. The start of that time is recorded on the
 * Ticket, so that a restart of the controller neither shortens nor prolongs it.
 */
import { NODE_INELIGIBLE_REASONS } from '../api/names.ts';
import type { Node } from '../api/types/core-v1.ts';
import { findCondition } from '../kube/conditions.ts';
import { formatGoDuration } from '../kube/go-duration.ts';
import { formatTime } from '../kube/time.ts';
import type { OrderDefinition } from './order-definition.ts';
import type { DaemonTicket } from './ticket-child.ts';
import { isGraceReason, markOf, type NewMark, timeOf } from './ticket-phase.ts';
import { FOR_A_TIME, isCordoned, isReady, TEMPORARY } from './verdict.ts';

export interface Stay {
  /** When the Ticket must go (epoch ms). */
  readonly until: number;
  /** The time that ends it. */
  readonly why: 'grace-over' | 'toleration-over';
  /** The start is not recorded, or that of a time of another sort: to be written. */
  readonly mark: NewMark | undefined;
}

/** Whether Tickets stay at such a place for a time only. */
export const isForATime = (verdict: number): boolean => (verdict & (TEMPORARY | FOR_A_TIME)) !== 0;

/** For places where `isForATime`. A grace period and a toleration that both run end with the first of the two. */
export function stayOf(
  { eligibility, graceMs }: OrderDefinition,
  verdict: number,
  node: Node | undefined,
  ticket: DaemonTicket,
  now: number,
): Stay {
  const isTemporary = (verdict & TEMPORARY) !== 0;
  const known = markOf(ticket);
  const isMarked = known !== undefined && isGraceReason(known.reason) === isTemporary;
  const since = isMarked ? Math.max(known.since, isTemporary ? downSince(node) : 0) : now;
  const graceEnd = isTemporary ? since + graceMs : Infinity;
  const tolerationEnd =
    (verdict & FOR_A_TIME) !== 0 && node !== undefined ? eligibility.toleratedUntil(node, since) : Infinity;
  const until = Math.min(graceEnd, tolerationEnd);
  return {
    until,
    why: graceEnd <= tolerationEnd ? 'grace-over' : 'toleration-over',
    mark: isMarked || node === undefined ? undefined : newMark(node, isTemporary, graceMs, until),
  };
}

/**
 * When the node itself says that it went down (epoch ms); 0 where it says nothing, or is cordoned, too. A mark may be older: of an
 * outage that is over, where the node went down again before the mark was cleared. Clearing thousands of marks takes minutes.
 */
function downSince(node: Node | undefined): number {
  if (node === undefined || isCordoned(node)) return 0;
  const ready = findCondition(node.status?.conditions, 'Ready');
  return ready === undefined || ready.status === 'True' ? 0 : (timeOf(ready.lastTransitionTime) ?? 0);
}

function newMark(node: Node, isTemporary: boolean, graceMs: number, until: number): NewMark {
  const { name } = node.metadata;
  const { cordoned, notReady, toleratedForATime } = NODE_INELIGIBLE_REASONS;
  if (!isTemporary) {
    const message = `node ${name} has a NoExecute taint that is tolerated until ${formatTime(until)}`;
    return { reason: toleratedForATime, message };
  }
  const isOnlyCordoned = isCordoned(node) && isReady(node);
  const what = isOnlyCordoned ? 'is cordoned' : 'is not Ready';
  const message = `node ${name} ${what}; the Ticket is deleted if that lasts ${formatGoDuration(graceMs)}`;
  return { reason: isOnlyCordoned ? cordoned : notReady, message };
}
