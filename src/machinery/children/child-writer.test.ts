import { beforeEach, describe, expect, it } from 'vitest';
import { PODS, REPLICA_SETS } from '../../core/api/registry/resources.ts';
import type { ReplicaSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerReference } from '../../core/kube/owner-references.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { type ChildOwner, type ChildWriter, createChildWriter } from './child-writer.ts';

const { signal } = new AbortController();
const lost = (): never => {
  throw new Error('socket hang up');
};

let client: FakeClient;
let writer: ChildWriter<ReplicaSet, Pod>;
let told: string[];
let known: string[];
let owner: ChildOwner<ReplicaSet, Pod>;
let made: Pod;

beforeEach(async () => {
  client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom(1) });
  told = [];
  known = [];
  const tell = (text: string) => () => void told.push(text);
  const events = {
    created: tell('created'),
    createFailed: tell('create failed'),
    deleted: tell('deleted'),
    deleteFailed: tell('delete failed'),
  };
  writer = createChildWriter({ client, resource: PODS, events });
  const object = await client.create(REPLICA_SETS, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: {} },
  });
  const children = {
    wrote: ({ metadata }: Stored<Pod>) => void known.push(`wrote ${metadata.name}`),
    gone: ({ metadata }: Stored<Pod>) => void known.push(`gone ${metadata.name}`),
  };
  owner = { object, children, doubts: new Map() };
  made = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web-1', namespace: 'default', ownerReferences: [controllerReference(object)] },
    spec: { containers: [] },
  };
});

describe('creating a child', () => {
  it('takes the answer in', async () => {
    await expect(writer.create(owner, made)).resolves.toMatchObject({ type: 'created' });
    expect(known).toEqual(['wrote web-1']);
    expect(told).toEqual(['created']);
  });

  it('finds the own child of an earlier attempt', async () => {
    const { metadata } = await client.create(PODS, made);
    await expect(writer.create(owner, made)).resolves.toMatchObject({ type: 'found', child: { metadata } });
    expect(known).toEqual(['wrote web-1']);
    expect(told).toEqual([]);
  });

  it('leaves the name to an object that the owner does not control', async () => {
    await client.create(PODS, { ...made, metadata: { name: 'web-1', namespace: 'default' } });
    const outcome = await writer.create(owner, made);
    expect(outcome).toMatchObject({ type: 'taken', by: { metadata: { name: 'web-1' } } });
    expect(known).toEqual([]);
  });

  it('is in vain in a namespace that is being deleted, and nobody is told', async () => {
    client.before = () => {
      throw new StatusError(403, 'Forbidden', 'no', { causes: [{ reason: 'NamespaceTerminating', message: '' }] });
    };
    await expect(writer.create(owner, made)).resolves.toMatchObject({ type: 'ending' });
    expect(told).toEqual([]);
    expect(owner.doubts.size).toBe(0);
  });

  it('throws a refusal and has no doubt about it', async () => {
    client.before = () => {
      throw new StatusError(422, 'Invalid', 'no');
    };
    await expect(writer.create(owner, made)).rejects.toThrow('no');
    expect(told).toEqual(['create failed']);
    expect(owner.doubts.size).toBe(0);
  });

  it.each(['before', 'after'] as const)('asks about a lost answer, lost %s the server acted', async (when) => {
    client[when] = lost;
    await expect(writer.create(owner, made)).rejects.toThrow('socket hang up');
    expect([...owner.doubts.keys()]).toEqual(['web-1']);
    client[when] = undefined;
    await writer.settle(owner, signal);
    expect(known).toEqual(when === 'after' ? ['wrote web-1'] : []);
    expect(owner.doubts.size).toBe(0);
  });

  it('keeps a doubt while the server cannot be asked', async () => {
    client.after = lost;
    await expect(writer.create(owner, made)).rejects.toThrow('socket hang up');
    await expect(writer.settle(owner, signal)).rejects.toThrow('socket hang up');
    expect([...owner.doubts.keys()]).toEqual(['web-1']);
  });
});

describe('deleting a child', () => {
  it('that nothing holds: it is gone', async () => {
    const pod = await client.create(PODS, made);
    await expect(writer.remove(owner, pod)).resolves.toBe(true);
    expect(known).toEqual(['gone web-1']);
    expect(told).toEqual(['deleted']);
  });

  it('that lingers: it is as the answer says', async () => {
    const pod = await client.create(PODS, { ...made, spec: { containers: [], nodeName: 'n' } });
    await expect(writer.remove(owner, pod)).resolves.toBe(true);
    expect(known).toEqual(['wrote web-1']);
  });

  it('that is gone already', async () => {
    const pod = await client.create(PODS, made);
    await client.delete(PODS, { namespace: 'default', name: 'web-1' });
    await expect(writer.remove(owner, pod)).resolves.toBe(false);
    expect(known).toEqual(['gone web-1']);
    expect(told).toEqual([]);
  });

  it('never deletes another of that name, but takes it in', async () => {
    const pod = await client.create(PODS, made);
    await client.delete(PODS, { namespace: 'default', name: 'web-1' });
    const { metadata } = await client.create(PODS, made);
    await expect(writer.remove(owner, pod)).resolves.toBe(false);
    expect(known).toEqual(['gone web-1', 'wrote web-1']);
    await expect(client.get(PODS, { namespace: 'default', name: 'web-1' })).resolves.toMatchObject({ metadata });
  });

  it('exactly as it was given: not one that has changed since, which is taken in', async () => {
    const pod = await client.create(PODS, made);
    const key = { namespace: 'default', name: 'web-1' };
    await client.patch(PODS, key, { type: 'merge', body: { metadata: { labels: { held: 'true' } } } });
    await expect(writer.remove(owner, pod, true)).rejects.toMatchObject({ code: 409 });
    expect(known).toEqual(['wrote web-1']);
    await expect(writer.remove(owner, await client.get(PODS, key), true)).resolves.toBe(true);
  });

  it.each(['before', 'after'] as const)('asks about a lost answer, lost %s the server acted', async (when) => {
    const pod = await client.create(PODS, made);
    client[when] = lost;
    await expect(writer.remove(owner, pod)).rejects.toThrow('socket hang up');
    expect(told).toEqual(['delete failed']);
    client[when] = undefined;
    await writer.settle(owner, signal);
    expect(known).toEqual([when === 'after' ? 'gone web-1' : 'wrote web-1']);
  });
});
