import { describe, expect, it } from 'vitest';
import { FLEET_ANNOTATIONS as A } from '../../../src/core/api/names.ts';
import { NODES, PODS } from '../../../src/core/api/registry/resources.ts';
import { isStatus } from '../../../src/core/kube/status-error.ts';
import { isReadyPod, podOn, simulatedNode, type World } from '../support/world.ts';
import { fleet } from './fleet-world.ts';

const KEY = { namespace: 'default', name: 'p' };
const stopDelay = (delay: string) => ({ annotations: { [A.stopDelay]: delay } });

const isGone = (world: World): Promise<boolean> =>
  world.pod('p').then(
    () => false,
    (error: unknown) => {
      if (isStatus(error, 'NotFound')) return true;
      throw error;
    },
  );

async function runningPod(metadata: Parameters<typeof podOn>[3] = {}, spec: Parameters<typeof podOn>[2] = {}) {
  const world = await fleet();
  await world.client.create(NODES, simulatedNode('n'));
  await world.client.create(PODS, podOn('n', 'p', spec, metadata));
  await world.podWhen('p', isReadyPod, 100);
  return world;
}

describe('a deleted pod', () => {
  it('goes promptly unless its containers take their time', async () => {
    const world = await runningPod();
    await world.client.delete(PODS, KEY);
    await world.pass(10);
    expect(await isGone(world)).toBe(true);
  });

  it('goes when its containers have stopped', async () => {
    const world = await runningPod(stopDelay('4500ms'));
    await world.pass(300);
    await world.client.delete(PODS, KEY);
    await world.pass(4400);
    expect(await isGone(world)).toBe(false);
    expect(isReadyPod(await world.pod('p'))).toBe(true);
    await world.pass(200);
    expect(await isGone(world)).toBe(true);
  });

  it('goes at the end of its grace when they never stop', async () => {
    const world = await runningPod(stopDelay('1h'), { terminationGracePeriodSeconds: 20 });
    await world.client.delete(PODS, KEY);
    await world.pass(19_900);
    expect(await isGone(world)).toBe(false);
    await world.pass(200);
    expect(await isGone(world)).toBe(true);
  });

  it('goes at once when a second deletion shortens the grace', async () => {
    const world = await runningPod(stopDelay('1h'));
    await world.client.delete(PODS, KEY);
    await world.pass(1000);
    await world.client.delete(PODS, KEY, { gracePeriodSeconds: 2 });
    await world.pass(3000);
    expect(await isGone(world)).toBe(true);
  });

  it('frees its room only then', async () => {
    const world = await fleet();
    const capacity = { cpu: '1', memory: '1Gi', pods: '10', 'ephemeral-storage': '1Gi' };
    await world.client.create(NODES, simulatedNode('n', {}, { status: { capacity } }));
    const containers = [{ name: 'main', image: 'agent:1', resources: { requests: { cpu: '800m' } } }];
    await world.client.create(PODS, podOn('n', 'p', { containers }, stopDelay('10s')));
    await world.podWhen('p', isReadyPod, 100);
    await world.client.delete(PODS, KEY);
    await world.client.create(PODS, podOn('n', 'early', { containers }));
    await world.pass(11_000);
    await world.client.create(PODS, podOn('n', 'late', { containers }));
    await world.pass(100);
    expect((await world.pod('early')).status).toMatchObject({ phase: 'Failed', reason: 'OutOfcpu' });
    expect((await world.pod('late')).status?.phase).toBe('Running');
  });

  it('ends before whoever holds it lets it go', async () => {
    const world = await runningPod({ finalizers: ['example.com/hold'] });
    await world.client.delete(PODS, KEY);
    await world.pass(100);
    const held = await world.pod('p');
    expect(held.status?.phase).toBe('Succeeded');
    expect(held.status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    expect(held.metadata.deletionGracePeriodSeconds).toBe(0);
    const written = world.writes.lasting.length;
    await world.pass(600_000);
    expect(world.writes.lasting).toHaveLength(written);
    await world.client.patch(PODS, KEY, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await isGone(world)).toBe(true);
  });

  it('that is held and was killed has failed', async () => {
    const world = await runningPod(
      { finalizers: ['example.com/hold'], ...stopDelay('1h') },
      { terminationGracePeriodSeconds: 1 },
    );
    await world.client.delete(PODS, KEY);
    await world.pass(1500);
    const { status } = await world.pod('p');
    expect(status?.phase).toBe('Failed');
    expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
  });

  it('needs nobody when it is forced', async () => {
    const world = await runningPod(stopDelay('1h'));
    await world.client.delete(PODS, KEY, { gracePeriodSeconds: 0 });
    await world.pass(10);
    expect(await isGone(world)).toBe(true);
  });

  it('that had ended goes at once', async () => {
    const world = await runningPod(
      { annotations: { [A.exitAfter]: '1s', [A.stopDelay]: '1h' } },
      { restartPolicy: 'Never' },
    );
    await world.pass(1500);
    await world.client.delete(PODS, KEY);
    await world.pass(10);
    expect(await isGone(world)).toBe(true);
  });

  it('goes on going when the fleet restarts in between', async () => {
    const world = await runningPod(stopDelay('10s'));
    await world.client.delete(PODS, KEY);
    await world.pass(3000);
    await world.stopFleet();
    await world.pass(3000);
    await world.startFleet();
    await world.pass(3500);
    expect(await isGone(world)).toBe(false);
    await world.pass(1000);
    expect(await isGone(world)).toBe(true);
  });

  it('goes although its node was deleted first', async () => {
    const world = await runningPod();
    await world.client.delete(NODES, { name: 'n' });
    await world.pass(1000);
    expect(await isGone(world)).toBe(false);
    await world.client.delete(PODS, KEY);
    await world.pass(100);
    expect(await isGone(world)).toBe(true);
  });

  it('goes although its node was deleted while it stopped', async () => {
    const world = await runningPod(stopDelay('5s'));
    await world.client.delete(PODS, KEY);
    await world.client.delete(NODES, { name: 'n' });
    await world.pass(6000);
    expect(await isGone(world)).toBe(true);
  });
});
