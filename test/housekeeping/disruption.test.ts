import { afterEach, describe, expect, it } from 'vitest';
import { createDisruptionController } from '../../src/control/housekeeping/disruption/disruption-controller.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import {
  DEPLOYMENTS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from '../../src/core/api/types/policy-v1.ts';
import type { OwnerReference } from '../../src/core/kube/meta-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { StatusError } from '../../src/core/kube/status-error.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createWorld, type World } from '../daemonset/world.ts';
import { findPod, keep, podOn } from './keepers.ts';

const KINDS = createRegistry().all();
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const LABELS = { app: 'web' };
const SELECTOR = { matchLabels: LABELS };
const template = {
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'main', image: 'example.test/app:1' }] },
};

async function newWorld(nodes = 3): Promise<World> {
  const world = await createWorld({ scheduler: false, controller: false, nodes });
  ends.push(() => world.stop());
  ends.push(keep(world, (around) => [createDisruptionController({ ...around, resources: () => KINDS })]));
  await world.settle(100);
  return world;
}

const pdb = (spec: PodDisruptionBudgetSpec, name = 'web'): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'default' },
  spec: { selector: SELECTOR, ...spec },
});

async function budget(world: World, name = 'web'): Promise<Stored<PodDisruptionBudget>> {
  await world.settle(200);
  return world.client.get(POD_DISRUPTION_BUDGETS, { namespace: 'default', name });
}

const numbers = ({ status }: Stored<PodDisruptionBudget>): readonly (number | undefined)[] => [
  status?.disruptionsAllowed,
  status?.currentHealthy,
  status?.desiredHealthy,
  status?.expectedPods,
];

async function makePods(world: World, count: number, owner?: OwnerReference): Promise<void> {
  for (let i = 0; i < count; i += 1) {
    const pod = podOn(`web-${i}`, `node-${i % 3}`, {}, LABELS);
    const metadata = owner === undefined ? pod.metadata : { ...pod.metadata, ownerReferences: [owner] };
    await world.client.create(PODS, { ...pod, metadata });
  }
  await world.settle(2_000);
}

/** Evicts while time goes on. */
async function evict(
  world: World,
  name: string,
  options: Parameters<Client['evict']>[1] = {},
): Promise<StatusError | undefined> {
  let answer: StatusError | 'done' | undefined;
  world.direct.evict({ namespace: 'default', name }, options).then(
    () => (answer = 'done'),
    (error: StatusError) => (answer = error),
  );
  while (answer === undefined) await world.clock.drain();
  return answer === 'done' ? undefined : answer;
}

describe('the status of a budget', () => {
  it('counts healthy pods against a number', async () => {
    const world = await newWorld();
    await makePods(world, 3);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 2 }));
    const counted = await budget(world);
    expect(numbers(counted)).toEqual([1, 3, 2, 3]);
    expect(counted.status?.observedGeneration).toBe(1);
    expect(counted.status?.conditions).toMatchObject([
      { type: 'DisruptionAllowed', status: 'True', reason: 'SufficientPods', observedGeneration: 1, message: '' },
    ]);
    await world.client.delete(PODS, { namespace: 'default', name: 'web-0' });
    expect(numbers(await budget(world))).toEqual([0, 2, 2, 2]);
    expect((await budget(world)).status?.conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'InsufficientPods',
    });
  });

  it('takes a share of what owners want, not of what there is', async () => {
    const world = await newWorld();
    const deployment = await world.client.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 10, selector: SELECTOR, template },
    } as never);
    const set = await world.client.create(REPLICA_SETS, {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-1', namespace: 'default', ownerReferences: [ref('Deployment', 'web', deployment)] },
      spec: { replicas: 7, selector: SELECTOR, template },
    } as never);
    await makePods(world, 8, ref('ReplicaSet', 'web-1', set));
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ maxUnavailable: '35%' }));
    // 35% of 10 rounds up to 4.
    expect(numbers(await budget(world))).toEqual([2, 8, 6, 10]);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: '51%' }, 'share'));
    expect(numbers(await budget(world, 'share'))).toEqual([2, 8, 6, 10]);
  });

  it('asks a StatefulSet for its scale, and says so where an owner has none', async () => {
    const world = await newWorld();
    const set = await world.client.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: { replicas: 4, selector: SELECTOR, serviceName: 'db', template },
    } as never);
    await makePods(world, 3, ref('StatefulSet', 'db', set));
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ maxUnavailable: 1 }));
    expect(numbers(await budget(world))).toEqual([0, 3, 3, 4]);
    const daemon = { ...podOn('daemon', 'node-0', {}, LABELS) };
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true }];
    await world.client.create(PODS, { ...daemon, metadata: { ...daemon.metadata, ownerReferences } });
    const failed = await budget(world);
    expect(failed.status?.disruptionsAllowed).toBe(0);
    expect(failed.status?.conditions?.[0]).toMatchObject({
      status: 'False',
      reason: 'SyncFailed',
      message: 'daemonsets.apps does not implement the scale subresource',
    });
    expect((await evict(world, 'web-0'))?.status.details?.causes).toEqual([
      {
        reason: 'DisruptionBudget',
        message:
          'The disruption budget web does not allow evicting pods currently because it failed sync: daemonsets.apps does not implement the scale subresource',
      },
    ]);
  });

  it('allows nothing while there is no pod at all', async () => {
    const world = await newWorld();
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 0 }));
    expect(numbers(await budget(world))).toEqual([0, 0, 0, 0]);
  });
});

const ref = (kind: string, name: string, owner: Stored): OwnerReference => ({
  apiVersion: 'apps/v1',
  kind,
  name,
  uid: owner.metadata.uid,
  controller: true,
});

