import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import { allAvailable, createWorld, daemonSet, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

describe('a simple daemon', () => {
  it('gets exactly one available pod on every node, and a deleted pod is replaced', async () => {
    world = await createWorld({ nodes: 5 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 5));
    const before = await world.podsByNode();
    expect([...before.values()].map((pods) => pods.length)).toEqual([1, 1, 1, 1, 1]);
    const victim = (await world.pods())[0];
    await world.client.delete(PODS, { namespace: 'default', name: victim?.metadata.name ?? '' });
    await world.eventually(async () => {
      const pods = await world.pods();
      return pods.length === 5 && pods.every((pod) => pod.metadata.uid !== victim?.metadata.uid);
    });
    await world.eventually(allAvailable(world, 5));
  });
});
