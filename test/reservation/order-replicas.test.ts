/** Orders with replicas: so many Tickets anywhere, in slots that keep their numbers. */
import { afterEach, describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS } from '../../src/core/api/names.ts';
import { ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Ticket } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, nodeOf, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const slotOf = ({ metadata }: Ticket): number => Number(metadata.annotations?.[RESERVATION_ANNOTATIONS.slot]);
const slots = async (): Promise<readonly number[]> => (await world.tickets()).map(slotOf).sort((a, b) => a - b);
const scale = (replicas: number) =>
  world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body: { spec: { replicas } } });

const claim = ({ metadata: { name } }: Stored<Ticket>) =>
  world.client.patch(
    TICKETS,
    { namespace, name },
    { type: 'merge', body: { status: { phase: 'Claimed', claimedTime: '2026-01-01T00:00:30Z' } } },
    { subresource: 'status' },
  );

describe('replicas', () => {
  it('are Tickets without a pin, spread over the nodes', async () => {
    world = await createOrderWorld({ nodes: 3 });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 3 }));
    await world.available(3);
    const tickets = await world.tickets();
    expect(tickets.map(nodeOf)).toEqual(['', '', '']);
    expect(await slots()).toEqual([0, 1, 2]);
    expect(tickets.map(({ status }) => status?.nodeName ?? '').sort()).toEqual(['node-0', 'node-1', 'node-2']);
    const { conditions = [], selector } = (await world.order()).status ?? {};
    expect(conditions.map(({ type }) => type)).toEqual(['Ready', 'Progressing', 'Failure', 'Fits']);
    expect(selector).toBe(`korder.dev/order-uid=${(await world.order()).metadata.uid}`);
  });

  it('grow and shrink, the highest slots first', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 2 }));
    await world.available(2);
    const before = await world.tickets();
    await scale(5);
    await world.available(5);
    expect(await slots()).toEqual([0, 1, 2, 3, 4]);
    await scale(2);
    await world.available(2);
    expect((await world.tickets()).map(({ metadata }) => metadata.uid).sort()).toEqual(
      before.map(({ metadata }) => metadata.uid).sort(),
    );
    await scale(0);
    await world.available(0);
    expect([await world.tickets(), await world.guardians()]).toEqual([[], []]);
    expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('that are claimed stay, also after a restart', async () => {
    world = await createOrderWorld({ nodes: 2 });
    const strategy = { type: 'OneTime', refreshPolicy: 'Never' };
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 3, strategy }));
    await world.available(3);
    const last = (await world.tickets()).find((ticket) => slotOf(ticket) === 2);
    if (last !== undefined) await claim(last);
    await scale(1);
    await world.eventually(async () => (await world.tickets()).length === 2);
    expect(await slots()).toEqual([0, 2]);
    await world.stopController();
    world.startController();
    await world.clock.advance(5000);
    expect(await slots()).toEqual([0, 2]);
  });

  it('are refilled after a claim, in the same slot', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 2 }));
    await world.available(2);
    const [first] = await world.tickets();
    if (first !== undefined) await claim(first);
    await world.available(2);
    const taken = slotOf(first as Ticket);
    expect(await slots()).toEqual([0, 1, taken].sort((a, b) => a - b));
  });

  it('that have no room are counted in the condition', async () => {
    world = await createOrderWorld({
      nodes: [{ name: 'small', count: 1, capacity: { cpu: '1', memory: '4Gi', pods: '10' } }],
    });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 3, template: template({}) }));
    await world.eventually(async () => (await world.condition('Fits'))?.status === 'False');
    expect(await world.condition('Fits')).toMatchObject({ message: 'no room for 1 of 3 Tickets (Insufficient cpu)' });
    await scale(2);
    await world.available(2);
    expect(await world.condition('Fits')).toMatchObject({ status: 'True' });
  });

  it('expire one by one, and their successors take over their guardians', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 2, template: template({ duration: '5m' }) }));
    await world.available(2);
    const guardians = (await world.guardians()).map(({ metadata }) => metadata.uid).sort();
    await world.clock.advance(6 * 60_000);
    await world.available(2);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid).sort()).toEqual(guardians);
    expect((await world.order()).status).toMatchObject({ terminalReplicas: 2, updatedReplicas: 2 });
  });
});
