/** Ticks of a schedule: on time, in the Order's time zone, once for all that were missed, and resumed after a crash. */
import { afterEach, describe, expect, it } from 'vitest';
import { ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { OrderStrategy } from '../../src/core/api/types/korder-v1alpha1.ts';
import { formatTime } from '../../src/core/kube/time.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, type OrderWorld } from './support/world.ts';
import { counting, crashing, newCrash, type Writes } from './support/writes.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const MINUTE = 60_000;

const every = (minutes: number, more: Partial<OrderStrategy> = {}): OrderStrategy => ({
  type: 'Recurring',
  refreshPolicy: 'Always',
  schedule: `*/${minutes} * * * *`,
  ...more,
});

const times = async () => {
  const { status } = await world.order();
  return [status?.lastScheduleTime, status?.nextScheduleTime];
};

describe('ticks', () => {
  it('come at the second, with one write of the status each', async () => {
    const writes: Writes = new Map();
    world = await createOrderWorld({ nodes: 3, through: (client) => counting(client, writes) });
    await world.client.create(ORDERS, order({ strategy: every(10), template: template({ duration: '15m' }) }));
    await world.available(3);
    expect(await times()).toEqual([undefined, '2026-01-01T00:10:00Z']);
    writes.clear();
    await world.clock.advance(10 * MINUTE - (world.clock.now() % (10 * MINUTE)) - 1);
    expect(Object.fromEntries(writes)).toEqual({});
    await world.clock.advance(100);
    expect(Object.fromEntries(writes)).toEqual({ 'patch tickets/status': 3, 'update orders/status': 1 });
    expect(await times()).toEqual(['2026-01-01T00:10:00Z', '2026-01-01T00:20:00Z']);
    expect((await world.tickets()).map(({ status }) => status?.expirationTime)).toEqual(
      Array.from({ length: 3 }, () => '2026-01-01T00:25:00Z'),
    );
  });

  it('are those of the time zone', async () => {
    world = await createOrderWorld({ nodes: 1 });
    const strategy = { type: 'Scheduled', schedule: '30 5 * * *', timeZone: 'Asia/Kolkata', refreshPolicy: 'OnClaim' };
    await world.client.create(ORDERS, order({ strategy }));
    await world.clock.advance(1000);
    // Half past five in the morning is midnight in UTC, which has just passed.
    expect(await times()).toEqual([undefined, '2026-01-02T00:00:00Z']);
    expect(await world.condition('Ready')).toMatchObject({
      status: 'False',
      message: '0 of 1 Ticket is available; the next tick of the schedule is at 2026-01-02T00:00:00Z',
    });
    expect(await world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'WaitingForTick' });
  });

  it('that were missed act once', async () => {
    world = await createOrderWorld({ nodes: 2 });
    const strategy = every(10, { type: 'Scheduled', refreshPolicy: 'OnClaim' });
    await world.client.create(ORDERS, order({ strategy, template: template({ duration: '5m' }) }));
    await world.clock.advance(1000);
    await world.stopController();
    await world.clock.advance(35 * MINUTE);
    expect(await world.tickets()).toEqual([]);
    world.startController();
    await world.available(2);
    expect(await times()).toEqual(['2026-01-01T00:30:00Z', '2026-01-01T00:40:00Z']);
    expect(await world.events('TicketCreated')).toEqual(['Normal TicketCreated Created 2 Tickets']);
  });

  it('that came before the Order was made do not count', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.clock.advance(25 * MINUTE);
    const strategy = every(10, { type: 'Scheduled' });
    await world.client.create(ORDERS, order({ strategy }));
    await world.clock.advance(MINUTE);
    expect(await world.tickets()).toEqual([]);
  });

  it('of a schedule that was changed begin with the change', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order({ strategy: every(30, { type: 'Scheduled' }) }));
    await world.clock.advance(25 * MINUTE);
    const body = { spec: { strategy: { schedule: '20 * * * *' } } };
    await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body });
    await world.clock.advance(MINUTE);
    expect(await world.tickets()).toEqual([]);
    expect((await times())[1]).toBe('2026-01-01T01:20:00Z');
  });

  it('come on time although the wall clock jumps', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order({ strategy: every(30, { type: 'Scheduled' }) }));
    await world.clock.advance(1000);
    world.clock.jump(29 * MINUTE + 30_000);
    await world.clock.advance(40_000);
    expect(await world.tickets()).toHaveLength(1);
  });
});

