/** From creation to Reserved, and to the end: on time, with as few writes as possible. */
import { afterEach, describe, expect, it } from 'vitest';
import { GUARDIAN_PRIORITY_CLASS } from '../../src/core/api/names.ts';
import { PODS, PRIORITY_CLASSES, TICKETS } from '../../src/core/api/registry/resources.ts';
import { parseTime } from '../../src/core/kube/time.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createTicketWorld, namespace, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const HOUR = 3_600_000;

/** Counts the writes of the controllers, by verb and resource. */
function counted(counts: Map<string, number>): (client: Client) => Client {
  const note = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return (client) => ({
    ...client,
    create: (resource, ...rest) => (note(`create ${resource.resource}`), client.create(resource, ...rest)),
    update: (resource, object, options) => (
      note(`update ${resource.resource}/${options?.subresource ?? ''}`),
      client.update(resource, object, options)
    ),
    patch: (resource, ...rest) => (note(`patch ${resource.resource}`), client.patch(resource, ...rest)),
    delete: (resource, ...rest) => (note(`delete ${resource.resource}`), client.delete(resource, ...rest)),
    get: (resource, ...rest) => (note(`get ${resource.resource}`), client.get(resource, ...rest)),
  });
}

describe('a Ticket by itself', () => {
  it('is Reserved when its guardian runs, with one write of its status', async () => {
    const counts = new Map<string, number>();
    world = await createTicketWorld({ nodes: 2, through: counted(counts) });
    await world.client.create(TICKETS, ticket({ duration: '2h' }));
    await world.eventually(async () => (await world.phase()) === 'Reserved');
    const [guardian, ...more] = await world.guardians();
    expect(more).toEqual([]);
    const { status, metadata } = await world.ticket();
    expect(status).toMatchObject({
      phase: 'Reserved',
      nodeName: guardian?.spec.nodeName,
      guardianPod: `${namespace}/${guardian?.metadata.name}`,
      observedGeneration: metadata.generation,
    });
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'GuardianRunning' }]);
    expect(status?.reason).toBe(undefined);
    const activated = parseTime(status?.activationTime ?? '') ?? 0;
    expect((parseTime(status?.expirationTime ?? '') ?? 0) - activated).toBe(2 * HOUR);
    expect(guardian?.spec).toMatchObject({ priorityClassName: GUARDIAN_PRIORITY_CLASS, preemptionPolicy: 'Never' });
    expect(await world.client.get(PRIORITY_CLASSES, { name: GUARDIAN_PRIORITY_CLASS })).toMatchObject({
      value: 1_000_000_000,
      preemptionPolicy: 'Never',
    });
    await world.clock.advance(10 * 60_000);
    expect(Object.fromEntries(counts)).toEqual({
      'create priorityclasses': 1,
      'create pods': 1,
      'update tickets/status': 1,
    });
    expect((await world.events()).map(({ reason, involvedObject }) => [reason, involvedObject.kind])).toEqual([
      ['TicketReserved', 'Ticket'],
    ]);
  });

  it('expires on time, frees its room and goes after its TTL', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket({ duration: '1h', ttlSecondsAfterFinished: 600 }));
    await world.eventually(async () => (await world.phase()) === 'Reserved');
    const end = parseTime((await world.ticket()).status?.expirationTime ?? '') ?? 0;
    await world.clock.advance(end - world.clock.now() - 1);
    expect(await world.phase()).toBe('Reserved');
    await world.clock.advance(100);
    const { status } = await world.ticket();
    expect(status).toMatchObject({ phase: 'Expired', reason: 'Expired' });
    expect(parseTime(status?.finishedTime ?? '')).toBe(end);
    expect(status?.guardianPod).toBe(undefined);
    await world.eventually(async () => (await world.guardians()).length === 0, 5_000);
    await world.clock.advance(598_000 - 5_000);
    expect(await world.tickets()).toHaveLength(1);
    await world.clock.advance(10_000);
    expect(await world.tickets()).toEqual([]);
    await world.clock.advance(2_000);
    expect((await world.events()).map(({ reason }) => reason)).toEqual([
      'TicketReserved',
      'TicketExpired',
      'TicketDeleted',
    ]);
  });

  it('stays after its end with cleanupPolicy Retain', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket({ duration: '10m', cleanupPolicy: 'Retain' }));
    await world.clock.advance(15 * 60_000);
    world.clock.jump(48 * HOUR);
    await world.clock.advance(60_000);
    expect(await world.phase()).toBe('Expired');
    expect(await world.guardians()).toEqual([]);
  });

  it('without a duration holds its room for ever', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket());
    await world.clock.advance(60_000);
    world.clock.jump(100 * 24 * HOUR);
    await world.clock.advance(60_000);
    expect(await world.phase()).toBe('Reserved');
    expect((await world.ticket()).status?.expirationTime).toBe(undefined);
  });

  it('begins at its start and ends a duration after that', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const start = Math.ceil(world.clock.now() / 1000) * 1000 + HOUR;
    await world.client.create(TICKETS, ticket({ startTime: new Date(start).toISOString(), duration: '30m' }));
    await world.clock.advance(start - world.clock.now() - 1);
    expect(await world.guardians()).toEqual([]);
    await world.clock.advance(2_000);
    const { status } = await world.ticket();
    expect(status?.phase).toBe('Reserved');
    expect(parseTime(status?.expirationTime ?? '')).toBe(start + HOUR / 2);
    await world.clock.advance(HOUR / 2);
    expect(await world.phase()).toBe('Expired');
  });

  it('that never found room ends with its window', async () => {
    world = await createTicketWorld({ nodes: 0 });
    const start = Math.ceil(world.clock.now() / 1000) * 1000 + HOUR;
    await world.client.create(TICKETS, ticket({ startTime: new Date(start).toISOString(), duration: '30m' }));
    await world.clock.advance(HOUR + 60_000);
    expect((await world.ticket()).status).toMatchObject({ phase: 'Pending', reason: 'Unschedulable' });
    expect(await world.guardians()).toHaveLength(1);
    await world.clock.advance(HOUR / 2);
    expect(await world.phase()).toBe('Expired');
    expect(await world.guardians()).toEqual([]);
  });

  it('takes its guardian along when it is deleted, and none follows', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket());
    await world.eventually(async () => (await world.phase()) === 'Reserved');
    await world.client.delete(TICKETS, { namespace, name: 'room' });
    await world.eventually(async () => (await world.guardians()).length === 0, 5_000);
    await world.clock.advance(60_000);
    expect((await world.client.list(PODS, { namespace })).items).toEqual([]);
  });
});

describe('a clock that jumps', () => {
  it('forward: everything that is due acts, once', async () => {
    const counts = new Map<string, number>();
    world = await createTicketWorld({ nodes: 1, through: counted(counts) });
    await world.client.create(TICKETS, ticket({ duration: '24h', ttlSecondsAfterFinished: 3600 }));
    await world.eventually(async () => (await world.phase()) === 'Reserved');
    world.clock.jump(25 * HOUR);
    await world.clock.advance(15_000);
    expect(await world.phase()).toBe('Expired');
    expect(await world.guardians()).toEqual([]);
    expect(counts.get('update tickets/status')).toBe(2);
    expect(counts.get('delete pods')).toBe(1);
  });

  it('backward: nothing that has expired comes back', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket({ duration: '1h', ttlSecondsAfterFinished: 3600 }));
    await world.clock.advance(HOUR + 10_000);
    expect(await world.phase()).toBe('Expired');
    world.clock.jump(-2 * HOUR);
    await world.clock.advance(60_000);
    expect(await world.phase()).toBe('Expired');
    expect(await world.guardians()).toEqual([]);
    world.clock.jump(3 * HOUR);
    await world.clock.advance(15_000);
    expect(await world.tickets()).toEqual([]);
  });
});
