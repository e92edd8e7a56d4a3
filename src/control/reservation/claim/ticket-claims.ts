/**
 * claim/ — the part of the scheduler in a claim. A claimant is given a node where a Ticket is Reserved for it, judged as though the
 * guardian there were gone; the Ticket becomes Claiming by compare-and-swap, so that one pod wins; the Ticket controller hands the
 * room over and binds the pod (ticket/handover), and the scheduler waits for that. All that a claim is stands in the Ticket, so either
 * side may be restarted at any moment.
 *
 * `claimable-tickets.ts` finds Tickets, `claim-part.ts` judges, this file writes and waits.
 */
import { readClaim, type ClaimRequest } from '../../../core/api/kinds/reservation/claim-request.ts';
import { ORDERS, PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { claimantOf, claimingStatus } from '../../../core/daemons/ticket-claim.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { Binding, PluginPart, PluginReservation, SchedulerPlugin } from '../../../core/placement/plugin.ts';
import type { HandlerRegistration } from '../../../machinery/cache/informer.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { withType } from '../../../machinery/children/with-type.ts';
import { isUnclear, textOf, unlessGone } from '../../../machinery/children/write-outcomes.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import { createBackoff } from '../../../machinery/time/backoff.ts';
import { type ClaimView, CLAIMS_PLUGIN, partOf } from './claim-part.ts';
import { ClaimWaits, failed } from './claim-waits.ts';
import { ClaimableTickets } from './claimable-tickets.ts';

export interface TicketClaims {
  readonly plugin: SchedulerPlugin;
  /** Follows Tickets and pods. @param changed Tickets can be claimed that could not be before. */
  follow(changed: () => void): readonly HandlerRegistration[];
}

const LOOK_UP = { initialMs: 500, maxMs: 10_000, factor: 2, jitter: 0.5, resetAfterMs: 60_000 };

/** The state of all claims of one scheduler. */
interface Claims extends ClaimView {
  readonly around: Surroundings;
  readonly waits: ClaimWaits;
  /** The part of each pod, with the version of the Tickets and nodes that it was made from. */
  readonly parts: WeakMap<CompiledPod, { readonly version: string; readonly part: PluginPart | undefined }>;
}

export function createTicketClaims(around: Surroundings): TicketClaims {
  const { informers } = around;
  const tickets = informers.for(TICKETS);
  const orders = informers.for(ORDERS);
  const pods = informers.for(PODS);
  const claims: Claims = {
    around,
    tickets: new ClaimableTickets(),
    waits: new ClaimWaits(({ metadata: { name, namespace } }) => tickets.lister.get(name, namespace)),
    parts: new WeakMap(),
    order(ticket) {
      const owner = controllerOf(ticket);
      return owner?.kind === 'Order' ? orders.lister.get(owner.name, ticket.metadata.namespace) : undefined;
    },
    pod(fullName) {
      const at = fullName.indexOf('/');
      return pods.lister.get(fullName.slice(at + 1), fullName.slice(0, at));
    },
    reserve: (pod, ticket) => reserve(claims, pod, ticket),
  };
  return {
    plugin: { name: CLAIMS_PLUGIN, partIn: (compiled, cluster) => partIn(claims, compiled, cluster) },
    follow: (changed) => [
      // The claims of pods depend on Orders, which say who may claim.
      orders.addHandler({ update: changed }),
      tickets.addHandler({
        batch(changes) {
          const before = claims.tickets.version;
          for (const { type, object, old } of changes) {
            if (old !== undefined && old.metadata.uid !== object.metadata.uid) ticketGone(claims, old);
            if (type === 'delete') ticketGone(claims, object);
            else {
              claims.tickets.set(object);
              claims.waits.sawTicket(object);
            }
          }
          if (claims.tickets.version !== before) changed();
        },
      }),
      pods.addHandler({
        batch(changes) {
          if (claims.waits.size === 0) return;
          for (const { type, object, old } of changes) {
            if (old !== undefined && old.metadata.uid !== object.metadata.uid) claims.waits.sawPodGo(old);
            if (type === 'delete') claims.waits.sawPodGo(object);
            else claims.waits.sawPod(object);
          }
        },
      }),
    ],
  };
}

function ticketGone({ tickets, waits }: Claims, ticket: Stored<Ticket>): void {
  tickets.remove(ticket);
  waits.sawTicketGo(ticket);
}

function partIn(claims: Claims, compiled: CompiledPod, cluster: ClusterState): PluginPart | undefined {
  const { annotations, namespace = '' } = compiled.pod.metadata;
  if (annotations === undefined) return undefined;
  const request = requestIn(annotations, namespace);
  if (request === undefined) return undefined;
  // Nodes that refuse the pod are left out where there are many.
  const version = `${claims.tickets.version} ${cluster.topologyVersion}`;
  const known = claims.parts.get(compiled);
  if (known?.version === version) return known.part;
  const part = partOf(claims, compiled, request, cluster);
  claims.parts.set(compiled, { version, part });
  return part;
}

const requests = new WeakMap<object, ClaimRequest | undefined>();

/** Annotations that cannot be read claim nothing: admission has refused them, or was not there. */
function requestIn(
  annotations: NonNullable<Pod['metadata']['annotations']>,
  namespace: string,
): ClaimRequest | undefined {
  if (requests.has(annotations)) return requests.get(annotations);
  const read = readClaim({ annotations }, namespace);
  const request = read.type === 'claim' ? read.request : undefined;
  requests.set(annotations, request);
  return request;
}

function reserve(claims: Claims, pod: Stored<Pod>, ticket: Stored<Ticket>): PluginReservation {
  claims.tickets.promise(ticket);
  return {
    async bind(signal) {
      const isClaimed = claimantOf(ticket) === pod.metadata.uid;
      const claiming = (): Promise<Stored<Ticket> | Binding> =>
        isClaimed ? Promise.resolve(ticket) : claim(claims, pod, ticket, signal);
      const binding = await claims.waits.until(pod, ticket, claiming, signal);
      if (binding.bound) claims.tickets.release(ticket);
      return binding;
    },
    undo: () => claims.tickets.release(ticket),
  };
}

/** The Ticket becomes Claiming, unless it has changed since it was chosen. Returns the Ticket, or why not. */
async function claim(
  { around }: Claims,
  pod: Stored<Pod>,
  ticket: Stored<Ticket>,
  signal: AbortSignal,
): Promise<Stored<Ticket> | Binding> {
  const { name } = ticket.metadata;
  try {
    const status = claimingStatus(ticket, pod, around.clock.now());
    const claimed = withType(TICKETS, { ...ticket, status });
    return await around.client.update(TICKETS, claimed, { subresource: 'status', signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isStatus(error, 'Conflict') || isStatus(error, 'NotFound'))
      return failed(`Ticket ${name} has changed since it was chosen`);
    return isUnclear(error)
      ? lookUp(around, pod, ticket, error, signal)
      : failed(`claiming Ticket ${name}: ${textOf(error)}`);
  }
}

/** Reads the Ticket until the API server answers: until then the claim may stand. */
async function lookUp(
  { client, clock, random }: Surroundings,
  pod: Stored<Pod>,
  ticket: Stored<Ticket>,
  why: unknown,
  signal: AbortSignal,
): Promise<Stored<Ticket> | Binding> {
  const backoff = createBackoff(clock, random, LOOK_UP);
  const { name, uid } = ticket.metadata;
  for (;;) {
    try {
      const now = await unlessGone(client.get(TICKETS, keyOf(ticket), { signal }));
      if (now?.metadata.uid === uid && claimantOf(now) === pod.metadata.uid) return now;
      return failed(`claiming Ticket ${name}: ${textOf(why)}`);
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isUnclear(error)) return failed(`claiming Ticket ${name}: ${textOf(error)}`);
      await clock.sleep(backoff.next(), signal);
    }
  }
}
