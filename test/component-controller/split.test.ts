/**
 * Two controllers that both believe they act: one of a leader that does not know yet that it lost the lead, or one in the embedded
 * cluster and one in an operator beside it. They do the same work twice at worst; they end in the same place, and fall silent.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managedFieldsOf } from '../../src/control/component/apply/ownership.ts';
import { CLUSTER_ROLES, CONFIG_MAPS, DAEMON_SETS, NAMESPACES } from '../../src/core/api/registry/resources.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { counting } from '../component-apply/faulty-client.ts';
import { inventoryOf } from '../component-apply/setting.ts';
import { change, COMPONENTS, find, getComponent, isTrue, manifest, type RunningController } from './setting.ts';
import { openVirtualWorld, type VirtualWorld } from './virtual-world.ts';

let world: VirtualWorld;
let client: Client;
const controllers: RunningController[] = [];
const writes: (readonly string[])[] = [];
beforeAll(async () => {
  world = await openVirtualWorld({ nodes: 2 });
  client = world.client;
  for (let i = 0; i < 2; i += 1)
    controllers.push(
      world.start((direct) => {
        const counted = counting(direct);
        writes.push(counted.seen);
        return counted.client;
      }),
    );
}, 60_000);
afterAll(async () => {
  for (const controller of controllers) await controller.stop();
  await world.stop();
});

const ready = () =>
  world.until(
    () => getComponent(client),
    (object) => isTrue(object, 'Ready'),
  );
const count = (): number => writes.reduce((sum, each) => sum + each.length, 0);

/** Nothing is written for an hour. */
async function silent(): Promise<void> {
  await world.clock.advance(60_000);
  const before = count();
  await world.clock.advance(3_600_000);
  expect(count()).toBe(before);
}

describe('two controllers at the same time', () => {
  it('bring one component, once', async () => {
    await client.create(COMPONENTS, manifest());
    const object = await ready();
    await silent();
    expect(object.metadata.finalizers).toEqual(['everynode.dev/component']);
    expect(await inventoryOf(client)).toMatchObject({ phase: 'settled', uid: object.metadata.uid });
    const set = await client.get(DAEMON_SETS, { namespace: 'logging', name: 'agent' });
    const owners = managedFieldsOf(set).filter(({ subresource = '' }) => subresource === '');
    expect(owners.map(({ manager, operation }) => `${manager} ${operation}`)).toEqual(['everynode Apply']);
    expect(set.metadata.generation).toBe(1);
  });

  it('follow a spec that changes quickly, and prune what vanishes', async () => {
    for (let i = 2; i < 8; i += 1) {
      await change(client, { container: { app: { image: `example.test/agent:${i}` } }, configMaps: { more: `${i}` } });
      await world.clock.advance(40 * i);
    }
    await change(client, { configMaps: { more: null } });
    await ready();
    await silent();
    expect(await find(client, CONFIG_MAPS, 'more', 'logging')).toBe(undefined);
    const set = await client.get(DAEMON_SETS, { namespace: 'logging', name: 'agent' });
    expect(set.spec.template.spec?.containers[0]?.image).toBe('example.test/agent:7');
    await ready();
  });

  it('mend what somebody broke', async () => {
    await client.delete(CLUSTER_ROLES, { name: 'logging:agent' });
    await client.delete(CONFIG_MAPS, { namespace: 'logging', name: 'agent-config' });
    await world.until(
      () => find(client, CONFIG_MAPS, 'agent-config', 'logging'),
      (map) => map !== undefined,
    );
    await world.until(
      () => find(client, CLUSTER_ROLES, 'logging:agent'),
      (role) => role !== undefined,
    );
    await silent();
    await ready();
  });

  it('take all of it away, and no error is told', async () => {
    await client.delete(COMPONENTS, { namespace: 'default', name: 'agent' });
    await world.until(
      () => find(client, COMPONENTS, 'agent', 'default'),
      (object) => object === undefined,
    );
    expect(await find(client, CLUSTER_ROLES, 'logging:agent')).toBe(undefined);
    expect(await find(client, NAMESPACES, 'logging')).toBe(undefined);
    await silent();
    expect(await find(client, NAMESPACES, 'logging')).toBe(undefined);
    for (const { lines } of controllers) expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
