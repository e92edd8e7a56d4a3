import { describe, expect, it } from 'vitest';
import { templatePods } from '../../../bench/support/pods.ts';
import { createFirstFit, type FirstFitOptions } from '../../../src/control/scheduler/first-fit.ts';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import type { Node, Pod } from '../../../src/core/api/types/core-v1.ts';
import { conflict } from '../../../src/core/kube/status-error.ts';
import type { EventRecorder } from '../../../src/machinery/event-recorder.ts';
import { createSeededRandom } from '../../../src/machinery/seeded-random.ts';
import { createFleet } from '../../../src/nodes/fleet/fleet.ts';
import { createWorld, isReadyPod, podOn, simulatedNode, type Running, type World } from '../support/world.ts';
import { TIMED_OUT, UNAVAILABLE } from '../support/write-log.ts';

interface FirstFitWorld extends World {
  restart(): Promise<void>;
}

async function scheduler(options: Partial<FirstFitOptions> = {}): Promise<FirstFitWorld> {
  const world = await createWorld();
  const begin = (): Promise<Running> =>
    world.start(({ client, informers, clock, logger }) => [
      createFirstFit({ client, informers, clock, logger, ...options }),
    ]);
  let running = await begin();
  return Object.assign(world, {
    async restart() {
      await running.stop();
      running = await begin();
    },
  });
}

