import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import { modifiedConflict } from '../../../src/core/kube/status-error.ts';
import type { EventRecorder } from '../../../src/machinery/events/event-recorder.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { isReadyPod, podOn, simulatedNode } from '../support/world.ts';
import { TIMED_OUT, UNAVAILABLE, type Fault } from '../support/write-log.ts';
import { fleet } from './fleet-world.ts';

describe('the fleet and an API server that has its moods', () => {
  it('tries again with growing pauses while the server is away, and ends where it should', async () => {
    const world = await fleet();
    world.writes.fail = () => ({ before: UNAVAILABLE });
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(600_000);
    expect(world.writes.lasting.length).toBeLessThan(40);
    world.writes.fail = undefined;
    await world.podWhen('p', isReadyPod, 120_000);
  });

  it.each([
    ['lost before', (): Fault => ({ before: TIMED_OUT })],
    ['lost after', (): Fault => ({ after: TIMED_OUT })],
    ['refused as stale', (): Fault => ({ before: modifiedConflict({ group: '', resource: 'pods' }, 'p') })],
  ])('needs no more than a retry when a write is %s it was done', async (_what, fault) => {
    const world = await fleet();
    const seen = new Set<string>();
    world.writes.fail = (write) => {
      const key = JSON.stringify(write);
      if (seen.has(key) || write.resource === 'leases') return undefined;
      seen.add(key);
      return fault();
    };
    await world.client.create(NODES, simulatedNode('n', { [A.podStartDelay]: '1s' }));
    await world.client.create(PODS, podOn('n', 'p'));
    await world.podWhen('p', isReadyPod, 10_000);
    await world.client.delete(PODS, { namespace: 'default', name: 'p' });
    await world.pass(10_000);
    await expect(world.pod('p')).rejects.toThrow('not found');
  });

  it('stops writing when somebody keeps undoing what it writes', async () => {
    const world = await fleet();
    await world.client.create(NODES, simulatedNode('n'));
    await world.client.create(PODS, podOn('n', 'p'));
    for (let i = 0; i < 200; i += 1) {
      const pod = await world.pod('p');
      const conditions = pod.status?.conditions?.filter(({ type }) => type !== 'Ready') ?? [];
      await world.client
        .update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' })
        .catch(() => undefined);
    }
    expect(world.writes.lasting.length).toBeLessThan(250);
    await world.pass(60_000);
    await world.podWhen('p', isReadyPod, 60_000);
  });

  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'ends in the right state whatever fails and whenever it restarts (seed %i)',
    async (seed) => {
      const world = await fleet();
      const random = createSeededRandom(`faults-${seed}`);
      world.writes.fail = () => {
        const roll = random.next();
        if (roll < 0.15) return { before: UNAVAILABLE };
        if (roll < 0.3) return { after: TIMED_OUT };
        return undefined;
      };
      const nodes = ['n0', 'n1', 'n2'];
      const capacity = { cpu: '1', memory: '4Gi', pods: '5', 'ephemeral-storage': '10Gi' };
      for (const name of nodes) {
        await world.client.create(NODES, simulatedNode(name, { [A.podStartDelay]: '300ms' }, { status: { capacity } }));
      }
      const alive = new Set<string>();
      for (let i = 0; i < 30; i += 1) {
        const roll = random.next();
        const [victim] = alive;
        if (roll < 0.2 && victim !== undefined) {
          alive.delete(victim);
          await world.client.delete(PODS, { namespace: 'default', name: victim });
        } else {
          const requests = { cpu: `${100 + random.integer(4) * 100}m` };
          const spec = { containers: [{ name: 'main', image: 'agent:1', resources: { requests } }] };
          await world.client.create(PODS, podOn(nodes[random.integer(3)], `p${i}`, spec));
          alive.add(`p${i}`);
        }
        if (random.next() < 0.2) {
          await world.stopFleet();
          await world.pass(random.integer(2000));
          await world.startFleet();
        }
        await world.pass(random.integer(1500));
      }
      world.writes.fail = undefined;
      await world.pass(120_000);
      const written = world.writes.lasting.length;
      const { items } = await world.client.list(PODS);
      expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(alive);
      for (const node of nodes) {
        const here = items.filter(({ spec, status }) => spec.nodeName === node && status?.phase !== 'Failed');
        const cpu = here.reduce(
          (sum, { spec }) => sum + Number.parseInt(String(spec.containers[0]?.resources?.requests?.['cpu']), 10),
          0,
        );
        expect(cpu).toBeLessThanOrEqual(1000);
        expect(here.length).toBeLessThanOrEqual(5);
        expect(here.every(isReadyPod)).toBe(true);
      }
      await world.pass(600_000);
      expect(world.writes.lasting).toHaveLength(written);
    },
  );
});

describe('the kubelet’s events', () => {
  async function tellingFleet() {
    const told: string[] = [];
    const events: EventRecorder = {
      event: (regarding, { type, reason, note }) =>
        void told.push(`${'fieldPath' in regarding ? regarding.fieldPath : '-'} ${type} ${reason} ${note}`),
    };
    const world = await fleet({ events });
    await world.client.create(NODES, simulatedNode('n'));
    return { world, told };
  }

  it('tell of a start and of a stop', async () => {
    const { world, told } = await tellingFleet();
    await world.client.create(PODS, podOn('n', 'p'));
    await world.pass(100);
    await world.client.delete(PODS, { namespace: 'default', name: 'p' });
    await world.pass(100);
    expect(told).toEqual([
      'spec.containers{main} Normal Pulled Container image "agent:1" already present on machine',
      'spec.containers{main} Normal Created Container created',
      'spec.containers{main} Normal Started Container started',
      'spec.containers{main} Normal Killing Stopping container main',
    ]);
  });

  it('tell of broken images, crashes and refusals', async () => {
    const { world, told } = await tellingFleet();
    await world.client.create(PODS, podOn('n', 'broken', { containers: [{ name: 'c', image: 'non-existent' }] }));
    await world.pass(20_000);
    expect(told.splice(0).map((line) => line.split(' ').slice(1, 3).join(' '))).toEqual([
      'Normal Pulling',
      'Warning Failed',
      'Warning Failed',
      'Normal BackOff',
      'Warning Failed',
    ]);
    await world.client.create(
      PODS,
      podOn('n', 'crash', {}, { annotations: { [A.exitAfter]: '1s', [A.exitCode]: '1' } }),
    );
    await world.pass(3000);
    expect(told.splice(0).at(-1)).toMatch(
      /Warning BackOff Back-off restarting failed container main in pod crash_default\(/,
    );
    const requests = { cpu: '100' };
    await world.client.create(
      PODS,
      podOn('n', 'big', { containers: [{ name: 'c', image: 'a', resources: { requests } }] }),
    );
    await world.pass(1000);
    expect(told.filter((line) => line.includes('OutOfcpu'))).toEqual([
      "- Warning OutOfcpu Node didn't have enough resource: cpu, requested: 100000, used: 0, capacity: 4000",
    ]);
  });

  it('stay within a budget when thousands of pods start', async () => {
    const { world, told } = await tellingFleet();
    const status = { capacity: { cpu: '4', memory: '16Gi', pods: '5000', 'ephemeral-storage': '1Gi' } };
    await world.client.create(NODES, simulatedNode('big', {}, { status }));
    for (let i = 0; i < 1500; i += 1) await world.client.create(PODS, podOn('big', `p${i}`));
    await world.pass(100);
    expect((await world.pod('p1499')).status?.phase).toBe('Running');
    expect(told.length).toBeLessThanOrEqual(3 * 510);
  });
});
