/**
 * What people get wrong, on a whole running cluster: each mistake has a clear error or event, nobody writes for ever, and
 * what was there before is there afterwards.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLER_REVISIONS, DAEMON_SETS, EVENTS, NAMESPACES, PODS } from '../../src/core/api/registry/resources.ts';
import type { DaemonSet, DaemonSetSpec } from '../../src/core/api/types/apps-v1.ts';
import type { Event, Pod, PodSpec } from '../../src/core/api/types/core-v1.ts';
import type { KubeObject, Resource, Stored } from '../../src/core/kube/objects.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { realClock } from '../../src/machinery/time/real-clock.ts';
import { startTestCluster, type TestCluster } from '../support/cluster.ts';
import { daemonSet } from './world.ts';

const NODES = 3;
const QUIET_MS = 2_500;

let cluster: TestCluster;
let namespaces = 0;
beforeAll(async () => {
  const capacity = { cpu: '4', memory: '8Gi', pods: '110' };
  cluster = await startTestCluster({ groups: [{ name: 'node', count: NODES, capacity }] });
}, 60_000);
afterAll(() => cluster?.stop());

async function inNamespace(): Promise<string> {
  namespaces += 1;
  const name = `case-${namespaces}`;
  await cluster.client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: {} });
  return name;
}

const make = (
  namespace: string,
  spec: Partial<DaemonSetSpec> = {},
  pod: Partial<PodSpec> = {},
  name = 'agent',
): Promise<Stored<DaemonSet>> => {
  const set = daemonSet(spec, pod, name);
  return cluster.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, namespace } });
};

const podsIn = async (namespace: string): Promise<readonly Stored<Pod>[]> =>
  (await cluster.client.list(PODS, { namespace })).items;
const eventsIn = async (namespace: string): Promise<readonly string[]> =>
  (await cluster.client.list<Event>(EVENTS, { namespace })).items.map(({ reason, message }) => `${reason}: ${message}`);
const setIn = (namespace: string, name = 'agent'): Promise<Stored<DaemonSet>> =>
  cluster.client.get(DAEMON_SETS, { namespace, name });

async function eventually(condition: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 400; i += 1) {
    if (await condition()) return;
    await realClock.sleep(50);
  }
  throw new Error('it did not come about in time');
}

const isComplete =
  (namespace: string, name = 'agent') =>
  async (): Promise<boolean> => {
    const { status, metadata } = await setIn(namespace, name);
    return status?.numberAvailable === NODES && status.observedGeneration === metadata.generation;
  };

/** Everything that changes in a namespace within a few seconds, after what is still being told has been told. */
async function changesIn(namespace: string): Promise<number> {
  await realClock.sleep(1_000);
  let changes = 0;
  const stopping = new AbortController();
  const count = async <T extends KubeObject>(resource: Resource<T>): Promise<void> => {
    const { resourceVersion } = await cluster.client.list(resource, { namespace });
    const stream = cluster.client.watch(resource, { namespace, resourceVersion, signal: stopping.signal });
    try {
      for await (const batch of stream) changes += batch.filter(({ type }) => type !== 'BOOKMARK').length;
    } catch {
      // The end of the watch.
    }
  };
  const watches = [count(PODS), count(DAEMON_SETS), count(CONTROLLER_REVISIONS), count(EVENTS)];
  await realClock.sleep(QUIET_MS);
  stopping.abort();
  await Promise.all(watches);
  return changes;
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof StatusError && error.code === 422) return error.message;
    throw error;
  }
  return 'accepted';
}

const rolling = (rollingUpdate: object): DaemonSetSpec['updateStrategy'] => ({ type: 'RollingUpdate', rollingUpdate });

