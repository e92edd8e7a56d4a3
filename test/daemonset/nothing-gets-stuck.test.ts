/** Situations in which a controller could stop short or turn in circles, and must do neither. */
import { afterEach, describe, expect, it } from 'vitest';
import { createTaintEviction } from '../../src/control/housekeeping/nodes/taint-eviction.ts';
import { RESOURCES_ANNOTATION, ROLLOUT_ANNOTATIONS as ANNOTATION } from '../../src/core/api/names.ts';
import { DAEMON_SETS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet, DaemonSetSpec } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { JsonObject } from '../../src/core/kube/json.ts';
import { forbiddenRequest } from '../../src/core/kube/status-error.ts';
import { keep } from '../housekeeping/keepers.ts';
import { inWeather } from './bad-weather.ts';
import { allAvailable, bareNode, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const key = { namespace: 'default', name: 'agent' };
const patchSet = (body: JsonObject) => world.client.patch(DAEMON_SETS, key, { type: 'merge', body });
const annotate = (annotations: JsonObject) => patchSet({ metadata: { annotations } });
const patchNode = (name: string, body: JsonObject) => world.client.patch(NODES, { name }, { type: 'merge', body });

function annotated(annotations: { readonly [name: string]: string }, spec: Partial<DaemonSetSpec> = {}): DaemonSet {
  const set = daemonSet(spec);
  return { ...set, metadata: { ...set.metadata, annotations } };
}

const rolling = (rollingUpdate: JsonObject): Partial<DaemonSetSpec> => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate },
});
const memoryFor = (selector: JsonObject, memory: string): string =>
  JSON.stringify([{ selector, containers: { main: { requests: { memory } } } }]);
const memoryOf = (pod: Pod): unknown => pod.spec.containers[0]?.resources?.requests?.['memory'];
const pinOf = (pod: Pod): string =>
  pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
    ?.matchFields?.[0]?.values?.[0] ?? '';
/** The nodes that have the second image, by name. */
const updatedNodes = async (): Promise<readonly string[]> =>
  (await world.pods())
    .filter((pod) => pod.spec.containers[0]?.image === 'example.test/agent:2')
    .map(pinOf)
    .toSorted();

describe('creations that are refused', () => {
  it('keep no pod from being deleted: it may be the one whose quota they need', async () => {
    let used = 0;
    world = await createWorld({
      nodes: ['a', 'b'].map((at) => ({ name: at, count: 1, labels: { at } })),
      through: (client, clock) =>
        inWeather(client, clock, {
          fate(verb, { resource }) {
            if (resource !== 'pods' || (verb !== 'create' && verb !== 'delete')) return 'fine';
            if (verb === 'create' && used > 0) return forbiddenRequest(PODS, 'agent-x', 'exceeded quota: pods');
            used += verb === 'create' ? 1 : -1;
            return 'fine';
          },
        }),
    });
    await world.client.create(DAEMON_SETS, daemonSet({}, { nodeSelector: { at: 'a' } }));
    await world.eventually(allAvailable(world, 1));
    await patchSet({ spec: { template: { spec: { nodeSelector: { at: 'b' } } } } });
    await world.eventually(allAvailable(world, 1));
    expect((await world.pods()).map((pod) => pod.spec.nodeName)).toEqual(['b-0']);
  });
});

describe('a name that somebody else’s pod has', () => {
  it('as one that was let go, and whose successor vanished while nobody looked, is not asked for again and again', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const first = (await world.pods())[0]?.metadata;
    const body = { metadata: { labels: { app: 'free' } } };
    await world.client.patch(PODS, { namespace: 'default', name: first?.name ?? '' }, { type: 'merge', body });
    await world.eventually(async () => (await world.pods()).length === 1);
    const second = (await world.pods())[0]?.metadata;
    await world.stopController();
    await world.client.delete(PODS, { namespace: 'default', name: second?.name ?? '' });
    await world.eventually(async () => (await world.pods()).length === 0);
    world.startController();
    await world.eventually(async () => (await world.pods()).length === 1);
    expect((await world.pods())[0]?.metadata.name).not.toBe(first?.name);
    expect((await world.events()).filter((event) => event.includes('FailedCreate'))).toEqual([]);
  });
});

const everyPod = async (): Promise<number> => (await world.client.list(PODS, { namespace: 'default' })).items.length;
const failures = async (): Promise<readonly string[]> =>
  (await world.events()).filter((event) => event.startsWith('Warning FailedCreate'));

