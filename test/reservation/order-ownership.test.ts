/** Which Tickets are an Order's: made by it, adopted by its selector, released by another label. */
import { afterEach, describe, expect, it } from 'vitest';
import { RESERVATION_ANNOTATIONS, RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { ORDERS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { OrderSpec, Ticket, TicketSpec } from '../../src/core/api/types/korder-v1alpha1.ts';
import { controllerOf } from '../../src/core/kube/owner-references.ts';
import { order, REQUESTS, template } from './support/orders.ts';
import { createOrderWorld, namespace, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const labels = { app: 'buffer' };
const selecting = { selector: { matchLabels: labels }, template: template({}, { labels }) };

const handMade = (name: string, spec: Partial<TicketSpec> = {}): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name, namespace, labels },
  spec: { duration: '24h', ...REQUESTS, ...spec },
});

const pinned = (node: string): Partial<TicketSpec> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  },
});

const all = async () => (await world.client.list(TICKETS, { namespace })).items;
/** Names of the controllers; empty for orphans. */
const owners = async () => (await all()).map((ticket) => controllerOf(ticket)?.name ?? '').sort();

describe('adoption by selector', () => {
  it('takes hand-made Tickets with their guardians, and makes Tickets for the other nodes', async () => {
    world = await createOrderWorld({ nodes: 3 });
    await world.client.create(TICKETS, handMade('mine', pinned('node-1')));
    await world.eventually(async () => (await all())[0]?.status?.phase === 'Reserved');
    const [guardian] = await world.guardians();
    await world.client.create(ORDERS, order(selecting));
    await world.available(3);
    const tickets = await all();
    expect(tickets).toHaveLength(3);
    expect(await owners()).toEqual(['rooms', 'rooms', 'rooms']);
    const mine = tickets.find(({ metadata }) => metadata.name === 'mine');
    expect(mine?.status?.guardianPod).toBe(`${namespace}/${guardian?.metadata.name}`);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toContain(guardian?.metadata.uid);
  });

  it('knows the node of a Ticket without a pin by its guardian', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(TICKETS, handMade('mine'));
    await world.eventually(async () => (await all())[0]?.status?.phase === 'Reserved');
    await world.client.create(ORDERS, order(selecting));
    await world.available(2);
    await world.clock.advance(10_000);
    expect((await all()).map(({ status }) => status?.nodeName ?? '').sort()).toEqual(['node-0', 'node-1']);
  });

  it('gives adopted Tickets of an Order with replicas a slot', async () => {
    world = await createOrderWorld({ nodes: 2 });
    for (const name of ['one', 'two']) await world.client.create(TICKETS, handMade(name));
    await world.eventually(async () => (await all()).every(({ status }) => status?.phase === 'Reserved'));
    await world.client.create(ORDERS, order({ ...selecting, daemonSet: false, replicas: 3 }));
    await world.available(3);
    expect(
      (await all()).map(({ metadata }) => metadata.annotations?.[RESERVATION_ANNOTATIONS.slot] ?? '').sort(),
    ).toEqual(['0', '1', '2']);
    expect((await all()).map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('replaces adopted Tickets in their turn whose room is another', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(
      TICKETS,
      handMade('small', { ...pinned('node-0'), resources: { requests: { cpu: '100m' } } }),
    );
    await world.eventually(async () => (await all())[0]?.status?.phase === 'Reserved');
    await world.client.create(ORDERS, order(selecting));
    await world.eventually(async () => (await all()).every(({ spec }) => spec.resources?.requests?.['cpu'] === '500m'));
    await world.available(2);
  });

  it.each<[string, Partial<TicketSpec>]>([
    ['nodeName', { nodeName: 'node-0' }],
    ['a field of the affinity', pinned('node-0')],
    ['the label of the host name', { nodeSelector: { 'kubernetes.io/hostname': 'node-0' } }],
    [
      'an expression of the affinity',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-0'] }] },
              ],
            },
          },
        },
      },
    ],
    ['no pin at all', {}],
  ])('keeps a Ticket that reserves what the template does, pinned by %s', async (_how, spec) => {
    world = await createOrderWorld({ nodes: [{ name: 'node', count: 1, labels: { pool: 'a' } }] });
    const mine = await world.client.create(TICKETS, handMade('mine', spec));
    await world.eventually(async () => (await all())[0]?.status?.phase === 'Reserved');
    const guardians = (await world.guardians()).map(({ metadata }) => metadata.uid);
    await world.client.create(
      ORDERS,
      order({ ...selecting, template: template({ nodeSelector: { pool: 'a' } }, { labels }) }),
    );
    await world.available(1);
    await world.clock.advance(30_000);
    expect((await all()).map(({ metadata }) => metadata.uid)).toEqual([mine.metadata.uid]);
    expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toEqual(guardians);
    expect((await world.order()).status).toMatchObject({ updatedReplicas: 1 });
  });

  it('keeps the better one of two Tickets of a node', async () => {
    world = await createOrderWorld({ nodes: 1 });
    const small = { resources: { requests: { cpu: '100m' } } };
    for (const [name, spec] of [
      ['a-small', small],
      ['b-same', {}],
      ['c-same', {}],
    ] as const)
      await world.client.create(TICKETS, handMade(name, { nodeName: 'node-0', ...spec }));
    await world.eventually(async () => (await all()).every(({ status }) => status?.phase === 'Reserved'));
    await world.client.create(ORDERS, order(selecting));
    await world.available(1);
    await world.clock.advance(30_000);
    expect((await all()).map(({ metadata }) => metadata.name)).toEqual(['b-same']);
  });

  it('passes the guardian of an adopted Ticket on when it expires, and on again', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(TICKETS, handMade('mine', { nodeName: 'node-0', duration: '10m' }));
    await world.eventually(async () => (await all())[0]?.status?.phase === 'Reserved');
    const guardians = (await world.guardians()).map(({ metadata }) => metadata.uid);
    await world.client.create(ORDERS, order({ ...selecting, template: template({ duration: '10m' }, { labels }) }));
    await world.available(1);
    for (let times = 0; times < 2; times += 1) {
      await world.clock.advance(11 * 60_000);
      await world.available(1);
      expect((await world.guardians()).map(({ metadata }) => metadata.uid)).toEqual(guardians);
    }
  });

  it('takes none without a selector, and none that has another controller', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(TICKETS, handMade('mine', pinned('node-0')));
    await world.client.create(ORDERS, order({ template: template({}, { labels }) }));
    await world.available(1);
    expect(await owners()).toEqual(['', 'rooms']);
    await world.client.create(ORDERS, order(selecting, 'second'));
    await world.eventually(async () => (await owners()).includes('second'));
    await world.clock.advance(5000);
    expect(await owners()).toEqual(['rooms', 'second']);
  });

  it('finds Tickets that a deleted Order left behind', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order(selecting));
    await world.available(2);
    const before = (await all()).map(({ metadata }) => metadata.uid);
    await world.client.delete(ORDERS, { namespace, name: 'rooms' }, { propagationPolicy: 'Orphan' });
    await world.clock.advance(2000);
    expect(await owners()).toEqual(['', '']);
    await world.client.create(ORDERS, order(selecting, 'heir'));
    await world.available(2, 'heir');
    expect((await all()).map(({ metadata }) => metadata.uid)).toEqual(before);
  });

  it.each<[string, Partial<OrderSpec>]>([
    ['on every node', { daemonSet: true }],
    ['anywhere', { daemonSet: false, replicas: 2 }],
  ])('passes on the guardians of Tickets %s that a deleted Order left behind', async (_where, mode) => {
    world = await createOrderWorld({ nodes: 2 });
    const short = { ...selecting, ...mode, template: template({ duration: '10m' }, { labels }) };
    await world.client.create(ORDERS, order(short));
    await world.available(2);
    const guardians = (await world.guardians()).map(({ metadata }) => metadata.uid).sort();
    await world.client.delete(ORDERS, { namespace, name: 'rooms' }, { propagationPolicy: 'Orphan' });
    await world.clock.advance(2000);
    const again = await world.client.create(ORDERS, order(short));
    await world.available(2);
    await world.clock.advance(11 * 60_000);
    await world.available(2);
    const kept = await world.guardians();
    expect(kept.map(({ metadata }) => metadata.uid).sort()).toEqual(guardians);
    const ofOrder = kept.map(({ metadata }) => metadata.labels?.[RESERVATION_LABELS.orderUid]);
    expect(ofOrder).toEqual([again.metadata.uid, again.metadata.uid]);
  });
});

describe('release', () => {
  it('lets a Ticket go whose labels no longer match, and makes another', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order(selecting));
    await world.available(2);
    const [first] = await all();
    const name = first?.metadata.name ?? '';
    await world.client.patch(
      TICKETS,
      { namespace, name },
      { type: 'merge', body: { metadata: { labels: { app: 'other' } } } },
    );
    await world.eventually(async () => (await all()).length === 3);
    expect(await owners()).toEqual(['', 'rooms', 'rooms']);
    await world.available(2);
  });
});
