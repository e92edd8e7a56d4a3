/** What users can ask for by annotation: pause, partition, canary, stops, order, down nodes, conditions, overrides. */
import { afterEach, describe, expect, it } from 'vitest';
import { ROLLOUT_ANNOTATIONS as ANNOTATION } from '../../src/core/api/names.ts';
import { DAEMON_SETS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet } from '../../src/core/api/types/apps-v1.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const imageOf = (pod: Pod): string => pod.spec.containers[0]?.image ?? '';
const annotate = (annotations: { readonly [key: string]: string | null }): Promise<DaemonSet> =>
  world.client.patch(
    DAEMON_SETS,
    { namespace: 'default', name: 'agent' },
    { type: 'merge', body: { metadata: { annotations } } },
  );
const updatedNodes = async (tag = ':2'): Promise<readonly string[]> =>
  (await world.pods())
    .filter((pod) => imageOf(pod).endsWith(tag))
    .map((pod) => pod.spec.nodeName ?? '')
    .toSorted();
const condition = async (type: string) => (await world.set()).status?.conditions?.find((each) => each.type === type);

async function running(
  nodes: number,
  annotations: { readonly [key: string]: string } = {},
  spec: Partial<DaemonSet['spec']> = {},
): Promise<void> {
  world = await createWorld({ nodes });
  const set = daemonSet(spec);
  await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, annotations } });
  await world.eventually(allAvailable(world, nodes));
}

describe('a paused rollout', () => {
  it('replaces nothing, makes what is missing from the new template, and goes on when released', async () => {
    await running(4, { [ANNOTATION.paused]: 'true' });
    await setImage(world, 'example.test/agent:2');
    await world.settle(30_000);
    expect(await updatedNodes()).toEqual([]);
    expect(await world.events()).toContain('Normal RolloutPaused Rollout of revision 2 is paused');
    const victim = (await world.pods()).find((pod) => pod.spec.nodeName === 'node-3');
    await world.client.delete(PODS, { namespace: 'default', name: victim?.metadata.name ?? '' });
    await world.eventually(async () => (await updatedNodes()).length === 1);
    await annotate({ [ANNOTATION.paused]: null });
    await world.eventually(allAvailable(world, 4));
  });
});

describe('a partition', () => {
  it.each([
    ['3', ['node-0', 'node-1']],
    ['50%', ['node-0', 'node-1', 'node-2']],
  ])('of %s keeps the last nodes old', async (partition, updated) => {
    await running(5, { [ANNOTATION.partition]: partition });
    await setImage(world, 'example.test/agent:2');
    await world.settle(30_000);
    expect(await updatedNodes()).toEqual(updated);
    await annotate({ [ANNOTATION.partition]: '0' });
    await world.eventually(allAvailable(world, 5));
  });
});

describe('a canary', () => {
  it('waits for approval of its revision', async () => {
    await running(5, { [ANNOTATION.canary]: '2' });
    await setImage(world, 'example.test/agent:2');
    await world.settle(60_000);
    expect(await updatedNodes()).toEqual(['node-0', 'node-1']);
    await annotate({ [ANNOTATION.canaryApproved]: '1' });
    await world.settle(10_000);
    expect(await updatedNodes()).toHaveLength(2);
    await annotate({ [ANNOTATION.canaryApproved]: '2' });
    await world.eventually(allAvailable(world, 5));
    expect(await world.events()).toContain('Normal CanaryPassed The canary of revision 2 has passed');
  });

  it('passes by itself when it has been available for long enough, and a restart does not forget that', async () => {
    await running(5, { [ANNOTATION.canary]: '20%', [ANNOTATION.canaryFor]: '5m' });
    await setImage(world, 'example.test/agent:2');
    await world.settle(4 * 60_000);
    expect(await updatedNodes()).toEqual(['node-0']);
    await world.eventually(async () => (await updatedNodes()).length > 1, 120_000);
    await world.stopController();
    world.startController();
    await world.eventually(allAvailable(world, 5));
  });

  it('that crashes stops the rollout; the next template is tried on it again', async () => {
    await running(5, { [ANNOTATION.canary]: '1', [ANNOTATION.canaryFor]: '1m' });
    await setImage(world, 'foo:non-existent');
    await world.settle(10 * 60_000);
    expect((await world.pods()).filter((pod) => imageOf(pod) === 'foo:non-existent')).toHaveLength(1);
    expect(await world.events()).toContain(
      'Warning RolloutStopped Rollout of revision 2 stopped: new pods do not come up',
    );
    await setImage(world, 'example.test/agent:3');
    await world.eventually(allAvailable(world, 5), 600_000);
  });
});

