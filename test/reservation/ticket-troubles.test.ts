/** Guardians that are refused, too small, without room, or lost: a Ticket says why, and goes on when it can. */
import { afterEach, describe, expect, it } from 'vitest';
import { RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { LIMIT_RANGES, NODES, PODS, RESOURCE_QUOTAS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { AdmissionPlugin } from '../../src/machinery/ports/admission.ts';
import { createTicketWorld, namespace, pinnedTo, pod, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const reserved = async (): Promise<boolean> => (await world.phase()) === 'Reserved';
const request = (cpu: string) => ({ resources: { requests: { cpu } } });
const web = (name: string, cpu: string) =>
  pod(name, { containers: [{ name: 'main', image: 'example.test/web:1', ...request(cpu) }] });

const small = (name: string, cpu: string) => ({ name, count: 1, allocatable: { cpu } });

const reasonOf = async (): Promise<string | undefined> => (await world.ticket()).status?.reason;

async function guardian() {
  const [first, ...more] = await world.guardians();
  if (first === undefined || more.length > 0) throw new Error(`${more.length + 1} guardians`);
  return first;
}

describe('a guardian without room', () => {
  it('keeps its Ticket Pending with the words of the scheduler, and two writes are all until Reserved', async () => {
    world = await createTicketWorld({ nodes: [small('node', '2')] });
    await world.client.create(PODS, web('hog', '1800m'));
    await world.clock.advance(1_000);
    const created = await world.client.create(TICKETS, ticket({ duration: '1h' }));
    await world.eventually(async () => (await reasonOf()) === 'Unschedulable');
    const { status } = await world.ticket();
    expect(status).toMatchObject({ phase: 'Pending', reason: 'Unschedulable' });
    expect(status?.message).toContain('0/1 nodes are available: 1 Insufficient cpu');
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'Unschedulable' }]);
    expect(status?.expirationTime).toBe(undefined);
    const waiting = (await world.ticket()).metadata.resourceVersion;
    await world.clock.advance(10 * 60_000);
    expect((await world.ticket()).metadata.resourceVersion).toBe(waiting);
    await world.client.delete(PODS, { namespace, name: 'hog' });
    await world.eventually(reserved);
    expect((await world.ticket()).status?.reason).toBe(undefined);
    expect((await world.ticket()).metadata.uid).toBe(created.metadata.uid);
    expect((await world.events()).map(({ reason }) => reason)).toEqual(['GuardianUnschedulable', 'TicketReserved']);
  });

  it('tells changed words of the scheduler again, but not every change', async () => {
    world = await createTicketWorld({ nodes: 1, scheduler: false });
    await world.client.create(TICKETS, ticket());
    await world.clock.advance(1_000);
    const refuse = async (message: string): Promise<void> => {
      const { name } = (await guardian()).metadata;
      const body = {
        status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }] },
      };
      await world.client.patch(PODS, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
      await world.clock.advance(1_000);
    };
    for (const words of ['first', 'second', 'third']) await refuse(words);
    expect((await world.ticket()).status?.message).toBe('first');
    await world.clock.advance(5 * 60_000);
    expect((await world.ticket()).status?.message).toBe('third');
  });
});

describe('a guardian that the server refuses', () => {
  it('by quota: the Ticket says so in the words of the server, and tries again later and later', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(RESOURCE_QUOTAS, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none', namespace },
      spec: { hard: { pods: '0' } },
    });
    await world.client.create(TICKETS, ticket());
    await world.eventually(async () => (await reasonOf()) === 'GuardianCreateFailed');
    expect((await world.ticket()).status?.message).toContain('exceeded quota: none');
    const { resourceVersion } = (await world.ticket()).metadata;
    await world.clock.advance(20 * 60_000);
    expect((await world.ticket()).metadata.resourceVersion).toBe(resourceVersion);
    const [event, ...more] = await world.events('GuardianCreateFailed');
    expect([event?.type, event?.count, more.length]).toEqual(['Warning', 1, 0]);
    await world.client.delete(RESOURCE_QUOTAS, { namespace, name: 'none' });
    await world.eventually(reserved, 6 * 60_000);
  });

  it('by a LimitRange: likewise', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(LIMIT_RANGES, {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'small', namespace },
      spec: { limits: [{ type: 'Container', max: { cpu: '200m' } }] },
    });
    await world.client.create(TICKETS, ticket());
    await world.eventually(async () => (await reasonOf()) === 'GuardianCreateFailed');
    expect((await world.ticket()).status?.message).toContain('must be less than or equal to cpu limit of 200m');
  });
});

