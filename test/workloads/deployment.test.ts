import { afterEach, describe, expect, it } from 'vitest';
import {
  DEPLOYMENTS,
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
} from '../../src/core/api/registry/resources.ts';
import type { Deployment } from '../../src/core/api/types/apps-v1.ts';
import type { Pod, ReplicationController } from '../../src/core/api/types/core-v1.ts';
import { isPodReady } from '../../src/core/daemons/pod-child.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { conflict, serverTimeout } from '../../src/core/kube/status-error.ts';
import { inWeather } from '../daemonset/bad-weather.ts';
import {
  createWorkloadWorld,
  deployment,
  key,
  rolledOut,
  setImage,
  template,
  type WorkloadWorld,
  type WorkloadWorldOptions,
} from './world.ts';

let house: WorkloadWorld;
afterEach(() => house?.stop());
const begin = async (options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> =>
  (house = await createWorkloadWorld(options));

const create = async (spec: Partial<Deployment['spec']> = {}): Promise<void> => {
  await house.client.create(DEPLOYMENTS, deployment(spec));
};
const patch = (spec: object): Promise<Stored<Deployment>> =>
  house.client.patch(DEPLOYMENTS, key(), { type: 'merge', body: { spec } as never });
const sizes = async (): Promise<readonly number[]> => (await house.sets()).map(({ spec }) => spec.replicas ?? 1);
const condition = async (type: string): Promise<string> => {
  const found = (await house.deployment()).status?.conditions?.find((each) => each.type === type);
  return found === undefined ? 'none' : `${found.status} ${found.reason} ${found.message}`;
};
const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});

/** The most pods that were alive, and the fewest that were ready, of all states the server went through. */
async function watchExtremes(): Promise<{ most: number; fewest: number; stop(): void }> {
  const stopping = new AbortController();
  const { items, resourceVersion } = await house.client.list(PODS, { namespace: 'default' });
  const pods = new Map(items.map((pod) => [pod.metadata.uid, pod]));
  const isLive = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined;
  const seen = { most: items.length, fewest: Infinity, stop: () => stopping.abort() };
  void (async () => {
    for await (const events of house.world.direct.watch(PODS, { resourceVersion, signal: stopping.signal })) {
      for (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        if (event.type === 'DELETED') pods.delete(event.object.metadata.uid);
        else pods.set(event.object.metadata.uid, event.object);
        const live = [...pods.values()].filter(isLive);
        seen.most = Math.max(seen.most, live.length);
        seen.fewest = Math.min(seen.fewest, live.filter(isPodReady).length);
      }
    }
  })().catch(() => undefined);
  return seen;
}

