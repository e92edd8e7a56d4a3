/** Every metric that dashboards of the existing operator query is really emitted. */
import { afterEach, expect, it } from 'vitest';
import { createReservationController } from '../../src/control/reservation/reservation-controller.ts';
import { ORDERS, QUOTAS, TICKETS } from '../../src/core/api/registry/resources.ts';
import { createPrometheusMetrics } from '../../src/machinery/metrics/prometheus-metrics.ts';
import { createTicketWorld, order, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

it('counts Orders, Tickets, guardians, resources, quotas and reconciles', async () => {
  const metrics = await createPrometheusMetrics();
  world = await createTicketWorld({
    nodes: 3,
    controller: false,
    more: (around) => [createReservationController({ ...around, metrics })],
  });
  await world.client.create(QUOTAS, {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Quota',
    metadata: { name: 'all' },
    spec: { scope: { type: 'Cluster' }, hard: { orders: '4', tickets: '8' } },
  });
  await world.client.create(ORDERS, order({ daemonSet: true }));
  await world.client.create(TICKETS, ticket({ duration: '10s' }));
  await world.eventually(async () => (await world.tickets()).every(({ status }) => status?.phase === 'Reserved'));
  await world.clock.advance(15_000);
  const lines = (await metrics.expose()).split('\n').filter((line) => line.startsWith('korder_'));
  const has = (line: string): void => expect(lines).toContain(line);
  has('korder_orders_total{namespace="default",strategy="OneTime"} 1');
  has('korder_orders_active{namespace="default",strategy="OneTime"} 1');
  has('korder_tickets_total{namespace="default",phase="Pending"} 4');
  has('korder_tickets_total{namespace="default",phase="Reserved"} 4');
  has('korder_tickets_total{namespace="default",phase="Expired"} 1');
  has('korder_tickets_active{namespace="default",phase="Reserved"} 3');
  has('korder_tickets_active{namespace="default",phase="Expired"} 1');
  has('korder_guardian_pods_total{namespace="default"} 4');
  has('korder_reserved_resources{namespace="default",resource_type="cpu",unit="cores"} 1.5');
  has(`korder_reserved_resources{namespace="default",resource_type="memory",unit="bytes"} ${3 * 256 * 2 ** 20}`);
  has('korder_quota_limits{quota_name="all",resource_type="orders"} 4');
  has('korder_quota_usage_ratio{quota_name="all",resource_type="orders"} 0.25');
  has('korder_quota_usage_ratio{quota_name="all",resource_type="tickets"} 0.375');
  for (const controller of ['order', 'ticket']) {
    const name = `korder_reconciliation_duration_seconds_count{controller="${controller}",result="success"}`;
    expect(lines.some((line) => line.startsWith(name))).toBe(true);
  }
});
