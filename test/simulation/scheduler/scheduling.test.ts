import { describe, expect, it } from 'vitest';
import { PODS, SERVICES } from '../../../src/core/api/registry/resources.ts';
import type { Node } from '../../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { describeNo, refuse, YES } from '../../../src/core/placement/answer.ts';
import type { PluginPart, PluginReservation, SchedulerPlugin } from '../../../src/core/placement/plugin.ts';
import { antiAffinity, keyed, schedulerWorld } from './scheduler-world.ts';

describe('the scheduler', () => {
  it('gives a pod a node and says so', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('p', { cpu: '1' });
    await world.pass(10);
    expect(await world.nodeOf('p')).toBe('a');
    expect(await world.events('p')).toEqual(['Scheduled: Successfully assigned default/p to a']);
    expect(await world.condition('p')).toMatchObject({ status: 'True' });
  });

  it('never gives more than a node has, also to pods that come at once', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addNode('b');
    for (let i = 0; i < 12; i += 1) await world.addPod(`p${i}`, { cpu: '1' });
    await world.pass(10);
    const { items } = await world.client.list(PODS);
    const on = (name: string): number => items.filter(({ spec }) => spec.nodeName === name).length;
    expect([on('a'), on('b')]).toEqual([4, 4]);
    expect(world.scheduler().counts).toMatchObject({ active: 0, unschedulable: 4, binding: 0 });
  });

  it('prefers the node that stays emptier', async () => {
    const world = await schedulerWorld();
    await world.addNode('busy');
    await world.addNode('idle');
    await world.addPod('there', { cpu: '2', on: 'busy' });
    for (const name of ['p', 'q']) {
      await world.addPod(name, { cpu: '1' });
      await world.pass(10);
    }
    expect([await world.nodeOf('p'), await world.nodeOf('q')]).toEqual(['idle', 'idle']);
  });

  it('spreads the pods of a Service', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { cpu: '64', labels: { 'topology.kubernetes.io/zone': 'z' } });
    await world.addNode('b', { cpu: '8', labels: { 'topology.kubernetes.io/zone': 'z' } });
    await world.client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: keyed('web'),
      spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    for (const name of ['p', 'q', 'r', 's']) {
      await world.addPod(name, { cpu: '100m', labels: { app: 'web' } });
      await world.pass(10);
    }
    const { items } = await world.client.list(PODS);
    const nodes = items.map(({ spec }) => spec.nodeName ?? '');
    expect(nodes.toSorted()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('tries the most urgent first when room appears', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('tenant', { cpu: '4', priority: 100, on: 'a' });
    await world.addPod('low', { cpu: '4', priority: 1 });
    await world.addPod('high', { cpu: '4', priority: 9 });
    await world.pass(100);
    await world.removePod('tenant');
    await world.pass(100);
    expect([await world.nodeOf('low'), await world.nodeOf('high')]).toEqual(['', 'a']);
  });

  it('calls as many of a thousand alike as there is room for, and disturbs nobody else', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { cpu: '2' });
    await world.addPod('tenant', { cpu: '2', on: 'a' });
    for (let i = 0; i < 200; i += 1) await world.addPod(`p${i}`, { cpu: '1' });
    await world.pass(1000);
    const told = world.writes.all.filter(({ resource }) => resource === 'events').length;
    await world.removePod('tenant');
    await world.pass(20_000);
    const { items } = await world.client.list(PODS);
    expect(items.filter(({ spec }) => spec.nodeName === 'a').map(({ metadata }) => metadata.name)).toEqual([
      'p0',
      'p1',
    ]);
    const after = world.writes.all.filter(({ resource }) => resource === 'events').length;
    expect(after - told).toBe(2);
  });

  it('leaves gated pods, other schedulers’ pods and deleted pods alone', async () => {
    const world = await schedulerWorld();
    await world.addPod('gated', { spec: { schedulingGates: [{ name: 'example.test/wait' }] } });
    await world.addPod('other', { spec: { schedulerName: 'somebody-else' } });
    await world.addPod('leaving', { cpu: '1' });
    await world.pass(100);
    await world.removePod('leaving');
    await world.addNode('a');
    await world.pass(1000);
    expect(world.writes.all.filter(({ verb }) => verb === 'bind')).toEqual([]);
    expect(await world.condition('gated')).toMatchObject({ status: 'False', reason: 'SchedulingGated' });
    await world.client.patch(PODS, keyed('gated'), { type: 'merge', body: { spec: { schedulingGates: null } } });
    await world.pass(10);
    expect(await world.nodeOf('gated')).toBe('a');
  });

  it('tries again when a toleration is added to the pod', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }] });
    await world.addPod('p');
    await world.pass(100);
    const body = { spec: { tolerations: [{ key: 'dedicated', operator: 'Exists' }] } };
    await world.client.patch(PODS, keyed('p'), { type: 'merge', body });
    await world.pass(10);
    expect(await world.nodeOf('p')).toBe('a');
  });

  it('sees who was bound by hand', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('big', { cpu: '8' });
    await world.pass(100);
    await world.client.bind(keyed('big'), 'a');
    await world.addPod('p', { cpu: '1' });
    await world.pass(100);
    expect(await world.nodeOf('p')).toBe('');
    expect(world.scheduler().counts.unschedulable).toBe(1);
  });

  it('counts what is there before it places anything after a restart', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('z', { cpu: '3' });
    await world.pass(100);
    await world.addPod('a', { cpu: '3' });
    await world.restart();
    await world.pass(1000);
    expect([await world.nodeOf('z'), await world.nodeOf('a')]).toEqual(['a', '']);
  });

  it('is quiet when nothing changes, however many pods wait', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    for (let i = 0; i < 50; i += 1) await world.addPod(`p${i}`, { cpu: '9' });
    await world.pass(2000);
    const writes = world.writes.lasting.length;
    await world.pass(3_600_000);
    expect(world.writes.lasting.length).toBe(writes);
  });
});

