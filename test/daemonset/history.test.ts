/** ControllerRevisions: history, duplicates, collisions, adoption, cleanup. */
import { afterEach, describe, expect, it } from 'vitest';
import { patchText } from '../../src/machinery/children/revision-data.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS } from '../../src/core/api/registry/resources.ts';
import { podTemplateHash } from '../../src/core/api/schema/template-hash.ts';
import type { ControllerRevision } from '../../src/core/api/types/apps-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const HASH = 'controller-revision-hash';
const hashOf = (
  object: { readonly metadata: { readonly labels?: { readonly [key: string]: string } } } | undefined,
): string => object?.metadata.labels?.[HASH] ?? '';

describe('the history', () => {
  it('has one revision a template, the current one the highest, annotated as the DaemonSet is', async () => {
    world = await createWorld({ nodes: 2 });
    const set = daemonSet();
    await world.client.create(DAEMON_SETS, {
      ...set,
      metadata: { ...set.metadata, annotations: { 'kubernetes.io/change-cause': 'first' } },
    });
    await world.eventually(allAvailable(world, 2));
    const [revision] = await world.revisions();
    const { spec, metadata } = await world.set();
    expect(revision?.metadata.name).toBe(`agent-${hashOf(revision)}`);
    expect(revision?.metadata.labels).toEqual({ app: 'agent', [HASH]: hashOf(revision) });
    expect(revision?.metadata.annotations).toEqual({
      'kubernetes.io/change-cause': 'first',
      'deprecated.daemonset.template.generation': '1',
    });
    expect(revision?.metadata.ownerReferences?.[0]).toMatchObject({
      kind: 'DaemonSet',
      uid: metadata.uid,
      controller: true,
    });
    expect(JSON.stringify(revision?.data)).toBe(patchText(spec.template));
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 2));
    expect((await world.revisions()).map((each) => each.revision)).toEqual([1, 2]);
  });

  it('keeps revisionHistoryLimit old ones and those that pods still have', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(
      DAEMON_SETS,
      daemonSet({ revisionHistoryLimit: 1, updateStrategy: { type: 'OnDelete' } }),
    );
    await world.eventually(allAvailable(world, 2));
    for (let i = 2; i <= 5; i += 1) {
      await setImage(world, `example.test/agent:${i}`);
      await world.settle(1000);
    }
    const [used] = await world.pods();
    const revisions = await world.revisions();
    // The one in use, though the oldest, and the current one. The limit counts the old ones.
    expect(revisions.map((each) => each.revision)).toEqual([1, 5]);
    expect(hashOf(revisions[0])).toBe(hashOf(used));
  });

  it('with a limit of zero keeps the current one only', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet({ revisionHistoryLimit: 0 }));
    await world.eventually(allAvailable(world, 2));
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 2));
    await world.eventually(async () => (await world.revisions()).length === 1);
  });

  it('makes a deleted revision anew', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const [pod] = await world.pods();
    const [revision] = await world.revisions();
    await world.client.delete(CONTROLLER_REVISIONS, { namespace: 'default', name: revision?.metadata.name ?? '' });
    await world.eventually(async () => (await world.revisions()).length === 1);
    await world.settle();
    expect((await world.revisions())[0]?.metadata.uid).not.toBe(revision?.metadata.uid);
    expect((await world.pods())[0]?.metadata.uid).toBe(pod?.metadata.uid);
  });

  it('labels a revision that has lost its label by its own name', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    await setImage(world, 'example.test/agent:2');
    await world.eventually(allAvailable(world, 1));
    const [old] = await world.revisions();
    await world.client.patch(
      CONTROLLER_REVISIONS,
      { namespace: 'default', name: old?.metadata.name ?? '' },
      { type: 'merge', body: { metadata: { labels: { [HASH]: null } } } },
    );
    await world.eventually(async () => hashOf((await world.revisions())[0]) === old?.metadata.name);
  });
});

