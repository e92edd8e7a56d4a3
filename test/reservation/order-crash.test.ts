/** A controller that ends after any of its writes, answered or not: the next one brings the Order to the same state. */
import { afterEach, describe, expect, it } from 'vitest';
import { NODES, ORDERS } from '../../src/core/api/registry/resources.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, nodeOf, type OrderWorld } from './support/world.ts';
import { counting, type Crash, crashing, losing, newCrash, type Writes } from './support/writes.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const recurring = { type: 'Recurring', refreshPolicy: 'Always', schedule: '* * * * *' };
const STEP = 10_000;

/** Everything that an Order does: makes Tickets, loses a node and gets one, renews, marks and unmarks, changes its template. */
async function play(): Promise<void> {
  await world.client.create(ORDERS, order({ strategy: recurring, template: template({ duration: '90s' }) }));
  await world.clock.advance(STEP);
  await world.client.delete(NODES, { name: 'node-1' });
  await world.join({ name: 'late', count: 1 });
  await world.clock.advance(STEP);
  await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: true } } });
  await world.clock.advance(STEP);
  await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: null } } });
  await world.clock.advance(4 * STEP);
  const body = { spec: { template: { spec: { resources: { requests: { cpu: '600m' } } } } } };
  await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body });
  await world.clock.advance(STEP);
}

async function outcome(): Promise<object> {
  await world.available(2);
  await world.clock.advance(1000);
  const { status } = await world.order();
  const tickets = await world.tickets();
  return {
    tickets: tickets.map((ticket) => [nodeOf(ticket), ticket.status?.phase, ticket.spec.resources?.requests?.['cpu']]),
    guardians: (await world.guardians()).length,
    status: { ...status, conditions: status?.conditions?.map(({ type, status: is, reason }) => [type, is, reason]) },
  };
}

/** Another controller takes over as soon as the first has ended. */
async function withCrash(crash: Crash): Promise<void> {
  const writes: Writes = new Map();
  world = await createOrderWorld({
    nodes: 2,
    through: (client) => (crash.hasHappened ? counting(client, writes) : crashing(client, crash)),
  });
  const successor = (async () => {
    while (!crash.hasHappened) await world.clock.sleep(100);
    world.startController();
  })();
  await play();
  if (crash.hasHappened) await successor;
}

const EXPECTED = {
  tickets: [
    ['late-0', 'Reserved', '600m'],
    ['node-0', 'Reserved', '600m'],
  ],
  guardians: 2,
};

describe('a crash', () => {
  let writesInAll = 0;

  it('(what happens without one)', async () => {
    const writes: Writes = new Map();
    world = await createOrderWorld({ nodes: 2, through: (client) => counting(client, writes) });
    await play();
    expect(await outcome()).toMatchObject(EXPECTED);
    writesInAll = [...writes.values()].reduce((sum, count) => sum + count, 0);
    expect(writesInAll).toBeGreaterThan(12);
  });

  it.each([true, false])(
    'after any write (answered: %s)',
    async (isAnswered) => {
      for (let count = 1; count <= writesInAll; count += 1) {
        const crash = newCrash(count, isAnswered);
        await withCrash(crash);
        expect({ count, ...(await outcome()) }).toMatchObject({ count, ...EXPECTED });
        await world.stop();
      }
    },
    120_000,
  );
});

describe('a bad connection', () => {
  it.each([1, 2, 3, 4])('loses requests and answers, and no Ticket is made twice (seed %i)', async (seed) => {
    const random = createSeededRandom(seed);
    world = await createOrderWorld({ nodes: 2, through: (client) => losing(client, random, 0.4) });
    await play();
    await world.clock.advance(60_000);
    expect(await outcome()).toMatchObject(EXPECTED);
  });
});
