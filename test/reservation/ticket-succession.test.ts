/** A guardian passes from one Ticket to the next without a moment in which its room is free. */
import { afterEach, describe, expect, it } from 'vitest';
import { guardianPod } from '../../src/control/reservation/ticket/guardian-pod.ts';
import { RESERVATION_ANNOTATIONS as ANNOTATION, RESERVATION_LABELS as LABEL } from '../../src/core/api/names.ts';
import { ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Order, TicketSpec } from '../../src/core/api/types/korder-v1alpha1.ts';
import { guardianHash } from '../../src/core/daemons/reservation-hash.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { createTicketWorld, madeBy, namespace, order, pod, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

/** Every state of every guardian, in order, as a watch tells of them. */
function watchGuardians(): { readonly seen: readonly { readonly type: string; readonly object: Stored<Pod> }[] } {
  const seen: { type: string; object: Stored<Pod> }[] = [];
  const stopping = new AbortController();
  void (async () => {
    const options = { namespace, labelSelector: `${LABEL.guardian}=true`, signal: stopping.signal };
    for await (const batch of world.direct.watch(PODS, options))
      for (const event of batch) if (event.type !== 'BOOKMARK') seen.push(event);
  })().catch(() => undefined);
  stops.push(() => stopping.abort());
  return { seen };
}
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

const first = async (spec: Partial<TicketSpec> = {}, change: Partial<Order['spec']> = {}): Promise<Stored<Order>> => {
  const owner = await world.client.create(ORDERS, order({ replicas: 1, ...change }));
  await world.client.create(TICKETS, ticket({ duration: '10m', ...spec }, { name: 'one', ...madeBy(owner) }));
  await world.eventually(async () => (await world.phase('one')) === 'Reserved');
  return owner;
};

async function succeed(owner: Stored<Order>, spec: Partial<TicketSpec> = {}): Promise<void> {
  const { uid } = (await world.ticket('one')).metadata;
  const annotations = { [ANNOTATION.predecessor]: uid };
  await world.client.create(
    TICKETS,
    ticket({ duration: '10m', ...spec }, { name: 'two', annotations, ...madeBy(owner) }),
  );
}

describe('the guardian of a Ticket that has expired', () => {
  it('stays for a successor, and is its own from one write on', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const owner = await first();
    const { seen } = watchGuardians();
    await world.clock.advance(610_000);
    const expired = await world.ticket('one');
    expect(expired.status?.phase).toBe('Expired');
    expect(expired.status?.guardianPod).toBeDefined();
    expect(expired.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    const [guardian] = await world.guardians();
    await succeed(owner);
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 2_000);
    const [passed, ...more] = await world.guardians();
    const two = await world.ticket('two');
    expect([passed?.metadata.uid, more]).toEqual([guardian?.metadata.uid, []]);
    expect(passed?.metadata.ownerReferences).toMatchObject([{ uid: two.metadata.uid, controller: true }]);
    expect(passed?.metadata.labels).toMatchObject({ [LABEL.ticket]: 'two', [LABEL.ticketUid]: two.metadata.uid });
    expect(two.status?.guardianPod).toBe(`${namespace}/${passed?.metadata.name}`);
    // The room has been held since the first Ticket was Reserved: availability does not begin anew.
    const since = (status: typeof two.status) =>
      status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
    expect(since(two.status)).toBe(since(expired.status));
    await world.eventually(async () => (await world.ticket('one')).status?.guardianPod === undefined, 2_000);
    expect((await world.ticket('one')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    await world.client.delete(TICKETS, { namespace, name: 'one' });
    await world.clock.advance(60_000);
    // One pod only, never being deleted, never without a controller.
    expect(new Set(seen.map(({ object }) => object.metadata.uid)).size).toBe(1);
    for (const { type, object } of seen) {
      expect(type).not.toBe('DELETED');
      expect(object.metadata.deletionTimestamp).toBe(undefined);
      expect(object.metadata.ownerReferences).toHaveLength(1);
      expect(object.status?.phase).toBe('Running');
    }
  });

  it.each<[string, Partial<Order['spec']>]>([
    ['refresh policy Never', { strategy: { type: 'OneTime', refreshPolicy: 'Never' } }],
    ['a paused Order', { paused: true }],
  ])('goes at once with %s', async (_name, change) => {
    world = await createTicketWorld({ nodes: 1 });
    await first({}, change);
    await world.clock.advance(610_000);
    expect(await world.phase('one')).toBe('Expired');
    expect(await world.guardians()).toEqual([]);
  });

  it('goes when the Order is paused or deleted while it waits', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await first();
    await world.clock.advance(610_000);
    expect(await world.guardians()).toHaveLength(1);
    await world.client.patch(ORDERS, { namespace, name: 'rooms' }, { type: 'merge', body: { spec: { paused: true } } });
    await world.eventually(async () => (await world.guardians()).length === 0, 5_000);
  });

  it('outlasts the TTL of the Ticket until it has been taken', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const owner = await first({ ttlSecondsAfterFinished: 0 });
    await world.clock.advance(610_000);
    expect(await world.phase('one')).toBe('Expired');
    await succeed(owner);
    await world.eventually(async () => (await world.tickets()).length === 1, 5_000);
    expect(await world.phase('two')).toBe('Reserved');
    expect(await world.guardians()).toHaveLength(1);
  });
});

