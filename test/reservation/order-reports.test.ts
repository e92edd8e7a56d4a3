/** What an Order says of itself: conditions that are set and cleared, events, log lines. */
import { afterEach, describe, expect, it } from 'vitest';
import { orderView } from '../../src/cli/reservation/order-view.ts';
import { NODES, ORDERS, PRIORITY_CLASSES } from '../../src/core/api/registry/resources.ts';
import { forbiddenRequest } from '../../src/core/kube/status-error.ts';
import { createOrderController } from '../../src/control/reservation/order/order-controller.ts';
import type { OrderSpec } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { KubeObject, Stored } from '../../src/core/kube/objects.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { order, template } from './support/orders.ts';
import { createOrderWorld, namespace, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

describe('an Order without an eligible node', () => {
  it('says why in a condition, an event and a log line, with the same sentence', async () => {
    world = await createOrderWorld({
      nodes: [
        { name: 'other', count: 4 },
        { name: 'tainted', count: 3, labels: { pool: 'gpu' }, taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
        { name: 'cordoned', count: 2, labels: { pool: 'gpu' } },
      ],
    });
    for (const name of ['cordoned-0', 'cordoned-1'])
      await world.client.patch(NODES, { name }, { type: 'merge', body: { spec: { unschedulable: true } } });
    await world.client.create(ORDERS, order({ template: template({ nodeSelector: { pool: 'gpu' } }) }));
    await world.clock.advance(1000);
    const sentence =
      '0 of 9 nodes are eligible: 4 do not match the node selector, 3 have taints that are not tolerated (gpu:NoSchedule), 2 are cordoned';
    expect(await world.condition('NodesEligible')).toMatchObject({
      status: 'False',
      reason: 'NoEligibleNodes',
      message: sentence,
    });
    expect(await world.condition('Ready')).toMatchObject({ status: 'False', message: sentence });
    expect(await world.events()).toEqual([`Warning NoEligibleNodes ${sentence}`]);
    expect(world.log.filter(({ level }) => level === 'warn').map(({ fields }) => fields['sentence'])).toEqual([
      sentence,
    ]);
    expect((await world.order()).status).toMatchObject({ replicas: 0 });
  });

  it('keeps the sentence up to date, and clears it', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order({ template: template({ nodeSelector: { pool: 'gpu' } }) }));
    await world.clock.advance(1000);
    await world.join({ name: 'more', count: 1 });
    await world.clock.advance(1000);
    expect(await world.condition('NodesEligible')).toMatchObject({
      message: '0 of 2 nodes are eligible: 2 do not match the node selector',
    });
    await world.join({ name: 'gpu', count: 1, labels: { pool: 'gpu' } });
    await world.available(1);
    expect(await world.condition('NodesEligible')).toMatchObject({ status: 'True', message: '1 node is eligible' });
    expect(await world.condition('Ready')).toMatchObject({ status: 'True' });
  });

  it('says it in an empty cluster', async () => {
    world = await createOrderWorld();
    await world.client.create(ORDERS, order());
    await world.clock.advance(1000);
    expect(await world.condition('NodesEligible')).toMatchObject({ message: 'the cluster has no nodes' });
  });

  it('is told of once by a controller that starts again', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order({ template: template({ nodeSelector: { pool: 'gpu' } }) }));
    await world.clock.advance(1000);
    await world.stopController();
    world.startController();
    await world.clock.advance(10_000);
    expect(world.log.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });
});

