/** Cost follows the change: nothing is written where nothing changes, and a burst is reported a few times only. */
import { afterEach, describe, expect, it } from 'vitest';
import { NODES, ORDERS } from '../../src/core/api/registry/resources.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, type OrderWorld } from './support/world.ts';
import { counting, type Writes } from './support/writes.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const writes: Writes = new Map();
const through = (client: OrderWorld['direct']) => counting(client, writes);
const MINUTE = 60_000;

describe('an Order at rest', () => {
  it('writes nothing, whatever its mode, also after a restart', async () => {
    world = await createOrderWorld({ nodes: 3, through });
    await world.client.create(ORDERS, order());
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 2 }, 'replicas'));
    const nowhere = template({ nodeSelector: { pool: 'none' } });
    await world.client.create(ORDERS, order({ template: nowhere }, 'nowhere'));
    const strategy = { type: 'Scheduled', schedule: '0 0 1 1 *', refreshPolicy: 'Never' };
    await world.client.create(ORDERS, order({ strategy }, 'yearly'));
    await world.available(3);
    await world.available(2, 'replicas');
    await world.clock.advance(1000);
    writes.clear();
    await world.clock.advance(6 * MINUTE);
    await world.stopController();
    world.startController();
    await world.clock.advance(6 * MINUTE);
    expect(Object.fromEntries(writes)).toEqual({});
  });

  it('does not mind changes of nodes that mean nothing to it', async () => {
    world = await createOrderWorld({ nodes: 3, through });
    await world.client.create(ORDERS, order());
    await world.available(3);
    writes.clear();
    for (let beat = 0; beat < 5; beat += 1) {
      await world.client.patch(
        NODES,
        { name: 'node-0' },
        { type: 'merge', body: { metadata: { labels: { beat: String(beat) } } } },
      );
      await world.clock.advance(1000);
    }
    expect(Object.fromEntries(writes)).toEqual({});
  });
});

describe('a burst', () => {
  it('of hundreds of Tickets is reported a few times, in one event', async () => {
    writes.clear();
    world = await createOrderWorld({ nodes: 150, through });
    await world.client.create(ORDERS, order());
    await world.available(150);
    expect(writes.get('create tickets')).toBe(150);
    expect(writes.get('update orders/status')).toBeLessThanOrEqual(12);
    expect(await world.events()).toEqual(['Normal TicketCreated Created 150 Tickets']);
    writes.clear();
    await world.client.patch(
      ORDERS,
      { namespace, name: 'rooms' },
      { type: 'merge', body: { spec: { template: { spec: { duration: '1h' } } } } },
    );
    await world.available(150);
    await world.eventually(async () => (await world.order()).status?.updatedReplicas === 150);
    await world.clock.advance(1000);
    expect([writes.get('create tickets'), writes.get('delete tickets')]).toEqual([150, 150]);
    expect(writes.get('update orders/status')).toBeLessThanOrEqual(20);
  });

  it('of node flaps costs two writes a Ticket, and two of the status', async () => {
    world = await createOrderWorld({ nodes: 5, through });
    await world.client.create(ORDERS, order());
    await world.available(5);
    await world.clock.advance(1000);
    writes.clear();
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: true } } });
    await world.clock.advance(1000);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: null } } });
    await world.clock.advance(10 * MINUTE);
    expect(Object.fromEntries(writes)).toEqual({ 'patch tickets/status': 2, 'update orders/status': 2 });
  });
});