/** Lowers the requests of new pods, as an autoscaler of pods does; adds a container, as a mesh does. */
const changing = (change: (pod: Pod) => Pod): AdmissionPlugin => ({
  name: 'changing',
  handles: ({ operation, resource, subresource }) =>
    operation === 'CREATE' && resource.resource === 'pods' && subresource === '',
  mutate: ({ object }) => ({ allowed: true, object: change(object as Pod) }),
});

describe('a guardian that was changed on its way in', () => {
  const cut = changing((given) => {
    const containers = given.spec.containers.map((each) => ({
      ...each,
      resources: { requests: { cpu: '100m', memory: '256Mi' } },
    }));
    return { ...given, spec: { ...given.spec, containers } };
  });

  it('and requests less than its Ticket leaves the Ticket Pending, and says how much is short', async () => {
    world = await createTicketWorld({ nodes: 1, plugins: [cut] });
    await world.client.create(TICKETS, ticket());
    await world.eventually(async () => (await reasonOf()) === 'GuardianTooSmall');
    const { status, metadata } = await world.ticket();
    expect(status?.phase).toBe('Pending');
    expect(status?.message).toContain('requests 100m instead of 500m cpu');
    await world.clock.advance(30 * 60_000);
    expect((await world.ticket()).metadata.resourceVersion).toBe(metadata.resourceVersion);
    expect(await world.guardians()).toHaveLength(1);
  });

  it('and has a container more covers its Ticket', async () => {
    const more = changing((given) => {
      const mesh = given.spec.containers.map((each) => ({ ...each, name: 'mesh', image: 'example.test/mesh:1' }));
      return { ...given, spec: { ...given.spec, containers: [...given.spec.containers, ...mesh] } };
    });
    world = await createTicketWorld({ nodes: 1, plugins: [more] });
    await world.client.create(TICKETS, ticket());
    await world.eventually(reserved);
    expect((await guardian()).spec.containers).toHaveLength(2);
  });
});

describe('a lost guardian', () => {
  it('is replaced, ever later while it is lost again, and the time of the Ticket runs on', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket({ duration: '3h' }));
    await world.eventually(reserved);
    const { expirationTime } = (await world.ticket()).status ?? {};
    const waits: number[] = [];
    for (let i = 0; i < 4; i += 1) {
      await world.client.delete(PODS, { namespace, name: (await guardian()).metadata.name });
      await world.eventually(async () => (await reasonOf()) === 'GuardianLost', 2_000);
      const began = world.clock.monotonic();
      await world.eventually(reserved);
      waits.push(world.clock.monotonic() - began);
    }
    expect(waits.map((ms) => Math.round(ms / 1000))).toEqual([1, 2, 4, 8]);
    expect((await world.ticket()).status?.expirationTime).toBe(expirationTime);
    expect((await world.events('GuardianLost')).length).toBeGreaterThan(0);
    // After a while without a loss the next one counts as the first.
    await world.clock.advance(11 * 60_000);
    await world.client.delete(PODS, { namespace, name: (await guardian()).metadata.name });
    await world.clock.advance(3_000);
    expect(await world.phase()).toBe('Reserved');
  });

  it('to a system-critical pod: the Ticket says so, and waits for room', async () => {
    world = await createTicketWorld({ nodes: [small('node', '2')] });
    await world.client.create(TICKETS, ticket(request('1500m')));
    await world.eventually(reserved);
    const vital = web('vital', '1');
    const spec = { ...vital.spec, priorityClassName: 'system-cluster-critical' };
    await world.client.create(PODS, { ...vital, metadata: { ...vital.metadata, namespace: 'kube-system' }, spec });
    await world.eventually(async () => (await world.phase()) === 'Pending');
    const { status } = await world.ticket();
    expect(status?.reason).toBe('GuardianLost');
    expect(status?.message).toMatch(/was preempted by a pod of higher priority, as system-critical pods may do/);
    await world.eventually(async () => (await reasonOf()) === 'Unschedulable');
    await world.client.delete(PODS, { namespace: 'kube-system', name: 'vital' });
    await world.eventually(reserved);
  });

  it('no ordinary pod takes, however important', async () => {
    world = await createTicketWorld({ nodes: [small('node', '2')] });
    await world.client.create(TICKETS, ticket(request('1500m')));
    await world.eventually(reserved);
    await world.client.create(PODS, web('plain', '1'));
    await world.clock.advance(60_000);
    expect(await world.phase()).toBe('Reserved');
    expect((await world.client.get(PODS, { namespace, name: 'plain' })).spec.nodeName).toBe(undefined);
  });

  it('that failed on its node is deleted, and another made', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket());
    await world.eventually(reserved);
    const { metadata } = await guardian();
    const status = { phase: 'Failed', reason: 'Evicted', message: 'the node was low on resource: memory' };
    await world.client.patch(
      PODS,
      { namespace, name: metadata.name },
      { type: 'merge', body: { status } },
      { subresource: 'status' },
    );
    await world.eventually(async () => (await world.phase()) === 'Pending', 2_000);
    expect((await world.ticket()).status?.message).toContain('Evicted: the node was low on resource: memory');
    await world.eventually(reserved);
    expect((await guardian()).metadata.uid).not.toBe(metadata.uid);
  });

  it('of a node that is drained is not made again before the node is uncordoned, whatever the Ticket tolerates', async () => {
    world = await createTicketWorld({ nodes: 2 });
    await world.client.create(TICKETS, ticket({ ...pinnedTo('node-0'), tolerations: [{ operator: 'Exists' }] }));
    await world.eventually(reserved);
    const cordon = (unschedulable: boolean) =>
      world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable } } });
    await cordon(true);
    await world.client.delete(PODS, { namespace, name: (await guardian()).metadata.name });
    await world.clock.advance(10 * 60_000);
    expect(await world.guardians()).toEqual([]);
    expect((await world.ticket()).status).toMatchObject({ phase: 'Pending', reason: 'GuardianLost' });
    await cordon(false);
    await world.eventually(reserved, 5_000);
  });

  it('on a node that only does not answer is not lost', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket());
    await world.eventually(reserved);
    const { name } = (await guardian()).metadata;
    const body = { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'NodeNotReady' }] } };
    await world.client.patch(PODS, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' });
    await world.clock.advance(1_000);
    expect(await world.phase()).toBe('Reserved');
  });
});

