import { beforeEach, describe, expect, it } from 'vitest';
import { PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Ticket, TicketSpec } from '../../../core/api/types/korder-v1alpha1.ts';
import { createTicketMaker } from '../../../core/daemons/ticket-maker.ts';
import type { ObjectMeta } from '../../../core/kube/meta-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { controllerOf } from '../../../core/kube/owner-references.ts';
import { guardianPod } from '../ticket/guardian-pod.ts';
import type { AdoptRequest } from './adopt.ts';
import { type AdoptWorld, createAdoptWorld, NAMESPACE, owner } from './testing/adopt-world.ts';

let world: AdoptWorld;

beforeEach(async () => {
  world = await createAdoptWorld();
});

describe('Tickets made by hand', () => {
  const byHand = (name: string, spec: TicketSpec, status: Ticket['status'], meta: Partial<ObjectMeta> = {}) =>
    world.client.create(TICKETS, {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name, namespace: NAMESPACE, labels: { made: 'by-hand' }, ...meta },
      spec: { resources: { requests: { cpu: '200m', memory: '200Mi' } }, ...spec },
      ...(status === undefined ? {} : { status }),
    });
  const handmade = (request: Partial<AdoptRequest> = {}) =>
    world.adopt({ kind: 'tickets', selector: 'made=by-hand', ...request });

  it('become Tickets of the Order, and their guardians ones that a successor can take over', async () => {
    const one = await byHand('by-hand', { nodeName: 'node-1' }, { phase: 'Reserved', nodeName: 'node-1' });
    const guardian = await world.client.create(PODS, guardianPod(one, ''));
    expect(await handmade({ dryRun: true })).toEqual([
      { name: 'by-hand', node: 'node-1', ticket: 'by-hand', result: 'would-adopt' },
    ]);
    expect(await handmade()).toEqual([{ name: 'by-hand', node: 'node-1', ticket: 'by-hand', result: 'adopted' }]);
    const [ticket] = await world.tickets();
    expect(controllerOf(ticket as Ticket)?.uid).toBe(world.order.metadata.uid);
    expect(ticket?.spec).toEqual(one.spec);
    expect(ticket?.metadata.labels).toMatchObject({ made: 'by-hand', team: 'platform', 'korder.dev/order': 'agents' });
    const [first] = world.nodes;
    const model = createTicketMaker(world.order)(first?.metadata ?? { name: '', uid: '' }, '', undefined);
    expect(ticket?.metadata.labels?.['everynode.dev/template-hash']).toBe(
      model.metadata.labels?.['everynode.dev/template-hash'],
    );
    const [pod] = await world.pods();
    const wanted = guardianPod({ ...(ticket as Stored<Ticket>), spec: model.spec }, '').metadata.labels;
    expect(pod?.metadata.uid).toBe(guardian.metadata.uid);
    expect(pod?.metadata.labels).toMatchObject({
      'everynode.dev/guardian-hash': wanted?.['everynode.dev/guardian-hash'],
      'korder.dev/order': 'agents',
    });
    const before = world.client.revision;
    expect((await handmade())[0]?.result).toBe('already');
    expect(world.client.revision).toBe(before);
  });

  it('are refused with the reason', async () => {
    const small = { resources: { requests: { cpu: '10m' } } };
    await byHand('a-small', { nodeName: 'node-1', ...small }, { phase: 'Reserved', nodeName: 'node-1' });
    await byHand('b-over', { nodeName: 'node-1' }, { phase: 'Expired' });
    await byHand('c-nowhere', {}, { phase: 'Pending' });
    await byHand('d-other', { nodeName: 'node-1' }, undefined, { ownerReferences: [owner('Order', 'other')] });
    await byHand('e-gone', { nodeName: 'node-9' }, { phase: 'Reserved' });
    await byHand('f-first', { nodeName: 'node-2' }, { phase: 'Reserved', nodeName: 'node-2' });
    await byHand('g-second', { nodeName: 'node-2' }, { phase: 'Reserved', nodeName: 'node-2' });
    expect((await handmade()).map(({ name, result, why }) => [name, result, why])).toEqual([
      ['a-small', 'refused', 'reserves less than the template: cpu 10m of 100m, memory 0 of 200Mi'],
      ['b-over', 'refused', 'is Expired and holds no room'],
      ['c-nowhere', 'refused', 'is pinned to no node and holds no room yet'],
      ['d-other', 'refused', 'belongs to Order other'],
      ['e-gone', 'refused', 'there is no node node-9'],
      ['f-first', 'adopted', undefined],
      ['g-second', 'refused', 'node node-2 gets its Ticket from another one that was selected'],
    ]);
  });

  it('get a replica of an Order without daemonSet mode', async () => {
    world = await createAdoptWorld({ replicas: 1 });
    await byHand('by-hand', {}, { phase: 'Reserved', nodeName: 'node-3' });
    expect(await handmade()).toMatchObject([{ result: 'adopted', node: 'node-3' }]);
    expect((await world.tickets())[0]?.metadata.annotations).toMatchObject({ 'everynode.dev/slot': '0' });
  });
});