describe('renewal', () => {
  it('goes on after a crash where it was, and writes no Ticket twice', async () => {
    const writes: Writes = new Map();
    const crash = newCrash();
    world = await createOrderWorld({
      nodes: 10,
      through: (client) => (crash.hasHappened ? counting(client, writes) : crashing(client, crash)),
    });
    await world.client.create(ORDERS, order({ strategy: every(10), template: template({ duration: '15m' }) }));
    await world.available(10);
    crash.left = 4;
    await world.clock.advance(10 * MINUTE);
    const renewed = async () =>
      (await world.tickets()).filter(({ status }) => status?.renewedTime !== undefined).length;
    expect(await renewed()).toBe(4);
    expect(await times()).toEqual([undefined, '2026-01-01T00:10:00Z']);
    await world.stopController();
    world.startController();
    await world.clock.advance(1000);
    expect(await renewed()).toBe(10);
    expect(writes.get('patch tickets/status')).toBe(6);
    expect(await times()).toEqual(['2026-01-01T00:10:00Z', '2026-01-01T00:20:00Z']);
  });

  it('that takes longer than the Tickets have left loses none of them', async () => {
    // One write in ten seconds: forty take longer than the minute that is left after the tick.
    world = await createOrderWorld({
      nodes: 40,
      through: (client, clock) => {
        let free = 0;
        return {
          ...client,
          patch: async (...args) => {
            free = Math.max(free, clock.monotonic()) + 10_000;
            await clock.sleep(free - clock.monotonic());
            return client.patch(...args);
          },
        };
      },
      controller: { burst: 4 },
    });
    await world.client.create(ORDERS, order({ strategy: every(10), template: template({ duration: '11m' }) }));
    await world.available(40);
    const before = (await world.tickets()).map(({ metadata }) => metadata.uid);
    await world.clock.advance(19 * MINUTE);
    const after = await world.tickets();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(
      after.every(({ status }) => status?.phase === 'Reserved' && status.renewedTime === '2026-01-01T00:10:00Z'),
    ).toBe(true);
  });

  it('leaves alone what has been claimed meanwhile', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order({ strategy: every(10), template: template({ duration: '15m' }) }));
    await world.available(2);
    const [first] = await world.tickets();
    await world.client.patch(
      TICKETS,
      { namespace, name: first?.metadata.name ?? '' },
      { type: 'merge', body: { status: { phase: 'Claimed', claimedTime: formatTime(world.clock.now()) } } },
      { subresource: 'status' },
    );
    await world.clock.advance(10 * MINUTE);
    expect((await world.tickets()).map(({ status }) => status?.renewedTime)).toEqual([
      undefined,
      '2026-01-01T00:10:00Z',
    ]);
    expect(await world.condition('Ready')).toMatchObject({
      status: 'True',
      message: '1 of 2 Tickets are available, 1 claimed',
    });
  });
});

describe('a paused Order', () => {
  const pause = (paused: boolean) =>
    world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body: { spec: { paused } } });

  it('neither makes, renews nor removes Tickets, and says so', async () => {
    const writes: Writes = new Map();
    world = await createOrderWorld({ nodes: 2, through: (client) => counting(client, writes) });
    await world.client.create(ORDERS, order({ strategy: every(10), template: template({ duration: '2h' }) }));
    await world.available(2);
    await pause(true);
    await world.clock.advance(100);
    writes.clear();
    await world.join({ name: 'late', count: 1 });
    await world.clock.advance(20 * MINUTE);
    expect([...writes.keys()]).toEqual(['update orders/status']);
    expect(await world.condition('Progressing')).toMatchObject({ reason: 'Paused' });
    expect((await world.order()).status).toMatchObject({ replicas: 3, availableReplicas: 2, unavailableReplicas: 1 });
    await pause(false);
    await world.available(3);
    expect(await times()).toEqual(['2026-01-01T00:20:00Z', '2026-01-01T00:30:00Z']);
    expect((await world.tickets()).filter(({ status }) => status?.renewedTime === '2026-01-01T00:20:00Z')).toHaveLength(
      2,
    );
    expect(await world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'Complete' });
  });
});
