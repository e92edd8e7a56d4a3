/**
 * The part of claims in scheduling one pod: which nodes have a Ticket for it, which guardian's place it takes on each, and why not.
 * Pure, from the Tickets and pods as the caches show them.
 */
import { type ClaimRequest, describeClaim } from '../../../core/api/kinds/reservation/claim-request.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { firstTooLarge, mayClaimFrom, type TooLarge } from '../../../core/daemons/ticket-claim.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { describeNo, type No, refuseEverywhere } from '../../../core/placement/answer.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import { mayHost } from '../../../core/placement/may-host.ts';
import type { PluginPart, PluginReservation } from '../../../core/placement/plugin.ts';
import { type Requests, requestsOfPod } from '../../../core/placement/requests.ts';
import { isAlive } from '../ticket/guardian-state.ts';
import type { ClaimableTickets } from './claimable-tickets.ts';

/** Stands where kube-scheduler's plugin names stand. */
export const CLAIMS_PLUGIN = 'TicketClaims';

/** What claims are decided from. */
export interface ClaimView {
  readonly tickets: ClaimableTickets;
  order(ticket: Stored<Ticket>): Order | undefined;
  /** The pod, by `namespace/name`. */
  pod(fullName: string): Stored<Pod> | undefined;
  /** Begins the claim of this Ticket for the pod; for a Ticket that the pod is claiming already, goes on with it. */
  reserve(pod: Stored<Pod>, ticket: Stored<Ticket>): PluginReservation;
}

/** A Ticket that the pod can have, and the pods that stand on its room. */
interface Slot {
  readonly ticket: Stored<Ticket>;
  readonly guardian: Stored<Pod>;
  readonly held: Requests;
}

/** No Ticket is there and none is required. A pod that finds no room has a Ticket that comes later. */
const LIKE_ANY_OTHER: PluginPart = Object.freeze({ basis: 'pod', awaits: true });

const PREEMPTS_NOBODY = 'not eligible because the pod claims a Ticket, and a claimant preempts nobody.';

const no = (code: string, message: string, fix: () => string): No =>
  describeNo(code, CLAIMS_PLUGIN, message, false, fix);

/** The part in scheduling a claimant; `undefined`: the pod is scheduled like any other. */
export function partOf(
  view: ClaimView,
  compiled: CompiledPod,
  request: ClaimRequest,
  cluster: ClusterState,
): PluginPart | undefined {
  const pod = compiled.pod as Stored<Pod>;
  const claimed = view.tickets.claimedBy(pod.metadata.uid);
  if (claimed !== undefined) return partUnderWay(view, pod, claimed);
  if ((pod.spec.resourceClaims?.length ?? 0) > 0) {
    const refusal = no(
      'ClaimWithDevices',
      'a pod with resource claims cannot claim a Ticket',
      () => 'remove spec.resourceClaims, or the claim of a Ticket',
    );
    return request.mode === 'Required' ? { basis: 'pod', refusal: refuseEverywhere(refusal) } : undefined;
  }
  const found = findSlots(view, compiled, request, cluster);
  if (found.slots.size === 0 && request.mode === 'Preferred') return LIKE_ANY_OTHER;
  const nodes = new Set(found.slots.keys());
  return {
    basis: 'pod',
    only: { nodes, others: reasonOf(found, request) },
    preemptsNobody: PREEMPTS_NOBODY,
    displaced: ({ name }) => {
      const slot = found.slots.get(name);
      return slot === undefined ? [] : [slot.guardian.metadata.uid];
    },
    reserve: (nodeName) => view.reserve(pod, (found.slots.get(nodeName) as Slot).ticket),
  };
}

/** The claim was made before this process, or this attempt, began: the pod goes nowhere else while it lasts. */
function partUnderWay(view: ClaimView, pod: Stored<Pod>, ticket: Stored<Ticket>): PluginPart {
  const { nodeName = '', guardianPod = '', claim } = ticket.status ?? {};
  const standing = [guardianPod, `${ticket.metadata.namespace ?? ''}/${claim?.shade ?? ''}`];
  const others = no(
    'ClaimUnderWay',
    `node(s) other than that of Ticket ${ticket.metadata.name}, which the pod is claiming`,
    () => '',
  );
  return {
    basis: 'pod',
    only: { nodes: new Set([nodeName]), others },
    preemptsNobody: PREEMPTS_NOBODY,
    displaced: () => standing.map((name) => view.pod(name)?.metadata.uid ?? ''),
    reserve: () => view.reserve(pod, ticket),
  };
}