describe('Orders on the same nodes', () => {
  it('name each other and at most ten nodes', async () => {
    world = await createOrderWorld({
      nodes: [
        { name: 'node', count: 12 },
        { name: 'own', count: 1, labels: { pool: 'own' } },
      ],
    });
    await world.client.create(ORDERS, order());
    await world.available(13);
    expect(await world.condition('Overlaps')).toMatchObject({ status: 'False' });
    await world.client.create(
      ORDERS,
      order({ template: template({ nodeSelector: { 'everynode.dev/group': 'node' } }) }, 'second'),
    );
    const [node] = (await world.client.list(NODES)).items;
    const group = Object.entries(node?.metadata.labels ?? {}).find(([, value]) => value === 'node')?.[0] ?? '';
    await world.client.patch(
      ORDERS,
      { namespace, name: 'second' },
      {
        type: 'merge',
        body: { spec: { template: { spec: { nodeSelector: { 'everynode.dev/group': null, [group]: 'node' } } } } },
      },
    );
    await world.available(12, 'second');
    const { status, message } = (await world.condition('Overlaps')) ?? {};
    expect(status).toBe('True');
    expect(message).toMatch(
      /^12 nodes are wanted by other Orders too \(default\/second\): node-\d+(?:, node-\d+){9} and 2 more$/,
    );
    expect((await world.condition('Overlaps', 'second'))?.message).toContain('default/rooms');
    await world.client.delete(ORDERS, { namespace, name: 'second' });
    await world.eventually(async () => (await world.condition('Overlaps'))?.status === 'False');
  });

  it('that do not fit together say so, and which nodes are short of what', async () => {
    const capacity = { cpu: '2', memory: '8Gi', pods: '10' };
    world = await createOrderWorld({ nodes: [{ name: 'node', count: 2, capacity }] });
    const spec = template({ resources: { requests: { cpu: '1500m' } } });
    await world.client.create(ORDERS, order({ template: spec }));
    await world.available(2);
    await world.client.create(ORDERS, order({ template: spec }, 'second'));
    await world.eventually(async () => (await world.condition('Fits', 'second'))?.status === 'False');
    expect(await world.condition('Fits', 'second')).toMatchObject({
      reason: 'NoRoom',
      message: 'no room for 2 of 2 Tickets (Insufficient cpu): node-0, node-1',
    });
    expect(await world.condition('Fits')).toMatchObject({ status: 'True' });
    expect((await world.condition('Overlaps'))?.message).toContain('2 nodes have too little cpu');
    expect(await world.condition('Ready', 'second')).toMatchObject({ status: 'False', reason: 'TicketsUnavailable' });
    await world.client.delete(ORDERS, { namespace, name: 'rooms' });
    await world.available(2, 'second');
    expect(await world.condition('Fits', 'second')).toMatchObject({ status: 'True' });
    expect(await world.condition('Overlaps', 'second')).toMatchObject({ status: 'False', message: '' });
  });
});

describe('Tickets that the server refuses', () => {
  /** Refuses Tickets of these nodes, as a quota or a webhook does. */
  const refusing =
    (isRefused: (name: string) => boolean) =>
    (client: Client): Client => ({
      ...client,
      create: (resource, object, options) =>
        resource.resource === 'tickets' && isRefused(JSON.stringify(object))
          ? Promise.reject(
              forbiddenRequest(
                { group: 'core.korder.dev', resource: 'tickets' },
                object.metadata.name,
                'exceeded quota',
              ),
            )
          : client.create(resource, object, options),
    });

  it('are reported, do not keep others waiting, and are made when they may be', async () => {
    let isRefusing = true;
    world = await createOrderWorld({ nodes: 5, through: refusing((text) => isRefusing && text.includes('node-2')) });
    await world.client.create(ORDERS, order());
    await world.eventually(async () => (await world.tickets()).length === 4);
    await world.eventually(async () => (await world.condition('Failure'))?.status === 'True');
    expect(await world.condition('Failure')).toMatchObject({ reason: 'TicketFailed' });
    expect((await world.condition('Failure'))?.message).toContain('exceeded quota');
    expect((await world.events('TicketFailed'))[0]).toMatch(
      /^Warning TicketFailed 1 Ticket could not be created: .*exceeded quota/,
    );
    await world.eventually(async () => (await world.order()).status?.availableReplicas === 4);
    expect((await world.order()).status).toMatchObject({ replicas: 5, unavailableReplicas: 1 });
    isRefusing = false;
    await world.available(5);
    expect(await world.condition('Failure')).toMatchObject({ status: 'False' });
  });
});

