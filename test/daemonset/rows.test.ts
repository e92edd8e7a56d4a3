/** Rows of Kubernetes' own unit tests of the controller that no other suite here asks for by name. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import type { Container } from '../../src/core/api/types/core-v1.ts';
import { inWeather } from './bad-weather.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const withPort: Container = {
  name: 'main',
  image: 'example.test/agent:1',
  ports: [{ containerPort: 666, hostPort: 666 }],
};

describe('a host port', () => {
  it('of the daemon’s own pods deletes none of them, and does not keep a rollout from ending', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(DAEMON_SETS, daemonSet({}, { containers: [withPort] }));
    await world.eventually(allAvailable(world, 3));
    const before = (await world.pods()).map(({ metadata }) => metadata.uid);
    await world.settle(60_000);
    expect((await world.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 3));
    expect(await world.pods()).toHaveLength(3);
  });
});

describe('a name and a selector in the template', () => {
  it('that agree give the one node its pod', async () => {
    world = await createWorld({ nodes: [{ name: 'node', count: 3, labels: { disk: 'ssd' } }] });
    await world.client.create(DAEMON_SETS, daemonSet({}, { nodeName: 'node-1', nodeSelector: { disk: 'ssd' } }));
    await world.eventually(allAvailable(world, 1));
    expect((await world.pods()).map(({ spec }) => spec.nodeName)).toEqual(['node-1']);
  });

  it.each([
    ['do not agree', { nodeName: 'node-1', nodeSelector: { disk: 'tape' } }],
    ['name a node that is not there', { nodeName: 'nowhere' }],
  ])('that %s make nothing', async (_, pod) => {
    world = await createWorld({ nodes: [{ name: 'node', count: 3, labels: { disk: 'ssd' } }] });
    await world.client.create(DAEMON_SETS, daemonSet({}, pod));
    await world.settle(10_000);
    expect(await world.pods()).toEqual([]);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 0, observedGeneration: 1 });
  });
});

describe('a status that cannot be written', () => {
  it('is written later, and holds nothing else up', async () => {
    let isRefused = true;
    world = await createWorld({
      nodes: 3,
      through: (client, clock) =>
        inWeather(client, clock, {
          fate: (verb, { resource }) =>
            isRefused && verb === 'update' && resource === DAEMON_SETS.resource ? 'refused' : 'fine',
        }),
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(
      async () => (await world.pods()).filter(({ status }) => status?.phase === 'Running').length === 3,
    );
    expect((await world.set()).status?.observedGeneration).toBeUndefined();
    isRefused = false;
    await world.eventually(allAvailable(world, 3), 1_200_000);
  });
});

describe('a surge with minReadySeconds', () => {
  it('keeps a ready old pod until the new one has been ready for long enough', async () => {
    world = await createWorld({ nodes: 1 });
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    await world.client.create(DAEMON_SETS, daemonSet({ minReadySeconds: 50, updateStrategy }));
    await world.eventually(allAvailable(world, 1));
    await setImage(world, 'example.test/agent:2');
    await world.settle(40_000);
    const both = await world.pods();
    expect(both.map(({ spec }) => spec.containers[0]?.image ?? '').toSorted()).toEqual([
      'example.test/agent:1',
      'example.test/agent:2',
    ]);
    expect(both.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
    await world.settle(15_000);
    await world.eventually(async () => (await world.pods()).length === 1);
    expect((await world.pods())[0]?.spec.containers[0]?.image).toBe('example.test/agent:2');
  });

  it('does not keep an old pod that is not ready, though the new one is not available yet', async () => {
    world = await createWorld({ nodes: 1 });
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } };
    const healthy = daemonSet({ minReadySeconds: 50, updateStrategy });
    const readinessGates = [{ conditionType: 'example.test/never' }];
    await world.client.create(DAEMON_SETS, daemonSet({ minReadySeconds: 50, updateStrategy }, { readinessGates }));
    await world.settle(10_000);
    const old = (await world.pods())[0];
    expect(old?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
    const { spec, ...rest } = await world.set();
    await world.client.update(DAEMON_SETS, { ...rest, spec: { ...spec, template: healthy.spec.template } });
    await world.settle(40_000);
    const pods = await world.pods();
    expect(pods).toHaveLength(1);
    expect(pods[0]?.metadata.uid).not.toBe(old?.metadata.uid);
  });
});