describe.concurrent('invalid strategies', () => {
  const strategies: readonly [what: string, DaemonSetSpec['updateStrategy'], message: string][] = [
    ['a type nobody knows', { type: 'Sometimes' }, 'supported values: "RollingUpdate", "OnDelete"'],
    ['neither budget', rolling({ maxUnavailable: 0, maxSurge: 0 }), 'cannot be 0 when maxSurge is 0'],
    ['both budgets', rolling({ maxUnavailable: 1, maxSurge: 1 }), 'may not be set when maxUnavailable is non-zero'],
    ['a surge alone', rolling({ maxSurge: 1 }), 'may not be set when maxUnavailable is non-zero'],
    ['less than nothing', rolling({ maxUnavailable: -1 }), 'must be greater than or equal to 0'],
    ['more than all', rolling({ maxUnavailable: '101%' }), 'must not be greater than 100%'],
    ['no percentage', rolling({ maxUnavailable: 'many' }), 'a valid percent string must be a numeric string'],
  ];

  it.each(strategies)('%s is refused with the reason', async (_, updateStrategy, message) => {
    const namespace = await inNamespace();
    expect(await refusal(make(namespace, updateStrategy === undefined ? {} : { updateStrategy }))).toContain(message);
    expect(await podsIn(namespace)).toEqual([]);
  });

  it('leave a running DaemonSet as it is', async () => {
    const namespace = await inNamespace();
    await make(namespace);
    await eventually(isComplete(namespace));
    const before = (await podsIn(namespace)).map(({ metadata }) => metadata.uid);
    for (const [, updateStrategy, message] of strategies) {
      const set = await setIn(namespace);
      const spec = { ...set.spec, ...(updateStrategy === undefined ? {} : { updateStrategy }) };
      expect(await refusal(cluster.client.update(DAEMON_SETS, { ...set, spec }))).toContain(message);
    }
    expect((await setIn(namespace)).metadata.generation).toBe(1);
    expect((await podsIn(namespace)).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await changesIn(namespace)).toBe(0);
  });
});

describe.concurrent('selectors', () => {
  it.each([
    ['matches nothing', { matchLabels: { app: 'other' } }, '`selector` does not match template `labels`'],
    ['matches everything', {}, 'empty selector is invalid for daemonset'],
    ['cannot be read', { matchExpressions: [{ key: 'app', operator: 'Near' }] }, 'not a valid selector operator'],
    ['needs values', { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] }, 'Required value'],
  ])('that %s is refused', async (_, selector, message) => {
    const namespace = await inNamespace();
    expect(await refusal(make(namespace, { selector }))).toContain(message);
  });

  it('cannot be changed', async () => {
    const namespace = await inNamespace();
    const set = await make(namespace);
    const spec = { ...set.spec, selector: { matchLabels: { app: 'agent', more: 'yes' } } };
    const { template } = spec;
    const labels = { app: 'agent', more: 'yes' };
    const moved = { ...spec, template: { ...template, metadata: { ...template.metadata, labels } } };
    const latest = await setIn(namespace);
    expect(
      await refusal(cluster.client.update(DAEMON_SETS, { ...latest, spec: moved as DaemonSet['spec'] })),
    ).toContain('field is immutable');
  });

  it('that match every pod by a trick take nothing from another owner, and come to rest', async () => {
    const namespace = await inNamespace();
    await make(namespace, {}, {}, 'first');
    await eventually(isComplete(namespace, 'first'));
    const before = (await podsIn(namespace)).map(({ metadata }) => metadata.uid).toSorted();
    const selector = { matchExpressions: [{ key: 'nobody-has-this', operator: 'DoesNotExist' }] };
    await make(namespace, { selector }, {}, 'greedy');
    await eventually(isComplete(namespace, 'greedy'));
    const pods = await podsIn(namespace);
    expect(pods).toHaveLength(2 * NODES);
    expect(pods.map(({ metadata }) => metadata.uid)).toEqual(expect.arrayContaining(before));
    expect(await changesIn(namespace)).toBe(0);
  });
});

