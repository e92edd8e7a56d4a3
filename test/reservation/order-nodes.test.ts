/** Orders in daemonSet mode: one Ticket on every eligible node, whatever the nodes do. */
import { afterEach, describe, expect, it } from 'vitest';
import { NODES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Taint } from '../../src/core/api/types/core-v1.ts';
import type { Order } from '../../src/core/api/types/korder-v1alpha1.ts';
import { readYamlFile } from '../../src/core/kube/yaml/read-file.ts';
import { plainValue } from '../../src/core/kube/yaml/source-node.ts';
import { ADVANCED, BASIC, order, template } from './support/orders.ts';
import { createOrderWorld, namespace, nodeOf, type OrderWorld } from './support/world.ts';

let world: OrderWorld;
afterEach(() => world.stop());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const read = (text: string): Order => {
  const written = plainValue(readYamlFile(text).root) as unknown as Order;
  return { ...written, metadata: { ...written.metadata, namespace } };
};

const patchNode = (name: string, body: object, subresource?: 'status') =>
  world.client.patch(
    NODES,
    { name },
    { type: 'strategic', body: body as never },
    subresource === undefined ? {} : { subresource },
  );

const setTaints = (name: string, taints: readonly Taint[]) =>
  world.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints } } as never });

/** As a node that stops reporting: the fleet would mend it, so the annotation of simulated nodes goes. */
async function setReady(name: string, status: 'True' | 'False'): Promise<void> {
  await world.client.patch(NODES, { name }, { type: 'merge', body: { metadata: { annotations: null } } });
  const conditions = [{ type: 'Ready', status, reason: 'Test', message: '' }];
  await patchNode(name, { status: { conditions } }, 'status');
}

const nodesWithTickets = async (name?: string): Promise<readonly string[]> => (await world.tickets(name)).map(nodeOf);

describe('the examples of the documentation', () => {
  it('reserves room on all Linux nodes, as written', async () => {
    world = await createOrderWorld({
      nodes: [
        { name: 'linux', count: 3, labels: { 'kubernetes.io/os': 'linux' } },
        { name: 'windows', count: 1, labels: { 'kubernetes.io/os': 'windows' } },
      ],
    });
    const written = read(BASIC);
    await world.client.create(ORDERS, written);
    await world.available(3, written.metadata.name);
    const tickets = await world.tickets(written.metadata.name);
    expect(tickets.map(nodeOf)).toEqual(['linux-0', 'linux-1', 'linux-2']);
    expect(tickets.map(({ status }) => [status?.phase, status?.nodeName])).toEqual([
      ['Reserved', 'linux-0'],
      ['Reserved', 'linux-1'],
      ['Reserved', 'linux-2'],
    ]);
    const guardians = await world.guardians();
    expect(guardians.map(({ spec }) => spec.containers[0]?.resources?.requests)).toEqual(
      guardians.map(() => ({ cpu: '100m', memory: '200Mi' })),
    );
    expect((await world.order(written.metadata.name)).status).toMatchObject({
      replicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
      updatedReplicas: 3,
      terminalReplicas: 0,
    });
  });

  it('renews the buffer on GPU nodes every six hours, as written', async () => {
    const gpu = { accelerator: 'nvidia-tesla-k80', 'kubernetes.io/os': 'linux' };
    const taints = [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }];
    world = await createOrderWorld({
      nodes: [
        { name: 'plain', count: 2 },
        { name: 'gpu', count: 2, labels: gpu, taints },
      ],
    });
    const written = read(ADVANCED);
    await world.client.create(ORDERS, written);
    await world.available(2, written.metadata.name);
    expect(await nodesWithTickets(written.metadata.name)).toEqual(['gpu-0', 'gpu-1']);
    const before = await world.tickets(written.metadata.name);
    await world.clock.advance(6 * HOUR);
    const after = await world.tickets(written.metadata.name);
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(({ status }) => status?.guardianPod)).toEqual(before.map(({ status }) => status?.guardianPod));
    expect(after.map(({ status }) => [status?.renewedTime, status?.expirationTime])).toEqual(
      after.map(() => ['2026-01-01T06:00:00Z', '2026-01-01T14:00:00Z']),
    );
    expect((await world.order(written.metadata.name)).status).toMatchObject({
      lastScheduleTime: '2026-01-01T06:00:00Z',
      nextScheduleTime: '2026-01-01T12:00:00Z',
    });
    expect(await world.events('TicketRenewed')).toEqual([
      'Normal TicketRenewed Renewed 2 Tickets until 2026-01-01T14:00:00Z',
    ]);
  });
});

