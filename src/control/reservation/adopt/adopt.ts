/** Adoption from beginning to end: reads the cluster, decides, and writes unless it is a dry run. */
import { DEPLOYMENTS, NODES, ORDERS, PODS, REPLICA_SETS, TICKETS } from '../../../core/api/registry/resources.ts';
import { RESERVATION_LABELS } from '../../../core/api/names.ts';
import type { Node, Pod } from '../../../core/api/types/core-v1.ts';
import type { Order } from '../../../core/api/types/korder-v1alpha1.ts';
import { templateHash } from '../../../core/daemons/reservation-hash.ts';
import { templateHashOf } from '../../../core/daemons/ticket-phase.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import type { Client } from '../../../machinery/client/client.ts';
import type { Refusal } from './adoption.ts';
import { adoptPod, adoptTicket, labelGuardians, type AdoptionContext } from './carry-out.ts';
import type { OrderState } from './places.ts';
import { planPods } from './plan-pods.ts';
import { planTickets } from './plan-tickets.ts';

export interface AdoptRequest {
  readonly namespace: string;
  readonly order: string;
  /** What the selector selects. */
  readonly kind: 'pods' | 'tickets';
  readonly selector: string;
  readonly dryRun: boolean;
}

/** What has become of one pod or Ticket. */
export interface Adopted {
  readonly name: string;
  readonly node?: string;
  /** The Ticket of the Order; absent where there is none. */
  readonly ticket?: string;
  readonly result: 'adopted' | 'would-adopt' | 'already' | 'refused';
  readonly why?: string;
  readonly fix?: string;
  readonly notes?: readonly string[];
}

export interface AdoptOutcome {
  readonly order: Stored<Order>;
  readonly items: readonly Adopted[];
}

interface Options {
  readonly client: Client;
  readonly signal?: AbortSignal;
}

/** Requests in flight at a time. */
const AT_A_TIME = 8;

export async function adoptInto(options: Options, request: AdoptRequest): Promise<AdoptOutcome> {
  const { client } = options;
  const settings = options.signal === undefined ? {} : { signal: options.signal };
  const { namespace } = request;
  const order = await client.get(ORDERS, { namespace, name: request.order }, settings);
  const [nodes, tickets] = await Promise.all([
    client.list(NODES, settings),
    client.list(TICKETS, { ...settings, namespace }),
  ]);
  const state: OrderState = {
    order,
    nodes: new Map(nodes.items.map((node: Stored<Node>) => [node.metadata.name, node])),
    tickets: tickets.items,
  };
  const context = { ...options, order };
  const items = await (request.kind === 'pods' ? pods(context, state, request) : handmade(context, state, request));
  return { order, items };
}

async function pods(context: AdoptionContext, state: OrderState, request: AdoptRequest): Promise<readonly Adopted[]> {
  const { namespace, selector, dryRun } = request;
  const settings = context.signal === undefined ? {} : { signal: context.signal };
  const { items } = await context.client.list(PODS, { ...settings, namespace, labelSelector: selector });
  const deployments = await deploymentsOf(context, namespace, items);
  return inTurns(planPods({ ...state, pods: items, deployments }), async (plan) => {
    const { nodeName } = plan.pod.spec;
    const about = { name: plan.pod.metadata.name, ...(nodeName === undefined ? {} : { node: nodeName }) };
    if (plan.outcome === 'refused') return { ...about, ...refusal(plan) };
    if (plan.outcome === 'already') return { ...about, ticket: plan.ticketName, result: 'already' };
    const ticket = plan.ticket.metadata.name;
    const noted = { ...about, ticket, ...(plan.notes.length === 0 ? {} : { notes: plan.notes }) };
    if (dryRun) return { ...noted, result: 'would-adopt' };
    const done = await adoptPod(context, plan);
    return done.outcome === 'refused' ? { ...about, ...refusal(done) } : { ...noted, result: 'adopted' };
  });
}

/** Names of Deployments by UID of the ReplicaSets that own selected pods; empty where they may not be read. */
async function deploymentsOf(
  { client, signal }: AdoptionContext,
  namespace: string,
  items: readonly Stored<Pod>[],
): Promise<ReadonlyMap<string, string>> {
  if (!items.some((pod) => controllerOf(pod)?.kind === REPLICA_SETS.kind)) return new Map();
  const sets = await client
    .list(REPLICA_SETS, { namespace, ...(signal === undefined ? {} : { signal }) })
    .catch(() => undefined);
  const found = new Map<string, string>();
  for (const set of sets?.items ?? []) {
    const owner = controllerOf(set);
    if (owner?.kind === DEPLOYMENTS.kind) found.set(set.metadata.uid, owner.name);
  }
  return found;
}

async function handmade(
  context: AdoptionContext,
  state: OrderState,
  { namespace, selector, dryRun }: AdoptRequest,
): Promise<readonly Adopted[]> {
  const { client } = context;
  const settings = { namespace, ...(context.signal === undefined ? {} : { signal: context.signal }) };
  const [selected, guardians] = await Promise.all([
    client.list(TICKETS, { ...settings, labelSelector: selector }),
    client.list(PODS, { ...settings, labelSelector: `${RESERVATION_LABELS.guardian}=true` }),
  ]);
  const byTicket = Map.groupBy(guardians.items, (pod) => labelOf(pod.metadata.labels, RESERVATION_LABELS.ticketUid));
  return inTurns(planTickets({ ...state, selected: selected.items }), async (plan) => {
    const { name, uid } = plan.ticket.metadata;
    const about = { name, ...(plan.node === undefined ? {} : { node: plan.node }) };
    const held = byTicket.get(uid) ?? [];
    if (plan.outcome === 'refused') return { ...about, ...refusal(plan) };
    if (plan.outcome === 'already') {
      // A command before this one may have been interrupted. A guardian of a former template is not one of the present template.
      const isCurrent = templateHashOf(plan.ticket) === templateHash(context.order.spec);
      if (!dryRun && isCurrent) await labelGuardians(context, held);
      return { ...about, ticket: name, result: 'already' };
    }
    if (dryRun) return { ...about, ticket: name, result: 'would-adopt' };
    const done = await adoptTicket(context, plan, held);
    return done.outcome === 'refused' ? { ...about, ...refusal(done) } : { ...about, ticket: name, result: 'adopted' };
  });
}

const refusal = ({ why, fix }: Refusal): Pick<Adopted, 'result' | 'why' | 'fix'> => ({
  result: 'refused',
  why,
  ...(fix === undefined ? {} : { fix }),
});

async function inTurns<T>(plans: readonly T[], act: (plan: T) => Promise<Adopted>): Promise<readonly Adopted[]> {
  const results: Adopted[] = [];
  for (let at = 0; at < plans.length; at += AT_A_TIME)
    results.push(...(await Promise.all(plans.slice(at, at + AT_A_TIME).map(act))));
  return results;
}