describe('two revisions of the same content', () => {
  it('are both there until something else happens; then the higher stays and pods are labelled with it', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    await world.settle();
    const [first] = await world.revisions();
    const before = (await world.pods()).map((pod) => pod.metadata.uid).toSorted();
    const {
      uid: _uid,
      resourceVersion: _rv,
      creationTimestamp: _time,
      managedFields: _fields,
      ...metadata
    } = first?.metadata ?? ({} as Stored<ControllerRevision>['metadata']);
    const twin: ControllerRevision = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { ...metadata, name: 'agent-twin', labels: { app: 'agent', [HASH]: 'twin' } },
      ...(first?.data === undefined ? {} : { data: first.data }),
      revision: 7,
    };
    await world.client.create(CONTROLLER_REVISIONS, twin);
    await world.settle(5000);
    expect(await world.revisions()).toHaveLength(2);
    await world.client.patch(
      CONTROLLER_REVISIONS,
      { namespace: 'default', name: 'agent-twin' },
      { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } },
    );
    await world.eventually(async () => (await world.revisions()).length === 1);
    await world.eventually(async () => (await world.pods()).every((pod) => hashOf(pod) === 'twin'));
    expect((await world.pods()).map((pod) => pod.metadata.uid).toSorted()).toEqual(before);
    expect((await world.revisions())[0]?.metadata.name).toBe('agent-twin');
  });
});

describe('a hash that is taken', () => {
  it('raises collisionCount by one, and the rollout goes on under another name', async () => {
    world = await createWorld({ nodes: 2, controller: false });
    const set = await world.client.create(DAEMON_SETS, daemonSet());
    const hash = podTemplateHash(set.spec.template, undefined);
    await world.client.create(CONTROLLER_REVISIONS, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: `agent-${hash}`, namespace: 'default' },
      data: { spec: { template: { other: true } } },
      revision: 1,
    });
    world.startController();
    await world.eventually(allAvailable(world, 2));
    expect((await world.set()).status?.collisionCount).toBe(1);
    const [current] = (await world.revisions()).filter((each) => each.metadata.ownerReferences !== undefined);
    expect(hashOf(current)).toBe(podTemplateHash(set.spec.template, 1));
    expect(hashOf((await world.pods())[0])).toBe(hashOf(current));
    await world.settle(10_000);
    expect((await world.set()).status?.collisionCount).toBe(1);
  });
});

describe('revisions without an owner', () => {
  it('are adopted when the selector matches, and released when it does not', async () => {
    world = await createWorld({ nodes: 1, controller: false });
    const set = await world.client.create(DAEMON_SETS, daemonSet());
    const revision = (
      name: string,
      labels: { readonly [key: string]: string },
      owned: boolean,
    ): ControllerRevision => ({
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name,
        namespace: 'default',
        labels,
        ...(owned
          ? {
              ownerReferences: [
                { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: set.metadata.uid, controller: true },
              ],
            }
          : {}),
      },
      data: { spec: { template: { [name]: true } } },
      revision: name.length,
    });
    await world.client.create(CONTROLLER_REVISIONS, revision('orphan', { app: 'agent', [HASH]: 'o' }, false));
    await world.client.create(CONTROLLER_REVISIONS, revision('stranger', { app: 'other', [HASH]: 's' }, false));
    await world.client.create(CONTROLLER_REVISIONS, revision('lost', { app: 'other', [HASH]: 'l' }, true));
    world.startController();
    await world.eventually(allAvailable(world, 1));
    const owners = Object.fromEntries(
      (await world.revisions()).map((each) => [each.metadata.name, each.metadata.ownerReferences?.[0]?.name]),
    );
    expect(owners['orphan']).toBe('agent');
    expect(owners['stranger']).toBeUndefined();
    expect(owners['lost']).toBeUndefined();
    expect((await world.revisions()).at(-1)?.revision).toBe(8);
  });
});