describe('crash loops', () => {
  it('stop a rollout without a canary too, if asked for', async () => {
    await running(
      6,
      { [ANNOTATION.stopAfterCrashes]: '1' },
      { minReadySeconds: 5, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 3 } } },
    );
    const set = await world.set();
    const annotations = { 'everynode.dev/exit-after': '1s', 'everynode.dev/exit-code': '1' };
    const metadata = { ...set.spec.template.metadata, annotations } as NonNullable<
      DaemonSet['spec']['template']['metadata']
    >;
    await world.client.update(DAEMON_SETS, {
      ...set,
      spec: { ...set.spec, template: { ...set.spec.template, metadata } },
    });
    await world.settle(10 * 60_000);
    const touched = (await world.pods()).filter(
      (pod) => pod.metadata.annotations?.['everynode.dev/exit-after'] !== undefined,
    );
    expect(touched.length).toBeGreaterThan(0);
    expect(touched.length).toBeLessThanOrEqual(3);
  });
});

describe('the order of a rollout', () => {
  it('follows a label', async () => {
    await running(6, { [ANNOTATION.orderBy]: 'topology.kubernetes.io/zone', [ANNOTATION.partition]: '4' });
    await setImage(world, 'example.test/agent:2');
    await world.settle(10_000);
    // Zones go round: node-0 and node-3 are both in zone a.
    expect(await updatedNodes()).toEqual(['node-0', 'node-3']);
  });
});

