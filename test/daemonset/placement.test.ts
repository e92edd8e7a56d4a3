/** Which nodes get a pod, and how it is made. The cases are those upstream's end-to-end and integration tests assert. */
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSetUpdateStrategy } from '../../src/core/api/types/apps-v1.ts';
import type { Node } from '../../src/core/api/types/core-v1.ts';
import { allAvailable, bareNode, createWorld, daemonSet, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const ROLLING: DaemonSetUpdateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } };
const ON_DELETE: DaemonSetUpdateStrategy = { type: 'OnDelete' };
const STRATEGIES = [
  ['RollingUpdate', ROLLING],
  ['OnDelete', ON_DELETE],
] as const;

const label = (name: string, labels: { readonly [key: string]: string | null }): Promise<Node> =>
  world.client.patch(NODES, { name }, { type: 'merge', body: { metadata: { labels } } });
const nodesWithPods = async (): Promise<readonly string[]> => [...(await world.podsByNode()).keys()].toSorted();
const has =
  (...names: readonly string[]) =>
  async (): Promise<boolean> =>
    JSON.stringify(await nodesWithPods()) === JSON.stringify(names);

describe.each(STRATEGIES)('with strategy %s', (_name, updateStrategy) => {
  it('one node gets one pod', async () => {
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }));
    await world.eventually(allAvailable(world, 1));
    expect(await world.pods()).toHaveLength(1);
  });

  it('five nodes get five pods, and the status says so', async () => {
    world = await createWorld({ nodes: 5 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }));
    await world.eventually(allAvailable(world, 5));
    expect((await world.set()).status).toMatchObject({
      desiredNumberScheduled: 5,
      currentNumberScheduled: 5,
      numberReady: 5,
      numberAvailable: 5,
      updatedNumberScheduled: 5,
      numberMisscheduled: 0,
      observedGeneration: 1,
    });
  });

  it('no nodes, nothing to do', async () => {
    world = await createWorld({ nodes: 0 });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }));
    await world.settle();
    expect(await world.pods()).toHaveLength(0);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 0, observedGeneration: 1 });
  });

  it('a label term or a name term chooses three of six nodes', async () => {
    world = await createWorld({ nodes: 6 });
    await label('node-0', { zone: 'test' });
    await label('node-1', { zone: 'test' });
    const nodeSelectorTerms = [
      { matchExpressions: [{ key: 'zone', operator: 'In', values: ['test'] }] },
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-5'] }] },
    ];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }, { affinity }));
    await world.eventually(allAvailable(world, 3));
    expect(await nodesWithPods()).toEqual(['node-0', 'node-1', 'node-5']);
  });

  it('a node that is not ready, and not tainted, gets a pod', async () => {
    world = await createWorld({ nodes: 0, fleet: false });
    const conditions = [{ type: 'Ready', status: 'False' }];
    await world.client.create(NODES, bareNode('sick', { status: { conditions, allocatable: { pods: '100' } } }));
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }));
    await world.eventually(async () => (await world.pods()).length === 1);
  });

  it('a node without room has its pod pending with the scheduler’s reason; the others run', async () => {
    world = await createWorld({
      nodes: [
        { name: 'big', count: 1, capacity: { cpu: '4', memory: '8Gi', pods: '10' } },
        { name: 'small', count: 1, capacity: { cpu: '100m', memory: '8Gi', pods: '10' } },
      ],
    });
    const containers = [{ name: 'main', image: 'example.test/agent:1', resources: { requests: { cpu: '1' } } }];
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }, { containers }));
    await world.eventually(async () => (await world.set()).status?.numberReady === 1);
    await world.settle();
    const waiting = (await world.pods()).find((pod) => pod.spec.nodeName === undefined);
    const condition = waiting?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    expect(condition).toMatchObject({ status: 'False', reason: 'Unschedulable' });
    expect(condition?.message).toContain('Insufficient cpu');
    expect((await world.set()).status).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 2,
      numberUnavailable: 1,
    });
  });

  it('a tainted node gets its pod when the taint goes', async () => {
    world = await createWorld({
      nodes: [{ name: 'node', count: 1, taints: [{ key: 'key1', value: 'v', effect: 'NoSchedule' }] }],
    });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }));
    await world.settle();
    expect(await world.pods()).toHaveLength(0);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints: null } } });
    await world.eventually(allAvailable(world, 1));
  });

  it('cordoned and network-less nodes get pods of the host network', async () => {
    const taints = ['unschedulable', 'network-unavailable'].map((what) => ({
      key: `node.kubernetes.io/${what}`,
      effect: 'NoSchedule',
    }));
    world = await createWorld({ nodes: [{ name: 'node', count: 1, taints }] });
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { unschedulable: true } } });
    await world.client.create(DAEMON_SETS, daemonSet({ updateStrategy }, { hostNetwork: true }));
    await world.eventually(allAvailable(world, 1));
  });
});

