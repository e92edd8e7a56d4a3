/** Pods that claim Tickets take over the room of the guardian, and nobody else does. */
import { afterEach, describe, expect, it } from 'vitest';
import { createClaimScheduler } from '../../src/assembly/catalogue/claim-scheduler.ts';
import { createOrderController } from '../../src/control/reservation/order/order-controller.ts';
import { CLAIM_ANNOTATIONS, RESERVATION_ANNOTATIONS } from '../../src/core/api/names.ts';
import { ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { claimant, REQUIRED, web } from './support/claimants.ts';
import { SlotStream } from './support/slot-stream.ts';
import {
  createTicketWorld,
  namespace,
  order,
  ticket,
  type TicketWorld,
  type TicketWorldOptions,
} from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

const start = async (options: TicketWorldOptions = {}): Promise<void> => {
  world = await createTicketWorld({
    nodes: [{ name: 'node', count: 1, allocatable: { cpu: '1', memory: '4Gi', pods: '20' } }],
    scheduler: false,
    more: (around) => [createClaimScheduler(around), createOrderController(around)],
    ...options,
  });
};

const get = (name: string): Promise<Stored<Pod>> => world.client.get(PODS, { namespace, name });
const shades = async (): Promise<readonly Stored<Pod>[]> =>
  (await world.client.list(PODS, { namespace, labelSelector: 'korder.dev/role=shade' })).items;

async function reserved(cpu = '800m'): Promise<void> {
  await world.client.create(TICKETS, ticket({ resources: { requests: { cpu } } }));
  await world.eventually(async () => (await world.phase()) === 'Reserved');
}

describe('a claim', () => {
  it('hands the room of the guardian over to the pod, past pods that wait for it', async () => {
    await start();
    await reserved();
    const stream = new SlotStream(world.direct, 'node-0');
    for (let i = 0; i < 5; i += 1) await world.client.create(PODS, web(`rival-${i}`, '800m', { priority: 0 }));
    await world.clock.advance(1_000);
    await world.client.create(PODS, claimant('claimant'));
    await world.eventually(async () => (await world.phase()) === 'Claimed');
    await world.eventually(async () => (await get('claimant')).status?.phase === 'Running');
    expect((await get('claimant')).spec.nodeName).toBe('node-0');
    await world.clock.advance(5_000);
    expect(await shades()).toEqual([]);
    expect(await world.guardians()).toEqual([]);
    expect((await world.ticket()).status).toMatchObject({
      phase: 'Claimed',
      claimedPod: 'default/claimant',
      claim: { podUID: (await get('claimant')).metadata.uid },
    });
    for (let i = 0; i < 5; i += 1) expect((await get(`rival-${i}`)).spec.nodeName ?? '').toBe('');
    expect(stream.uncovered('800m')).toEqual([]);
  });

  it('ends with the pod, not with its name', async () => {
    await start();
    await reserved();
    await world.client.create(PODS, claimant('claimant'));
    await world.eventually(async () => (await world.phase()) === 'Claimed');
    await world.client.delete(PODS, { namespace, name: 'claimant' });
    await world.eventually(async () => (await world.phase()) === 'Released');
    await world.client.create(
      PODS,
      claimant('claimant', '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'room' }),
    );
    await world.clock.advance(10_000);
    expect((await get('claimant')).spec.nodeName ?? '').toBe('');
    expect(await world.phase()).toBe('Released');
  });

  it('of a pod larger than the Ticket is refused, and the room stays held', async () => {
    await start();
    await reserved('400m');
    await world.client.create(
      PODS,
      claimant('claimant', '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'room' }),
    );
    await world.clock.advance(3_000);
    const condition = (await get('claimant')).status?.conditions?.find(({ type }) => type === 'PodScheduled');
    expect(condition?.message).toMatch(
      /^0\/1 nodes are available: 1 node\(s\) without a Ticket that is large enough \(room holds less cpu/,
    );
    expect(await world.phase()).toBe('Reserved');
  });

  it('that is preferred leaves the pod to be scheduled like any other where there is no Ticket', async () => {
    await start();
    await world.client.create(PODS, claimant('claimant'));
    await world.eventually(async () => (await get('claimant')).spec.nodeName === 'node-0');
  });

  it('that is preferred takes a Ticket that comes while the pod finds no room', async () => {
    await start();
    await reserved();
    await world.client.create(
      PODS,
      claimant('claimant', '800m', { [CLAIM_ANNOTATIONS.ticketRequest]: 'selector:for=it' }),
    );
    await world.clock.advance(3_000);
    expect((await get('claimant')).spec.nodeName ?? '').toBe('');
    const body = { metadata: { labels: { for: 'it' } } };
    await world.client.patch(TICKETS, { namespace, name: 'room' }, { type: 'merge', body });
    await world.eventually(async () => (await world.phase()) === 'Claimed', 30_000);
  });

  it('that is required waits for a Ticket', async () => {
    await start();
    await world.client.create(
      PODS,
      claimant('claimant', '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'room' }),
    );
    await world.clock.advance(2_000);
    expect((await get('claimant')).spec.nodeName ?? '').toBe('');
    await world.client.create(TICKETS, ticket({ resources: { requests: { cpu: '800m' } } }));
    await world.eventually(async () => (await world.phase()) === 'Claimed');
  });

  it('is won by one of many pods', async () => {
    await start();
    await reserved();
    for (let i = 0; i < 10; i += 1)
      await world.client.create(
        PODS,
        claimant(`claimant-${i}`, '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'room' }),
      );
    await world.clock.advance(30_000);
    const bound = (await world.client.list(PODS, { namespace })).items.filter(({ spec }) => spec.nodeName === 'node-0');
    expect(bound).toHaveLength(1);
    expect((await world.ticket()).status?.claim?.podUID).toBe(bound[0]?.metadata.uid);
  });

  it('of a Ticket of another namespace needs the consent of its Order', async () => {
    await start();
    const made = await world.client.create(
      ORDERS,
      order({ replicas: 1, template: { spec: { resources: { requests: { cpu: '800m' } } } } }, 'rooms'),
    );
    await world.eventually(async () => (await world.tickets())[0]?.status?.phase === 'Reserved');
    const other = claimant('claimant', '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.orderRequest]: 'default/rooms' });
    await world.client.create(PODS, { ...other, metadata: { ...other.metadata, namespace: 'kube-system' } });
    await world.clock.advance(3_000);
    const refused = await world.client.get(PODS, { namespace: 'kube-system', name: 'claimant' });
    expect(refused.status?.conditions?.[0]?.message).toMatch(/may not be claimed from this namespace/);
    const annotations = { [RESERVATION_ANNOTATIONS.claimableFrom]: 'team, kube-system' };
    await world.client.patch(
      ORDERS,
      { namespace, name: made.metadata.name },
      { type: 'merge', body: { metadata: { annotations } } },
    );
    await world.eventually(
      async () =>
        (await world.client.get(PODS, { namespace: 'kube-system', name: 'claimant' })).spec.nodeName === 'node-0',
    );
  });
});
