/** Nodes that register with the taint `everynode.dev/unreserved` get their room reserved before workload comes. */
import { afterEach, describe, expect, it } from 'vitest';
import { createOrderController } from '../../src/control/reservation/order/order-controller.ts';
import { UNRESERVED_TAINT } from '../../src/core/api/names.ts';
import { EVENTS, NODES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Event, Node, Taint } from '../../src/core/api/types/core-v1.ts';
import type { OrderSpec } from '../../src/core/api/types/korder-v1alpha1.ts';
import { createTicketWorld, namespace, order, pod, type TicketWorld, type TicketWorldOptions } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const TAINT: Taint = { key: UNRESERVED_TAINT, effect: 'NoSchedule' };
const OTHER: Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' };

const start = async (options: TicketWorldOptions = {}): Promise<void> => {
  world = await createTicketWorld({ more: (around) => [createOrderController(around)], ...options });
};
const tainted =
  (...taints: readonly Taint[]) =>
  (node: Node): Node => ({ ...node, spec: { ...node.spec, taints } });

const wants = (cpu: string, name = 'rooms', spec: Partial<OrderSpec> = {}) =>
  order({ daemonSet: true, template: { spec: { resources: { requests: { cpu } } } }, ...spec }, name);

const taintsOf = async (name: string): Promise<readonly Taint[]> =>
  (await world.client.get(NODES, { name })).spec?.taints ?? [];

const hasTaint = async (name: string): Promise<boolean> =>
  (await taintsOf(name)).some(({ key }) => key === UNRESERVED_TAINT);

async function told(name: string): Promise<readonly string[]> {
  await world.clock.advance(2_000);
  const { items } = await world.client.list<Event>(EVENTS, {});
  return items
    .filter(({ reason, involvedObject }) => reason === 'NodeUnreservedTaintRemoved' && involvedObject.name === name)
    .map(({ type, message }) => `${type}: ${message}`);
}

const large = (name: string, count: number) => ({ name, count, allocatable: { cpu: '4', pods: '110' } });
const web = (name: string, cpu: string) =>
  pod(name, { containers: [{ name: 'main', image: 'example.test/web:1', resources: { requests: { cpu } } }] });

describe('nodes that join under pending pods', () => {
  it('have their room reserved first, and are open to workload soon after', async () => {
    await start();
    await world.client.create(ORDERS, wants('1'));
    for (let i = 0; i < 100; i += 1) await world.client.create(PODS, web(`web-${i}`, '1'));
    await world.clock.advance(1_000);
    await world.join(large('node', 20), tainted(TAINT));
    await world.clock.advance(20_000);
    const tickets = await world.tickets();
    expect(tickets.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 20 }, () => 'Reserved'));
    expect(new Set(tickets.map(({ status }) => status?.nodeName)).size).toBe(20);
    const { items } = await world.client.list(NODES, {});
    expect(items.filter(({ spec }) => (spec?.taints?.length ?? 0) > 0)).toEqual([]);
    // The rest of each node went to the pods that waited: three on each.
    const pods = (await world.client.list(PODS, { namespace })).items;
    expect(pods.filter(({ metadata, spec }) => metadata.name.startsWith('web-') && spec.nodeName)).toHaveLength(60);
    expect(await told('node-0')).toEqual([expect.stringMatching(/^Normal: opened the node to workload: every Order/)]);
  });

  it('without the taint are lost to them: the reason for the taint', async () => {
    await start();
    await world.client.create(ORDERS, wants('1'));
    for (let i = 0; i < 20; i += 1) await world.client.create(PODS, web(`web-${i}`, '1'));
    await world.clock.advance(1_000);
    await world.join(large('node', 2));
    await world.clock.advance(20_000);
    expect((await world.tickets()).map(({ status }) => status?.phase)).toContain('Pending');
  });
});

describe('the taint', () => {
  it('goes at once where no Order wants the node, and only it', async () => {
    await start();
    await world.client.create(ORDERS, wants('1'));
    await world.join(large('gpu', 1), tainted(OTHER, TAINT));
    await world.clock.advance(1_000);
    expect(await taintsOf('gpu-0')).toMatchObject([OTHER]);
    expect(await world.tickets()).toEqual([]);
  });

  it('goes where an Order has said why it has no room', async () => {
    await start();
    await world.client.create(ORDERS, wants('64'));
    await world.join(large('node', 1), tainted(TAINT));
    await world.clock.advance(5_000);
    expect((await world.tickets()).map(({ status }) => status?.reason)).toEqual(['Unschedulable']);
    expect(await hasTaint('node-0')).toBe(false);
  });

  it('does not wait for Orders that are paused, scheduled for later or of replicas', async () => {
    await start();
    await world.client.create(ORDERS, wants('1', 'paused', { paused: true }));
    const strategy = { type: 'Scheduled', schedule: '0 3 1 1 *' };
    await world.client.create(ORDERS, wants('1', 'scheduled', { strategy }));
    await world.client.create(
      ORDERS,
      order({ replicas: 3, template: { spec: { resources: { requests: { cpu: '64' } } } } }),
    );
    await world.join(large('node', 1), tainted(TAINT));
    await world.clock.advance(2_000);
    expect(await hasTaint('node-0')).toBe(false);
  });

  it('stays two minutes at most after the node is Ready, and an event names the Orders that were late', async () => {
    // No scheduler: the guardian waits for ever, and nobody says why.
    await start({ scheduler: false });
    await world.client.create(ORDERS, wants('1'));
    await world.join({ ...large('node', 1), startupDelay: '30s' }, tainted(TAINT));
    await world.clock.advance(30_000 + 118_000);
    expect(await hasTaint('node-0')).toBe(true);
    await world.clock.advance(5_000);
    expect(await hasTaint('node-0')).toBe(false);
    expect(await told('node-0')).toEqual([
      expect.stringMatching(
        /^Warning: opened the node to workload after 2 minutes without room for default\/rooms \(Ticket .* is Pending\)$/,
      ),
    ]);
  });

  it('stays on a cordoned node, and its time begins with the uncordon', async () => {
    await start({ scheduler: false });
    await world.client.create(ORDERS, wants('1'));
    await world.join(large('node', 1), (node) => ({ ...node, spec: { unschedulable: true, taints: [TAINT] } }));
    await world.clock.advance(10 * 60_000);
    expect(await hasTaint('node-0')).toBe(true);
    const body = { spec: { unschedulable: false } };
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body });
    await world.clock.advance(110_000);
    expect(await hasTaint('node-0')).toBe(true);
    await world.clock.advance(15_000);
    expect(await hasTaint('node-0')).toBe(false);
  });

  it('is not put off by a restart of the controller', async () => {
    await start({ scheduler: false });
    await world.client.create(ORDERS, wants('1'));
    await world.join(large('node', 1), tainted(TAINT));
    await world.clock.advance(90_000);
    await world.stopController();
    world.startController();
    await world.clock.advance(35_000);
    expect(await hasTaint('node-0')).toBe(false);
  });

  it('waits while a node is being set up', async () => {
    await start();
    await world.client.create(ORDERS, wants('1'));
    const setUp: Taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
    await world.join(large('node', 1), tainted(setUp, TAINT));
    await world.clock.advance(20_000);
    expect(await hasTaint('node-0')).toBe(true);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints: [{ ...TAINT }] } } });
    await world.clock.advance(10_000);
    expect(await hasTaint('node-0')).toBe(false);
    expect((await world.client.list(TICKETS, {})).items.map(({ status }) => status?.phase)).toEqual(['Reserved']);
  });
});