describe('a complex daemon', () => {
  it('follows the labels of nodes and its own selector', async () => {
    world = await createWorld({ nodes: 3 });
    await world.client.create(
      DAEMON_SETS,
      daemonSet({ updateStrategy: ON_DELETE }, { nodeSelector: { colour: 'blue' } }),
    );
    await world.settle();
    expect(await world.pods()).toHaveLength(0);
    await label('node-1', { colour: 'blue' });
    await world.eventually(has('node-1'));
    await world.eventually(async () => (await world.set()).status?.desiredNumberScheduled === 1);
    await label('node-1', { colour: 'green' });
    await world.eventually(has());
    await world.client.patch(
      DAEMON_SETS,
      { namespace: 'default', name: 'agent' },
      {
        type: 'strategic',
        body: { spec: { template: { spec: { nodeSelector: { colour: 'green' } } }, updateStrategy: ROLLING } as never },
      },
    );
    await world.eventually(has('node-1'));
  });

  it('follows required node affinity as well', async () => {
    world = await createWorld({ nodes: 3 });
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'colour', operator: 'In', values: ['blue'] }] }];
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
    await world.client.create(DAEMON_SETS, daemonSet({}, { affinity }));
    await label('node-2', { colour: 'blue' });
    await world.eventually(has('node-2'));
    await label('node-2', { colour: null });
    await world.eventually(has());
  });
});

describe('nodes that come and go', () => {
  it('a new node gets its pod', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    await world.client.create(
      NODES,
      bareNode('late', { metadata: { name: 'late', annotations: { 'everynode.dev/simulated': 'true' } } }),
    );
    await world.eventually(allAvailable(world, 3));
  });

  it('a pod that waits for a node which is gone is deleted; a bound one is left to the garbage collector', async () => {
    world = await createWorld({ nodes: 1, scheduler: false });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(async () => (await world.pods()).length === 1);
    await world.client.delete(NODES, { name: 'node-0' });
    await world.eventually(async () => (await world.pods()).length === 0);
    expect((await world.set()).status?.desiredNumberScheduled).toBe(0);
  });

  it('leaves bound pods of a lost node alone', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    await world.client.delete(NODES, { name: 'node-0' });
    await world.eventually(async () => (await world.set()).status?.desiredNumberScheduled === 1);
    await world.settle(10_000);
    expect((await world.pods()).filter((pod) => pod.spec.nodeName === 'node-0')).toHaveLength(1);
  });

  it('a NoSchedule taint removes no running pod but counts it as misscheduled; NoExecute removes it', async () => {
    world = await createWorld({ nodes: 2 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2));
    const taint = (effect: string): Promise<Node> =>
      world.client.patch(
        NODES,
        { name: 'node-0' },
        { type: 'merge', body: { spec: { taints: [{ key: 'k', effect }] } } },
      );
    await taint('NoSchedule');
    await world.eventually(async () => (await world.set()).status?.numberMisscheduled === 1);
    expect((await world.set()).status).toMatchObject({ desiredNumberScheduled: 1, currentNumberScheduled: 1 });
    expect(await world.pods()).toHaveLength(2);
    await taint('NoExecute');
    await world.eventually(has('node-1'));
    await world.eventually(async () => (await world.set()).status?.numberMisscheduled === 0);
  });
});