describe('pods that their own DaemonSet does not select', () => {
  it.each([
    ['controller-revision-hash', 'mine'],
    ['pod-template-generation', '7'],
  ])('because the selector names %s are not made, and the reason is said', async (label, value) => {
    world = await createWorld({ nodes: 2 });
    const labels = { app: 'agent', [label]: value };
    const set = daemonSet({ selector: { matchLabels: labels } });
    const template = { ...set.spec.template, metadata: { labels } as unknown as DaemonSet['metadata'] };
    await world.client.create(DAEMON_SETS, { ...set, spec: { ...set.spec, template } });
    await world.settle(60_000);
    expect(await everyPod()).toBe(0);
    expect(await failures()).toEqual([
      expect.stringMatching(
        `^Warning FailedCreate Error creating: pod agent-[a-z0-9]+ would have labels that the selector app=agent,${label}=${value} does not match$`,
      ),
    ]);
  });

  it('because somebody changes their labels on the way are taken back, and tried again ever more slowly', async () => {
    let creates = 0;
    world = await createWorld({
      nodes: 2,
      through: (client) => ({
        ...client,
        create(resource, object, options) {
          if (resource.resource !== 'pods') return client.create(resource, object, options);
          creates += 1;
          const labels = { ...object.metadata.labels, app: 'changed' };
          return client.create(resource, { ...object, metadata: { ...object.metadata, labels } }, options);
        },
      }),
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.settle(10 * 60_000);
    expect(await everyPod()).toBe(0);
    expect(creates).toBeLessThan(60);
    expect((await failures())[0]).toContain('was given labels that the selector app=agent does not match');
  });

  it('because somebody takes the labels off each are let go, and made ever more slowly', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    const body = { metadata: { labels: { app: 'taken' } } };
    for (let step = 0; step < 300; step += 1) {
      for (const { metadata, spec } of await world.pods())
        if (spec.nodeName) await world.client.patch(PODS, { ...key, name: metadata.name }, { type: 'merge', body });
      await world.settle(200);
    }
    expect(await everyPod()).toBeLessThan(20);
    await world.settle(120_000);
    expect(await world.pods()).toHaveLength(2);
  });
});

describe('a revision that cannot be made', () => {
  it('is named in an event, for without it there are no pods', async () => {
    world = await createWorld({ nodes: 1 });
    const name = 'a'.repeat(253);
    await world.client.create(DAEMON_SETS, { ...daemonSet(), metadata: { name, namespace: 'default' } });
    await world.settle(10_000);
    expect(await everyPod()).toBe(0);
    expect((await failures())[0]).toContain('must be no more than 253 characters');
  });
});

describe('resource overrides', () => {
  it('that change are rolled out by surge as well, once', async () => {
    world = await createWorld({ nodes: 3 });
    const surging = rolling({ maxSurge: 1, maxUnavailable: 0 });
    await world.client.create(
      DAEMON_SETS,
      annotated({ [ANNOTATION.resourceOverrides]: memoryFor({}, '64Mi') }, surging),
    );
    await world.eventually(allAvailable(world, 3));
    await annotate({ [ANNOTATION.resourceOverrides]: memoryFor({}, '128Mi') });
    await world.settle(30_000);
    expect((await world.pods()).map(memoryOf)).toEqual(['128Mi', '128Mi', '128Mi']);
    expect((await world.events()).filter((event) => event.includes('SuccessfulDelete'))).toHaveLength(3);
  });

  it('that are taken away are rolled back', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, annotated({ [ANNOTATION.resourceOverrides]: memoryFor({}, '64Mi') }));
    await world.eventually(allAvailable(world, 2));
    await annotate({ [ANNOTATION.resourceOverrides]: null });
    await world.settle(30_000);
    expect((await world.pods()).map(memoryOf)).toEqual([undefined, undefined]);
  });

  it('of which the template itself carries the mark make no loop', async () => {
    world = await createWorld({ nodes: 2 });
    const set = annotated({ [ANNOTATION.resourceOverrides]: memoryFor({ matchLabels: { size: 'large' } }, '1Gi') });
    const metadata = { labels: { app: 'agent' }, annotations: { [RESOURCES_ANNOTATION]: 'copied' } };
    const template = { ...set.spec.template, metadata: metadata as unknown as DaemonSet['metadata'] };
    await world.client.create(DAEMON_SETS, { ...set, spec: { ...set.spec, template } });
    await world.eventually(allAvailable(world, 2));
    await world.settle(10_000);
    expect((await world.events()).filter((event) => event.includes('SuccessfulDelete'))).toEqual([]);
  });
});

