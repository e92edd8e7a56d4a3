/**
 * Writes of an adoption. A pod first gets the labels of a guardian, by which its user agrees to the adoption; then the Ticket is
 * created, which names the pod; then the pod gets its owner. Its room is taken all the time. An Order controller that creates
 * the Ticket meanwhile creates the same one, and a Ticket controller that sees the Ticket before the last step takes that step itself,
 * so a command that was interrupted anywhere is finished by the controllers or by its repetition.
 */
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../../../core/api/names.ts';
import { PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../../core/daemons/reservation-hash.ts';
import { orderLabels, ticketSpec } from '../../../core/daemons/ticket-maker.ts';
import { isHeld } from '../../../core/daemons/ticket-phase.ts';
import { isBeingDeleted } from '../../../core/kube/finalizers.ts';
import type { Json } from '../../../core/kube/json.ts';
import { labelOf, type Labels } from '../../../core/kube/labels.ts';
import type { KubeObject, Resource, Stored } from '../../../core/kube/objects.ts';
import { controllerOf, isControlledBy } from '../../../core/kube/owner-references.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { guardianPod } from '../ticket/guardian-pod.ts';
import { type PodAdoption, refused, type Refusal, type TicketAdoption } from './adoption.ts';

export interface AdoptionContext {
  readonly client: Client;
  readonly order: Stored<Order>;
  readonly signal?: AbortSignal;
}

type Done = { readonly outcome: 'adopted'; readonly ticketName: string } | Refusal;

const MANAGER = 'everynode-adopt';
const MOST_TRIES = 5;

/** Makes the pod the guardian of its Ticket. */
export async function adoptPod(
  context: AdoptionContext,
  adoption: Extract<PodAdoption, { outcome: 'adopt' }>,
): Promise<Done> {
  const { pod, ticket, isThere } = adoption;
  const labelled = await labelPod(context, pod, ticket);
  if ('outcome' in labelled) return labelled;
  const given = isThere
    ? await announce(context, ticket as Stored<Ticket>, pod)
    : await bringTicket(context, ticket, pod);
  if ('outcome' in given) {
    await unlabelPod(context, pod, ticket);
    return given;
  }
  return ownPod(context, labelled, given);
}

/** Labels and annotations of the guardian that the Ticket would have, but for those that name its UID. */
function guardianMeta(ticket: Ticket): { readonly labels: Labels; readonly annotations: Labels } {
  const metadata = { uid: '', resourceVersion: '', creationTimestamp: '', ...ticket.metadata };
  const { labels = {}, annotations = {} } = guardianPod({ ...ticket, metadata }, '').metadata;
  const { [RESERVATION_LABELS.ticketUid]: _uid, ...rest } = labels;
  return { labels: rest, annotations };
}

/** The pod with the labels; tried again where somebody else has changed the pod meanwhile. */
async function labelPod(context: AdoptionContext, pod: Stored<Pod>, ticket: Ticket): Promise<Stored<Pod> | Refusal> {
  const { labels, annotations } = guardianMeta(ticket);
  return retried(context, PODS, pod, (now) => {
    const owner = controllerOf(now);
    if (owner !== undefined) return refused(`belongs to ${owner.kind} ${owner.name} by now`);
    return isBeingDeleted(now) ? refused('is being deleted by now') : { labels, annotations };
  });
}

async function unlabelPod(context: AdoptionContext, pod: Stored<Pod>, ticket: Ticket): Promise<void> {
  const { labels, annotations } = guardianMeta(ticket);
  const without = (members: Labels): Json => Object.fromEntries(Object.keys(members).map((key) => [key, null]));
  const isOurs = (now: Stored<Pod>): boolean => controllerOf(now) === undefined;
  await retried(context, PODS, pod, (now) =>
    isOurs(now) ? { labels: without(labels), annotations: without(annotations) } : refused('was adopted meanwhile'),
  ).catch(() => undefined);
}

/** Creates the Ticket; the same one made by the Order controller a moment before serves as well. */
async function bringTicket(
  context: AdoptionContext,
  ticket: Ticket,
  pod: Stored<Pod>,
): Promise<Stored<Ticket> | Refusal> {
  const { client, order } = context;
  try {
    return await client.create(TICKETS, ticket, options(context));
  } catch (error) {
    if (isStatus(error, 'Forbidden') || isStatus(error, 'Invalid')) return refused((error as Error).message);
    if (!isStatus(error, 'AlreadyExists')) throw error;
  }
  const { namespace = '' } = order.metadata;
  return announce(context, await client.get(TICKETS, { namespace, name: ticket.metadata.name }), pod);
}

/** Names the pod on a Ticket that is there and holds no room. */
const announce = (
  context: AdoptionContext,
  ticket: Stored<Ticket>,
  pod: Stored<Pod>,
): Promise<Stored<Ticket> | Refusal> =>
  retried(context, TICKETS, ticket, (now) => {
    if (!isControlledBy(now, context.order)) return refused(`there is another Ticket ${now.metadata.name}`);
    if (isHeld(now)) return refused(`Ticket ${now.metadata.name} has a guardian of its own by now`, 'delete the pod');
    return { annotations: { [RESERVATION_ANNOTATIONS.adoptedGuardian]: pod.metadata.name } };
  });

async function ownPod(context: AdoptionContext, pod: Stored<Pod>, ticket: Stored<Ticket>): Promise<Done> {
  const { name } = ticket.metadata;
  const { labels = {}, annotations = {}, ownerReferences = [] } = guardianPod(ticket, '').metadata;
  const owned = await retried(context, PODS, pod, (now) => {
    // The Ticket controller was quicker.
    if (isControlledBy(now, ticket)) return undefined;
    const owner = controllerOf(now);
    if (owner !== undefined) return refused(`belongs to ${owner.kind} ${owner.name} by now`);
    return { labels, annotations, ownerReferences: ownerReferences as unknown as Json };
  });
  return 'outcome' in owned ? owned : { outcome: 'adopted', ticketName: name };
}

/** Makes the Ticket one of the Order, and its guardian one that a successor can take over. */
export async function adoptTicket(
  context: AdoptionContext,
  adoption: Extract<TicketAdoption, { outcome: 'adopt' }>,
  guardians: readonly Stored<Pod>[],
): Promise<Done> {
  const { ticket, model } = adoption;
  const { labels = {}, annotations = {}, ownerReferences = [] } = model.metadata;
  const owned = await retried(context, TICKETS, ticket, (now) => {
    if (isControlledBy(now, context.order)) return undefined;
    const owner = controllerOf(now);
    if (owner !== undefined) return refused(`belongs to ${owner.kind} ${owner.name} by now`);
    return { labels, annotations, ownerReferences: ownerReferences as unknown as Json };
  });
  if ('outcome' in owned) return owned;
  await labelGuardians(context, guardians);
  return { outcome: 'adopted', ticketName: ticket.metadata.name };
}

/** Guardians of adopted Tickets get what those of the Order's own Tickets have. */
export async function labelGuardians(context: AdoptionContext, guardians: readonly Stored<Pod>[]): Promise<void> {
  const { order } = context;
  const { [RESERVATION_LABELS.templateHash]: _hash, ...known } = orderLabels(order);
  const labels: Labels = { ...known, [RESERVATION_LABELS.guardianHash]: guardianHash(ticketSpec(order, '')) };
  const isLabelled = ({ metadata }: Stored<Pod>): boolean =>
    Object.keys(labels).every((key) => labelOf(metadata.labels, key) === labels[key]);
  for (const guardian of guardians)
    await retried(context, PODS, guardian, (now) => (isLabelled(now) ? undefined : { labels }));
}

type Metadata = { readonly [member: string]: Json };

/**
 * Patches metadata of exactly the object that was judged. Where the object has changed since, the change is judged again.
 *
 * @param change undefined: nothing is left to do.
 */
async function retried<T extends KubeObject>(
  context: AdoptionContext,
  resource: Resource<T>,
  object: Stored<T>,
  change: (now: Stored<T>) => Metadata | Refusal | undefined,
): Promise<Stored<T> | Refusal> {
  const { client } = context;
  let now = object;
  for (let tries = 1; ; tries += 1) {
    const metadata = change(now);
    if (metadata === undefined) return now;
    if (isRefusal(metadata)) return metadata;
    const { resourceVersion } = now.metadata;
    const body = { metadata: { ...metadata, resourceVersion } };
    try {
      return await client.patch(resource, keyOf(now), { type: 'merge', body }, options(context));
    } catch (error) {
      if (isStatus(error, 'NotFound')) return refused('is gone');
      if (!isStatus(error, 'Conflict') || tries >= MOST_TRIES) throw error;
    }
    try {
      now = await client.get(resource, keyOf(now), context.signal === undefined ? {} : { signal: context.signal });
    } catch (error) {
      if (isStatus(error, 'NotFound')) return refused('is gone');
      throw error;
    }
    if (now.metadata.uid !== object.metadata.uid) return refused('is gone; there is another of the name');
  }
}

const isRefusal = (value: Metadata | Refusal): value is Refusal => value['outcome'] === 'refused';

const options = ({ signal }: AdoptionContext) => ({
  fieldManager: MANAGER,
  ...(signal === undefined ? {} : { signal }),
});