describe('an Order on every node', () => {
  it('has one Ticket per node, pinned, named after Order and node, with one event for all', async () => {
    world = await createOrderWorld({ nodes: 5 });
    await world.client.create(ORDERS, order());
    await world.available(5);
    const tickets = await world.tickets();
    expect(tickets.map(nodeOf)).toEqual(['node-0', 'node-1', 'node-2', 'node-3', 'node-4']);
    expect(tickets.every(({ metadata }) => metadata.name.startsWith('rooms-'))).toBe(true);
    expect(await world.events()).toEqual(['Normal TicketCreated Created 5 Tickets']);
    expect(await world.condition('Ready')).toMatchObject({ status: 'True', message: '5 of 5 Tickets are available' });
    expect(await world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'Complete' });
    expect(await world.condition('Failure')).toMatchObject({ status: 'False' });
    expect(await world.condition('NodesEligible')).toMatchObject({ status: 'True', message: '5 nodes are eligible' });
    expect(await world.condition('Fits')).toMatchObject({ status: 'True' });
    expect(await world.condition('Overlaps')).toMatchObject({ status: 'False' });
  });

  it('reserves room on a node that joins, and gives it up with the node', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order());
    await world.available(1);
    await world.join({ name: 'late', count: 1 });
    await world.available(2);
    expect(await nodesWithTickets()).toEqual(['late-0', 'node-0']);
    await world.client.delete(NODES, { name: 'node-0' });
    await world.available(1);
    expect(await nodesWithTickets()).toEqual(['late-0']);
    await world.eventually(async () => (await world.guardians()).length === 1);
  });

  it('gives a node that was created again under the same name another Ticket', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    const [before] = await world.tickets();
    await Promise.all([world.direct.delete(NODES, { name: 'node-0' }), world.clock.drain()]);
    await world.join({ name: 'node', count: 1 });
    await world.clock.advance(2000);
    await world.available(2);
    const [after] = await world.tickets();
    expect(nodeOf(after as never)).toBe('node-0');
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(after?.metadata.name).not.toBe(before?.metadata.name);
    expect(await world.tickets()).toHaveLength(2);
  });

  it('notices another node under the same name after a restart, too', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    const [before] = await world.tickets();
    await world.stopController();
    await world.client.delete(NODES, { name: 'node-0' });
    await world.join({ name: 'node', count: 1 });
    await world.clock.advance(MINUTE);
    world.startController();
    await world.clock.advance(1000);
    await world.available(2);
    const [after, ...more] = await world.tickets();
    expect([after?.metadata.uid === before?.metadata.uid, more.length]).toEqual([false, 1]);
  });

  it('follows the labels of nodes at once', async () => {
    const labels = { pool: 'infra' };
    world = await createOrderWorld({
      nodes: [
        { name: 'infra', count: 2, labels },
        { name: 'web', count: 1 },
      ],
    });
    await world.client.create(ORDERS, order({ template: template({ nodeSelector: labels }) }));
    await world.available(2);
    await patchNode('infra-0', { metadata: { labels: { pool: null } } });
    await patchNode('web-0', { metadata: { labels } });
    await world.clock.advance(1000);
    expect(await nodesWithTickets()).toEqual(['infra-1', 'web-0']);
    await world.available(2);
  });

  it('asks of nodes what node affinity asks', async () => {
    world = await createOrderWorld({
      nodes: [
        { name: 'a', count: 1, labels: { zone: 'a' } },
        { name: 'b', count: 1, labels: { zone: 'b' } },
      ],
    });
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['a'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    await world.client.create(ORDERS, order({ template: template({ affinity }) }));
    await world.available(1);
    expect(await nodesWithTickets()).toEqual(['b-0']);
  });
});

describe('taints', () => {
  const dedicated = (effect: string, more: object = {}): Taint => ({ key: 'dedicated', value: 'web', effect, ...more });

  it('keep Tickets away that do not tolerate them, and leave Tickets that are there', async () => {
    world = await createOrderWorld({
      nodes: [
        { name: 'free', count: 1 },
        { name: 'held', count: 1, taints: [dedicated('NoSchedule')] },
      ],
    });
    await world.client.create(ORDERS, order());
    await world.available(1);
    expect(await nodesWithTickets()).toEqual(['free-0']);
    await setTaints('free-0', [dedicated('NoSchedule')]);
    await world.clock.advance(HOUR);
    expect(await nodesWithTickets()).toEqual(['free-0']);
    await setTaints('held-0', []);
    await world.eventually(async () => (await world.tickets()).length === 2);
  });

  it('with NoExecute remove Tickets at once that do not tolerate them', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    await setTaints('node-1', [dedicated('NoExecute')]);
    await world.clock.advance(1000);
    expect(await nodesWithTickets()).toEqual(['node-0']);
  });

  it('with NoExecute remove Tickets that tolerate them for a time after that time', async () => {
    world = await createOrderWorld({ nodes: 2 });
    const tolerations = [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 90 }];
    await world.client.create(ORDERS, order({ template: template({ tolerations }) }));
    await world.available(2);
    await setTaints('node-1', [dedicated('NoExecute')]);
    await world.clock.advance(88_000);
    expect(await nodesWithTickets()).toEqual(['node-0', 'node-1']);
    await world.clock.advance(4_000);
    expect(await nodesWithTickets()).toEqual(['node-0']);
  });

  it('of nodes that wait for their reservations are always tolerated', async () => {
    const taints = [{ key: 'everynode.dev/unreserved', effect: 'NoSchedule' }];
    world = await createOrderWorld({ nodes: [{ name: 'new', count: 2, taints }] });
    await world.client.create(ORDERS, order());
    await world.available(2);
  });
});

