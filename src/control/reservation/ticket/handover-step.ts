/**
 * The next step of a handover: a slot passes from a guardian to a claimant, from a claimant that leaves to the guardian that follows,
 * or from one guardian to another, and a shade stands on it meanwhile. Decided from the objects alone, so a crash between two steps
 * changes nothing. Each write follows the answer to the one before: at every revision a guardian, a shade or a bound claimant stands
 * on the slot.
 */
import { TICKET_PHASES as PHASE } from '../../../core/api/names.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import { phaseOf, timeOf } from '../../../core/daemons/ticket-phase.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isTerminal } from '../../../core/placement/pod-record.ts';
import { isAlive } from './guardian-state.ts';
import { endShadeName } from './shade-pod.ts';
import type { Step, TicketFacts } from './ticket-step.ts';

/** The pod of a claim. `none`: no claim, or one that names no UID, such as of another operator. `unseen`: the cache does not show it, which proves nothing. `gone`: the API server has said so. */
export type Claimant = Stored<Pod> | 'none' | 'unseen' | 'gone';

const REST: Step = Object.freeze({ type: 'rest' });
/** Longest time that a slot which a claimant leaves is kept for a guardian that is not there yet. */
const FOLLOWER_MS = 2 * 60_000;
const FOLLOWER_LOOK_MS = 1000;

const isPod = (claimant: Claimant): claimant is Stored<Pod> => typeof claimant === 'object';

/** Of a Ticket that is Claiming or Claimed. */
export function handoverStep(facts: TicketFacts): Step {
  if (facts.claimant === 'unseen') return { type: 'ask' };
  if (facts.claimant === 'none') return REST;
  return phaseOf(facts.ticket) === PHASE.claimed ? stepOfClaimed(facts) : stepOfClaiming(facts);
}

function stepOfClaiming(facts: TicketFacts): Step {
  const { ticket, guardians, shades, claimant } = facts;
  const { claim, nodeName = '' } = ticket.status ?? {};
  if (isPod(claimant) && claimant.spec.nodeName === nodeName && !isTerminal(claimant))
    return { type: 'report', report: { type: 'claimed', claimant } };
  const failure = failureOf(facts);
  const guardian = guardians.find(isAlive);
  if (failure !== undefined || !isPod(claimant))
    return { type: 'report', report: { type: 'claim-failed', message: failure ?? 'the pod is gone', guardian } };
  if (!shades.some(({ metadata }) => metadata.name === claim?.shade)) {
    const [standing] = guardian === undefined ? guardians : [guardian];
    return standing === undefined
      ? { type: 'report', report: { type: 'claim-failed', message: 'the guardian was lost', guardian } }
      : { type: 'shade', name: claim?.shade ?? '', nodeName, like: standing };
  }
  if (guardian !== undefined) return { type: 'remove', guardians: [guardian] };
  // Its containers may still run: the kubelet would refuse the claimant.
  if (guardians.length > 0) return restUntilDeadline(facts);
  return { type: 'bind', pod: claimant, nodeName };
}

function restUntilDeadline({ ticket }: TicketFacts): Step {
  const until = timeOf(ticket.status?.claim?.deadline);
  return until === undefined ? REST : { type: 'rest', until };
}

/** Why the claimant does not get the room; undefined while it may. */
function failureOf({ ticket, claimant, refusedClaim, now }: TicketFacts): string | undefined {
  const { podNamespace = '', podName = '', deadline } = ticket.status?.claim ?? {};
  const pod = `pod ${podNamespace}/${podName}`;
  if (!isPod(claimant)) return `${pod} is gone`;
  if (isBeingDeleted(claimant)) return `${pod} is being deleted`;
  if (isTerminal(claimant)) return `${pod} has ended`;
  if ((claimant.spec.nodeName ?? '') !== '') return `${pod} was bound to node ${claimant.spec.nodeName ?? ''}`;
  if (refusedClaim !== undefined) return refusedClaim;
  const until = timeOf(deadline);
  return until !== undefined && until <= now ? `${pod} was not bound before ${deadline ?? ''}` : undefined;
}

function stepOfClaimed(facts: TicketFacts): Step {
  const { ticket, guardians, shades, claimant, follower } = facts;
  const { claim, nodeName = '' } = ticket.status ?? {};
  const endShade = endShadeName(ticket, claim?.podUID ?? '');
  const isCovered = shades.some(({ metadata }) => metadata.name === endShade);
  const former = shades.filter(({ metadata }) => metadata.name !== endShade);
  if (former.length > 0) return { type: 'unshade', shades: former };
  const left = guardians.filter(isAlive);
  if (left.length > 0) return { type: 'remove', guardians: left };
  if (isPod(claimant) && !isTerminal(claimant)) {
    if (!isBeingDeleted(claimant)) return isCovered ? { type: 'unshade', shades } : REST;
    // The guardian of the next Ticket gets the slot when the claimant has left it.
    return isCovered || follower === 'served' || !facts.isFollowed || facts.refusedClaim !== undefined
      ? REST
      : { type: 'shade', name: endShade, nodeName, like: 'ticket' };
  }
  if (isPod(claimant) && isBeingDeleted(claimant) && isCovered) return REST;
  if (isCovered && facts.refusedClaim === undefined) {
    if (typeof follower === 'object') return { type: 'bind', pod: follower, nodeName };
    const [shade] = shades;
    const until = (timeOf(shade?.metadata.creationTimestamp) ?? 0) + FOLLOWER_MS;
    if (follower === undefined && facts.isFollowed && facts.now < until)
      return { type: 'rest', until: Math.min(until, facts.now + FOLLOWER_LOOK_MS) };
  }
  return { type: 'report', report: { type: 'released' } };
}

/** Of a Ticket in no hands that still has a shade; undefined: nothing to do about it, go on as without. */
export function stepUnderShade({
  ticket,
  guardians,
  shades,
  refusedClaim,
  expiresAt,
  now,
}: TicketFacts): Step | undefined {
  const [shade] = shades;
  if (shade === undefined) return undefined;
  const guardian = guardians.find(isAlive);
  const isOver = expiresAt !== undefined && expiresAt <= now;
  const isNeeded = phaseOf(ticket) === PHASE.pending && !isOver && refusedClaim === undefined;
  if (!isNeeded || (guardian?.spec.nodeName ?? '') !== '') return { type: 'unshade', shades };
  if (guardian === undefined) return undefined;
  if (guardians.length > 1) return REST;
  return { type: 'bind', pod: guardian, nodeName: shade.spec.nodeName ?? '' };
}
