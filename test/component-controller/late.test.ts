/** A controller whose caches are seconds behind: it says nothing that is not so any more, and ends where any other would. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER_ROLES, CONFIG_MAPS, DAEMON_SETS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { KubeObject, Resource } from '../../src/core/kube/objects.ts';
import type { Client, WatchStream } from '../../src/machinery/client/client.ts';
import { counting } from '../component-apply/faulty-client.ts';
import { change, COMPONENTS, find, getComponent, isTrue, manifest } from './setting.ts';
import { openVirtualWorld, type VirtualWorld } from './virtual-world.ts';

let world: VirtualWorld;
let client: Client;
beforeAll(async () => {
  world = await openVirtualWorld({ nodes: 2 });
  client = world.client;
}, 60_000);
afterAll(() => world.stop());

/** News of these come so much later than they happen. */
function late(direct: Client, delayMs: number, isLate: (resource: Resource) => boolean): Client {
  async function* delayed<T extends KubeObject>(stream: WatchStream<T>): WatchStream<T> & AsyncGenerator {
    for await (const batch of stream) {
      await world.clock.sleep(delayMs);
      yield batch;
    }
  }
  return {
    ...direct,
    watch: (resource, options) =>
      isLate(resource) ? delayed(direct.watch(resource, options)) : direct.watch(resource, options),
  };
}

const settled = (name: string) =>
  world.until(
    () => getComponent(client, name),
    (object) => isTrue(object, 'Ready'),
  );

describe('caches that are behind', () => {
  it('do not make a rollout complete that has only begun', async () => {
    const controller = world.start((direct) => late(direct, 3_000, ({ resource }) => resource === 'daemonsets'));
    await client.create(COMPONENTS, manifest({ name: 'slow', namespace: 'slow' }));
    await settled('slow');
    await change(client, { container: { app: { image: 'example.test/agent:2' } } }, 'slow');
    const seen: string[] = [];
    await world.until(
      async () => {
        const object = await getComponent(client, 'slow');
        const { status, metadata } = await client.get(DAEMON_SETS, { namespace: 'slow', name: 'slow' });
        const isOver =
          status?.observedGeneration === metadata.generation && metadata.generation === 2 && status?.numberReady === 2;
        if (isTrue(object, 'Ready') && !(isOver && status?.updatedNumberScheduled === 2))
          seen.push(JSON.stringify([object.status, status]));
        return object;
      },
      (object) => isTrue(object, 'Ready') && object.metadata.generation === 2,
    );
    expect(seen).toEqual([]);
    await controller.stop();
  });

  it('cost no write too many, and what somebody breaks is mended all the same', async () => {
    let writes: readonly string[] = [];
    const controller = world.start((direct) => {
      const counted = counting(direct);
      writes = counted.seen;
      return late(counted.client, 2_000, () => true);
    });
    await client.create(COMPONENTS, manifest({ name: 'behind', namespace: 'behind' }));
    await settled('behind');
    await world.clock.advance(30_000);
    const made = writes.filter((write) => /^(create|apply) (?!events)/.test(write));
    expect(made.toSorted()).toEqual([...new Set(made)].toSorted());
    const before = writes.length;
    await world.clock.advance(600_000);
    expect(writes.slice(before)).toEqual([]);
    await client.delete(CONFIG_MAPS, { namespace: 'behind', name: 'behind-config' });
    await world.until(
      () => find(client, CONFIG_MAPS, 'behind-config', 'behind'),
      (map) => map !== undefined,
    );
    await client.delete(COMPONENTS, { namespace: 'default', name: 'behind' });
    await world.until(
      () => find(client, COMPONENTS, 'behind', 'default'),
      (object) => object === undefined,
    );
    expect(await find(client, NAMESPACES, 'behind')).toBe(undefined);
    expect(await find(client, CLUSTER_ROLES, 'behind:behind')).toBe(undefined);
    expect(controller.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await controller.stop();
  });
});
