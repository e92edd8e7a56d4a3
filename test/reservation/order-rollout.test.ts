/** A changed template: Tickets are replaced node by node, or pass their guardians on where these need not change. */
import { afterEach, describe, expect, it } from 'vitest';
import { ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Ticket } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { order } from './support/orders.ts';
import { createOrderWorld, namespace, nodeOf, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const change = (spec: object) =>
  world.client.patch(
    ORDERS,
    { namespace, name: 'rooms' },
    { type: 'merge', body: { spec: { template: { spec } } } as never },
  );

const bigger = { resources: { requests: { cpu: '600m' } } };

const cpuOf = ({ spec }: Ticket): unknown => spec.resources?.requests?.['cpu'];

/** The least number of Reserved Tickets while it goes on, until all are of the new template. */
async function fewestHeld(count: number): Promise<number> {
  let fewest = count;
  await world.eventually(async () => {
    const tickets = await world.tickets();
    const held = tickets.filter(({ status }) => status?.phase === 'Reserved');
    fewest = Math.min(fewest, new Set(held.map(nodeOf)).size);
    return held.length === count && held.every((ticket) => cpuOf(ticket) === '600m');
  });
  return fewest;
}

describe('a changed template', () => {
  it('replaces Tickets one node at a time', async () => {
    world = await createOrderWorld({ nodes: [{ name: 'node', count: 4, podStartDelay: '1s' }] });
    await world.client.create(ORDERS, order());
    await world.available(4);
    await change(bigger);
    expect(await fewestHeld(4)).toBe(3);
    await world.available(4);
    expect((await world.order()).status).toMatchObject({ updatedReplicas: 4, terminalReplicas: 0 });
    expect(await world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'Complete' });
  });

  it('replaces as many at a time as the annotation allows', async () => {
    world = await createOrderWorld({ nodes: [{ name: 'node', count: 6, podStartDelay: '1s' }] });
    await world.client.create(ORDERS, order({}, 'rooms', { 'everynode.dev/rollout-max-unavailable': '50%' }));
    await world.available(6);
    await change(bigger);
    expect(await fewestHeld(6)).toBe(3);
  });

  it('waits for room on each node before it goes on', async () => {
    world = await createOrderWorld({
      nodes: [{ name: 'node', count: 3, capacity: { cpu: '1', memory: '4Gi', pods: '10' } }],
    });
    await world.client.create(ORDERS, order());
    await world.available(3);
    await change({ resources: { requests: { cpu: '2' } } });
    await world.eventually(async () => (await world.condition('Fits'))?.status === 'False');
    await world.clock.advance(60_000);
    const tickets = await world.tickets();
    expect(tickets.map(({ status }) => status?.phase ?? '').sort()).toEqual(['Pending', 'Reserved', 'Reserved']);
    expect(await world.condition('Fits')).toMatchObject({
      message: 'no room for 1 of 3 Tickets (Insufficient cpu): node-0',
    });
    // The way back: the Ticket without room goes first.
    await change({ resources: { requests: { cpu: '500m' } } });
    await world.available(3);
  });

  it('leaves claimed Tickets alone', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order({ strategy: { type: 'OneTime', refreshPolicy: 'Never' } }));
    await world.available(2);
    const [first] = await world.tickets();
    await world.client.patch(
      TICKETS,
      { namespace, name: first?.metadata.name ?? '' },
      { type: 'merge', body: { status: { phase: 'Claimed' } } },
      { subresource: 'status' },
    );
    await change(bigger);
    await world.clock.advance(30_000);
    expect((await world.tickets()).map((ticket) => [cpuOf(ticket), ticket.status?.phase])).toEqual([
      ['500m', 'Claimed'],
      ['600m', 'Reserved'],
    ]);
  });

  it('that does not show in guardians passes them on, all at once and without a gap', async () => {
    world = await createOrderWorld({ nodes: 5 });
    await world.client.create(ORDERS, order());
    await world.available(5);
    const before = await world.tickets();
    const guardians = (await world.guardians()).map(({ metadata }) => metadata.uid).sort();
    await change({ duration: '48h' });
    await world.clock.advance(2000);
    const after = await world.tickets();
    const uids = (tickets: readonly Stored<Ticket>[]) => tickets.map(({ metadata }) => metadata.uid);
    expect(after.map(({ spec, status }) => [spec.duration, status?.phase])).toEqual(
      after.map(() => ['48h', 'Reserved']),
    );
    expect(after).toHaveLength(5);
    expect(uids(after).filter((uid) => uids(before).includes(uid))).toEqual([]);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid).sort()).toEqual(guardians);
    await world.available(5);
  });

  it('is taken back in the middle without harm', async () => {
    world = await createOrderWorld({ nodes: 4 });
    await world.client.create(ORDERS, order());
    await world.available(4);
    const before = await world.tickets();
    await change(bigger);
    await world.eventually(async () => (await world.tickets()).some((ticket) => cpuOf(ticket) === '600m'));
    await change({ resources: { requests: { cpu: '500m' } } });
    await world.clock.advance(30_000);
    await world.available(4);
    const after = await world.tickets();
    expect(after.map(cpuOf)).toEqual(['500m', '500m', '500m', '500m']);
    const kept = after.filter(({ metadata }) => before.some((each) => each.metadata.uid === metadata.uid));
    expect(kept.length).toBeGreaterThanOrEqual(2);
  });
});
