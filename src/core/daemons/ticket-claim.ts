/** A Ticket in the hands of a claim: the states that `status.claim` goes through, and who may have the Ticket. Pure. */
import { isClaimableFrom } from '../api/kinds/reservation/claim-request.ts';
import { TICKET_PHASES, TICKET_REASONS } from '../api/names.ts';
import type { Pod } from '../api/types/core-v1.ts';
import type { Order, Ticket, TicketClaim, TicketStatus } from '../api/types/korder-v1alpha1.ts';
import { isBeingDeleted } from '../kube/finalizers.ts';
import { childName } from '../kube/hash.ts';
import type { Stored } from '../kube/objects.ts';
import { formatTime } from '../kube/time.ts';
import type { Amount } from '../placement/amounts.ts';
import type { Requests } from '../placement/requests.ts';

/** Time a claimant has from the claim until it is bound; after that the room is reserved again. */
const CLAIM_MS = 2 * 60_000;

/** Its room can be claimed: held by a guardian, and promised to nobody. */
export function isClaimable(ticket: Stored<Ticket>): boolean {
  const { status } = ticket;
  return (
    status?.phase === TICKET_PHASES.reserved &&
    status.claim === undefined &&
    (status.guardianPod ?? '') !== '' &&
    (status.nodeName ?? '') !== '' &&
    !isBeingDeleted(ticket)
  );
}

/** Pods of its own namespace may claim a Ticket, and those of namespaces that its Order names; without an Order, that the Ticket names. */
export function mayClaimFrom(ticket: Stored<Ticket>, order: Order | undefined, namespace: string): boolean {
  return ticket.metadata.namespace === namespace || isClaimableFrom((order ?? ticket).metadata, namespace);
}

/** The status of a Ticket that this pod claims. The shade's name was never used before: the version of the Ticket is part of it. */
export function claimingStatus(ticket: Stored<Ticket>, pod: Stored<Pod>, now: number): TicketStatus {
  const { name, uid, resourceVersion } = ticket.metadata;
  const { namespace: podNamespace = '', name: podName, uid: podUID } = pod.metadata;
  const claim: TicketClaim = {
    podNamespace,
    podName,
    podUID,
    shade: childName(name, [uid, podUID, resourceVersion]),
    deadline: formatTime(now + CLAIM_MS),
  };
  return {
    ...ticket.status,
    phase: TICKET_PHASES.claiming,
    claim,
    claimedPod: `${podNamespace}/${podName}`,
    reason: TICKET_REASONS.claiming,
    message: `pod ${podNamespace}/${podName} takes over the room`,
  };
}

export const claimantOf = ({ status }: Ticket): string => status?.claim?.podUID ?? '';

export interface TooLarge {
  readonly resource: string;
  readonly wanted: Amount;
  readonly held: Amount;
}

/** The first resource of which the pod requests more than the guardian holds. */
export function firstTooLarge(wanted: Requests, held: Requests): TooLarge | undefined {
  if (wanted.cpu > held.cpu) return { resource: 'cpu', wanted: wanted.cpu, held: held.cpu };
  if (wanted.memory > held.memory) return { resource: 'memory', wanted: wanted.memory, held: held.memory };
  if (wanted.ephemeralStorage > held.ephemeralStorage)
    return { resource: 'ephemeral-storage', wanted: wanted.ephemeralStorage, held: held.ephemeralStorage };
  for (const [resource, amount] of wanted.scalars) {
    const has = held.scalars.get(resource) ?? 0;
    if (amount > has) return { resource, wanted: amount, held: has };
  }
  return undefined;
}