interface FoundSlots {
  /** The best Ticket of each node. */
  readonly slots: Map<string, Slot>;
  /** A Ticket that is too small for the pod. */
  readonly tooSmall: { readonly ticket: Stored<Ticket>; readonly by: TooLarge } | undefined;
  /** A Ticket that pods of this namespace may not claim. */
  readonly closed: Stored<Ticket> | undefined;
}

/** Enough to choose from, for a pod that only taints, labels and resources can keep away from a node. */
const ENOUGH = 64;

function findSlots(view: ClaimView, compiled: CompiledPod, request: ClaimRequest, cluster: ClusterState): FoundSlots {
  const slots = new Map<string, Slot>();
  let tooSmall: FoundSlots['tooSmall'];
  let closed: Stored<Ticket> | undefined;
  const { namespace = '' } = compiled.pod.metadata;
  const enough = isPlain(compiled) ? ENOUGH : Infinity;
  for (const ticket of candidates(view, compiled, request)) {
    if (slots.size >= enough) break;
    if (!mayClaimFrom(ticket, view.order(ticket), namespace)) {
      closed ??= ticket;
      continue;
    }
    const nodeName = ticket.status?.nodeName ?? '';
    // Nodes that refuse the pod anyway must not be all that it is given to choose from.
    const node = cluster.nodes.get(nodeName)?.node;
    if (slots.size > 0 && enough !== Infinity && (node === undefined || !mayHost(compiled, node))) continue;
    const guardian = view.pod(ticket.status?.guardianPod ?? '');
    if (guardian === undefined || !isAlive(guardian) || guardian.spec.nodeName !== nodeName) continue;
    const held = requestsOfPod(guardian);
    const by = firstTooLarge(compiled.requests, held);
    if (by !== undefined) tooSmall ??= { ticket, by };
    else if (isBetter({ ticket, guardian, held }, slots.get(nodeName))) slots.set(nodeName, { ticket, guardian, held });
  }
  return { slots, tooSmall, closed };
}

/** Nothing but the node itself decides whether it takes the pod: no ports, volumes, neighbours or spreading. */
const isPlain = ({ pod, record, spread }: CompiledPod): boolean =>
  record.ports.length === 0 &&
  record.claims.length === 0 &&
  record.affinity === undefined &&
  spread.hard.length === 0 &&
  (pod.spec.volumes ?? []).every((volume) => volume.ephemeral === undefined);

/** A pod of a DaemonSet asks its node alone. */
function* candidates(view: ClaimView, { nodeAffinity }: CompiledPod, request: ClaimRequest): Iterable<Stored<Ticket>> {
  if (nodeAffinity.pinnedNodes === undefined) yield* view.tickets.matching(request);
  else for (const node of nodeAffinity.pinnedNodes) yield* view.tickets.matching(request, node);
}

/** The smaller of two Tickets that are large enough, then the older. */
function isBetter(slot: Slot, than: Slot | undefined): boolean {
  if (than === undefined) return true;
  if (slot.held.cpu !== than.held.cpu) return slot.held.cpu < than.held.cpu;
  if (slot.held.memory !== than.held.memory) return slot.held.memory < than.held.memory;
  const [a, b] = [slot.ticket.metadata, than.ticket.metadata];
  return a.creationTimestamp === b.creationTimestamp ? a.uid < b.uid : a.creationTimestamp < b.creationTimestamp;
}

function reasonOf({ tooSmall, closed }: FoundSlots, request: ClaimRequest): No {
  const wanted = describeClaim(request);
  if (tooSmall !== undefined) {
    const { by, ticket } = tooSmall;
    const message = `node(s) without a Ticket that is large enough (${ticket.metadata.name} holds less ${by.resource} than the pod requests)`;
    return no('TicketTooSmall', message, () => `request at most as much ${by.resource} as the Ticket, or reserve more`);
  }
  if (closed !== undefined) {
    const { namespace = '', name } = closed.metadata;
    const message = `node(s) whose Ticket may not be claimed from this namespace (${namespace}/${name})`;
    return no(
      'TicketClosed',
      message,
      () => `name the namespace in the annotation everynode.dev/claimable-from of the Order`,
    );
  }
  return no(
    'NoTicket',
    `node(s) without a Reserved Ticket for the pod, which claims ${wanted}`,
    () => `reserve room (everynode orders, everynode tickets), or claim with everynode.dev/claim: Preferred`,
  );
}