describe('a successor that has a guardian of its own already, and no room for it', () => {
  it('gives it up for that of the Ticket that has expired, and the room is never free', async () => {
    world = await createTicketWorld({ nodes: [{ name: 'node', count: 1, capacity: { cpu: '900m' } }] });
    const owner = await first();
    await world.clock.advance(610_000);
    await world.stopController();
    const [held] = await world.guardians();
    await succeed(owner);
    // As a controller made it that did not see the guardian of the predecessor.
    await world.client.create(PODS, guardianPod(await world.ticket('two'), ''));
    await world.clock.advance(1_000);
    const { seen } = watchGuardians();
    world.startController();
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 5_000);
    await world.clock.advance(60_000);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toEqual([held?.metadata.uid]);
    expect(mostAtATime(seen, (await world.ticket('two')).metadata.uid)).toBe(1);
  });
});

/** The most guardians that the Ticket had alive at a time. */
function mostAtATime(seen: ReturnType<typeof watchGuardians>['seen'], ticketUid: string): number {
  const alive = new Set<string>();
  let most = 0;
  for (const { type, object } of seen) {
    const isOwn = object.metadata.labels?.[LABEL.ticketUid] === ticketUid;
    if (isOwn && type !== 'DELETED' && object.metadata.deletionTimestamp === undefined) alive.add(object.metadata.uid);
    else alive.delete(object.metadata.uid);
    most = Math.max(most, alive.size);
  }
  return most;
}

describe('a changed template', () => {
  it('passes the guardian of a Reserved Ticket on where the guardian shows nothing of the change', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const owner = await first();
    const [guardian] = await world.guardians();
    await succeed(owner, { duration: '7h' });
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 2_000);
    // The predecessor makes no other guardian, and is not written to.
    await world.clock.advance(60_000);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toEqual([guardian?.metadata.uid]);
    expect(await world.phase('one')).toBe('Reserved');
  });

  it('that the guardian shows makes another guardian', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const owner = await first();
    await succeed(owner, { resources: { requests: { cpu: '600m' } } });
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 5_000);
    expect(await world.guardians()).toHaveLength(2);
  });
});

describe('a guardian is not taken', () => {
  it('from a Ticket that is being claimed', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const owner = await first();
    const body = { status: { phase: 'Claiming' } };
    await world.client.patch(TICKETS, { namespace, name: 'one' }, { type: 'merge', body }, { subresource: 'status' });
    await succeed(owner);
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 5_000);
    expect(await world.guardians()).toHaveLength(2);
  });

  it('from a Ticket of another Order', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await first();
    await succeed(await world.client.create(ORDERS, order({}, 'others')));
    await world.eventually(async () => (await world.phase('two')) === 'Reserved', 5_000);
    expect(await world.guardians()).toHaveLength(2);
  });
});

describe('a placeholder pod that a Ticket is told to adopt', () => {
  const placeholder = (labels: { readonly [key: string]: string }): Pod => {
    const made = pod('placeholder');
    const resources = { requests: { cpu: '500m', memory: '256Mi' } };
    const containers = made.spec.containers.map((each) => ({ ...each, resources }));
    return { ...made, metadata: { ...made.metadata, labels }, spec: { ...made.spec, containers } };
  };
  const annotations = { [ANNOTATION.adoptedGuardian]: 'placeholder' };

  it('becomes its guardian where it has the hash of one', async () => {
    world = await createTicketWorld({ nodes: 1 });
    const labels = { [LABEL.guardian]: 'true', [LABEL.guardianHash]: guardianHash(ticket().spec) };
    await world.client.create(PODS, placeholder(labels));
    await world.clock.advance(1_000);
    await world.client.create(TICKETS, ticket({}, { annotations }));
    await world.eventually(async () => (await world.phase()) === 'Reserved', 2_000);
    expect((await world.ticket()).status?.guardianPod).toBe(`${namespace}/placeholder`);
    expect(await world.guardians()).toHaveLength(1);
  });

  it('does not without', async () => {
    world = await createTicketWorld({ nodes: 1 });
    await world.client.create(PODS, placeholder({ [LABEL.guardian]: 'true' }));
    await world.clock.advance(1_000);
    await world.client.create(TICKETS, ticket({}, { annotations }));
    await world.eventually(async () => (await world.phase()) === 'Reserved', 2_000);
    expect((await world.ticket()).status?.guardianPod).not.toBe(`${namespace}/placeholder`);
  });
});