describe('a canary', () => {
  it('is of the nodes that should run the daemon; pods left on others wait with the rest', async () => {
    world = await createWorld({ nodes: 10 });
    await world.client.create(DAEMON_SETS, annotated({ [ANNOTATION.canary]: '2' }));
    await world.eventually(allAvailable(world, 10));
    for (const name of ['node-0', 'node-6', 'node-7', 'node-8', 'node-9'])
      await patchNode(name, { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } });
    await setImage(world, 'example.test/agent:2');
    await world.settle(120_000);
    expect(await updatedNodes()).toEqual(['node-1', 'node-2']);
    expect(await world.pods()).toHaveLength(10);
    await annotate({ [ANNOTATION.canaryApproved]: '2' });
    await world.eventually(allAvailable(world, 5));
    await world.eventually(async () => (await world.pods()).length === 5);
  });

  it('is not tried where no pod could run, and so passes by the others', async () => {
    world = await createWorld({ nodes: 5 });
    const nothing = { cpu: '0', memory: '0', pods: '0' };
    await world.client.create(NODES, bareNode('full', { status: { allocatable: nothing, capacity: nothing } }));
    const wishes = { [ANNOTATION.canary]: '2', [ANNOTATION.canaryFor]: '1m' };
    await world.client.create(DAEMON_SETS, annotated(wishes, rolling({ maxUnavailable: 2 })));
    await world.eventually(async () => (await world.set()).status?.numberAvailable === 5);
    await setImage(world, 'example.test/agent:2');
    await world.settle(30_000);
    expect(await updatedNodes()).toHaveLength(2);
    await world.eventually(async () => (await updatedNodes()).length === 6, 300_000);
  });
});

describe('a partition', () => {
  it('keeps its share of the nodes that should run the daemon, and leaves the pods on others alone', async () => {
    world = await createWorld({ nodes: 6 });
    await world.client.create(DAEMON_SETS, annotated({ [ANNOTATION.partition]: '50%' }));
    await world.eventually(allAvailable(world, 6));
    for (const name of ['node-0', 'node-1'])
      await patchNode(name, { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } });
    await setImage(world, 'example.test/agent:2');
    await world.settle(120_000);
    expect(await updatedNodes()).toEqual(['node-2', 'node-3']);
    expect(await world.pods()).toHaveLength(6);
    await annotate({ [ANNOTATION.partition]: null });
    await world.eventually(allAvailable(world, 4));
  });
});

describe('a NoExecute taint', () => {
  it.each([
    [0, 'is not tolerated: no pod is made to be evicted at once', 1],
    [10, 'is: pods come, and go when their time is up', 2],
  ])('that the template tolerates for %i seconds %s', async (tolerationSeconds, _, desired) => {
    world = await createWorld({ nodes: 2 });
    const stop = keep(world, (around) => [createTaintEviction(around)]);
    const tolerations = [{ key: 'out', operator: 'Exists', effect: 'NoExecute', tolerationSeconds }];
    await world.client.create(DAEMON_SETS, daemonSet({}, { tolerations }));
    await world.eventually(allAvailable(world, 2));
    await patchNode('node-0', { spec: { taints: [{ key: 'out', effect: 'NoExecute' }] } });
    await world.settle(60_000);
    expect((await world.set()).status?.desiredNumberScheduled).toBe(desired);
    const made = (await world.events()).filter((event) => event.includes('SuccessfulCreate'));
    expect(made.length).toBeLessThan(10);
    await stop();
  });
});

describe('a rollout in the order of a label', () => {
  it('comes to nodes whose label changes while they wait', async () => {
    world = await createWorld({ nodes: 4 });
    await world.client.create(DAEMON_SETS, annotated({ [ANNOTATION.orderBy]: 'zone', [ANNOTATION.partition]: '2' }));
    await world.eventually(allAvailable(world, 4));
    await setImage(world, 'example.test/agent:2');
    await world.eventually(async () => (await updatedNodes()).length === 2);
    await patchNode('node-3', { metadata: { labels: { zone: 'z' } } });
    await patchNode('node-2', { metadata: { labels: { zone: 'y' } } });
    await annotate({ [ANNOTATION.partition]: null });
    await world.eventually(allAvailable(world, 4));
  });
});

describe('annotations that make no sense', () => {
  it.each([
    [ANNOTATION.partition, '-1'],
    [ANNOTATION.canaryApproved, '2nd'],
    [ANNOTATION.stopAfterCrashes, '0'],
    [ANNOTATION.maxRestarts, '1e9'],
    [ANNOTATION.orderBy, 'not a label'],
    [ANNOTATION.ignoreDownNodes, ''],
  ])('%s: %j holds the rollout, is said once before it and once in it, and is forgiven', async (name, value) => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, annotated({ [name]: value }));
    await world.eventually(allAvailable(world, 2));
    await setImage(world, 'example.test/agent:2');
    await world.settle(60_000);
    expect(await updatedNodes()).toEqual([]);
    const said = (await world.events()).filter((event) => event.includes('InvalidRolloutAnnotation'));
    const what = `${name}: ${JSON.stringify(value)} is not `;
    expect(said.toSorted()).toEqual([
      expect.stringContaining(`An annotation cannot be read, the next rollout will wait: ${what}`),
      expect.stringContaining(`The rollout waits: ${what}`),
    ]);
    await annotate({ [name]: null });
    await world.eventually(allAvailable(world, 2));
  });
});
