/** A Ticket as `everynode tickets` shows it: which node, since when, until when, for whom, and why not. Pure. */
import { RESERVATION_LABELS, TICKET_CONDITIONS, TICKET_PHASES } from '../../core/api/names.ts';
import { ticketPlan } from '../../core/api/kinds/reservation/order-plan.ts';
import type { Node, PodSpec } from '../../core/api/types/core-v1.ts';
import type { Ticket } from '../../core/api/types/korder-v1alpha1.ts';
import { findCondition } from '../../core/kube/conditions.ts';
import { isFinished } from '../../core/daemons/ticket-phase.ts';
import { labelOf } from '../../core/kube/labels.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { formatTime } from '../../core/kube/time.ts';
import { pinOf } from '../../core/placement/node-affinity.ts';
import { printable, table } from '../component/text.ts';
import type { TableOptions } from './order-view.ts';
import { type Excess, excessOf } from './ticket-excess.ts';
import { ORPHANED, ticketFix } from './ticket-fix.ts';
import { timeLeft, timePast } from './times.ts';

export interface WhyNot {
  readonly reason: string;
  readonly message: string;
  /** What a person can do about it. */
  readonly fix: string;
}

export interface TicketView {
  readonly namespace: string;
  readonly name: string;
  /** Absent for a Ticket made by hand. */
  readonly order?: string;
  /** Absent while a Ticket that may go anywhere has no node. */
  readonly node?: string;
  readonly phase: string;
  /** Since when the Ticket is in its phase, as far as the status records it. */
  readonly since?: string;
  /** When the room is given back; absent: not yet known, or without end. */
  readonly until?: string;
  readonly claimedBy?: string;
  readonly guardian?: string;
  readonly whyNot?: WhyNot;
}

/** What is known beside the Ticket. */
export interface Surroundings {
  /** Epoch ms. */
  readonly now: number;
  /** Those that may be seen. */
  readonly nodes: readonly Node[];
}

export function ticketView(ticket: Ticket, { now, nodes }: Surroundings): TicketView {
  const { metadata, spec, status } = ticket;
  const phase = status?.phase ?? TICKET_PHASES.pending;
  const order = labelOf(metadata.labels, RESERVATION_LABELS.order);
  const node = status?.nodeName || pinOf(spec as PodSpec)?.value;
  const since = sinceOf(ticket, phase);
  const until = status?.expirationTime;
  const { claim } = status ?? {};
  const claimedBy = claim?.podName === undefined ? status?.claimedPod : `${claim.podNamespace ?? ''}/${claim.podName}`;
  const view = {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    ...(order === undefined ? {} : { order }),
    ...(node === undefined ? {} : { node }),
    phase,
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
    ...(claimedBy === undefined ? {} : { claimedBy }),
    ...(status?.guardianPod === undefined ? {} : { guardian: status.guardianPod }),
  };
  const why = whyNotOf(ticket, view, now, excessOf(spec, node, nodes));
  return why === undefined ? view : { ...view, whyNot: why };
}

function sinceOf({ metadata, status }: Ticket, phase: string): string | undefined {
  switch (phase) {
    case TICKET_PHASES.pending:
      return (
        findCondition(status?.conditions, TICKET_CONDITIONS.ready)?.lastTransitionTime ?? metadata.creationTimestamp
      );
    case TICKET_PHASES.claimed:
      return status?.claimedTime;
    case TICKET_PHASES.released:
    case TICKET_PHASES.expired:
      return status?.finishedTime;
    default:
      return status?.activationTime;
  }
}

/** Whether the Ticket has the label of an Order and no Order as its controller: a deleted one has left it behind. */
export const isOrphan = (ticket: Ticket): boolean =>
  labelOf(ticket.metadata.labels, RESERVATION_LABELS.order) !== undefined &&
  controllerOf(ticket)?.kind !== 'Order' &&
  !isFinished(ticket);

/** Only a held room (Reserved, Claiming, Claimed) of its Order on a node in order needs no word. */
function whyNotOf(ticket: Ticket, view: TicketView, now: number, excess: Excess | undefined): WhyNot | undefined {
  const { spec, status } = ticket;
  const told = (reason: string, message: string): WhyNot => {
    const words = { reason: printable(reason), message: printable(message) };
    return { ...words, fix: ticketFix({ ...view, ...words, ...(excess === undefined ? {} : { excess }) }) };
  };
  if (isOrphan(ticket))
    return told(ORPHANED, `the Ticket bears the name of Order ${view.order}, but no Order controls it`);
  const eligible = findCondition(status?.conditions, TICKET_CONDITIONS.nodeEligible);
  if (eligible?.status === 'False') return told(eligible.reason, eligible.message);
  if (isOver(view)) return told(status?.reason ?? view.phase, status?.message ?? '');
  if (view.phase !== TICKET_PHASES.pending) return undefined;
  const { startMs } = ticketPlan(spec);
  if (status?.reason === undefined && startMs !== undefined && startMs > now)
    return told('NotStarted', `the Ticket starts at ${formatTime(startMs)}`);
  return told(status?.reason ?? 'GuardianPending', status?.message ?? 'the guardian does not run yet');
}

const isOver = ({ phase }: TicketView): boolean => phase === TICKET_PHASES.expired || phase === TICKET_PHASES.released;

/** Without finished Tickets where another one of the same Order has taken their place; the rest is what is true now. */
export function presentTickets(views: readonly TicketView[]): readonly TicketView[] {
  const placeOf = ({ namespace, order = '', node = '' }: TicketView): string => [namespace, order, node].join('\0');
  const isSuccessor = (view: TicketView): boolean => !isOver(view) && view.whyNot?.reason !== ORPHANED;
  const live = new Set(views.filter(isSuccessor).map(placeOf));
  return views.filter((view) => !isOver(view) || !live.has(placeOf(view)));
}

const HEADINGS = ['TICKET', 'NODE', 'PHASE', 'SINCE', 'UNTIL', 'CLAIMED-BY', 'WHY-NOT'];

export function ticketsTable(views: readonly TicketView[], options: TableOptions): string {
  const { isWide, withNamespace } = options;
  const headings = [...(withNamespace ? ['NAMESPACE'] : []), ...HEADINGS, ...(isWide ? ['ORDER', 'GUARDIAN'] : [])];
  return table([headings, ...views.map((view) => rowOf(view, options))]);
}

function rowOf(view: TicketView, { now, isWide, withNamespace }: TableOptions): readonly string[] {
  const { since, until, whyNot: why } = view;
  const end = until === undefined ? (view.phase === TICKET_PHASES.reserved ? 'endless' : '-') : until;
  return [
    ...(withNamespace ? [view.namespace] : []),
    view.name,
    view.node ?? '-',
    view.phase,
    since === undefined ? '-' : isWide ? since : timePast(since, now),
    until === undefined || isWide ? end : isOver(view) ? timePast(until, now) : timeLeft(until, now),
    view.claimedBy ?? '-',
    why === undefined ? '-' : why.reason,
    ...(isWide ? [view.order ?? '-', view.guardian ?? '-'] : []),
  ];
}
