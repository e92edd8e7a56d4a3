/** What a Ticket says of itself: its phase, the room it holds, the Ticket it follows, the node it was made for. */
import {
  NODE_INELIGIBLE_REASONS,
  RESERVATION_ANNOTATIONS,
  RESERVATION_EVENTS,
  RESERVATION_LABELS,
  TICKET_CONDITIONS,
  TICKET_PHASES,
  TICKET_REASONS,
} from '../api/names.ts';
import type { Ticket } from '../api/types/korder-v1alpha1.ts';
import { findCondition, setCondition } from '../kube/conditions.ts';
import { labelOf } from '../kube/labels.ts';
import type { Condition } from '../kube/meta-v1.ts';
import { parseTime } from '../kube/time.ts';

export type TicketPhase = (typeof TICKET_PHASES)[keyof typeof TICKET_PHASES];

const PHASES: ReadonlySet<string> = new Set(Object.values(TICKET_PHASES));

/** On a cluster with a kube-apiserver new Tickets have no status; a phase of no meaning counts as none. */
export function phaseOf({ status }: Ticket): TicketPhase {
  const phase = status?.phase;
  return phase !== undefined && PHASES.has(phase) ? (phase as TicketPhase) : TICKET_PHASES.pending;
}

/** Ended for good: such a Ticket only waits for its removal. */
export function isFinished(ticket: Ticket): boolean {
  const phase = ticket.status?.phase;
  return phase === TICKET_PHASES.expired || phase === TICKET_PHASES.released;
}

/** Given, or being given, to a pod. */
export function isHanded(ticket: Ticket): boolean {
  const phase = ticket.status?.phase;
  return phase === TICKET_PHASES.claimed || phase === TICKET_PHASES.claiming;
}

/** Its room is taken on a node, by the guardian or by the pod that claimed it. */
export const isHeld = (ticket: Ticket): boolean => ticket.status?.phase === TICKET_PHASES.reserved || isHanded(ticket);

/** Has expired, and its guardian still holds the room for a successor. */
export const holdsGuardian = ({ status }: Ticket): boolean =>
  status?.phase === TICKET_PHASES.expired && (status.guardianPod ?? '') !== '';

/** Pending, and the reason is that no guardian could be made or placed; a guardian that was lost is simply made again. */
export function isRefused(ticket: Ticket): boolean {
  const reason = ticket.status?.reason ?? '';
  return reason !== '' && reason !== RESERVATION_EVENTS.guardianLost && phaseOf(ticket) === TICKET_PHASES.pending;
}

/** Pending for want of room: the scheduler found no node for the guardian. */
export const isUnschedulable = (ticket: Ticket): boolean =>
  ticket.status?.reason === TICKET_REASONS.unschedulable && phaseOf(ticket) === TICKET_PHASES.pending;

/** Pending because the API server refused the guardian, or let it in with less than the Ticket asks for. */
export function isDenied(ticket: Ticket): boolean {
  const reason = ticket.status?.reason;
  const isTelling = reason === TICKET_REASONS.createFailed || reason === TICKET_REASONS.tooSmall;
  return isTelling && phaseOf(ticket) === TICKET_PHASES.pending;
}

/** UID of the Ticket whose guardian it takes over; empty where there is none. */
export const predecessorOf = ({ metadata }: Ticket): string =>
  labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.predecessor) ?? '';

/** UID of the node it was made for; empty where that is not recorded. */
export const nodeUidOf = ({ metadata }: Ticket): string =>
  labelOf(metadata.annotations, RESERVATION_ANNOTATIONS.nodeUid) ?? '';

export const templateHashOf = ({ metadata }: Ticket): string =>
  labelOf(metadata.labels, RESERVATION_LABELS.templateHash) ?? '';

/** Since when the room is held without a break (epoch ms); undefined where the Ticket is not Reserved. */
export function reservedSince({ status }: Ticket): number | undefined {
  if (status?.phase !== TICKET_PHASES.reserved) return undefined;
  const ready = findCondition(status.conditions, TICKET_CONDITIONS.ready);
  const since = ready?.status === 'True' ? ready.lastTransitionTime : undefined;
  return timeOf(since ?? status.activationTime) ?? 0;
}

/** The record on a Ticket that its node stopped being eligible. */
export interface NodeMark {
  /** Epoch ms. */
  readonly since: number;
  readonly reason: string;
}

export function markOf({ status }: Ticket): NodeMark | undefined {
  const condition = findCondition(status?.conditions, TICKET_CONDITIONS.nodeEligible);
  if (condition?.status !== 'False') return undefined;
  return { since: timeOf(condition.lastTransitionTime) ?? 0, reason: condition.reason ?? '' };
}

/** A mark to be written. Begins when it is written, also where a mark with another reason was there. */
export interface NewMark {
  readonly reason: string;
  readonly message: string;
}

/** The conditions with this mark; undefined: the node is eligible again. The same list where nothing changes. */
export function withMark(
  conditions: readonly Condition[] | undefined,
  mark: NewMark | undefined,
  now: string,
): readonly Condition[] {
  const type = TICKET_CONDITIONS.nodeEligible;
  const next: Condition =
    mark === undefined
      ? { type, status: 'True', reason: 'NodeEligible', message: '', lastTransitionTime: now }
      : { type, status: 'False', reason: mark.reason, message: mark.message, lastTransitionTime: now };
  const known = findCondition(conditions, type);
  if (mark === undefined && known?.status !== 'False') return conditions ?? [];
  // A reason of another sort begins a time of its own, although the status stays False.
  const isNew = known?.status === 'False' && isGraceReason(known.reason) !== isGraceReason(next.reason);
  return isNew
    ? (conditions ?? []).map((each) => (each.type === type ? next : each))
    : setCondition(conditions, next, now);
}

/** Reasons for which the grace period of the Order runs. */
export const isGraceReason = (reason: string | undefined): boolean =>
  reason === NODE_INELIGIBLE_REASONS.notReady || reason === NODE_INELIGIBLE_REASONS.cordoned;

let lastText = '';
let lastTime: number | undefined;

/** Thousands of Tickets are reserved in the same second. */
export function timeOf(text: string | null | undefined): number | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  if (text === lastText) return lastTime;
  lastTime = parseTime(text);
  lastText = text;
  return lastTime;
}
