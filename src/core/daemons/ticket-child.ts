/** Tickets as children of an Order. */
import { TICKET_PHASES } from '../api/names.ts';
import type { Ticket } from '../api/types/korder-v1alpha1.ts';
import type { PodSpec } from '../api/types/core-v1.ts';
import type { Stored } from '../kube/objects.ts';
import { compareResourceVersions } from '../kube/resource-version.ts';
import { type NodePin, pinOf } from '../placement/node-affinity.ts';
import type { ChildAdapter } from './engine-types.ts';
import { isFinished, phaseOf, templateHashOf, type TicketPhase } from './ticket-phase.ts';

export type DaemonTicket = Stored<Ticket>;

/** The revision of finished Tickets: `view.ofRevision(FINISHED)` is their number. No template hash looks like this. */
export const FINISHED = 'finished';

export const isTerminating = ({ metadata }: Ticket): boolean => metadata.deletionTimestamp !== undefined;

/** The better the Ticket, the smaller: what is lost with it is what counts. */
const RANKS: { readonly [phase in TicketPhase]: number } = {
  [TICKET_PHASES.claimed]: 0,
  [TICKET_PHASES.claiming]: 1,
  [TICKET_PHASES.reserved]: 2,
  [TICKET_PHASES.pending]: 3,
  [TICKET_PHASES.released]: 4,
  [TICKET_PHASES.expired]: 4,
};

/**
 * Nearly all Tickets are pinned in just the way an Order pins them. Those made by hand and adopted may have another pin, or none but
 * the node that their guardian was bound to.
 */
export function pinOfTicket({ spec, status }: DaemonTicket): NodePin | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const fields = terms?.length === 1 ? terms[0]?.matchFields : undefined;
  const only = fields?.length === 1 ? fields[0] : undefined;
  if (only?.key === 'metadata.name' && only.operator === 'In' && only.values?.length === 1)
    return { by: 'name', value: only.values[0] ?? '' };
  const pin = pinOf(spec as PodSpec);
  if (pin !== undefined) return pin;
  return status?.nodeName ? { by: 'name', value: status.nodeName } : undefined;
}

/** @param pin the place of a Ticket; Orders with replicas have places of another sort. */
export const ticketChild = (
  pin: (ticket: DaemonTicket) => NodePin | undefined = pinOfTicket,
): ChildAdapter<DaemonTicket> => ({
  uid: (ticket) => ticket.metadata.uid,
  pin,
  isNewer: (a, b) => compareAge(a, b) > 0,
  compare(a, b) {
    const rank = RANKS[phaseOf(a)] - RANKS[phaseOf(b)];
    return rank !== 0 ? rank : compareAge(a, b);
  },
  isNotOlder(a, b) {
    if (a === b) return true;
    return (compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) ?? -1) >= 0;
  },
  isOver: (ticket) => isTerminating(ticket) && isFinished(ticket),
  revision: (ticket) => (isFinished(ticket) ? FINISHED : templateHashOf(ticket)),
});

/** Negative where `a` is older. */
export function compareAge(a: DaemonTicket, b: DaemonTicket): number {
  const age = compareText(a.metadata.creationTimestamp, b.metadata.creationTimestamp);
  return age !== 0 ? age : compareText(a.metadata.name, b.metadata.name);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
