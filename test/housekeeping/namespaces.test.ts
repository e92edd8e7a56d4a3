import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, DAEMON_SETS, NAMESPACES, PODS, SERVICE_ACCOUNTS } from '../../src/core/api/registry/resources.ts';
import type { Namespace } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { modifiedConflict, isStatus } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { daemonSet } from '../daemonset/world.ts';
import { createHouse, type House } from './house.ts';

const houses: House[] = [];
afterEach(async () => {
  for (const house of houses.splice(0)) await house.end();
});
async function newHouse(...options: Parameters<typeof createHouse>): Promise<House> {
  const house = await createHouse(...options);
  houses.push(house);
  return house;
}

const FOO: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'foo' }, spec: {} };
const foo = (client: Client): Promise<Stored<Namespace> | undefined> =>
  client.get(NAMESPACES, { name: 'foo' }).catch((error: unknown) => {
    if (!isStatus(error, 'NotFound')) throw error;
    return undefined;
  });

describe('a deleted namespace', () => {
  it('goes with everything in it', async () => {
    const house = await newHouse({ nodes: 3, scheduler: true, fleet: true, controller: {} });
    const { client, world } = house;
    house.keep();
    await client.create(NAMESPACES, FOO);
    const { metadata, ...set } = daemonSet();
    await client.create(DAEMON_SETS, { ...set, metadata: { ...metadata, namespace: 'foo' } });
    await house.create('settings', { namespace: 'foo' });
    await house.create('elsewhere');
    const podsOfFoo = async () => (await client.list(PODS, { namespace: 'foo' })).items;
    await world.eventually(async () => (await podsOfFoo()).length === 3);
    await world.settle(10_000);
    await client.delete(NAMESPACES, { name: 'foo' });
    await world.eventually(async () => (await foo(client)) === undefined);
    for (const resource of [PODS, DAEMON_SETS, CONFIG_MAPS, SERVICE_ACCOUNTS])
      expect((await client.list(resource, { namespace: 'foo' })).items).toEqual([]);
    expect(await house.names()).toEqual(['elsewhere']);
  });

  it('keeps what is in it for five seconds, so that a client that deletes a whole file finds the rest of it', async () => {
    const house = await newHouse();
    const { client, world } = house;
    house.keep();
    await client.create(NAMESPACES, FOO);
    await house.create('settings', { namespace: 'foo' });
    await world.settle(1_000);
    await client.delete(NAMESPACES, { name: 'foo' });
    await world.clock.advance(4_900);
    // An event about the namespace does not shorten the wait.
    await client.patch(NAMESPACES, { name: 'foo' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await world.clock.advance(50);
    expect((await foo(client))?.status?.phase).toBe('Terminating');
    await client.delete(CONFIG_MAPS, { namespace: 'foo', name: 'settings' });
    await world.clock.advance(1_000);
    expect(await foo(client)).toBeUndefined();
  });

  it('waits for what holds on, and says so', async () => {
    const house = await newHouse();
    const { client, world } = house;
    house.keep();
    await client.create(NAMESPACES, FOO);
    await house.create('held', { namespace: 'foo', finalizers: ['example.test/hold'] });
    await client.delete(NAMESPACES, { name: 'foo' });
    await world.settle(60_000);
    const waiting = await foo(client);
    expect(waiting?.status?.phase).toBe('Terminating');
    const told = waiting?.status?.conditions?.map(({ type, status, message }) => [type, status, message]);
    expect(told?.slice(0, 3).map(([, status]) => status)).toEqual(['False', 'False', 'False']);
    expect(told?.slice(3)).toEqual([
      ['NamespaceContentRemaining', 'True', 'Some resources are remaining: configmaps. has 1 resource instances'],
      [
        'NamespaceFinalizersRemaining',
        'True',
        'Some content in the namespace has finalizers remaining: example.test/hold in 1 resource instances',
      ],
    ]);
    const body = { metadata: { finalizers: null } };
    await client.patch(CONFIG_MAPS, { namespace: 'foo', name: 'held' }, { type: 'merge', body });
    await world.settle(10_000);
    expect(await foo(client)).toBeUndefined();
  });

  it('goes although writers get in between, and may come again', async () => {
    const house = await newHouse();
    let refusals = 3;
    house.keep((client): Client => ({
      ...client,
      update(resource, object, options) {
        if (options?.subresource !== 'finalize' || refusals === 0) return client.update(resource, object, options);
        refusals -= 1;
        return Promise.reject(modifiedConflict(resource, object.metadata.name ?? ''));
      },
    }));
    await house.client.create(NAMESPACES, FOO);
    await house.client.delete(NAMESPACES, { name: 'foo' }, { propagationPolicy: 'Foreground' });
    await house.world.settle(10_000);
    expect([refusals, await foo(house.client)]).toEqual([0, undefined]);
    await house.client.create(NAMESPACES, FOO);
    await house.world.settle(5_000);
    expect((await foo(house.client))?.status?.phase).toBe('Active');
  });

  it('is ended by a controller that starts later', async () => {
    const house = await newHouse();
    await house.client.create(NAMESPACES, FOO);
    await house.create('settings', { namespace: 'foo' });
    await house.client.delete(NAMESPACES, { name: 'foo' });
    house.keep();
    await house.world.settle(10_000);
    expect(await foo(house.client)).toBeUndefined();
  });
});

describe('the default account', () => {
  const DEFAULT = { namespace: 'foo', name: 'default' };

  it('is in every namespace, and comes again when it is deleted', async () => {
    const house = await newHouse();
    const { client, world } = house;
    house.keep();
    await client.create(NAMESPACES, FOO);
    await world.settle();
    const first = await client.get(SERVICE_ACCOUNTS, DEFAULT);
    await client.delete(SERVICE_ACCOUNTS, DEFAULT);
    await world.settle();
    expect((await client.get(SERVICE_ACCOUNTS, DEFAULT)).metadata.uid).not.toBe(first.metadata.uid);
  });

  it('is not made anew in a namespace that goes', async () => {
    const house = await newHouse();
    const { client, world } = house;
    house.keep();
    await client.create(NAMESPACES, FOO);
    await house.create('held', { namespace: 'foo', finalizers: ['example.test/hold'] });
    await world.settle();
    await client.delete(NAMESPACES, { name: 'foo' });
    await world.settle(10_000);
    expect((await client.list(SERVICE_ACCOUNTS, { namespace: 'foo' })).items).toEqual([]);
  });
});