const SIZE = { cpu: '1', memory: '4Gi', pods: '10', 'ephemeral-storage': '10Gi' };
const node = (name: string, rest: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { 'kubernetes.io/hostname': name } },
  spec: {},
  status: { capacity: SIZE, allocatable: SIZE },
  ...rest,
});
const asking = (cpu: string): Partial<Pod['spec']> => ({
  containers: [{ name: 'main', image: 'agent:1', resources: { requests: { cpu } } }],
});
const key = (name: string) => ({ namespace: 'default', name });
const placed = async (world: World, name: string): Promise<string> => (await world.pod(name)).spec.nodeName ?? '';
const whyNot = async (world: World, name: string) =>
  (await world.pod(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled');

describe('first fit', () => {
  it('puts pods on nodes that take them, one after the other', async () => {
    const world = await scheduler();
    for (const name of ['a', 'b', 'c']) await world.client.create(NODES, node(name));
    for (let i = 0; i < 6; i += 1) await world.client.create(PODS, podOn(undefined, `p${i}`));
    await world.pass(100);
    const nodes = [];
    for (let i = 0; i < 6; i += 1) nodes.push(await placed(world, `p${i}`));
    expect(nodes.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
    expect((await world.pod('p0')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'PodScheduled', status: 'True' }),
    );
  });

  it('never gives more than a node has, also to pods that come at once', async () => {
    const world = await scheduler();
    for (const name of ['a', 'b']) await world.client.create(NODES, node(name));
    for (let i = 0; i < 8; i += 1) await world.client.create(PODS, podOn(undefined, `p${i}`, asking('400m')));
    await world.pass(1000);
    const { items } = await world.client.list(PODS);
    const on = (name: string) => items.filter(({ spec }) => spec.nodeName === name).length;
    expect([on('a'), on('b')]).toEqual([2, 2]);
  });

  it('says why a pod waits, once, and places it when that changes', async () => {
    const world = await scheduler();
    await world.client.create(PODS, podOn(undefined, 'p', asking('2')));
    await world.pass(100);
    expect(await whyNot(world, 'p')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
      message: 'no nodes available to schedule pods',
    });
    await world.client.create(NODES, node('small'));
    await world.pass(10_000);
    expect((await whyNot(world, 'p'))?.message).toBe('0/1 nodes are available: 1 Insufficient cpu.');
    const written = world.writes.lasting.length;
    await world.pass(600_000);
    expect(world.writes.lasting).toHaveLength(written);
    const big = { ...SIZE, cpu: '4' };
    await world.client.create(NODES, node('big', { status: { capacity: big, allocatable: big } }));
    await world.pass(1000);
    expect(await placed(world, 'p')).toBe('big');
  });

  const HELP: readonly (readonly [string, Node, (world: World) => Promise<unknown>])[] = [
    [
      'a node is uncordoned',
      node('n', { spec: { unschedulable: true } }),
      (world) => world.client.patch(NODES, { name: 'n' }, { type: 'merge', body: { spec: { unschedulable: null } } }),
    ],
    [
      'a taint is taken away',
      node('n', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } }),
      (world) => world.client.patch(NODES, { name: 'n' }, { type: 'merge', body: { spec: { taints: null } } }),
    ],
    [
      'the node grows',
      node('n', { status: { capacity: { ...SIZE, cpu: '100m' }, allocatable: { ...SIZE, cpu: '100m' } } }),
      (world) =>
        world.client.patch(
          NODES,
          { name: 'n' },
          { type: 'merge', body: { status: { allocatable: { cpu: '2' } } } },
          { subresource: 'status' },
        ),
    ],
    [
      'a label appears',
      node('n', { metadata: { name: 'n' } }),
      (world) =>
        world.client.patch(NODES, { name: 'n' }, { type: 'merge', body: { metadata: { labels: { role: 'x' } } } }),
    ],
  ];
  it.each(HELP)('tries again when %s', async (what, before, change) => {
    const world = await scheduler();
    await world.client.create(NODES, before);
    const nodeSelector = what === 'a label appears' ? { nodeSelector: { role: 'x' } } : {};
    await world.client.create(PODS, podOn(undefined, 'p', { ...asking('500m'), ...nodeSelector }));
    await world.pass(1000);
    expect(await placed(world, 'p')).toBe('');
    await change(world);
    await world.pass(100);
    expect(await placed(world, 'p')).toBe('n');
  });

  it.each(['deleted', 'ended'])('tries again when a pod that took the room has %s', async (how) => {
    const world = await scheduler();
    await world.client.create(NODES, node('n'));
    await world.client.create(PODS, podOn(undefined, 'first', asking('1')));
    await world.pass(100);
    await world.client.create(PODS, podOn(undefined, 'second', asking('1')));
    await world.pass(1000);
    expect(await placed(world, 'second')).toBe('');
    if (how === 'deleted') await world.client.delete(PODS, key('first'), { gracePeriodSeconds: 0 });
    else {
      const first = await world.pod('first');
      await world.client.update(
        PODS,
        { ...first, status: { ...first.status, phase: 'Succeeded' } },
        { subresource: 'status' },
      );
    }
    await world.pass(100);
    expect(await placed(world, 'second')).toBe('n');
  });

  it('tries the most urgent first when room appears', async () => {
    const world = await scheduler();
    for (const [name, priorityClassName] of [
      ['ordinary', undefined],
      ['critical', 'system-node-critical'],
    ] as const) {
      const spec = { ...asking('1'), ...(priorityClassName === undefined ? {} : { priorityClassName }) };
      await world.client.create(PODS, podOn(undefined, name, spec));
    }
    await world.pass(1000);
    await world.client.create(NODES, node('n'));
    await world.pass(1000);
    expect([await placed(world, 'ordinary'), await placed(world, 'critical')]).toEqual(['', 'n']);
  });

  it('places a pod that wants to be near another as soon as that one is there', async () => {
    const world = await scheduler();
    for (const name of ['a', 'b']) await world.client.create(NODES, node(name));
    const near = {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'db' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    };
    await world.client.create(PODS, podOn(undefined, 'web', near));
    await world.pass(1000);
    expect(await placed(world, 'web')).toBe('');
    await world.client.create(PODS, podOn(undefined, 'db', {}, { labels: { app: 'db' } }));
    await world.pass(1000);
    expect(await placed(world, 'web')).toBe(await placed(world, 'db'));
    expect(await placed(world, 'web')).not.toBe('');
  });

  it('leaves gated pods, other schedulers’ pods and deleted pods alone', async () => {
    const world = await scheduler();
    await world.client.create(NODES, node('n'));
    await world.client.create(PODS, podOn(undefined, 'gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
    await world.client.create(PODS, podOn(undefined, 'other', { schedulerName: 'other' }));
    await world.client.create(PODS, podOn(undefined, 'leaving', asking('5'), { finalizers: ['example.com/hold'] }));
    await world.pass(100);
    await world.client.delete(PODS, key('leaving'));
    const big = { ...SIZE, cpu: '8' };
    await world.client.create(NODES, node('big', { status: { capacity: big, allocatable: big } }));
    await world.pass(1000);
    expect([await placed(world, 'gated'), await placed(world, 'other'), await placed(world, 'leaving')]).toEqual([
      '',
      '',
      '',
    ]);
    expect(world.writes.all.filter(({ verb }) => verb === 'bind')).toEqual([]);
    await world.client.patch(PODS, key('gated'), { type: 'merge', body: { spec: { schedulingGates: null } } });
    await world.pass(100);
    expect(await placed(world, 'gated')).not.toBe('');
  });

  it('counts what is there before it places anything after a restart', async () => {
    const world = await scheduler();
    await world.client.create(NODES, node('n'));
    await world.client.create(PODS, podOn(undefined, 'z', asking('800m')));
    await world.pass(100);
    await world.client.create(PODS, podOn(undefined, 'a', asking('800m')));
    await world.restart();
    await world.pass(1000);
    expect([await placed(world, 'z'), await placed(world, 'a')]).toEqual(['n', '']);
  });
});

describe('first fit under faults', () => {
  it('binds once although answers are lost', async () => {
    const world = await scheduler();
    await world.client.create(NODES, node('n'));
    let failures = 0;
    world.writes.fail = ({ verb }) => (verb === 'bind' && (failures += 1) <= 2 ? { after: TIMED_OUT } : undefined);
    for (let i = 0; i < 4; i += 1) await world.client.create(PODS, podOn(undefined, `p${i}`, asking('250m')));
    await world.pass(10_000);
    const { items } = await world.client.list(PODS);
    expect(items.map(({ spec }) => spec.nodeName)).toEqual(['n', 'n', 'n', 'n']);
    await world.client.create(PODS, podOn(undefined, 'late', asking('250m')));
    await world.pass(1000);
    expect(await placed(world, 'late')).toBe('');
  });

  it('keeps count of a pod that somebody else bound first', async () => {
    const world = await scheduler();
    for (const name of ['a', 'b']) await world.client.create(NODES, node(name));
    world.writes.fail = ({ verb }) =>
      verb === 'bind' ? { before: conflict({ group: '', resource: 'pods/binding' }, 'p', 'taken') } : undefined;
    await world.client.create(PODS, podOn(undefined, 'p', asking('800m')));
    await world.client.bind(key('p'), 'b');
    await world.pass(1000);
    world.writes.fail = undefined;
    await world.client.create(PODS, podOn(undefined, 'q', asking('800m')));
    await world.client.create(PODS, podOn(undefined, 'r', asking('800m')));
    await world.pass(1000);
    expect([await placed(world, 'q'), await placed(world, 'r')].toSorted()).toEqual(['', 'a']);
  });

  it('does not hammer a server that is away', async () => {
    const world = await scheduler();
    await world.client.create(NODES, node('n'));
    world.writes.fail = () => ({ before: UNAVAILABLE });
    await world.client.create(PODS, podOn(undefined, 'p'));
    await world.client.create(PODS, podOn(undefined, 'never', asking('9')));
    await world.pass(600_000);
    expect(world.writes.lasting.length).toBeLessThan(80);
    world.writes.fail = undefined;
    await world.pass(60_000);
    expect(await placed(world, 'p')).toBe('n');
    expect((await whyNot(world, 'never'))?.message).toContain('Insufficient cpu');
  });

  it('searches once for a thousand twins that fit nowhere, and writes each reason once', async () => {
    const world = await scheduler();
    for (let i = 0; i < 20; i += 1) await world.client.create(NODES, node(`n${i}`, { spec: { unschedulable: true } }));
    const make = await templatePods(world.client);
    for (let i = 0; i < 1000; i += 1) {
      const pod = make(i, '');
      await world.client.create(PODS, {
        ...pod,
        spec: { ...pod.spec, affinity: {}, tolerations: [], nodeSelector: { gpu: 'yes' } },
      });
    }
    await world.pass(60_000);
    expect(world.writes.lasting).toHaveLength(1000);
    for (let i = 0; i < 20; i += 1) await world.client.create(NODES, node(`m${i}`));
    await world.pass(4_000);
    const afterBurst = world.writes.lasting.length;
    expect(afterBurst).toBeLessThanOrEqual(2000 + 1000);
    await world.pass(600_000);
    const { items } = await world.client.list(PODS, { limit: 3 });
    expect(items[0]?.status?.conditions?.[0]?.message).toMatch(/^0\/40 nodes are available/);
    expect(world.writes.lasting.length).toBeLessThanOrEqual(3000);
  });

  it('records what kube-scheduler would', async () => {
    const told: string[] = [];
    const events: EventRecorder = {
      event: (_regarding, { type, reason, note, action }) => void told.push(`${type} ${reason} ${action} ${note}`),
    };
    const world = await scheduler({ events });
    await world.client.create(NODES, node('n'));
    await world.client.create(PODS, podOn(undefined, 'p'));
    await world.client.create(PODS, podOn(undefined, 'q', asking('9')));
    await world.pass(1000);
    expect(told).toEqual([
      'Normal Scheduled Binding Successfully assigned default/p to n',
      'Warning FailedScheduling Scheduling 0/1 nodes are available: 1 Insufficient cpu.',
    ]);
  });
});

describe('scheduler and fleet together', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'never disagree about room, whatever fails (seed %i)',
    async (seed) => {
      const world = await createWorld(seed);
      const random = createSeededRandom(`both-${seed}`);
      world.writes.fail = () => {
        const roll = random.next();
        return roll < 0.1 ? { before: UNAVAILABLE } : roll < 0.2 ? { after: TIMED_OUT } : undefined;
      };
      await world.start(({ client, informers, clock, logger }) => [
        createFleet({ client, informers, clock, logger }),
        createFirstFit({ client, informers, clock, logger }),
      ]);
      for (let i = 0; i < 4; i += 1)
        await world.client.create(NODES, simulatedNode(`n${i}`, {}, { status: { capacity: SIZE } }));
      for (let i = 0; i < 24; i += 1) {
        const stop = { annotations: { [A.stopDelay]: `${random.integer(8)}s` } };
        await world.client.create(PODS, podOn(undefined, `p${i}`, asking(`${1 + random.integer(5)}00m`), stop));
        if (random.next() < 0.3)
          await world.client.delete(PODS, key(`p${random.integer(i + 1)}`)).catch(() => undefined);
        await world.pass(random.integer(3000));
      }
      world.writes.fail = undefined;
      await world.pass(120_000);
      const { items } = await world.client.list(PODS);
      for (const pod of items) expect(pod.status?.reason).toBeUndefined();
      expect(items.filter(({ spec }) => spec.nodeName !== undefined).every(isReadyPod)).toBe(true);
      const written = world.writes.lasting.length;
      await world.pass(600_000);
      expect(world.writes.lasting).toHaveLength(written);
    },
  );
});
