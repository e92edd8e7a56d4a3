/**
 * What is to be done for a Ticket next: one step at a time, decided from the Ticket, its guardians and the time, whatever happened
 * before. The sync (ticket-sync.ts) carries a step out and asks again, so a crash between two steps changes nothing.
 */
import { RESERVATION_LABELS, TICKET_PHASES as PHASE, TICKET_REASONS as REASON } from '../../../core/api/names.ts';
import { ticketPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import { isFinished, isHanded, phaseOf, timeOf } from '../../../core/daemons/ticket-phase.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { type Claimant, handoverStep, stepUnderShade } from './handover-step.ts';
import { fullName, isAlive, isHolding, isOfUse, lossOf, refusal, shortfall } from './guardian-state.ts';

/** Tickets that name this one as their predecessor. `waiting`: one of them has no guardian with a node and can use this one's. */
export type Heir = 'none' | 'waiting' | 'served';

export interface TicketFacts {
  readonly ticket: Stored<Ticket>;
  /** Pods that the Ticket controls, those that have ended or are being deleted included. */
  readonly guardians: readonly Stored<Pod>[];
  /** Pods that stand on the slot while it changes hands (shade-pod.ts). */
  readonly shades: readonly Stored<Pod>[];
  /** The pod that claims, or has claimed, the Ticket. */
  readonly claimant: Claimant;
  /**
   * Guardian without a node that the Order wants in the place of the claimant: that of the next Ticket of the same node. `served`: the
   * next Ticket has its room.
   */
  readonly follower: Stored<Pod> | 'served' | undefined;
  /** The Order makes another Ticket of the same node after a claim: the follower comes, if it is not there yet. */
  readonly isFollowed: boolean;
  /** Why a pod that was to be bound under a shade was refused; undefined: it was not. */
  readonly refusedClaim: string | undefined;
  /** A pod that this Ticket can make its guardian: that of its predecessor, or one that it was told to adopt. */
  readonly inheritance: Stored<Pod> | undefined;
  readonly heir: Heir;
  /** End of the Ticket's time (epoch ms), renewals that are due reckoned with; undefined: none. */
  readonly expiresAt: number | undefined;
  /** The Order will make a successor of this Ticket, which takes over the guardian. */
  readonly renews: boolean;
  /** The Order needs the finished Ticket: no TTL runs. */
  readonly keepsFinished: boolean;
  /** False where the node of the Ticket takes no new guardian: drained, or not Ready. */
  readonly mayMake: boolean;
  /** When the last refusal of the scheduler was written into the status (epoch ms); undefined: not by this process. */
  readonly toldAt: number | undefined;
  readonly now: number;
}

/** A change of the status, and the event that tells of it. */
export type Report =
  | { readonly type: 'reserved'; readonly guardian: Stored<Pod> }
  | { readonly type: 'lost' | 'unschedulable' | 'too-small' | 'create-failed'; readonly message: string }
  /** `keeps`: the guardian that stays for a successor. */
  | { readonly type: 'expired'; readonly keeps: Stored<Pod> | undefined }
  /** The guardian of an expired Ticket has been passed on or deleted; the end is recorded where it was not. */
  | { readonly type: 'parted' }
  | { readonly type: 'claimed'; readonly claimant: Stored<Pod> }
  /** `guardian`: the one that still holds the room. */
  | { readonly type: 'claim-failed'; readonly message: string; readonly guardian: Stored<Pod> | undefined }
  /** The claimant has ended. */
  | { readonly type: 'released' };

export type Step =
  /** Nothing, until something changes or that time has come (epoch ms). */
  | { readonly type: 'rest'; readonly until?: number }
  | { readonly type: 'report'; readonly report: Report }
  /** Create a guardian. */
  | { readonly type: 'make' }
  /** Become the owner of a pod that holds the room already. */
  | { readonly type: 'take'; readonly guardian: Stored<Pod> }
  | { readonly type: 'remove'; readonly guardians: readonly Stored<Pod>[] }
  /** Ask the API server whether the claimant is there. */
  | { readonly type: 'ask' }
  /** Create a shade, with the effective requests of a pod, or with those of the Ticket. */
  | { readonly type: 'shade'; readonly name: string; readonly nodeName: string; readonly like: Stored<Pod> | 'ticket' }
  /** Let shades go. */
  | { readonly type: 'unshade'; readonly shades: readonly Stored<Pod>[] }
  /** Bind a pod to the node whose room a shade holds for it, if the pod fits. */
  | { readonly type: 'bind'; readonly pod: Stored<Pod>; readonly nodeName: string }
  /** Delete the Ticket, whose TTL is over. */
  | { readonly type: 'end' };

const REST: Step = Object.freeze({ type: 'rest' });
const rest = (until: number | undefined): Step => (until === undefined ? REST : { type: 'rest', until });
const report = (told: Report): Step => ({ type: 'report', report: told });

export function nextStep(facts: TicketFacts): Step {
  const { ticket, guardians, expiresAt, now } = facts;
  if (isHanded(ticket)) return handoverStep(facts);
  const underShade = stepUnderShade(facts);
  if (underShade !== undefined) return underShade;
  if (isFinished(ticket)) return stepAfterEnd(facts);
  const [guardian, ...surplus] = guardians.filter(isAlive).toSorted(byMerit(ticket));
  if (expiresAt !== undefined && expiresAt <= now) {
    const isWanted = facts.heir === 'waiting' || (facts.heir === 'none' && facts.renews);
    return report({ type: 'expired', keeps: isWanted ? guardian : undefined });
  }
  if (guardian === undefined) return stepWithout(facts);
  if (surplus.length > 0) return { type: 'remove', guardians: surplus };
  const ended = guardians.filter(hasEnded);
  if (ended.length > 0) return { type: 'remove', guardians: ended };
  // The own one goes first, so that there are never two: one that gets a node at this very moment stays, as it has changed.
  if (facts.heir === 'none' && facts.inheritance !== undefined && isOfUse(facts.inheritance, [guardian]))
    return { type: 'remove', guardians: [guardian] };
  return stepWith(facts, guardian);
}

/** Ended, and nobody deletes it. */
const hasEnded = (pod: Pod): boolean => isTerminal(pod) && !isBeingDeleted(pod);

/** The guardian in the status first, then those that run, then the oldest. */
const byMerit =
  ({ status }: Ticket) =>
  (a: Stored<Pod>, b: Stored<Pod>): number => {
    const rank = (pod: Stored<Pod>): number => (status?.guardianPod === fullName(pod) ? 2 : isHolding(pod) ? 1 : 0);
    if (rank(a) !== rank(b)) return rank(b) - rank(a);
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp
      ? -1
      : a.metadata.creationTimestamp > b.metadata.creationTimestamp
        ? 1
        : a.metadata.uid < b.metadata.uid
          ? -1
          : 1;
  };

function stepWithout({ ticket, guardians, inheritance, heir, expiresAt, mayMake, now }: TicketFacts): Step {
  // The guardian was passed on: the Ticket has done its part.
  if (heir !== 'none') return rest(expiresAt);
  const ended = guardians.filter(hasEnded);
  if (phaseOf(ticket) === PHASE.reserved || (ended.length > 0 && ticket.status?.reason !== REASON.lost))
    return report({ type: 'lost', message: lossOf(guardians) });
  if (ended.length > 0) return { type: 'remove', guardians: ended };
  const { startMs } = ticketPlan(ticket.spec);
  if (startMs !== undefined && startMs > now) return rest(startMs);
  if (inheritance !== undefined) return { type: 'take', guardian: inheritance };
  return mayMake ? { type: 'make' } : rest(expiresAt);
}

function stepWith(facts: TicketFacts, guardian: Stored<Pod>): Step {
  const { ticket, expiresAt } = facts;
  const { status } = ticket;
  const isReserved = phaseOf(ticket) === PHASE.reserved;
  const isNamed = status?.guardianPod === fullName(guardian);
  if (!isHolding(guardian)) {
    // A guardian on a node that does not answer is not ready, and holds its room all the same.
    if (isReserved) return isNamed ? rest(expiresAt) : report({ type: 'lost', message: lossOf(facts.guardians) });
    return stepWhileRefused(facts, refusal(guardian));
  }
  const short = shortfall(ticket, guardian);
  if (short === undefined) {
    if (isReserved && isNamed && status.nodeName === guardian.spec.nodeName) return rest(expiresAt);
    return report({ type: 'reserved', guardian });
  }
  // Another guardian helps only where the Ticket has changed since this one was made.
  if (labelOf(guardian.metadata.labels, RESERVATION_LABELS.guardianHash) !== guardianHash(ticket.spec))
    return { type: 'remove', guardians: [guardian] };
  const isTold = !isReserved && status?.reason === REASON.tooSmall && status.message === short;
  return isTold ? rest(expiresAt) : report({ type: 'too-small', message: short });
}

/** The words of the scheduler change with every node that joins; a change is worth a write once in this time. */
const TELL_EVERY_MS = 5 * 60_000;

function stepWhileRefused({ ticket: { status }, expiresAt, toldAt, now }: TicketFacts, message?: string): Step {
  const isTold = status?.reason === REASON.unschedulable;
  if (message === undefined || (isTold && status.message === message)) return rest(expiresAt);
  if (isTold && toldAt !== undefined && now < toldAt + TELL_EVERY_MS)
    return rest(Math.min(expiresAt ?? Infinity, toldAt + TELL_EVERY_MS));
  return report({ type: 'unschedulable', message });
}

/**
 * The room is not free for a moment: the guardian stays until the successor has taken it. Whether it stays is decided when the Ticket
 * ends, and the status says so: an Order that is resumed later makes a new Ticket, not a successor.
 */
function isKept({ ticket, heir, renews }: TicketFacts, guardian: Pod): boolean {
  if (!isAlive(guardian)) return false;
  return heir === 'waiting' || (heir === 'none' && renews && ticket.status?.guardianPod === fullName(guardian));
}

function stepAfterEnd(facts: TicketFacts): Step {
  const { ticket, guardians, keepsFinished, now } = facts;
  const { spec, status } = ticket;
  if (phaseOf(ticket) === PHASE.expired) {
    const left = guardians.filter((pod) => !isBeingDeleted(pod));
    if (left.some((pod) => isKept(facts, pod))) return REST;
    if ((status?.guardianPod ?? '') !== '') return report({ type: 'parted' });
    if (left.length > 0) return { type: 'remove', guardians: left };
  }
  const { ttlSeconds } = ticketPlan(spec);
  if (keepsFinished || ttlSeconds === undefined) return REST;
  const finishedAt = timeOf(status?.finishedTime);
  // Ended by somebody who did not say when: the TTL runs from now.
  if (finishedAt === undefined) return report({ type: 'parted' });
  const goesAt = finishedAt + ttlSeconds * 1000;
  return goesAt <= now ? { type: 'end' } : rest(goesAt);
}