describe('preemption', () => {
  it('moves on when the node it was promised is gone', async () => {
    const world = await schedulerWorld();
    for (const name of ['a', 'b']) {
      await world.addNode(name);
      await world.addPod(`on-${name}`, { cpu: '4', priority: 1, on: name });
    }
    await world.addPod('p', { cpu: '4', priority: 9 });
    await world.pass(100);
    const promised = (await world.pod('p')).status?.nominatedNodeName ?? '';
    const other = promised === 'a' ? 'b' : 'a';
    await world.client.delete(
      { group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false },
      { name: promised },
    );
    await world.pass(20_000);
    expect((await world.pod('p')).status?.nominatedNodeName).toBe(other);
    await world.removePod(`on-${other}`);
    await world.pass(100);
    expect(await world.nodeOf('p')).toBe(other);
  });

  it.each<[string, (node: Stored<Node>) => Node]>([
    [
      'shrinks',
      (node) => ({ ...node, status: { ...node.status, allocatable: { ...node.status?.allocatable, cpu: '1' } } }),
    ],
    ['is tainted', (node) => ({ ...node, spec: { ...node.spec, taints: [{ key: 'closed', effect: 'NoSchedule' }] } })],
    ['is cordoned', (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } })],
  ])('gives up a promise when the node %s so that it cannot be kept, and the room to others', async (_, change) => {
    const world = await schedulerWorld();
    await world.addNode('a', { cpu: '2' });
    await world.addPod('cheap', { cpu: '2', priority: 1, on: 'a' });
    await world.addPod('promised', { cpu: '2', priority: 9 });
    await world.pass(100);
    expect((await world.pod('promised')).status?.nominatedNodeName).toBe('a');
    await world.changeNode('a', change);
    await world.removePod('cheap');
    await world.addPod('small', { cpu: '1', spec: { tolerations: [{ operator: 'Exists' }] } });
    await world.pass(30_000);
    expect((await world.pod('promised')).status?.nominatedNodeName ?? '').toBe('');
    expect([await world.nodeOf('promised'), await world.nodeOf('small')]).toEqual(['', 'a']);
  });

  it('leaves a promise alone while its victims leave, and gives the room to whoever is more important', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('cheap', { cpu: '4', priority: 0, on: 'a' });
    await world.addPod('middle', { cpu: '4', priority: 5 });
    await world.pass(100);
    expect((await world.pod('middle')).status?.nominatedNodeName).toBe('a');
    await world.addPod('high', { cpu: '4', priority: 9 });
    await world.pass(20_000);
    expect((await world.pod('high')).status?.nominatedNodeName).toBe('a');
    // Nobody else was driven out, so nobody's promise is taken back, as with kube-scheduler.
    expect((await world.pod('middle')).status?.nominatedNodeName).toBe('a');
    await world.removePod('cheap');
    await world.pass(20_000);
    expect([await world.nodeOf('high'), await world.nodeOf('middle')]).toEqual(['a', '']);
  });

  it('withdraws the promise made to a less important pod when another victim has to go', async () => {
    const world = await schedulerWorld();
    await world.addNode('a', { cpu: '4' });
    await world.addPod('cheap', { cpu: '2', priority: 0, on: 'a' });
    await world.addPod('dear', { cpu: '2', priority: 6, on: 'a' });
    await world.addPod('middle', { cpu: '2', priority: 5 });
    await world.pass(100);
    expect((await world.pod('middle')).status?.nominatedNodeName).toBe('a');
    await world.addPod('high', { cpu: '4', priority: 9 });
    await world.pass(20_000);
    expect((await world.pod('high')).status?.nominatedNodeName).toBe('a');
    expect((await world.pod('middle')).status?.nominatedNodeName ?? '').toBe('');
    for (const name of ['cheap', 'dear']) await world.removePod(name);
    await world.pass(20_000);
    expect([await world.nodeOf('high'), await world.nodeOf('middle')]).toEqual(['a', '']);
  });

  it('lets a pod with anti-affinity drive out the one it avoids', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('noisy', { labels: { app: 'noisy' }, on: 'a' });
    await world.addPod('quiet', { priority: 5, spec: { affinity: antiAffinity('noisy') } });
    await world.pass(100);
    expect((await world.pod('noisy')).metadata.deletionTimestamp).toBeDefined();
    await world.removePod('noisy');
    await world.pass(100);
    expect(await world.nodeOf('quiet')).toBe('a');
  });
});