describe.concurrent('templates that can never fit', () => {
  it.each([
    ['ask for too much', { cpu: '1000' }, {}, /^FailedScheduling: 0\/3 nodes are available: 1 Insufficient cpu, /],
    [
      'need a pod that is not there',
      {},
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: { app: 'nobody' } }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      },
      /^FailedScheduling: 0\/3 nodes are available: 1 node\(s\) didn't match pod affinity rules, /,
    ],
    [
      'mount a claim that is not there',
      {},
      { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'none' } }] },
      /^FailedScheduling: 0\/3 nodes are available: persistentvolumeclaim "none" not found\./,
    ],
  ] as readonly [string, { readonly cpu?: string }, Partial<PodSpec>, RegExp][])(
    'because they %s leave their pods pending with the reason, and are quiet',
    async (_, requests, pod, reason) => {
      const namespace = await inNamespace();
      const resources = Object.keys(requests).length === 0 ? {} : { resources: { requests } };
      const containers = [{ name: 'main', image: 'example.test/agent:1', ...resources }];
      await make(namespace, {}, { containers, ...pod });
      await eventually(async () => (await eventsIn(namespace)).some((event) => reason.test(event)));
      await eventually(async () => (await setIn(namespace)).status?.currentNumberScheduled === NODES);
      expect((await setIn(namespace)).status).toMatchObject({
        desiredNumberScheduled: NODES,
        numberUnavailable: NODES,
      });
      expect(await changesIn(namespace)).toBe(0);
      const pods = await podsIn(namespace);
      expect(pods).toHaveLength(NODES);
      for (const { status } of pods)
        expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
          status: 'False',
          reason: 'Unschedulable',
        });
      // The way out: a template that fits.
      const set = await setIn(namespace);
      const healthy = daemonSet().spec.template;
      await cluster.client.update(DAEMON_SETS, { ...set, spec: { ...set.spec, template: healthy } });
      await eventually(isComplete(namespace));
    },
    30_000,
  );

  it('because no node is meant make no pod and say so in the counts', async () => {
    const namespace = await inNamespace();
    await make(namespace, {}, { nodeSelector: { 'no-such': 'label' } });
    await eventually(async () => (await setIn(namespace)).status?.observedGeneration === 1);
    expect((await setIn(namespace)).status).toMatchObject({ desiredNumberScheduled: 0, currentNumberScheduled: 0 });
    expect(await changesIn(namespace)).toBe(0);
    expect(await podsIn(namespace)).toEqual([]);
  });

  it('because another daemon has the port: one pod a node runs, the other says why', async () => {
    const namespace = await inNamespace();
    const ports = [{ containerPort: 9100, hostPort: 9100 }];
    const containers = [{ name: 'main', image: 'example.test/agent:1', ports }];
    await make(namespace, {}, { containers }, 'first');
    await eventually(isComplete(namespace, 'first'));
    await make(namespace, {}, { containers }, 'second');
    const reason = /^FailedScheduling: 0\/3 nodes are available: 1 node\(s\) didn't have free ports for the requested/;
    await eventually(async () => (await eventsIn(namespace)).some((event) => reason.test(event)));
    expect(await changesIn(namespace)).toBe(0);
    await cluster.client.delete(DAEMON_SETS, { namespace, name: 'first' });
    await eventually(isComplete(namespace, 'second'));
  }, 30_000);
});

describe.concurrent('two DaemonSets with overlapping selectors', () => {
  it('have a pod a node each, fight for none, and part without loss', async () => {
    const namespace = await inNamespace();
    const selector = { matchLabels: { tier: 'node' } };
    const spec = (app: string): Partial<DaemonSetSpec> => {
      const { template } = daemonSet({}, {}, app).spec;
      const labels = { app, tier: 'node' };
      return { selector, template: { ...template, metadata: { ...template.metadata, labels } } as typeof template };
    };
    await make(namespace, spec('left'), {}, 'left');
    await make(namespace, spec('right'), {}, 'right');
    await eventually(async () => (await isComplete(namespace, 'left')()) && isComplete(namespace, 'right')());
    const owners = (await podsIn(namespace)).map(({ metadata }) => metadata.ownerReferences?.[0]?.name ?? '');
    expect(owners.toSorted()).toEqual(['left', 'left', 'left', 'right', 'right', 'right']);
    expect(await changesIn(namespace)).toBe(0);
    const revisions = (await cluster.client.list(CONTROLLER_REVISIONS, { namespace })).items;
    expect(revisions.map(({ metadata }) => metadata.ownerReferences?.[0]?.name ?? '').toSorted()).toEqual([
      'left',
      'right',
    ]);

    const right = (await podsIn(namespace)).filter(({ metadata }) => metadata.labels?.['app'] === 'right');
    await cluster.client.delete(DAEMON_SETS, { namespace, name: 'left' });
    await eventually(async () => (await podsIn(namespace)).length === NODES);
    expect((await podsIn(namespace)).map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      right.map(({ metadata }) => metadata.uid).toSorted(),
    );
    expect(await isComplete(namespace, 'right')()).toBe(true);
  }, 30_000);
});
