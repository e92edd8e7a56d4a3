/** How many pods are created at a time: carefully at first, and no more slowly than has gone well since. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, PODS } from '../../src/core/api/registry/resources.ts';
import { forbiddenRequest } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Clock } from '../../src/machinery/time/clock.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const NODES = 16;
const LATENCY_MS = 20;

/** Notes how many creations of pods are under way together, and refuses them while told to. */
function counting(sizes: number[], refuses: () => boolean) {
  return (client: Client, clock: Clock): Client => {
    let underWay = 0;
    const create: Client['create'] = async (resource, value, options) => {
      if (resource.kind !== PODS.kind) return client.create(resource, value, options);
      if (underWay === 0) sizes.push(0);
      underWay += 1;
      sizes.push((sizes.pop() ?? 0) + 1);
      try {
        await clock.sleep(LATENCY_MS);
        if (refuses()) throw forbiddenRequest(PODS, value.metadata.name, 'not now');
        return await client.create(resource, value, options);
      } finally {
        underWay -= 1;
      }
    };
    return { ...client, create };
  };
}

async function rolledOut(updateStrategy = {}): Promise<{ sizes: number[]; refuse(isSo: boolean): void }> {
  const sizes: number[] = [];
  let isRefused = false;
  world = await createWorld({ nodes: NODES, through: counting(sizes, () => isRefused) });
  await world.client.create(DAEMON_SETS, daemonSet(updateStrategy));
  await world.eventually(allAvailable(world, NODES));
  return { sizes, refuse: (isSo) => void (isRefused = isSo) };
}

const removeAll = (): Promise<unknown> =>
  world.client.deleteCollection(PODS, { namespace: 'default', gracePeriodSeconds: 0 });

describe('creations at a time', () => {
  it('begin with one and double', async () => {
    const { sizes } = await rolledOut();
    expect(sizes).toEqual([1, 2, 4, 8, 1]);
  });

  it('begin where they have gone well before', async () => {
    const { sizes } = await rolledOut();
    sizes.length = 0;
    await removeAll();
    await world.settle();
    await world.eventually(allAvailable(world, NODES));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(NODES);
    expect(Math.max(...sizes)).toBeGreaterThan(8);
  });

  it('begin with one after a refusal', async () => {
    const { sizes, refuse } = await rolledOut();
    refuse(true);
    await removeAll();
    await world.settle();
    sizes.length = 0;
    await world.settle(60_000);
    expect(new Set(sizes)).toEqual(new Set([1]));
    refuse(false);
    await world.eventually(allAvailable(world, NODES), 2_000_000);
  });

  it('begin with one for a template that nobody has tried', async () => {
    const strategy = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '100%' } } };
    const { sizes } = await rolledOut(strategy);
    sizes.length = 0;
    await setImage(world, 'example.test/agent:2');
    await world.settle();
    await world.eventually(allAvailable(world, NODES));
    expect(sizes[0]).toBe(1);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(NODES);
  });
});