describe('a Deployment', () => {
  it('makes a ReplicaSet named after its template, which makes pods', async () => {
    await begin();
    await create({ replicas: 3 });
    await house.eventually(rolledOut(house, 3));
    const [set] = await house.sets();
    const hash = set?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(set?.metadata.name).toBe(`web-${hash}`);
    expect(set?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    });
    const pods = await house.pods();
    expect(pods).toHaveLength(3);
    for (const pod of pods) {
      expect(pod.metadata.name).toMatch(new RegExp(`^web-${hash}-[a-z0-9]{5}$`));
      expect(pod.metadata.generateName).toBe(`web-${hash}-`);
      expect(pod.metadata.labels).toEqual({
        app: 'web',
        'pod-template-hash': hash,
        // Of its node.
        'topology.kubernetes.io/zone': expect.stringMatching(/^zone-\w$/) as string,
      });
    }
    await house.settle();
    expect(await condition('Available')).toBe('True MinimumReplicasAvailable Deployment has minimum availability.');
    expect(await condition('Progressing')).toBe(
      `True NewReplicaSetAvailable ReplicaSet "web-${hash}" has successfully progressed.`,
    );
    expect((await house.deployment()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
    expect(await house.events('deployment-controller')).toEqual([
      `Normal ScalingReplicaSet Scaled up replica set web-${hash} from 0 to 3`,
    ]);
    expect(
      (await house.events('replicaset-controller')).every((text) =>
        text.startsWith('Normal SuccessfulCreate Created pod: web-'),
      ),
    ).toBe(true);
  });

  it.each([
    ['25%', '25%', 8, 10, 6],
    [0, 1, 5, 5, 4],
    [1, 0, 5, 6, 5],
    ['100%', 0, 4, 8, 4],
  ] as const)(
    'with surge %s and unavailability %s keeps within them',
    async (maxSurge, maxUnavailable, replicas, most, fewest) => {
      await begin();
      await create({ replicas, ...rolling(maxSurge, maxUnavailable) });
      await house.eventually(rolledOut(house, replicas));
      const seen = await watchExtremes();
      await setImage(house, 'example.test/web:2');
      await house.eventually(rolledOut(house, replicas));
      await setImage(house, 'example.test/web:3');
      await house.settle(60);
      await setImage(house, 'example.test/web:4');
      await house.eventually(rolledOut(house, replicas));
      seen.stop();
      expect(seen.most).toBeLessThanOrEqual(most);
      expect(seen.fewest).toBeGreaterThanOrEqual(fewest);
      expect((await sizes()).filter((size) => size > 0)).toEqual([replicas]);
    },
  );

  it('waits for pods to be ready for long enough', async () => {
    await begin();
    await create({ replicas: 2, minReadySeconds: 30, ...rolling(1, 0) });
    await house.settle(20_000);
    expect((await house.deployment()).status).toMatchObject({ readyReplicas: 2 });
    expect((await house.deployment()).status?.availableReplicas ?? 0).toBe(0);
    await house.eventually(rolledOut(house, 2), 60_000);
    await setImage(house, 'example.test/web:2');
    await house.settle(20_000);
    expect(await sizes()).toEqual([2, 1]);
    await house.eventually(rolledOut(house, 2), 120_000);
  });

  it('goes back to an old template by its ReplicaSet, which becomes the newest revision', async () => {
    await begin();
    await create({ replicas: 2 });
    await house.eventually(rolledOut(house, 2));
    const [first] = await house.sets();
    await setImage(house, 'example.test/web:2');
    await house.eventually(rolledOut(house, 2));
    await setImage(house, 'example.test/web:1');
    await house.eventually(rolledOut(house, 2));
    const sets = await house.sets();
    expect(sets).toHaveLength(2);
    const again = sets.find(({ metadata }) => metadata.uid === first?.metadata.uid);
    expect(again?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/revision': '3',
      'deployment.kubernetes.io/revision-history': '1',
    });
  });

  it('keeps as many old ReplicaSets as it is told', async () => {
    await begin();
    await create({ replicas: 1, revisionHistoryLimit: 2 });
    for (const version of [2, 3, 4, 5, 6]) {
      await house.eventually(rolledOut(house, 1));
      await setImage(house, `example.test/web:${version}`);
    }
    await house.eventually(rolledOut(house, 1));
    await house.settle();
    expect(
      (await house.sets()).map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision']),
    ).toEqual(['4', '5', '6']);
  });

  it('recreates: no new pod before the last old one is gone', async () => {
    await begin();
    const slow = {
      ...template(),
      metadata: { labels: { app: 'web' }, annotations: { 'everynode.dev/stop-delay': '5s' } } as never,
    };
    await create({ replicas: 3, strategy: { type: 'Recreate' }, template: slow });
    await house.eventually(rolledOut(house, 3));
    await setImage(house, 'example.test/web:2');
    let isMixed = false;
    await house.eventually(async () => {
      const images = new Set((await house.pods()).map(({ spec }) => spec.containers[0]?.image));
      isMixed ||= images.size > 1;
      return rolledOut(house, 3)();
    });
    expect(isMixed).toBe(false);
    expect(new Set((await house.pods()).map(({ spec }) => spec.containers[0]?.image))).toEqual(
      new Set(['example.test/web:2']),
    );
  });

  it('rolls nothing out while paused, but scales', async () => {
    await begin();
    await create({ replicas: 2 });
    await house.eventually(rolledOut(house, 2));
    await patch({ paused: true });
    await house.settle();
    expect(await condition('Progressing')).toBe('Unknown DeploymentPaused Deployment is paused');
    await setImage(house, 'example.test/web:2');
    await patch({ replicas: 4 });
    await house.settle();
    expect(await sizes()).toEqual([4]);
    expect(await house.pods()).toHaveLength(4);
    await patch({ paused: null });
    await house.eventually(rolledOut(house, 4));
    expect((await house.pods()).every(({ spec }) => spec.containers[0]?.image === 'example.test/web:2')).toBe(true);
  });

  it('scales up and down, and in proportion while a rollout is stuck', async () => {
    await begin();
    await create({ replicas: 10, ...rolling(3, 2) });
    await house.eventually(rolledOut(house, 10));
    await setImage(house, 'example.test/non-existent:2');
    await house.settle(5000);
    expect(await sizes()).toEqual([8, 5]);
    await patch({ replicas: 15 });
    await house.settle(5000);
    expect(await sizes()).toEqual([11, 7]);
    await patch({ replicas: 5 });
    await house.settle(5000);
    const [old = 0, fresh = 0] = await sizes();
    expect(old + fresh).toBe(8);
    await patch({ replicas: 0 });
    await house.settle(5000);
    expect(await sizes()).toEqual([0, 0]);
    expect(await house.pods()).toHaveLength(0);
  });

  it('says when it makes no progress, and when it does again', async () => {
    await begin();
    await create({ replicas: 2, progressDeadlineSeconds: 60 });
    await house.eventually(rolledOut(house, 2));
    await setImage(house, 'example.test/non-existent:2');
    await house.settle(50_000);
    expect(await condition('Progressing')).toMatch(
      /^True ReplicaSetUpdated ReplicaSet "web-[a-z0-9]+" is progressing\.$/,
    );
    await house.settle(20_000);
    expect(await condition('Progressing')).toMatch(
      /^False ProgressDeadlineExceeded ReplicaSet "web-[a-z0-9]+" has timed out progressing\.$/,
    );
    await setImage(house, 'example.test/web:3');
    await house.eventually(rolledOut(house, 2));
    await house.settle();
    expect(await condition('Progressing')).toMatch(/^True NewReplicaSetAvailable /);
  });

  it('tells why its pods cannot be made', async () => {
    await begin({
      plugins: [
        {
          name: 'refuse',
          handles: ({ operation, resource }) => operation === 'CREATE' && resource.resource === 'pods',
          validate: () => {
            throw serverTimeout({ group: '', resource: 'pods' }, 'create');
          },
        },
      ],
    });
    await create({ replicas: 2 });
    await house.settle(3000);
    expect(await condition('ReplicaFailure')).toMatch(/^True FailedCreate /);
    expect((await house.events('replicaset-controller'))[0]).toMatch(/^Warning FailedCreate Error creating: /);
  });

  it('takes another name where two templates have one hash', async () => {
    await begin({ garbageCollector: true });
    await create({ replicas: 1 });
    await house.eventually(rolledOut(house, 1));
    const [set] = await house.sets();
    await house.client.delete(DEPLOYMENTS, key(), { propagationPolicy: 'Orphan' });
    await house.settle();
    await house.client.patch(REPLICA_SETS, key(set?.metadata.name ?? ''), {
      type: 'merge',
      body: { metadata: { labels: { app: 'foreign' }, ownerReferences: null } },
    });
    await house.settle();
    await create({ replicas: 1 });
    await house.eventually(rolledOut(house, 1));
    expect((await house.deployment()).status?.collisionCount).toBe(1);
    expect(await house.sets()).toHaveLength(2);
  });

  it('adopts ReplicaSets and pods that were orphaned', async () => {
    await begin({ garbageCollector: true });
    await create({ replicas: 2 });
    await house.eventually(rolledOut(house, 2));
    const before = new Set((await house.pods()).map(({ metadata }) => metadata.uid));
    await house.client.delete(DEPLOYMENTS, key(), { propagationPolicy: 'Orphan' });
    await house.settle();
    const [set] = await house.sets();
    expect(set?.metadata.ownerReferences).toBeUndefined();
    await house.client.delete(REPLICA_SETS, key(set?.metadata.name ?? ''), { propagationPolicy: 'Orphan' });
    await house.settle();
    expect((await house.pods()).every(({ metadata }) => metadata.ownerReferences === undefined)).toBe(true);
    await create({ replicas: 2 });
    await house.eventually(rolledOut(house, 2));
    await house.settle();
    expect(new Set((await house.pods()).map(({ metadata }) => metadata.uid))).toEqual(before);
  });

  it('goes with everything it made', async () => {
    await begin({ garbageCollector: true });
    await create({ replicas: 3 });
    await house.eventually(rolledOut(house, 3));
    await house.client.delete(DEPLOYMENTS, key(), { propagationPolicy: 'Foreground' });
    await house.eventually(async () => (await house.pods()).length === 0 && (await house.sets()).length === 0);
    await expect(house.deployment()).rejects.toThrow('not found');
  });

  it('comes to rest: nothing is written when nothing changes', async () => {
    await begin();
    await create({ replicas: 3 });
    await house.eventually(rolledOut(house, 3));
    await house.settle(5000);
    const versions = async (): Promise<readonly string[]> => [
      (await house.deployment()).metadata.resourceVersion,
      ...(await house.sets()).map(({ metadata }) => metadata.resourceVersion),
    ];
    const before = await versions();
    await house.settle(700_000);
    expect(await versions()).toEqual(before);
  });

  it.each(['fine', 'lagging', 'losing', 'conflicting'] as const)(
    'never has a pod too many in %s weather, also across restarts',
    async (kind) => {
      let turn = 0;
      const fates = {
        fine: ['fine'],
        lagging: ['fine'],
        losing: ['fine', 'lost', 'refused', 'fine', 'lost'],
        conflicting: ['fine', 'conflict', 'fine', 'fine'],
      }[kind];
      await begin({
        through: (client, clock) =>
          inWeather(client, clock, {
            fate(verb, resource) {
              if (verb === 'get') return 'fine';
              const fate = fates[turn++ % fates.length];
              return fate === 'conflict'
                ? conflict(resource, 'x', 'try again')
                : ((fate ?? 'fine') as 'fine' | 'lost' | 'refused');
            },
            lagMs: () => (kind === 'lagging' || kind === 'losing' ? 400 : 0),
          }),
      });
      const seen = await watchExtremes();
      await create({ replicas: 6, ...rolling(2, 1) });
      await house.settle(700);
      await house.restart();
      await house.eventually(rolledOut(house, 6), 600_000);
      await house.settle(60_000);
      seen.fewest = Infinity;
      await setImage(house, 'example.test/web:2');
      await house.settle(900);
      await house.restart();
      await house.eventually(rolledOut(house, 6), 600_000);
      await house.settle(60_000);
      seen.stop();
      expect(seen.most).toBeLessThanOrEqual(8);
      expect(seen.fewest).toBeGreaterThanOrEqual(5);
      expect(await house.pods()).toHaveLength(6);
    },
    30_000,
  );

  it('at two thousand pods costs what it does, not its square', async () => {
    const writes = new Map<string, number>();
    await begin({
      nodes: [
        {
          name: 'node',
          count: 20,
          capacity: { cpu: '1000', memory: '1000Gi', pods: '1000', 'ephemeral-storage': '100Gi' },
        },
      ],
      through: (client, clock) =>
        inWeather(client, clock, {
          fate(verb, { resource }) {
            writes.set(`${verb} ${resource}`, (writes.get(`${verb} ${resource}`) ?? 0) + 1);
            return 'fine';
          },
        }),
    });
    expect((await house.client.list(NODES)).items).toHaveLength(20);
    await create({ replicas: 2000 });
    await house.eventually(rolledOut(house, 2000), 600_000);
    await patch({ replicas: 0 });
    await house.eventually(rolledOut(house, 0), 600_000);
    expect(writes.get('create pods')).toBe(2000);
    expect(writes.get('delete pods')).toBe(2000);
    expect(writes.get('update replicasets')).toBeLessThan(300);
    expect(writes.get('update deployments')).toBeLessThan(300);
  }, 60_000);
});

