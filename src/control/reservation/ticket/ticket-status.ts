/** The status of a Ticket after a report. Pure; parts that the report does not speak of stay as they are. */
import { TICKET_CONDITIONS, TICKET_PHASES as PHASE, TICKET_REASONS as REASON } from '../../../core/api/names.ts';
import { ticketPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket, TicketStatus } from '../../../core/api/types/korder-v1alpha1.ts';
import { timeOf } from '../../../core/daemons/ticket-phase.ts';
import { findCondition, setCondition } from '../../../core/kube/conditions.ts';
import type { Condition } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { fullName, isHolding } from './guardian-state.ts';
import type { Report } from './ticket-step.ts';

/** `reason` of the status, by report. */
const REASON_OF = {
  lost: REASON.lost,
  unschedulable: REASON.unschedulable,
  'too-small': REASON.tooSmall,
  'create-failed': REASON.createFailed,
} as const;

export function statusAfter(ticket: Stored<Ticket>, report: Report, now: number): TicketStatus {
  const { reason: _reason, message: _message, guardianPod: _guardian, ...base } = ticket.status ?? {};
  const { generation } = ticket.metadata;
  const time = formatTime(now);
  const shared = { ...base, ...(generation === undefined ? {} : { observedGeneration: generation }) };
  switch (report.type) {
    case 'reserved': {
      const { guardian } = report;
      const nodeName = guardian.spec.nodeName ?? '';
      const expirationTime = base.expirationTime ?? endOf(ticket, now);
      const since = heldSince(guardian, now);
      return {
        ...shared,
        phase: PHASE.reserved,
        activationTime: base.activationTime ?? time,
        ...(expirationTime === undefined ? {} : { expirationTime }),
        nodeName,
        guardianPod: fullName(guardian),
        conditions: ready(base.conditions, 'True', REASON.reserved, `room is held on node ${nodeName}`, since),
      };
    }
    case 'expired': {
      const message = `the time of the Ticket ended at ${base.expirationTime ?? endOf(ticket, now) ?? time}`;
      const over = { ...shared, phase: PHASE.expired, finishedTime: time, reason: REASON.expired, message };
      return report.keeps === undefined
        ? { ...over, conditions: ready(base.conditions, 'False', REASON.expired, message, time) }
        : { ...over, guardianPod: fullName(report.keeps) };
    }
    case 'parted': {
      const usual = base.phase === PHASE.released ? REASON.released : REASON.expired;
      const { reason = usual, message = '' } = ticket.status ?? {};
      const finishedTime = formatTime(timeOf(base.finishedTime) ?? now);
      const conditions = ready(base.conditions, 'False', reason, message, time);
      return { ...shared, finishedTime, reason, message, conditions };
    }
    case 'claimed': {
      const { podNamespace = '', podName = '' } = base.claim ?? {};
      const message = `pod ${podNamespace}/${podName} has the room on node ${base.nodeName ?? ''}`;
      return { ...shared, phase: PHASE.claimed, claimedTime: time, reason: REASON.claimed, message };
    }
    case 'claim-failed': {
      const { claim: _claim, claimedPod: _claimedPod, ...free } = shared;
      const { message, guardian } = report;
      if (guardian !== undefined && isHolding(guardian))
        return { ...free, phase: PHASE.reserved, guardianPod: fullName(guardian), reason: REASON.claimFailed, message };
      const conditions = ready(base.conditions, 'False', REASON.claimFailed, message, time);
      return { ...free, phase: PHASE.pending, reason: REASON.claimFailed, message, conditions };
    }
    case 'released': {
      const message = `pod ${base.claimedPod ?? ''} has ended`;
      const conditions = ready(base.conditions, 'False', REASON.released, message, time);
      return { ...shared, phase: PHASE.released, finishedTime: time, reason: REASON.released, message, conditions };
    }
    case 'lost':
    case 'unschedulable':
    case 'too-small':
    case 'create-failed': {
      const reason = REASON_OF[report.type];
      const { message } = report;
      const conditions = ready(base.conditions, 'False', reason, message, time);
      return { ...shared, phase: PHASE.pending, reason, message, conditions };
    }
  }
}

const ready = (
  conditions: TicketStatus['conditions'],
  status: 'True' | 'False',
  reason: string,
  message: string,
  since: string,
): readonly Condition[] =>
  setCondition<Condition>(
    conditions,
    { type: TICKET_CONDITIONS.ready, status, reason, message, lastTransitionTime: since },
    since,
  );

/** Since when the guardian is ready: a Ticket that takes over the guardian of another one has held the room as long. */
function heldSince({ status }: Pod, now: number): string {
  const since = timeOf(findCondition(status?.conditions, 'Ready')?.lastTransitionTime);
  return formatTime(Math.min(since ?? now, now));
}

/** End of a Ticket that is Reserved from now on: with a window its time ends with that. */
function endOf(ticket: Ticket, now: number): string | undefined {
  const { durationMs } = ticketPlan(ticket.spec);
  return durationMs === undefined ? undefined : formatTime(windowEnd(ticket) ?? now + durationMs);
}

/**
 * End of the window of a Ticket with a start and a duration, which holds nothing after both. A Ticket that was made when the window
 * was over has none: as the successor of one whose time has ended, it holds the room for its duration.
 */
export function windowEnd({ spec, metadata }: Ticket): number | undefined {
  const { durationMs, startMs } = ticketPlan(spec);
  if (durationMs === undefined || startMs === undefined) return undefined;
  const end = startMs + durationMs;
  // Creation times are whole seconds.
  return (timeOf(metadata.creationTimestamp) ?? 0) + 999 >= end ? undefined : end;
}
