/** The table of strategies and refresh policies, cell by cell, on a cluster: what happens to one node of an Order. */
import { afterEach, describe, expect, it } from 'vitest';
import { NODES, ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { OrderStrategy, Ticket } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const MINUTE = 60_000;
/** Ticks are this far apart; the clock begins at midnight. */
const PERIOD = 10 * MINUTE;
const STRATEGIES = ['OneTime', 'Scheduled', 'Recurring'] as const;
const POLICIES = ['OnClaim', 'Always', 'Never'] as const;

type Strategy = (typeof STRATEGIES)[number];
type Policy = (typeof POLICIES)[number];
type Cell = readonly [Strategy, Policy];

const CELLS: readonly Cell[] = STRATEGIES.flatMap((strategy) => POLICIES.map((policy): Cell => [strategy, policy]));

const strategyOf = (type: Strategy, refreshPolicy: Policy): OrderStrategy =>
  type === 'OneTime' ? { type, refreshPolicy } : { type, refreshPolicy, schedule: '*/10 * * * *' };

/** An Order with Tickets on its nodes, one minute after a tick. */
async function begin([type, policy]: Cell, duration: string, nodes = 1): Promise<void> {
  world = await createOrderWorld({ nodes });
  await world.client.create(ORDERS, order({ strategy: strategyOf(type, policy), template: template({ duration }) }));
  if (type === 'Scheduled') await world.clock.advance(PERIOD - 1000);
  await world.available(nodes);
  await untilMinute(1);
}

async function untilMinute(minute: number): Promise<void> {
  const passed = world.clock.now() % PERIOD;
  await world.clock.advance((minute * MINUTE - passed + PERIOD) % PERIOD);
}

async function claim(ticket: Stored<Ticket> | undefined): Promise<void> {
  await world.client.patch(
    TICKETS,
    { namespace, name: ticket?.metadata.name ?? '' },
    {
      type: 'merge',
      body: {
        status: { phase: 'Claimed', claimedTime: new Date(world.clock.now()).toISOString().replace('.000', '') },
      },
    },
    { subresource: 'status' },
  );
}

/** Phases of the Tickets, oldest first. */
async function phases(): Promise<string> {
  const tickets = (await world.tickets()).toSorted((a, b) =>
    a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1,
  );
  return tickets.map(({ status }) => status?.phase).join(' ');
}

describe.each(CELLS)('%s, %s', (...cell) => {
  const [strategy, policy] = cell;

  it(`makes Tickets ${strategy === 'Scheduled' ? 'at the first tick' : 'at once'}, and so on a node that joins`, async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(
      ORDERS,
      order({ strategy: strategyOf(strategy, policy), template: template({ duration: '2h' }) }),
    );
    await world.clock.advance(2 * MINUTE);
    expect(await world.tickets()).toHaveLength(strategy === 'Scheduled' ? 0 : 1);
    await world.clock.advance(9 * MINUTE);
    expect(await world.tickets()).toHaveLength(1);
    await world.join({ name: 'late', count: 1 });
    await world.clock.advance(2 * MINUTE);
    expect(await world.tickets()).toHaveLength(strategy === 'Scheduled' ? 1 : 2);
    await world.clock.advance(PERIOD);
    expect(await world.tickets()).toHaveLength(2);
  });

  const CLAIMED: { readonly [cell: string]: readonly [soon: string, afterTick: string] } = {
    'OneTime OnClaim': ['Claimed Reserved', 'Claimed Reserved'],
    'Scheduled OnClaim': ['Claimed', 'Claimed Reserved'],
    'Recurring OnClaim': ['Claimed', 'Claimed Reserved'],
  };

  it('after a claim', async () => {
    await begin(cell, '2h');
    const [ticket] = await world.tickets();
    await claim(ticket);
    await world.clock.advance(2 * MINUTE);
    const [soon, afterTick] = CLAIMED[cell.join(' ')] ?? ['Claimed', 'Claimed'];
    expect(await phases()).toBe(soon);
    await world.clock.advance(PERIOD);
    expect(await phases()).toBe(afterTick);
  });

  const EXPIRED: { readonly [cell: string]: readonly [soon: string, afterTick: string] } = {
    'OneTime OnClaim': ['Expired Reserved', 'Expired Reserved'],
    'OneTime Always': ['Expired Reserved', 'Expired Reserved'],
    'Scheduled OnClaim': ['Expired', 'Expired Reserved'],
    'Scheduled Always': ['Expired', 'Expired Reserved'],
    'Recurring OnClaim': ['Expired Reserved', 'Expired Reserved'],
    'Recurring Always': ['Expired Reserved', 'Expired Reserved'],
    'Recurring Never': ['Expired', 'Expired Reserved'],
  };

  it('after the end of its time', async () => {
    await begin(cell, '7m');
    const [before] = await world.tickets();
    const [guardian] = await world.guardians();
    await untilMinute(9);
    const [soon, afterTick] = EXPIRED[cell.join(' ')] ?? ['Expired', 'Expired'];
    expect(await phases()).toBe(soon);
    const successor = (await world.tickets()).find(({ metadata }) => metadata.uid !== before?.metadata.uid);
    if (successor !== undefined) {
      // The room was never free: it is the same pod.
      expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toEqual([guardian?.metadata.uid]);
      expect(successor.status?.guardianPod).toBe(`${namespace}/${guardian?.metadata.name}`);
    } else expect(await world.guardians()).toEqual([]);
    await untilMinute(2);
    expect(await phases()).toBe(afterTick);
  });

  it('at a tick, with a Ticket that is held', async () => {
    await begin(cell, '15m');
    const [before] = await world.tickets();
    await untilMinute(0);
    await world.clock.advance(1000);
    const [after, ...more] = await world.tickets();
    expect([after?.metadata.uid, more]).toEqual([before?.metadata.uid, []]);
    const isExtended = after?.status?.expirationTime !== before?.status?.expirationTime;
    expect(isExtended).toBe(cell.join(' ') === 'Recurring Always');
  });

  it('when the node goes', async () => {
    await begin(cell, '2h', 2);
    await world.client.delete(NODES, { name: 'node-0' });
    await world.clock.advance(1000);
    expect(await world.tickets()).toHaveLength(1);
  });

  it(`replaces Tickets of a former template ${strategy === 'Scheduled' ? 'at the next tick' : 'at once'}`, async () => {
    await begin(cell, '2h', 2);
    const before = (await world.tickets()).map(({ metadata }) => metadata.uid);
    const body = { spec: { template: { spec: { resources: { requests: { cpu: '600m' } } } } } };
    await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body });
    await world.clock.advance(5 * MINUTE);
    const kept = (await world.tickets()).filter(({ metadata }) => before.includes(metadata.uid));
    expect(kept).toHaveLength(strategy === 'Scheduled' ? 2 : 0);
    await world.clock.advance(PERIOD);
    const after = await world.tickets();
    expect(after.filter(({ metadata }) => before.includes(metadata.uid))).toEqual([]);
    expect(after.map(({ spec, status }) => [spec.resources?.requests?.['cpu'], status?.phase])).toEqual([
      ['600m', 'Reserved'],
      ['600m', 'Reserved'],
    ]);
  });
});

it('Never without a duration holds its room without end', async () => {
  world = await createOrderWorld({ nodes: 1 });
  const { duration: _none, ...spec } = template({}).spec ?? {};
  await world.client.create(ORDERS, order({ strategy: strategyOf('OneTime', 'Never'), template: { spec } }));
  await world.available(1);
  expect((await world.tickets())[0]?.status?.expirationTime).toBe(undefined);
});

it('Never does not fill a place again after the TTL of the Ticket that ended there, but a new node', async () => {
  world = await createOrderWorld({ nodes: 1 });
  const spec = template({ duration: '5m', ttlSecondsAfterFinished: 60 });
  await world.client.create(ORDERS, order({ strategy: strategyOf('OneTime', 'Never'), template: spec }));
  await world.available(1);
  await world.clock.advance(PERIOD);
  expect(await phases()).toBe('Expired');
  expect(await world.condition('Ready')).toMatchObject({ status: 'False', reason: 'TicketsEnded' });
  await world.join({ name: 'late', count: 1 });
  await world.clock.advance(MINUTE);
  expect((await world.tickets()).map(({ status }) => status?.phase ?? '').sort()).toEqual(['Expired', 'Reserved']);
});
