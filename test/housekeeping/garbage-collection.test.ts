import { afterEach, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, CONTROLLER_REVISIONS, DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import { conflict } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { allAvailable, daemonSet } from '../daemonset/world.ts';
import { createHouse, ownedBy, type House } from './house.ts';

const houses: House[] = [];
afterEach(async () => {
  for (const house of houses.splice(0)) await house.end();
});
async function newHouse(...options: Parameters<typeof createHouse>): Promise<House> {
  const house = await createHouse(...options);
  houses.push(house);
  return house;
}

const inDefault = (name: string) => ({ namespace: 'default', name });
const SET = inDefault('agent');

describe('dependents in the background', () => {
  it('go after their owner, and those below them too', async () => {
    const house = await newHouse();
    house.keep();
    const top = await house.create('top');
    const middle = await house.create('middle', { ownerReferences: [ownedBy(top)] });
    await house.create('bottom', { ownerReferences: [ownedBy(middle)] });
    await house.create('bystander');
    await house.world.settle();
    expect(await house.names()).toEqual(['bottom', 'bystander', 'middle', 'top']);
    await house.client.delete(CONFIG_MAPS, inDefault('top'));
    await house.world.settle();
    expect(await house.names()).toEqual(['bystander']);
  });

  it('stay for as long as one owner lives, and forget the dead one', async () => {
    const house = await newHouse();
    house.keep();
    const [a, b] = [await house.create('a'), await house.create('b')];
    await house.create('shared', { ownerReferences: [ownedBy(a), ownedBy(b)] });
    await house.client.delete(CONFIG_MAPS, inDefault('a'));
    await house.world.settle();
    expect((await house.find('shared'))?.metadata.ownerReferences).toEqual([ownedBy(b)]);
    await house.client.delete(CONFIG_MAPS, inDefault('b'));
    await house.world.settle();
    expect(await house.names()).toEqual([]);
  });

  it('go if another object has taken the name of their owner', async () => {
    const house = await newHouse();
    const first = await house.create('owner');
    await house.create('heir', { ownerReferences: [ownedBy(first)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'));
    await house.create('owner');
    house.keep();
    await house.world.settle();
    expect(await house.names()).toEqual(['owner']);
  });

  it('stay if nobody can say whether the owner is there', async () => {
    const house = await newHouse();
    house.keep();
    const widget = { apiVersion: 'example.test/v1', kind: 'Widget', name: 'w', uid: 'w-1' };
    await house.create('kept', { ownerReferences: [widget] });
    await house.world.settle(3_600_000);
    expect(await house.names()).toEqual(['kept']);
  });

  it('stay while the server does not answer for the owner, and go once it says that it is gone', async () => {
    const house = await newHouse();
    const owner = await house.create('owner');
    await house.create('child', { ownerReferences: [ownedBy(owner)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'));
    let isSilent = true;
    house.keep((client) => ({
      ...client,
      get: (...args) => (isSilent ? Promise.reject(new Error('no answer')) : client.get(...args)),
    }));
    await house.world.settle(60_000);
    expect(await house.names()).toEqual(['child']);
    isSilent = false;
    await house.world.settle(61_000);
    expect(await house.names()).toEqual([]);
  });

  it('go although writers get in between', async () => {
    const house = await newHouse();
    const owner = await house.create('owner');
    await house.create('busy', { ownerReferences: [ownedBy(owner)] });
    let touched = 0;
    house.keep((client): Client => ({
      ...client,
      async delete(resource, key, options) {
        if (touched < 3) {
          touched += 1;
          await client.patch(resource, key, { type: 'merge', body: { data: { touched: `${touched}` } } });
        }
        return client.delete(resource, key, options);
      },
    }));
    await house.client.delete(CONFIG_MAPS, inDefault('owner'));
    await house.world.settle();
    expect(touched).toBe(3);
    expect(await house.names()).toEqual([]);
  });

  it('are spared if they found a new owner in the last moment', async () => {
    const house = await newHouse();
    const [old, heir] = [await house.create('old'), await house.create('heir')];
    await house.create('child', { ownerReferences: [ownedBy(old)] });
    let isAdopted = false;
    house.keep((client): Client => ({
      ...client,
      async delete(resource, key, options) {
        if (!isAdopted) {
          isAdopted = true;
          const ownerReferences = [{ ...ownedBy(heir) }];
          await client.patch(resource, key, { type: 'merge', body: { metadata: { ownerReferences } } });
        }
        return client.delete(resource, key, options);
      },
    }));
    await house.client.delete(CONFIG_MAPS, inDefault('old'));
    await house.world.settle();
    expect(await house.names()).toEqual(['child', 'heir']);
  });

  it('are found by a collector that was away when their owner went', async () => {
    const house = await newHouse();
    const stop = house.keep();
    const owner = await house.create('owner');
    for (let i = 0; i < 50; i += 1) await house.create(`child-${i}`, { ownerReferences: [ownedBy(owner)] });
    await house.world.settle();
    await stop();
    await house.client.delete(CONFIG_MAPS, inDefault('owner'));
    house.keep();
    await house.world.settle();
    expect(await house.names()).toEqual([]);
  });

  it('take one question about the owner, however many they are', async () => {
    const house = await newHouse();
    const owner = await house.create('owner');
    for (let i = 0; i < 300; i += 1) await house.create(`child-${i}`, { ownerReferences: [ownedBy(owner)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'));
    let questions = 0;
    house.keep((client) => ({
      ...client,
      get(...args) {
        questions += 1;
        return client.get(...args);
      },
    }));
    await house.world.settle();
    expect(await house.names()).toEqual([]);
    expect(questions).toBe(1);
  });
});

describe('foreground deletion', () => {
  it('ends with the owner, after all that blocks it', async () => {
    const house = await newHouse();
    house.keep();
    const owner = await house.create('owner');
    const block = { blockOwnerDeletion: true };
    await house.create('held', { ownerReferences: [ownedBy(owner, block)], finalizers: ['example.test/hold'] });
    await house.create('free', { ownerReferences: [ownedBy(owner)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'), { propagationPolicy: 'Foreground' });
    await house.world.settle();
    expect(await house.names()).toEqual(['held', 'owner']);
    await house.client.patch(CONFIG_MAPS, inDefault('held'), {
      type: 'merge',
      body: { metadata: { finalizers: null } },
    });
    await house.world.settle();
    expect(await house.names()).toEqual([]);
  });

  it('ends where objects own each other', async () => {
    const house = await newHouse();
    house.keep();
    const block = { blockOwnerDeletion: true };
    const a = await house.create('a');
    const b = await house.create('b', { ownerReferences: [ownedBy(a, block)] });
    const ownerReferences = [{ ...ownedBy(b, block) }];
    await house.client.patch(CONFIG_MAPS, inDefault('a'), { type: 'merge', body: { metadata: { ownerReferences } } });
    await house.client.delete(CONFIG_MAPS, inDefault('a'), { propagationPolicy: 'Foreground' });
    await house.world.settle();
    expect(await house.names()).toEqual([]);
  });

  it('is carried on after a restart', async () => {
    const house = await newHouse();
    const owner = await house.create('owner');
    await house.create('child', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'), { propagationPolicy: 'Foreground' });
    house.keep();
    await house.world.settle();
    expect(await house.names()).toEqual([]);
  });
});

describe('orphaning', () => {
  it('leaves the dependents behind, without their owner', async () => {
    const house = await newHouse();
    house.keep();
    const owner = await house.create('owner');
    for (let i = 0; i < 40; i += 1) await house.create(`child-${i}`, { ownerReferences: [ownedBy(owner)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'), { propagationPolicy: 'Orphan' });
    await house.world.settle();
    expect((await house.names()).length).toBe(40);
    expect((await house.find('child-7'))?.metadata.ownerReferences).toBeUndefined();
  });

  it('keeps the owner until every dependent has let go of it', async () => {
    const house = await newHouse();
    let refusals = 5;
    house.keep((client): Client => ({
      ...client,
      patch(resource, key, ...rest) {
        if (key.name !== 'stubborn' || refusals === 0) return client.patch(resource, key, ...rest);
        refusals -= 1;
        return Promise.reject(conflict(resource, key.name, 'somebody was quicker'));
      },
    }));
    const owner = await house.create('owner');
    await house.create('stubborn', { ownerReferences: [ownedBy(owner)] });
    await house.client.delete(CONFIG_MAPS, inDefault('owner'), { propagationPolicy: 'Orphan' });
    await house.world.settle();
    expect(refusals).toBe(0);
    expect(await house.names()).toEqual(['stubborn']);
    expect((await house.find('stubborn'))?.metadata.ownerReferences).toBeUndefined();
  });
});

describe('a DaemonSet', () => {
  const deletedWith = async (policy: 'Background' | 'Foreground' | 'Orphan'): Promise<House> => {
    const house = await newHouse({ nodes: 5, scheduler: true, fleet: true, controller: {} });
    house.keep();
    await house.client.create(DAEMON_SETS, daemonSet());
    await house.world.eventually(allAvailable(house.world, 5));
    await house.client.delete(DAEMON_SETS, SET, { propagationPolicy: policy });
    await house.world.settle(60_000);
    expect((await house.client.list(DAEMON_SETS, {})).items).toEqual([]);
    return house;
  };

  it.each(['Background', 'Foreground'] as const)('takes its pods and revisions with it: %s', async (policy) => {
    const house = await deletedWith(policy);
    expect(await house.world.pods()).toEqual([]);
    expect((await house.client.list(CONTROLLER_REVISIONS, {})).items).toEqual([]);
  });

  it('leaves its pods running if told so, and a new one takes them over', async () => {
    const house = await deletedWith('Orphan');
    const before = (await house.world.pods()).map(({ metadata }) => metadata.uid).toSorted();
    expect(before.length).toBe(5);
    await house.client.create(DAEMON_SETS, daemonSet());
    await house.world.eventually(allAvailable(house.world, 5));
    expect((await house.world.pods()).map(({ metadata }) => metadata.uid).toSorted()).toEqual(before);
  });
});