describe('a ReplicaSet', () => {
  it('replaces pods that go and ignores those that have ended', async () => {
    await begin();
    await create({ replicas: 3 });
    await house.eventually(rolledOut(house, 3));
    const [first, second] = await house.pods();
    await house.client.delete(PODS, key(first?.metadata.name ?? ''));
    await house.client.patch(
      PODS,
      key(second?.metadata.name ?? ''),
      { type: 'merge', body: { status: { phase: 'Failed' } } },
      { subresource: 'status' },
    );
    await house.eventually(
      async () => (await house.pods()).filter(({ status }) => status?.phase === 'Running').length === 3,
    );
    expect((await house.pods()).map(({ metadata }) => metadata.name)).not.toContain(first?.metadata.name);
  });

  it('lets a pod go that it no longer selects, and makes another', async () => {
    await begin();
    await create({ replicas: 2 });
    await house.eventually(rolledOut(house, 2));
    const [first] = await house.pods();
    await house.client.patch(PODS, key(first?.metadata.name ?? ''), {
      type: 'merge',
      body: { metadata: { labels: { app: 'other' } } },
    });
    await house.settle();
    const pod = await house.client.get(PODS, key(first?.metadata.name ?? ''));
    expect(pod.metadata.ownerReferences).toBeUndefined();
    expect(await house.pods()).toHaveLength(2);
  });

  it('gives up the cheapest pod first', async () => {
    await begin();
    await create({ replicas: 4 });
    await house.eventually(rolledOut(house, 4));
    const [first, ...others] = await house.pods();
    for (const { metadata } of others)
      await house.client.patch(PODS, key(metadata.name), {
        type: 'merge',
        body: { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '10' } } },
      });
    await patch({ replicas: 3 });
    await house.eventually(rolledOut(house, 3));
    expect(new Set((await house.pods()).map(({ metadata }) => metadata.uid))).toEqual(
      new Set(others.map(({ metadata }) => metadata.uid)),
    );
    void first;
  });
});

describe('a ReplicationController', () => {
  it('is a ReplicaSet of old', async () => {
    await begin();
    const old: ReplicationController = {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'old', namespace: 'default' },
      spec: { replicas: 2, selector: { app: 'web' }, template: template() },
    };
    await house.client.create(REPLICATION_CONTROLLERS, old);
    await house.eventually(
      async () => (await house.client.get(REPLICATION_CONTROLLERS, key('old'))).status?.availableReplicas === 2,
    );
    expect(
      (await house.pods()).every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicationController'),
    ).toBe(true);
  });
});