describe('grace for nodes that come back', () => {
  it('a cordon shorter than five minutes leaves the Ticket and its guardian', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    const before = await world.tickets();
    await patchNode('node-0', { spec: { unschedulable: true } });
    await world.clock.advance(4 * MINUTE);
    expect((await world.order()).status).toMatchObject({ replicas: 1, availableReplicas: 1 });
    expect((await world.tickets())[0]?.status?.conditions?.find(({ type }) => type === 'NodeEligible')).toMatchObject({
      status: 'False',
      reason: 'NodeCordoned',
    });
    await patchNode('node-0', { spec: { unschedulable: null } });
    await world.clock.advance(10 * MINUTE);
    const after = await world.tickets();
    expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
    expect(after.map(({ status }) => status?.guardianPod)).toEqual(before.map(({ status }) => status?.guardianPod));
    expect(after[0]?.status?.conditions?.find(({ type }) => type === 'NodeEligible')?.status).toBe('True');
    await world.available(2);
  });

  it('a longer one ends it, tolerated or not, and a new Ticket waits for the end of the cordon', async () => {
    world = await createOrderWorld({ nodes: 2 });
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
    await world.client.create(ORDERS, order({ template: template({ tolerations }) }));
    await world.available(2);
    await patchNode('node-0', { spec: { unschedulable: true } });
    await world.clock.advance(5 * MINUTE - 1000);
    expect(await nodesWithTickets()).toEqual(['node-0', 'node-1']);
    await world.clock.advance(2000);
    expect(await nodesWithTickets()).toEqual(['node-1']);
    await world.clock.advance(HOUR);
    expect(await nodesWithTickets()).toEqual(['node-1']);
    await patchNode('node-0', { spec: { unschedulable: null } });
    await world.available(2);
  });

  it('has the length that the annotation says', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order({}, 'rooms', { 'everynode.dev/node-grace': '20s' }));
    await world.available(1);
    await patchNode('node-0', { spec: { unschedulable: true } });
    await world.clock.advance(19_000);
    expect(await world.tickets()).toHaveLength(1);
    await world.clock.advance(2_000);
    expect(await world.tickets()).toHaveLength(0);
  });

  it('is not begun anew by a restart of the controller', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order());
    await world.available(1);
    await patchNode('node-0', { spec: { unschedulable: true } });
    await world.clock.advance(3 * MINUTE);
    await world.stopController();
    await world.clock.advance(MINUTE);
    world.startController();
    await world.clock.advance(MINUTE - 2000);
    expect(await world.tickets()).toHaveLength(1);
    await world.clock.advance(4000);
    expect(await world.tickets()).toHaveLength(0);
  });

  it('covers nodes that are not Ready for a moment, with the taints that come and go', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    const before = await world.tickets();
    for (let flap = 0; flap < 3; flap += 1) {
      await setReady('node-0', 'False');
      await setTaints('node-0', [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
        { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
      ]);
      await world.clock.advance(3 * MINUTE);
      await setReady('node-0', 'True');
      await setTaints('node-0', []);
      await world.clock.advance(3 * MINUTE);
    }
    expect((await world.tickets()).map(({ metadata }) => metadata.uid)).toEqual(
      before.map(({ metadata }) => metadata.uid),
    );
    await world.available(2);
  });

  it('ends for nodes that stay down', async () => {
    world = await createOrderWorld({ nodes: 2 });
    await world.client.create(ORDERS, order());
    await world.available(2);
    await setReady('node-0', 'False');
    await world.clock.advance(5 * MINUTE + 1000);
    expect(await nodesWithTickets()).toEqual(['node-1']);
    expect(await world.events('TicketDeleted')).toHaveLength(1);
  });

  it('of a drained node brings no new guardian', async () => {
    world = await createOrderWorld({ nodes: 1 });
    await world.client.create(ORDERS, order());
    await world.available(1);
    await patchNode('node-0', { spec: { unschedulable: true } });
    await world.clock.advance(100);
    const [guardian] = await world.guardians();
    await world.client.delete(PODS, { namespace, name: guardian?.metadata.name ?? '' });
    await world.clock.advance(2 * MINUTE);
    expect(await world.guardians()).toEqual([]);
    expect(await world.tickets()).toHaveLength(1);
    await patchNode('node-0', { spec: { unschedulable: null } });
    await world.available(1);
  });
});

it('replaces a Ticket that somebody deleted', async () => {
  world = await createOrderWorld({ nodes: 3 });
  await world.client.create(ORDERS, order());
  await world.available(3);
  const [first] = await world.tickets();
  await world.client.delete(TICKETS, { namespace, name: first?.metadata.name ?? '' });
  await world.eventually(async () => (await world.tickets()).length === 3);
  await world.available(3);
});

it('leaves all Tickets to the garbage collector when the Order goes', async () => {
  world = await createOrderWorld({ nodes: 3 });
  await world.client.create(ORDERS, order());
  await world.available(3);
  await world.client.delete(ORDERS, { namespace, name: 'rooms' });
  await world.clock.advance(5000);
  expect([await world.tickets(), await world.guardians()]).toEqual([[], []]);
});