describe('guardians that the server refuses', () => {
  it('are a failure of the Order in the words of the server, and no want of room', async () => {
    world = await createOrderWorld({ nodes: 3 });
    await world.client.create(ORDERS, order({ template: template({ priorityClassName: 'nosuch' }) }));
    await world.eventually(async () => (await world.condition('Failure'))?.status === 'True');
    await world.eventually(async () => /of 3 Tickets/.test((await world.condition('Failure'))?.message ?? ''));
    const { reason, message } = (await world.condition('Failure')) ?? {};
    expect(reason).toBe('GuardianCreateFailed');
    expect(message).toMatch(/^guardians of 3 Tickets refused: .*no PriorityClass with name nosuch was found/);
    expect(await world.condition('Fits')).toMatchObject({ status: 'True', reason: 'NoneRefused' });
    expect(orderView(await world.order())).toMatchObject({ state: 'failed', whyNot: [message] });
    await world.client.create(PRIORITY_CLASSES, {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name: 'nosuch' },
      value: 1,
    });
    await world.eventually(async () => (await world.condition('Failure'))?.status === 'False', 6 * 60_000);
    await world.available(3);
  });
});

describe('an Order that the server should have refused', () => {
  it('has all errors in its condition, and nothing is done', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    const strategy = { type: 'Recurring', schedule: '61 * * * *', refreshPolicy: 'Sometimes' };
    await world.stopController();
    // A controller that sees such an Order, as on a cluster without webhooks.
    const client = seeing(world.direct, { daemonSet: true, strategy, template: { spec: { duration: '0s' } } });
    const { clock } = world;
    const random = createSeededRandom(1);
    const informers = createInformers(client, { clock, random });
    world.run(informers);
    world.run(createOrderController({ client, informers, clock, random }));
    await world.eventually(async () => (await world.condition('Failure'))?.status === 'True');
    const failure = await world.condition('Failure');
    expect(failure).toMatchObject({ reason: 'InvalidOrder' });
    await world.clock.advance(60_000);
    for (const path of [
      'spec.strategy.schedule',
      'spec.template.spec.duration',
      'spec.template.spec.resources.requests',
    ])
      expect(failure?.message).toContain(path);
    expect(await world.tickets()).toHaveLength(2);
  });

  it('is not carried out with more replicas than there may be', async () => {
    world = await createOrderWorld({ controller: false });
    await world.client.create(ORDERS, order({ daemonSet: false, replicas: 1 }));
    // Stored before there was a limit.
    const spec = order({ daemonSet: false, replicas: 2_147_483_647 }).spec;
    const client = seeing(world.direct, spec);
    const { clock } = world;
    const random = createSeededRandom(1);
    const informers = createInformers(client, { clock, random });
    world.run(informers);
    world.run(createOrderController({ client, informers, clock, random }));
    await world.eventually(async () => (await world.condition('Failure'))?.status === 'True');
    expect(await world.condition('Failure')).toMatchObject({
      reason: 'InvalidOrder',
      message: expect.stringContaining('spec.replicas: Invalid value: 2147483647: must be at most 100000') as string,
    });
    expect(await world.tickets()).toEqual([]);
  });
});

/** A server whose Orders have this spec. */
function seeing(client: Client, spec: OrderSpec): Client {
  const change = <T extends KubeObject>(object: Stored<T>): Stored<T> => ({ ...object, spec });
  return {
    ...client,
    async list(resource, options) {
      const result = await client.list(resource, options);
      return resource.resource === 'orders' ? { ...result, items: result.items.map(change) } : result;
    },
    async *watch(resource, options) {
      for await (const events of client.watch(resource, options))
        yield resource.resource !== 'orders'
          ? events
          : events.map((event) => (event.type === 'BOOKMARK' ? event : { ...event, object: change(event.object) }));
    },
  };
}