describe('nodes that are down', () => {
  const takeDown = async (name: string): Promise<void> => {
    // Its kubelet stops; the node controller would notice and say so.
    await world.client.patch(
      NODES,
      { name },
      { type: 'merge', body: { metadata: { annotations: { 'everynode.dev/simulated': null } } } },
    );
    await world.settle(100);
    const node = await world.client.get(NODES, { name });
    const conditions =
      node.status?.conditions?.map((each) => (each.type === 'Ready' ? { ...each, status: 'Unknown' } : each)) ?? [];
    await world.client.update(NODES, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' });
    for (const pod of (await world.pods()).filter((each) => each.spec.nodeName === name)) {
      const off =
        pod.status?.conditions?.map((each) => (each.type === 'Ready' ? { ...each, status: 'False' } : each)) ?? [];
      await world.client.update(
        PODS,
        { ...pod, status: { ...pod.status, conditions: off } },
        { subresource: 'status' },
      );
    }
  };

  it('deadlock a rollout as on Kubernetes, unless they are to be ignored', async () => {
    await running(4);
    await takeDown('node-3');
    await setImage(world, 'example.test/agent:2');
    await world.settle(60_000);
    expect(await updatedNodes()).toEqual([]);
    await annotate({ [ANNOTATION.ignoreDownNodes]: 'true' });
    await world.eventually(async () => (await updatedNodes()).filter((name) => name !== 'node-3').length === 3);
  });

  it('are told apart from a bad rollout in the conditions', async () => {
    await running(4, { [ANNOTATION.conditions]: 'true' });
    expect(await condition('Progressing')).toMatchObject({ status: 'True', reason: 'RolloutComplete' });
    expect(await condition('Degraded')).toMatchObject({ status: 'False', reason: 'AllAvailable' });
    await takeDown('node-3');
    await world.eventually(async () => (await condition('Degraded'))?.reason === 'NodesDown');
    expect(await condition('Available')).toMatchObject({ status: 'True' });
    await takeDown('node-2');
    await world.eventually(async () => (await condition('Available'))?.status === 'False');
  });
});

describe('conditions', () => {
  it('name a rollout that does not come up, and go when nobody asks for them; those of others stay', async () => {
    await running(3, { [ANNOTATION.conditions]: 'true', [ANNOTATION.stopAfterCrashes]: '1' });
    await setImage(world, 'foo:non-existent');
    await world.eventually(async () => (await condition('Degraded'))?.reason === 'NewPodsFailing');
    expect(await condition('Progressing')).toMatchObject({ status: 'False', reason: 'RolloutStopped' });
    const set = await world.set();
    const foreign = { type: 'Checked', status: 'True', reason: 'ByHand' };
    await world.client.update(
      DAEMON_SETS,
      {
        ...set,
        status: { ...set.status, conditions: [...(set.status?.conditions ?? []), foreign] } as NonNullable<
          DaemonSet['status']
        >,
      },
      { subresource: 'status' },
    );
    await annotate({ [ANNOTATION.conditions]: null });
    await world.eventually(async () => (await condition('Degraded')) === undefined);
    expect(await condition('Checked')).toMatchObject({ reason: 'ByHand' });
  });

  it('say what a rollout waits for, and what to do about it', async () => {
    await running(3, { [ANNOTATION.conditions]: 'true', [ANNOTATION.canary]: '1' });
    await setImage(world, 'example.test/agent:2');
    await world.eventually(async () => (await condition('Progressing'))?.reason === 'CanaryRunning');
    expect((await condition('Progressing'))?.message).toContain(`annotate ${ANNOTATION.canaryApproved}=2`);
    await annotate({ [ANNOTATION.partition]: 'many' });
    await world.eventually(async () => (await condition('Progressing'))?.reason === 'InvalidRolloutAnnotation');
    expect((await condition('Progressing'))?.message).toContain(`${ANNOTATION.partition}: "many" is not a number`);
    await annotate({ [ANNOTATION.conditions]: null });
    await world.eventually(async () => (await world.set()).status?.conditions === undefined);
  });

  it('are never written unasked', async () => {
    await running(2);
    expect((await world.set()).status?.conditions).toBeUndefined();
  });
});

describe('resource overrides', () => {
  it('give groups of nodes other resources, and follow when they change or a node changes its group', async () => {
    const overrides = (memory: string): string =>
      JSON.stringify([
        { selector: { matchLabels: { size: 'large' } }, containers: { main: { requests: { memory } } } },
      ]);
    world = await createWorld({
      nodes: [
        { name: 'small', count: 2 },
        { name: 'large', count: 2, labels: { size: 'large' } },
      ],
    });
    const containers = [
      { name: 'main', image: 'example.test/agent:1', resources: { requests: { cpu: '10m', memory: '64Mi' } } },
    ];
    const set = daemonSet({}, { containers });
    await world.client.create(DAEMON_SETS, {
      ...set,
      metadata: { ...set.metadata, annotations: { [ANNOTATION.resourceOverrides]: overrides('1Gi') } },
    });
    await world.eventually(allAvailable(world, 4));
    const memory = async (): Promise<{ readonly [node: string]: unknown }> =>
      Object.fromEntries(
        (await world.pods()).map((pod) => [pod.spec.nodeName, pod.spec.containers[0]?.resources?.requests?.['memory']]),
      );
    expect(await memory()).toEqual({ 'small-0': '64Mi', 'small-1': '64Mi', 'large-0': '1Gi', 'large-1': '1Gi' });
    expect((await world.pods())[0]?.spec.containers[0]?.resources?.requests?.['cpu']).toBe('10m');
    await annotate({ [ANNOTATION.resourceOverrides]: overrides('2Gi') });
    await world.eventually(async () => (await memory())['large-0'] === '2Gi' && (await memory())['large-1'] === '2Gi');
    await world.client.patch(
      NODES,
      { name: 'small-0' },
      { type: 'merge', body: { metadata: { labels: { size: 'large' } } } },
    );
    await world.eventually(async () => (await memory())['small-0'] === '2Gi');
    await world.eventually(allAvailable(world, 4));
  });
});

describe('annotations that make no sense', () => {
  it('are told of where no rollout is under way: the next one will wait', async () => {
    await running(2, { [ANNOTATION.conditions]: 'true' });
    await annotate({ [ANNOTATION.canary]: 'lots' });
    await world.eventually(async () => (await condition('Progressing'))?.reason === 'InvalidRolloutAnnotation');
    const problem = `${ANNOTATION.canary}: "lots" is not a number or a percentage`;
    expect(await condition('Progressing')).toMatchObject({
      status: 'True',
      message: `2 of 2 nodes on revision 1; the next rollout will wait, ${problem}`,
    });
    await world.settle(10_000);
    expect((await world.events()).filter((event) => event.includes('Annotation'))).toEqual([
      expect.stringContaining(
        `InvalidRolloutAnnotation An annotation cannot be read, the next rollout will wait: ${problem}`,
      ),
    ]);
    await annotate({ [ANNOTATION.canary]: null });
    await world.eventually(async () => (await condition('Progressing'))?.reason === 'RolloutComplete');
  });

  it('are named where nobody knows them, with the nearest that is known, and hold nothing', async () => {
    await running(2, { 'everynode.dev/rollout-canry-for': '1m', 'everynode.dev/component': 'agent' });
    await setImage(world, 'example.test/agent:2');
    await world.eventually(async () => (await updatedNodes()).length === 2);
    await world.settle(10_000);
    expect((await world.events()).filter((event) => event.includes('Annotation'))).toEqual([
      `Warning UnknownRolloutAnnotation everynode.dev/rollout-canry-for is not known and does nothing; did you mean ${ANNOTATION.canaryFor}?`,
    ]);
  });

  it('are said on more nodes than a DaemonSet has events for', async () => {
    await running(30);
    await annotate({ [ANNOTATION.paused]: 'perhaps' });
    await world.settle(10_000);
    expect((await world.events()).some((event) => event.startsWith('Warning InvalidRolloutAnnotation'))).toBe(true);
  });

  it.each([
    [ANNOTATION.partition, 'many'],
    [ANNOTATION.canary, '200%'],
    [ANNOTATION.canaryFor, 'soon'],
    [ANNOTATION.paused, 'perhaps'],
    [ANNOTATION.resourceOverrides, '[{"selector":{}}]'],
    [ANNOTATION.resourceOverrides, '{"__proto__":1}'],
  ])('%s: %s holds the rollout and is said', async (name, value) => {
    await running(2, { [name]: value });
    await setImage(world, 'example.test/agent:2');
    await world.settle(10_000);
    expect(await updatedNodes()).toEqual([]);
    expect(
      (await world.events()).some((event) =>
        event.startsWith(`Warning InvalidRolloutAnnotation The rollout waits: ${name}`),
      ),
    ).toBe(true);
    await annotate({ [name]: null });
    await world.eventually(allAvailable(world, 2));
  });
});
