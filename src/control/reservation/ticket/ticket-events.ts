/**
 * Events of Tickets: one for every transition. Many Tickets of one Order change at nearly the same time; transitions of one sort are
 * gathered for a moment, and where there are several they are told once, on the Order.
 */
import { RESERVATION_EVENTS as EVENT } from '../../../core/api/names.ts';
import { TICKETS } from '../../../core/api/registry/resources.ts';
import type { ObjectReference } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import type { Clock, Timer } from '../../../machinery/time/clock.ts';
import { isOverhead } from './guardian-pod.ts';
import type { Report } from './ticket-step.ts';

export interface TicketEvents {
  reported(ticket: Ticket, report: Report): void;
  /** A finished Ticket was deleted after its TTL. */
  ended(ticket: Ticket): void;
  /** Emits the gathered events now. */
  flush(): void;
}

/** Time in which transitions are gathered. */
const GATHER_MS = 1000;

interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  /** Of one Ticket. */
  readonly note: string;
  /** Of several; the note of the first follows for warnings. */
  readonly many: (tickets: string) => string;
}

/** Transitions of one sort and one Order. */
interface Gathered {
  readonly order: ObjectReference;
  readonly first: Ticket;
  readonly transition: Transition;
  count: number;
}

export function createTicketEvents(recorder: EventRecorder, clock: Clock): TicketEvents {
  const gathered = new Map<string, Gathered>();
  let timer: Timer | undefined;

  function tell(ticket: Ticket, transition: Transition): void {
    const order = orderOf(ticket);
    if (order === undefined) {
      emit(ticket, transition, transition.note);
      return;
    }
    const key = `${order.uid ?? ''} ${transition.reason}`;
    const known = gathered.get(key);
    if (known !== undefined) known.count += 1;
    else gathered.set(key, { order, first: ticket, transition, count: 1 });
    timer ??= clock.after(GATHER_MS, flush);
  }

  function flush(): void {
    timer?.cancel();
    timer = undefined;
    for (const { order, first, transition, count } of gathered.values()) {
      if (count === 1) emit(first, transition, transition.note);
      else {
        const { type, reason, note, many } = transition;
        const text = many(`${count.toLocaleString('en-US')} ${isOverhead(first) ? 'nodes' : 'Tickets'}`);
        recorder.event(order, { type, reason, note: type === 'Normal' ? text : `${text}, the first: ${note}` });
      }
    }
    gathered.clear();
  }

  const emit = (ticket: Ticket, { type, reason }: Transition, note: string): void =>
    recorder.event(withType(TICKETS, ticket), { type, reason, note });

  return {
    reported(ticket, report) {
      const transition = transitionOf(ticket, report);
      if (transition !== undefined) tell(ticket, transition);
    },
    ended: (ticket) =>
      tell(ticket, {
        type: 'Normal',
        reason: EVENT.ticketDeleted,
        note: `deleted finished Ticket ${ticket.metadata.name}`,
        many: (tickets) => `deleted finished Tickets of ${tickets}`,
      }),
    flush,
  };
}

function transitionOf(ticket: Ticket, report: Report): Transition | undefined {
  switch (report.type) {
    case 'reserved': {
      const note = `reserved room on node ${report.guardian.spec.nodeName ?? ''}`;
      return { type: 'Normal', reason: EVENT.ticketReserved, note, many: (all) => `reserved room on ${all}` };
    }
    case 'expired': {
      const note = `the time of the Ticket is over`;
      return { type: 'Normal', reason: EVENT.ticketExpired, note, many: (all) => `the time is over on ${all}` };
    }
    case 'lost': {
      const { message: note } = report;
      return { type: 'Warning', reason: EVENT.guardianLost, note, many: (all) => `lost the guardians on ${all}` };
    }
    case 'unschedulable': {
      const { message: note } = report;
      return { type: 'Warning', reason: EVENT.guardianUnschedulable, note, many: (all) => `no room on ${all}` };
    }
    case 'too-small': {
      const { message: note } = report;
      return { type: 'Warning', reason: EVENT.guardianTooSmall, note, many: (all) => `too little room on ${all}` };
    }
    case 'create-failed': {
      const note = `no guardian could be made for Ticket ${ticket.metadata.name}: ${report.message}`;
      const many = (all: string): string => `no guardians could be made on ${all}`;
      return { type: 'Warning', reason: EVENT.guardianCreateFailed, note, many };
    }
    case 'claimed': {
      const { namespace = '', name } = report.claimant.metadata;
      const note = `pod ${namespace}/${name} has taken over the room on node ${report.claimant.spec.nodeName ?? ''}`;
      return { type: 'Normal', reason: EVENT.ticketClaimed, note, many: (all) => `handed the room over on ${all}` };
    }
    case 'claim-failed': {
      const note = `Ticket ${ticket.metadata.name} was not handed over: ${report.message}`;
      return {
        type: 'Warning',
        reason: EVENT.claimFailed,
        note,
        many: (all) => `the room was not handed over on ${all}`,
      };
    }
    case 'released': {
      const note = `pod ${ticket.status?.claimedPod ?? ''} has ended, and the Ticket with it`;
      return { type: 'Normal', reason: EVENT.ticketReleased, note, many: (all) => `claimants have ended on ${all}` };
    }
    case 'parted':
      return undefined;
  }
}

function orderOf({ metadata, ...ticket }: Ticket): ObjectReference | undefined {
  const reference = controllerOf({ metadata, ...ticket });
  if (reference?.kind !== 'Order') return undefined;
  const { apiVersion, kind, name, uid } = reference;
  const { namespace } = metadata;
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}