describe('plugins of other rooms', () => {
  const plugin = (part: PluginPart): readonly SchedulerPlugin[] => [{ name: 'Tickets', partIn: () => part }];
  const no = refuse([describeNo('NoTicket', 'Tickets', 'node(s) had no ticket', false, () => 'get a ticket')]);

  it('refuse nodes in their own words, and wake whom they refused', async () => {
    let open = false;
    const world = await schedulerWorld({ plugins: plugin({ basis: 'kind', filter: () => (open ? YES : no) }) });
    await world.addNode('a');
    await world.addPod('p');
    await world.pass(100);
    expect((await world.condition('p'))?.message).toMatch(/^0\/1 nodes are available: 1 node\(s\) had no ticket\./);
    open = true;
    world.scheduler().pluginChanged('Tickets');
    await world.pass(10);
    expect(await world.nodeOf('p')).toBe('a');
  });

  it('bind pods themselves, and are told where that came to nothing', async () => {
    const told: string[] = [];
    let open = false;
    const reserve = (nodeName: string): PluginReservation => {
      told.push(`reserve ${nodeName}`);
      return {
        async bind() {
          if (!open) return { bound: false, settled: false, message: 'the ticket was taken' };
          await world.client.bind({ namespace: 'default', name: 'p' }, nodeName);
          return { bound: true };
        },
        undo: () => void told.push(`undo ${nodeName}`),
      };
    };
    const world = await schedulerWorld({ plugins: plugin({ basis: 'pod', reserve }) });
    await world.addNode('a');
    await world.addPod('p');
    await world.pass(100);
    expect(told).toEqual(['reserve a', 'undo a']);
    expect(await world.condition('p')).toMatchObject({ reason: 'SchedulerError', message: 'the ticket was taken' });
    open = true;
    await world.pass(3000);
    expect(await world.nodeOf('p')).toBe('a');
    expect(told).toEqual(['reserve a', 'undo a', 'reserve a']);
  });

  it('give a pod the place of another, which it does not preempt', async () => {
    const world = await schedulerWorld({
      plugins: [
        {
          name: 'Tickets',
          partIn: ({ pod }) =>
            pod.metadata.name === 'claimant'
              ? {
                  basis: 'pod',
                  preemptsNobody: 'not eligible because it claims',
                  displaced: ({ pods }) =>
                    [...pods.values()].filter((each) => each.pod.metadata.name === 'guardian').map(({ key }) => key),
                }
              : undefined,
        },
      ],
    });
    await world.addNode('a', { cpu: '1' });
    await world.addPod('guardian', { cpu: '1' });
    await world.pass(100);
    await world.addPod('rival', { cpu: '1' });
    await world.addPod('claimant', { cpu: '1' });
    await world.pass(100);
    expect([await world.nodeOf('rival'), await world.nodeOf('claimant')]).toEqual(['', 'a']);
  });
});