describe('an eviction', () => {
  it('spends the budget and is refused when it is spent', async () => {
    const world = await newWorld();
    await makePods(world, 3);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 2 }));
    await budget(world);
    expect(await evict(world, 'web-0', { dryRun: true })).toBeUndefined();
    expect(numbers(await budget(world))).toEqual([1, 3, 2, 3]);
    expect(await evict(world, 'web-0')).toBeUndefined();
    await budget(world);
    const refused = await evict(world, 'web-1');
    expect(refused?.status).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          { reason: 'DisruptionBudget', message: 'The disruption budget web needs 2 healthy pods and has 2 currently' },
        ],
      },
    });
    expect(refused?.status.details?.retryAfterSeconds).toBeUndefined();
    expect(await findPod(world, 'web-1')).toBeDefined();
  });

  it('never spends the same disruption twice, however many come at once', async () => {
    const world = await newWorld();
    await makePods(world, 6);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 4 }));
    await budget(world);
    const answers: (string | number)[] = [];
    for (let i = 0; i < 6; i += 1) {
      world.direct.evict({ namespace: 'default', name: `web-${i}` }).then(
        () => answers.push('done'),
        (error: StatusError) => answers.push(error.code),
      );
    }
    while (answers.length < 6) await world.clock.drain();
    expect(answers.map(String).toSorted()).toEqual(['429', '429', '429', '429', 'done', 'done']);
    await world.settle(1_000);
    const { items } = await world.client.list(PODS, { namespace: 'default' });
    expect(items.length).toBe(4);
  });

  it('has to come again while the budget has not been counted yet', async () => {
    const world = await createWorld({ scheduler: false, controller: false, nodes: 3 });
    ends.push(() => world.stop());
    await makePods(world, 3);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 1 }));
    expect((await evict(world, 'web-0'))?.status.details).toEqual({
      causes: [
        { reason: 'DisruptionBudget', message: 'The disruption budget web is still being processed by the server.' },
      ],
      retryAfterSeconds: 10,
    });
  });

  it('is refused for a pod with several budgets', async () => {
    const world = await newWorld();
    await makePods(world, 3);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 1 }));
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 1 }, 'other'));
    await budget(world);
    expect((await evict(world, 'web-0'))?.status).toMatchObject({
      code: 500,
      message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    });
  });

  it('passes for pods that have ended or never began, whatever the budget', async () => {
    const world = await newWorld();
    await makePods(world, 2);
    await world.client.create(PODS, podOn('pending', '', {}, LABELS));
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 100 }));
    await budget(world);
    const done = await world.client.get(PODS, { namespace: 'default', name: 'web-0' });
    await world.client.update(
      PODS,
      { ...done, status: { ...done.status, phase: 'Succeeded' } },
      { subresource: 'status' },
    );
    expect(await evict(world, 'web-0')).toBeUndefined();
    expect(await evict(world, 'pending')).toBeUndefined();
    expect((await evict(world, 'web-1'))?.code).toBe(429);
  });

  it('of a pod that is not ready follows the policy for such pods', async () => {
    const world = await newWorld();
    await makePods(world, 3);
    const sick: Pod = podOn(
      'sick',
      'node-0',
      {
        containers: [{ name: 'main', image: 'example.test/app:1' }],
        readinessGates: [{ conditionType: 'example.test/never' }],
      },
      LABELS,
    );
    await world.client.create(PODS, sick);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 4 }));
    expect(numbers(await budget(world))).toEqual([0, 3, 4, 4]);
    expect((await evict(world, 'sick'))?.code).toBe(429);
    const policy = { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } };
    await world.client.patch(
      POD_DISRUPTION_BUDGETS,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: policy },
    );
    await budget(world);
    expect(await evict(world, 'sick')).toBeUndefined();
    expect(numbers(await budget(world))).toEqual([0, 3, 4, 3]);
  });

  it('that did not happen is forgotten after two minutes, and the note on the pod too', async () => {
    const world = await newWorld();
    await makePods(world, 3);
    await world.client.create(POD_DISRUPTION_BUDGETS, pdb({ minAvailable: 2 }));
    const counted = await budget(world);
    // As if the server had died between the two writes.
    const disruptedPods = { 'web-0': '2026-01-01T00:00:02Z' };
    await world.client.update(
      POD_DISRUPTION_BUDGETS,
      { ...counted, status: { ...counted.status, disruptedPods, disruptionsAllowed: 0 } },
      { subresource: 'status' },
    );
    const pod = await world.client.get(PODS, { namespace: 'default', name: 'web-0' });
    const note = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      lastTransitionTime: '2026-01-01T00:00:02Z',
    };
    const conditions = [...(pod.status?.conditions ?? []), note];
    await world.client.update(PODS, { ...pod, status: { ...pod.status, conditions } }, { subresource: 'status' });
    expect(numbers(await budget(world))).toEqual([0, 2, 2, 3]);
    await world.settle(130_000);
    const later = await budget(world);
    expect(numbers(later)).toEqual([1, 3, 2, 3]);
    expect(later.status?.disruptedPods).toBeUndefined();
    const kept = await findPod(world, 'web-0');
    expect(kept?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.status).toBe('False');
  });

  it('honours preconditions', async () => {
    const world = await newWorld();
    await makePods(world, 1);
    expect((await evict(world, 'web-0', { preconditions: { uid: 'other' } }))?.message).toContain(
      'the UID in the precondition (other) does not match the UID in record',
    );
    expect((await evict(world, 'web-0', { preconditions: { resourceVersion: '1' } }))?.code).toBe(409);
    expect((await evict(world, 'nobody'))?.code).toBe(404);
  });
});
