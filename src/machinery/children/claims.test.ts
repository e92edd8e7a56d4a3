import { beforeEach, describe, expect, it } from 'vitest';
import { PODS, REPLICA_SETS, TICKETS } from '../../core/api/registry/resources.ts';
import type { ReplicaSet } from '../../core/api/types/apps-v1.ts';
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Ticket } from '../../core/api/types/korder-v1alpha1.ts';
import type { Labels } from '../../core/kube/labels.ts';
import type { Stored } from '../../core/kube/objects.ts';
import { controllerOf, controllerReference, isControlledBy } from '../../core/kube/owner-references.ts';
import { StatusError } from '../../core/kube/status-error.ts';
import { createSeededRandom } from '../random/seeded-random.ts';
import { createFakeClient, type FakeClient } from '../testing/fake-client.ts';
import { createVirtualClock } from '../time/virtual-clock.ts';
import { claimChildren, createClaims } from './claims.ts';
import { Overlay } from './overlay.ts';

let client: FakeClient;
let owner: Stored<ReplicaSet>;
let cached: Stored<Pod>[];
let overlay: Overlay<Pod>;

beforeEach(async () => {
  client = createFakeClient({ clock: createVirtualClock(), random: createSeededRandom(1) });
  owner = await client.create(REPLICA_SETS, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: {} },
  });
  cached = [];
  overlay = new Overlay<Pod>({ resourceVersion: client.revision });
});

async function pod(name: string, app: string, isOwned: boolean): Promise<Stored<Pod>> {
  const created = await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      labels: { app },
      ...(isOwned ? { ownerReferences: [controllerReference(owner)] } : {}),
    },
    spec: { containers: [] },
  });
  cached.push(created);
  return created;
}

const claim = (more: { readonly adopt?: boolean; readonly counts?: (pod: Pod) => boolean } = {}) =>
  claimChildren({
    claims: createClaims(client, REPLICA_SETS, owner),
    resource: PODS,
    index: {
      of: (uid) => new Set(cached.filter((each) => controllerOf(each)?.uid === uid)),
      orphansIn: () => new Set(cached.filter((each) => controllerOf(each) === undefined)),
    },
    overlay,
    selects: (labels: Labels | undefined) => labels?.['app'] === 'web',
    adopt: true,
    ...more,
  });

const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);
const writes = (): readonly string[] =>
  client.requests.filter(({ verb }) => verb === 'patch').map(({ name }) => `patch ${name}`);
const reads = (): number => client.requests.filter(({ verb }) => verb === 'get').length;

describe('claiming children', () => {
  it('keeps own ones, adopts orphans, leaves alone what the selector does not match', async () => {
    await pod('own', 'web', true);
    await pod('orphan', 'web', false);
    await pod('stranger', 'other', false);
    const found = await claim();
    expect(names(found)).toEqual(['own', 'orphan']);
    expect(found.every((each) => isControlledBy(each, owner))).toBe(true);
    expect(writes()).toEqual(['patch orphan']);
  });

  it('releases a child that the selector no longer matches', async () => {
    await pod('own', 'other', true);
    expect(await claim()).toEqual([]);
    expect(writes()).toEqual(['patch own']);
    const released = await client.get(PODS, { namespace: 'default', name: 'own' });
    expect(isControlledBy(released, owner)).toBe(false);
  });

  it('is not repeated while the cache is late', async () => {
    await pod('own', 'other', true);
    await pod('orphan', 'web', false);
    expect(names(await claim())).toEqual(['orphan']);
    expect(names(await claim())).toEqual(['orphan']);
    expect(writes()).toEqual(['patch own', 'patch orphan']);
  });

  it('adopts only when asked, and only children that count', async () => {
    await pod('orphan', 'web', false);
    await pod('leaver', 'other', true);
    expect(await claim({ adopt: false, counts: () => false })).toEqual([]);
    expect(await claim({ counts: () => false })).toEqual([]);
    expect(writes()).toEqual([]);
  });

  it('reads the owner once before it adopts, and not at all where there is no orphan', async () => {
    await pod('own', 'web', true);
    await claim();
    expect(reads()).toBe(0);
    await pod('one', 'web', false);
    await pod('two', 'web', false);
    await claim();
    expect(reads()).toBe(1);
  });

  it('adopts nothing for an owner that was deleted, or deleted and made again', async () => {
    await pod('orphan', 'web', false);
    await client.delete(REPLICA_SETS, { namespace: 'default', name: 'web' });
    await expect(claim()).rejects.toThrow('not found');
    await client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: {} },
    });
    await expect(claim()).rejects.toThrow('original ReplicaSet default/web is gone');
    expect(writes()).toEqual([]);
  });

  it('changes nothing for an owner that is being deleted', async () => {
    await pod('orphan', 'web', false);
    await pod('leaver', 'other', true);
    owner = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(await claim()).toEqual([]);
    expect(client.requests.filter(({ verb }) => verb !== 'create')).toEqual([]);
  });

  it('forgets children that are gone, or have left already', async () => {
    await pod('gone', 'other', true);
    await pod('left', 'other', true);
    await pod('orphan', 'web', false);
    await client.delete(PODS, { namespace: 'default', name: 'gone' });
    await client.delete(PODS, { namespace: 'default', name: 'orphan' });
    client.before = ({ verb, name }) => {
      if (verb === 'patch' && name === 'left') throw new StatusError(422, 'Invalid', 'no such reference');
    };
    expect(await claim()).toEqual([]);
    expect(names(overlay.over(cached))).toEqual(['left']);
  });
});

describe('children of a custom kind', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'other' };
  const ticket = async (ownerReferences: readonly object[]): Promise<Stored<Ticket>> =>
    client.create(TICKETS, {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 'room', namespace: 'default', ownerReferences } as Ticket['metadata'],
      spec: {},
    });

  it('are adopted and released without a strategic merge, which such kinds do not know', async () => {
    const claims = createClaims(client, REPLICA_SETS, owner);
    const types: string[] = [];
    const { patch } = client;
    client.patch = ((...args: Parameters<typeof patch>) => (types.push(args[2].type), patch(...args))) as typeof patch;
    const adopted = await claims.adopt(TICKETS, await ticket([other]), { labels: { a: 'b' } });
    if (adopted === 'gone') throw new Error('it is there');
    expect(adopted.metadata.ownerReferences).toEqual([other, controllerReference(owner)]);
    expect(adopted.metadata.labels).toEqual({ a: 'b' });
    const released = await claims.release(TICKETS, adopted);
    if (typeof released === 'string') throw new Error('it was released');
    expect(released.metadata.ownerReferences).toEqual([other]);
    expect(await claims.release(TICKETS, released)).toBe('free');
    expect(types).toEqual(['merge', 'merge']);
  });
});
