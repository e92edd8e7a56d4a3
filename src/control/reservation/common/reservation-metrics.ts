/**
 * Metrics of Orders, Tickets and Quotas under the names that dashboards of the existing operator query. Gauges are summed up from the
 * caches when they are scraped; counters follow the caches. Reconciles are measured where they happen (measured.ts).
 */
import { orderPlan } from '../../../core/api/kinds/reservation/order-plan.ts';
import { ORDERS, QUOTAS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { phaseOf } from '../../../core/daemons/ticket-phase.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { HandlerRegistration, Informer } from '../../../machinery/cache/informer.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { Gauge, Metrics } from '../../../machinery/metrics/metrics.ts';
import { aborted } from '../../../machinery/time/abort.ts';
import { countOrders, quotaLimits, quotaUsage, Sums, totalTickets } from './reservation-totals.ts';

const NAME = 'reservation-metrics';

export function createReservationMetrics({ informers, metrics }: Pick<Surroundings, 'informers' | 'metrics'>): Actor {
  if (metrics === undefined) return { name: NAME, start: aborted };
  const orders = informers.for(ORDERS);
  const tickets = informers.for(TICKETS);
  const quotas = informers.for(QUOTAS);
  const ordersActive = gauges(metrics, 'orders_active', 'Orders', ['namespace', 'strategy']);
  const ticketsActive = gauges(metrics, 'tickets_active', 'Tickets by phase', ['namespace', 'phase']);
  const resource = ['namespace', 'resource_type', 'unit'];
  const reserved = gauges(metrics, 'reserved_resources', 'Resources that guardians hold', resource);
  const claimed = gauges(metrics, 'claimed_resources', 'Resources of Tickets that pods have claimed', resource);
  const limit = ['quota_name', 'resource_type'];
  const limits = gauges(metrics, 'quota_limits', 'Limits of Quotas', limit);
  const usage = gauges(metrics, 'quota_usage_ratio', 'Share of a limit that is used', limit);

  function collect(): void {
    ordersActive(countOrders(orders.lister.list()));
    const totals = totalTickets(tickets.lister.list());
    ticketsActive(totals.phases);
    reserved(totals.reserved);
    claimed(totals.claimed);
    const hard = new Sums();
    const ratios = new Sums();
    for (const quota of quotas.lister.list()) {
      const used = quotaUsage(quota, orders.lister.list(), tickets.lister.list());
      for (const [name, amount] of quotaLimits(quota)) {
        hard.add([quota.metadata.name, name], amount);
        const isCounted = name === 'orders' || name === 'tickets' || name.startsWith('reserved.');
        if (used !== undefined && isCounted && amount > 0)
          ratios.add([quota.metadata.name, name], (used.get(name) ?? 0) / amount);
      }
    }
    limits(hard);
    usage(ratios);
  }

  return {
    name: NAME,
    async start(signal) {
      const registrations = [countCreated(metrics, orders), countPhases(metrics, tickets)];
      const stop = metrics.onCollect(collect);
      await aborted(signal);
      stop();
      for (const registration of registrations) registration.remove();
    },
  };
}

/** Sets a family of gauges to sums; members that have no sum any more become 0. */
function gauges(metrics: Metrics, name: string, help: string, labels: readonly string[]): (sums: Sums) => void {
  const family = metrics.gauge({ name: `korder_${name}`, help, labels });
  const members = new Map<string, Gauge>();
  return (sums) => {
    const stale = new Set(members.keys());
    for (const { labels: values, value } of sums.entries()) {
      const key = values.join('\0');
      let member = members.get(key);
      if (member === undefined) {
        member = family.with(Object.fromEntries(labels.map((label, at) => [label, values[at] ?? ''])));
        members.set(key, member);
      }
      member.set(value);
      stale.delete(key);
    }
    for (const key of stale) members.get(key)?.set(0);
  };
}

/** Objects that were there when the process began are not counted as created. */
function countCreated(metrics: Metrics, orders: Informer<Order>): HandlerRegistration {
  const total = metrics.counter({
    name: 'korder_orders_total',
    help: 'Orders created',
    labels: ['namespace', 'strategy'],
  });
  const registration = orders.addHandler({
    add({ metadata: { namespace = '' }, spec }) {
      if (registration.hasSynced()) total.with({ namespace, strategy: orderPlan(spec).strategy }).inc();
    },
  });
  return registration;
}

function countPhases(metrics: Metrics, tickets: Informer<Ticket>): HandlerRegistration {
  const total = metrics.counter({
    name: 'korder_tickets_total',
    help: 'Tickets that entered a phase',
    labels: ['namespace', 'phase'],
  });
  const count = (ticket: Ticket): void =>
    total.with({ namespace: ticket.metadata.namespace ?? '', phase: phaseOf(ticket) }).inc();
  const registration = tickets.addHandler({
    add(ticket) {
      if (registration.hasSynced()) count(ticket);
    },
    update(old, ticket) {
      if (old.metadata.uid !== ticket.metadata.uid || phaseOf(old) !== phaseOf(ticket)) count(ticket);
    },
  });
  return registration;
}
