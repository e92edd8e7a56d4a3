/** Sums over Orders and Tickets for metrics and quotas. Pure. Tickets of one template share their resources, which are read once. */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { TICKET_PHASES } from '../../../core/api/names.ts';
import type { Order, Quota, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isFinished, phaseOf } from '../../../core/daemons/ticket-phase.ts';
import { approximateValue } from '../../../core/kube/quantity.ts';
import { readQuantity } from '../../../core/placement/resource-amounts.ts';
import { selectsWith } from '../../../machinery/children/selectors.ts';

/** A number by the values of a metric's labels, in order. */
export class Sums {
  readonly #sums = new Map<string, { readonly labels: readonly string[]; value: number }>();

  add(labels: readonly string[], value: number): void {
    const key = labels.join('\0');
    const known = this.#sums.get(key);
    if (known === undefined) this.#sums.set(key, { labels, value });
    else known.value += value;
  }

  entries(): Iterable<{ readonly labels: readonly string[]; readonly value: number }> {
    return this.#sums.values();
  }
}

/** Orders by namespace and strategy. */
export function countOrders(orders: Iterable<Order>): Sums {
  const sums = new Sums();
  for (const { metadata, spec } of orders) sums.add([metadata.namespace ?? '', orderPlan(spec).strategy], 1);
  return sums;
}

type Requests = NonNullable<NonNullable<Ticket['spec']['resources']>['requests']>;

interface TicketTotals {
  /** By namespace and phase. */
  readonly phases: Sums;
  /** By namespace, resource and unit: of Tickets whose guardian holds the room. */
  readonly reserved: Sums;
  /** The same of Tickets that a pod has claimed. */
  readonly claimed: Sums;
}

export function totalTickets(tickets: Iterable<Ticket>): TicketTotals {
  const phases = new Sums();
  /** Namespace and phase → requests → number of Tickets. */
  const alike = new Map<string, Map<Requests, number>>();
  for (const ticket of tickets) {
    const { namespace = '' } = ticket.metadata;
    const phase = phaseOf(ticket);
    phases.add([namespace, phase], 1);
    const requests = ticket.spec.resources?.requests;
    if (requests === undefined || !HOLDING.has(phase)) continue;
    const key = `${phase}/${namespace}`;
    let counts = alike.get(key);
    if (counts === undefined) alike.set(key, (counts = new Map()));
    counts.set(requests, (counts.get(requests) ?? 0) + 1);
  }
  const reserved = new Sums();
  const claimed = new Sums();
  for (const [key, counts] of alike) {
    const slash = key.indexOf('/');
    const namespace = key.slice(slash + 1);
    const sums = key.slice(0, slash) === TICKET_PHASES.claimed ? claimed : reserved;
    for (const [requests, count] of counts)
      for (const [name, amount] of Object.entries(requests))
        sums.add([namespace, name, unitOf(name)], approximateValue(readQuantity(amount)) * count);
  }
  return { phases, reserved, claimed };
}

const HOLDING: ReadonlySet<string> = new Set([TICKET_PHASES.reserved, TICKET_PHASES.claiming, TICKET_PHASES.claimed]);

const unitOf = (resource: string): string => {
  if (resource === 'cpu') return 'cores';
  return resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
    ? 'bytes'
    : 'count';
};

/** Limits of a Quota that are amounts, by name. */
export function quotaLimits({ spec }: Quota): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  const { hard } = spec;
  if (typeof hard !== 'object' || hard === null || Array.isArray(hard)) return limits;
  for (const [name, value] of Object.entries(hard))
    if (typeof value === 'string' || typeof value === 'number') {
      const amount = approximateValue(readQuantity(value));
      if (!Number.isNaN(amount)) limits.set(name, amount);
    }
  return limits;
}

/** Use of a Quota's limits, by name: Orders, unfinished Tickets and what those reserve. Undefined for scopes that need namespaces' labels. */
export function quotaUsage(
  { spec }: Quota,
  orders: Iterable<Order>,
  tickets: Iterable<Ticket>,
): ReadonlyMap<string, number> | undefined {
  const covers = scopeOf(spec.scope);
  if (covers === undefined) return undefined;
  const used = new Map<string, number>();
  const add = (name: string, amount: number): void => void used.set(name, (used.get(name) ?? 0) + amount);
  for (const order of orders) if (covers(order)) add('orders', 1);
  for (const ticket of tickets) {
    if (isFinished(ticket) || !covers(ticket)) continue;
    add('tickets', 1);
    for (const [name, amount] of Object.entries(ticket.spec.resources?.requests ?? {}))
      add(`reserved.${name}`, approximateValue(readQuantity(amount)));
  }
  return used;
}

type Covers = (object: Order | Ticket) => boolean;

function scopeOf(scope: Quota['spec']['scope']): Covers | undefined {
  switch (scope?.type ?? 'Cluster') {
    case 'Cluster':
      return () => true;
    case 'NamespaceList': {
      const namespaces = new Set(scope?.namespaces);
      return ({ metadata }) => namespaces.has(metadata.namespace ?? '');
    }
    case 'ObjectSelector': {
      const selects = selectsWith(scope?.objectSelector);
      return ({ metadata }) => selects(metadata.labels);
    }
    default:
      return undefined;
  }
}
