/** Defects of claims in the operator that Orders come from, each in a test that says it is mended. */
import { afterEach, describe, expect, it } from 'vitest';
import { createClaimScheduler } from '../../src/assembly/catalogue/claim-scheduler.ts';
import { createClaimAdmission } from '../../src/control/reservation/admission/claims.ts';
import { createOrderController } from '../../src/control/reservation/order/order-controller.ts';
import { CLAIM_ANNOTATIONS, RESERVATION_ANNOTATIONS } from '../../src/core/api/names.ts';
import { NODES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { claimant, REQUIRED, web } from './support/claimants.ts';
import { createTicketWorld, namespace, order, ticket, type TicketWorld } from './ticket-world.ts';

let world: TicketWorld;
afterEach(() => world.stop());

async function begin(): Promise<void> {
  world = await createTicketWorld({
    nodes: [{ name: 'node', count: 1, allocatable: { cpu: '1', memory: '4Gi', pods: '20' } }],
    scheduler: false,
    plugins: [createClaimAdmission()],
    more: (around) => [createClaimScheduler(around), createOrderController(around)],
  });
  await world.client.create(TICKETS, ticket({ resources: { requests: { cpu: '800m' } } }));
  await world.eventually(async () => (await world.phase()) === 'Reserved');
}

const get = (name: string): Promise<Stored<Pod>> => world.client.get(PODS, { namespace, name });
const claim = (name: string, more: Record<string, string> = {}): Pod =>
  claimant(name, '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'room', ...more });
const why = async (name: string): Promise<string> =>
  (await get(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';

describe('mended: a claim', () => {
  it('is granted to two pods, because the loser of a conflict keeps its node (G1)', async () => {
    await begin();
    for (const name of ['one', 'two', 'three']) await world.client.create(PODS, claim(name));
    await world.clock.advance(20_000);
    const bound = (await world.client.list(PODS, { namespace })).items.filter(({ spec }) => spec.nodeName);
    expect(bound).toHaveLength(1);
    expect((await world.ticket()).status?.claim?.podUID).toBe(bound[0]?.metadata.uid);
  });

  it('binds the pod while the guardian still stops, and the kubelet refuses it (G3)', async () => {
    await begin();
    const [guardian] = await world.guardians();
    const name = guardian?.metadata.name ?? '';
    const annotations = { 'everynode.dev/stop-delay': '3s' };
    await world.client.patch(PODS, { namespace, name }, { type: 'merge', body: { metadata: { annotations } } });
    await world.client.create(PODS, claim('claimant'));
    let isSeen = false;
    await world.eventually(async () => {
      const isThere = (await world.guardians()).length > 0;
      isSeen ||= isThere && (await get('claimant')).spec.nodeName !== undefined;
      return (await get('claimant')).status?.phase === 'Running';
    });
    expect(isSeen).toBe(false);
    expect(await world.phase()).toBe('Claimed');
  });

  it('sets the node and so passes all filters by (G4)', async () => {
    await begin();
    const taints = [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }];
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints } } });
    await world.client.create(PODS, claim('claimant'));
    await world.clock.advance(3_000);
    expect(await why('claimant')).toMatch(/untolerated taint/);
    expect(await world.phase()).toBe('Reserved');
  });

  it('changes the Ticket during admission, so that a dry run leaks it (G5)', async () => {
    await begin();
    await world.client.create(PODS, claim('claimant'), { dryRun: true });
    await world.clock.advance(3_000);
    expect((await world.ticket()).status).toMatchObject({ phase: 'Reserved' });
  });

  it('is made again by every update of the pod', async () => {
    await begin();
    await world.client.create(TICKETS, ticket({ resources: { requests: { cpu: '100m' } } }, { name: 'second' }));
    await world.client.create(PODS, claim('claimant'));
    await world.eventually(async () => (await world.phase()) === 'Claimed');
    const relabel = { type: 'merge', body: { metadata: { labels: { now: 'yes' } } } } as const;
    await world.client.patch(PODS, { namespace, name: 'claimant' }, relabel);
    const annotations = { [CLAIM_ANNOTATIONS.ticketRequest]: 'second' };
    const change = { type: 'merge', body: { metadata: { annotations } } } as const;
    await expect(world.client.patch(PODS, { namespace, name: 'claimant' }, change)).rejects.toThrow(
      /metadata.annotations\[korder.dev\/ticket-request\]: Forbidden: may not change/,
    );
    await world.clock.advance(3_000);
    expect(await world.phase('second')).toBe('Reserved');
  });

  it('by name depends on how far the cache is behind', async () => {
    await begin();
    await world.client.create(
      PODS,
      claimant('claimant', '800m', { ...REQUIRED, [CLAIM_ANNOTATIONS.ticketRequest]: 'name:room' }),
    );
    await world.eventually(async () => (await world.phase()) === 'Claimed');
  });

  it('of a pod with a generated name is made for no pod, and outlives it (G6)', async () => {
    await begin();
    const { metadata, ...rest } = claim('x');
    const made = await world.client.create(PODS, {
      ...rest,
      metadata: { ...metadata, name: '', generateName: 'batch-' },
    });
    await world.eventually(async () => (await world.phase()) === 'Claimed');
    const { status } = await world.ticket();
    expect(status).toMatchObject({
      claimedPod: `${namespace}/${made.metadata.name}`,
      claim: { podUID: made.metadata.uid },
    });
    await world.client.delete(PODS, { namespace, name: made.metadata.name });
    await world.eventually(async () => (await world.phase()) === 'Released');
  });

  it('by group never finds Tickets that an Order has made', async () => {
    await begin();
    const metadata = { annotations: { [RESERVATION_ANNOTATIONS.ticketGroup]: 'small' } };
    const template = { metadata, spec: { resources: { requests: { cpu: '100m' } } } };
    await world.client.create(ORDERS, order({ replicas: 1, template }));
    await world.client.create(
      PODS,
      claimant('claimant', '100m', { ...REQUIRED, [CLAIM_ANNOTATIONS.orderRequest]: 'group:small' }),
    );
    await world.eventually(async () => (await get('claimant')).spec.nodeName === 'node-0');
    expect(await world.phase()).toBe('Reserved');
  });

  it('leaves the room free for others between guardian and pod (G2)', async () => {
    await begin();
    await world.client.create(PODS, claim('claimant'));
    for (let i = 0; i < 20; i += 1) {
      await world.client.create(PODS, web(`rival-${i}`, '800m'));
      await world.clock.advance(100);
    }
    await world.eventually(async () => (await get('claimant')).status?.phase === 'Running');
    const bound = (await world.client.list(PODS, { namespace })).items.filter(({ spec }) => spec.nodeName);
    expect(bound.map(({ metadata }) => metadata.name)).toEqual(['claimant']);
  });
});

describe('a claim that cannot be read', () => {
  it.each([
    [{ [CLAIM_ANNOTATIONS.orderRequest]: 'rooms' }, /order-request\]: Forbidden: may not be used beside/],
    [{ [CLAIM_ANNOTATIONS.claim]: 'Maybe' }, /everynode.dev\/claim\]: Unsupported value: "Maybe"/],
    [{ [CLAIM_ANNOTATIONS.ticketRequest]: 'No Name' }, /ticket-request\]: Invalid value: "No Name": must be the name/],
    [{ [CLAIM_ANNOTATIONS.ticketRequest]: 'selector:a in' }, /ticket-request\]: Invalid value/],
    [{ [CLAIM_ANNOTATIONS.ticketRequest]: 'group:' }, /names no group/],
    [{ [CLAIM_ANNOTATIONS.ticketRequest]: 'A_B/room' }, /is not the name of a namespace/],
  ])('is refused with its place: %j', async (annotations, words) => {
    await begin();
    await expect(world.client.create(PODS, claim('claimant', annotations))).rejects.toThrow(words);
    expect(await world.phase()).toBe('Reserved');
  });
});
