import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import { conflict } from '../../../src/core/kube/status-error.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { isReadyPod } from '../support/world.ts';
import { TIMED_OUT, UNAVAILABLE, type Write } from '../support/write-log.ts';
import { keyed, overcommitted, schedulerWorld } from './scheduler-world.ts';

const taken = conflict({ group: '', resource: 'pods/binding' }, 'p', 'taken');

describe('bindings in bad weather', () => {
  it('bind once although answers are lost, and never give the room away meanwhile', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    let failures = 0;
    world.writes.fail = ({ verb }) => (verb === 'bind' && (failures += 1) <= 2 ? { after: TIMED_OUT } : undefined);
    for (let i = 0; i < 4; i += 1) await world.addPod(`p${i}`, { cpu: '1' });
    await world.addPod('late', { cpu: '1' });
    await world.pass(10_000);
    const { items } = await world.client.list(PODS);
    expect(items.filter(({ spec }) => spec.nodeName === 'a')).toHaveLength(4);
    expect(await world.events('p0')).toEqual(['Scheduled: Successfully assigned default/p0 to a']);
  });

  it('try again after a pause when the server is away', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    world.writes.fail = () => ({ before: UNAVAILABLE });
    await world.addPod('p');
    await world.addPod('never', { cpu: '9' });
    await world.pass(600_000);
    expect(world.writes.lasting.length).toBeLessThan(500);
    world.writes.fail = undefined;
    await world.pass(60_000);
    expect(await world.nodeOf('p')).toBe('a');
    expect((await world.condition('never'))?.message).toContain('Insufficient cpu');
  });

  it('say what went wrong', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    world.writes.fail = ({ verb }) => (verb === 'bind' ? { before: taken } : undefined);
    await world.addPod('p');
    await world.pass(500);
    expect(await world.condition('p')).toMatchObject({
      status: 'False',
      reason: 'SchedulerError',
      message: 'running Bind plugin "DefaultBinder": Operation cannot be fulfilled on pods/binding "p": taken',
    });
    world.writes.fail = undefined;
    await world.pass(15_000);
    expect(await world.nodeOf('p')).toBe('a');
  });

  it('keep count of a pod that somebody else bound first', async () => {
    const world = await schedulerWorld();
    for (const name of ['a', 'b']) await world.addNode(name);
    world.writes.fail = ({ verb }) => (verb === 'bind' ? { before: taken } : undefined);
    await world.addPod('p', { cpu: '3' });
    await world.client.bind(keyed('p'), 'b');
    await world.pass(1000);
    world.writes.fail = undefined;
    await world.addPod('q', { cpu: '3' });
    await world.addPod('r', { cpu: '3' });
    await world.pass(1000);
    expect([await world.nodeOf('q'), await world.nodeOf('r')].toSorted()).toEqual(['', 'a']);
  });
});

describe('a scheduler that ends between two steps', () => {
  it('between assuming and binding: the next one binds it', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    world.writes.fail = ({ verb }) => (verb === 'bind' ? { before: UNAVAILABLE } : undefined);
    await world.addPod('p', { cpu: '3' });
    await world.pass(1);
    await world.restart();
    world.writes.fail = undefined;
    await world.addPod('q', { cpu: '3' });
    await world.pass(30_000);
    expect([await world.nodeOf('p'), await world.nodeOf('q')].toSorted()).toEqual(['', 'a']);
  });

  it.each(['patch', 'delete'])(
    'in the middle of a preemption (after the first %s): the next one finishes it',
    async (verb) => {
      const world = await schedulerWorld();
      await world.addNode('a');
      for (const name of ['v0', 'v1', 'v2']) await world.addPod(name, { cpu: '1', priority: 1, on: 'a' });
      await world.addPod('stays', { cpu: '1', priority: 20, on: 'a' });
      let seen = 0;
      const isVictim = ({ name }: Write): boolean => name.startsWith('v');
      world.writes.fail = (write) =>
        isVictim(write) && (write.verb !== verb || (seen += 1) > 1) && seen > 0 ? { before: UNAVAILABLE } : undefined;
      await world.addPod('p', { cpu: '3', priority: 9 });
      await world.pass(10);
      world.writes.fail = undefined;
      await world.restart();
      for (let i = 0; i < 6; i += 1) {
        await world.pass(15_000);
        for (const name of ['v0', 'v1', 'v2']) {
          const victim = await world.pod(name).catch(() => undefined);
          if (victim?.metadata.deletionTimestamp !== undefined) await world.removePod(name);
        }
      }
      expect(await world.nodeOf('p')).toBe('a');
      expect((await world.pod('stays')).metadata.deletionTimestamp).toBeUndefined();
    },
  );

  it('with a promise written: the next one keeps it', async () => {
    const world = await schedulerWorld();
    await world.addNode('a');
    await world.addPod('victim', { cpu: '4', priority: 1, on: 'a' });
    await world.addPod('p', { cpu: '4', priority: 9 });
    await world.pass(100);
    await world.restart();
    await world.addPod('thief', { cpu: '4', priority: 5 });
    await world.pass(1000);
    await world.removePod('victim');
    await world.pass(1000);
    expect([await world.nodeOf('p'), await world.nodeOf('thief')]).toEqual(['a', '']);
  });
});

describe('scheduler and fleet together', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))(
    'never disagree about room, and come to rest, whatever fails (seed %i)',
    async (seed) => {
      const world = await schedulerWorld({}, seed);
      const random = createSeededRandom(`both-${seed}`);
      world.writes.fail = ({ resource }) => {
        if (resource === 'leases') return undefined;
        const roll = random.next();
        return roll < 0.1 ? { before: UNAVAILABLE } : roll < 0.2 ? { after: TIMED_OUT } : undefined;
      };
      await world.startFleet();
      for (let i = 0; i < 4; i += 1) {
        await world.addNode(`n${i}`, { cpu: '2', annotations: { [A.simulated]: 'true' } });
      }
      const names: string[] = [];
      for (let i = 0; i < 30; i += 1) {
        const name = `p${i}`;
        names.push(name);
        const pin = random.next() < 0.3 ? { node: `n${random.integer(4)}` } : {};
        await world.addPod(name, { cpu: String(1 + random.integer(2)), priority: random.integer(3) * 10, ...pin });
        if (random.next() < 0.3) {
          const gone = names[random.integer(names.length)] ?? '';
          await world.client.delete(PODS, keyed(gone)).catch(() => undefined);
        }
        if (random.next() < 0.1) await world.restart();
        await world.pass(random.integer(3000));
      }
      world.writes.fail = undefined;
      await world.pass(700_000);
      const { items } = await world.client.list(PODS);
      const { items: nodes } = await world.client.list(NODES);
      expect(overcommitted(nodes, items)).toEqual([]);
      for (const pod of items) expect(pod.status?.reason).toBeUndefined();
      expect(items.filter(({ spec }) => (spec.nodeName ?? '') !== '').every(isReadyPod)).toBe(true);
      const written = world.writes.lasting.length;
      await world.pass(900_000);
      expect(world.writes.lasting.slice(written)).toEqual([]);
    },
  );
});