describe('the pods a DaemonSet makes', () => {
  it('are pinned by name, labelled, owned and tolerant', async () => {
    world = await createWorld({ nodes: 1, scheduler: false });
    const preferred = [{ weight: 1, preference: { matchExpressions: [{ key: 'x', operator: 'Exists' }] } }];
    const nodeSelectorTerms = [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'Exists' }] }];
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: preferred,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
      },
    };
    const set = daemonSet(
      {},
      { affinity, tolerations: [{ key: 'own', operator: 'Exists' }], nodeSelector: { 'kubernetes.io/os': 'linux' } },
    );
    const created = await world.client.create(DAEMON_SETS, set);
    await world.eventually(async () => (await world.pods()).length === 1);
    const [pod] = await world.pods();
    const [revision] = await world.revisions();
    const hash = revision?.metadata.labels?.['controller-revision-hash'];
    expect(pod?.metadata.labels).toEqual({
      app: 'agent',
      'controller-revision-hash': hash,
      'pod-template-generation': '1',
    });
    expect(pod?.metadata.generateName).toBe('agent-');
    expect(pod?.metadata.name).toMatch(/^agent-[a-z0-9]{18}$/);
    expect(pod?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        name: 'agent',
        uid: created.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(pod?.spec.nodeName).toBeUndefined();
    expect(pod?.spec.nodeSelector).toEqual({ 'kubernetes.io/os': 'linux' });
    expect(pod?.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toEqual(preferred);
    expect(pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toEqual({
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-0'] }] }],
    });
    expect(pod?.spec.tolerations?.map(({ key, effect }) => `${key}:${effect ?? ''}`)).toEqual([
      'own:',
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
  });

  it('keep the node the template names, and go there without a scheduler', async () => {
    world = await createWorld({ nodes: 3, scheduler: false });
    await world.client.create(DAEMON_SETS, daemonSet({}, { nodeName: 'node-1' }));
    await world.eventually(allAvailable(world, 1));
    expect(await nodesWithPods()).toEqual(['node-1']);
  });

  it('count as there when they are pinned by hostname, as older controllers did it', async () => {
    world = await createWorld({ nodes: 1, scheduler: false, controller: false });
    const set = await world.client.create(DAEMON_SETS, daemonSet());
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: set.metadata.uid, controller: true };
    const nodeSelectorTerms = [
      { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-0'] }] },
    ];
    await world.client.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'old-style', namespace: 'default', labels: { app: 'agent' }, ownerReferences: [owner] },
      spec: {
        containers: [{ name: 'main', image: 'example.test/agent:1' }],
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
      },
    });
    world.startController();
    await world.eventually(async () => (await world.set()).status?.currentNumberScheduled === 1);
    await world.settle();
    // It is out of date and not available, so the rollout replaces it; there never was a second one beside it.
    await world.eventually(async () => (await world.pods()).every((pod) => pod.metadata.name !== 'old-style'));
    expect(await world.pods()).toHaveLength(1);
  });
});

describe('the questions of the proposal', () => {
  it('a CNI daemon bootstraps network-unavailable nodes; the others follow when the network is there', async () => {
    const taints = [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }];
    world = await createWorld({ nodes: [{ name: 'node', count: 2, taints }] });
    await world.client.create(DAEMON_SETS, daemonSet({}, { hostNetwork: true }, 'cni'));
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 2, 'cni'));
    expect(await world.pods()).toHaveLength(0);
    for (const name of ['node-0', 'node-1'])
      await world.client.patch(NODES, { name }, { type: 'merge', body: { spec: { taints: null } } });
    await world.eventually(allAvailable(world, 2));
  });

  it('a node recovering from pressure keeps its daemons, and gets those that pressure kept away', async () => {
    const pressure = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' };
    const outOfDisk = { key: 'example.test/out-of-disk', effect: 'NoSchedule' };
    world = await createWorld({ nodes: 1 });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 1));
    const [before] = await world.pods();
    await world.client.patch(
      NODES,
      { name: 'node-0' },
      { type: 'merge', body: { spec: { taints: [pressure, outOfDisk] } } },
    );
    await world.client.create(DAEMON_SETS, daemonSet({}, {}, 'late'));
    await world.settle(5000);
    expect(await world.pods('late')).toHaveLength(0);
    await world.client.patch(NODES, { name: 'node-0' }, { type: 'merge', body: { spec: { taints: null } } });
    await world.eventually(allAvailable(world, 1, 'late'));
    expect((await world.pods())[0]?.metadata.uid).toBe(before?.metadata.uid);
  });
});