describe('a Ticket of another phase', () => {
  it.each(['Claiming', 'Claimed'])('%s is left alone', async (phase) => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(TICKETS, ticket({ duration: '10m' }));
    await world.eventually(reserved);
    const body = { status: { phase } };
    await world.client.patch(TICKETS, { namespace, name: 'room' }, { type: 'merge', body }, { subresource: 'status' });
    const { resourceVersion } = (await world.ticket()).metadata;
    await world.client.delete(PODS, { namespace, name: (await guardian()).metadata.name });
    await world.clock.advance(15 * 60_000);
    expect((await world.ticket()).metadata.resourceVersion).toBe(resourceVersion);
    expect(await world.guardians()).toEqual([]);
  });

  it('Released goes after its TTL', async () => {
    world = await createTicketWorld({ nodes: 1, controller: false });
    await world.client.create(TICKETS, ticket({ ttlSecondsAfterFinished: 60 }));
    const finishedTime = new Date(Math.ceil(world.clock.now() / 1000) * 1000).toISOString().replace('.000', '');
    const body = { status: { phase: 'Released', finishedTime } };
    await world.client.patch(TICKETS, { namespace, name: 'room' }, { type: 'merge', body }, { subresource: 'status' });
    world.startController();
    await world.clock.advance(55_000);
    expect(await world.tickets()).toHaveLength(1);
    await world.clock.advance(10_000);
    expect(await world.tickets()).toEqual([]);
  });

  it('with two guardians keeps the one that holds its room', async () => {
    world = await createTicketWorld({ nodes: 2 });
    await world.client.create(TICKETS, ticket());
    await world.eventually(reserved);
    const good = await guardian();
    const { labels, ownerReferences } = good.metadata;
    const copy = pod('copy');
    const metadata = { ...copy.metadata, labels: { ...labels }, ownerReferences: ownerReferences ?? [] };
    await world.client.create(PODS, { ...copy, metadata });
    await world.eventually(async () => (await world.guardians()).length === 1, 5_000);
    expect((await guardian()).metadata.uid).toBe(good.metadata.uid);
    expect(good.metadata.labels?.[RESERVATION_LABELS.ticket]).toBe('room');
  });
});
