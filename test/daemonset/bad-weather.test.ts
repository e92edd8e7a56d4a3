/** The controller among failures: refused and lost writes, slow caches, crashes; and input that makes no sense. */
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { DAEMON_SETS, NAMESPACES, PODS } from '../../src/core/api/registry/resources.ts';
import type { Pod } from '../../src/core/api/types/core-v1.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import { forbiddenRequest } from '../../src/core/kube/status-error.ts';
import { inWeather, type Weather } from './bad-weather.ts';
import { allAvailable, createWorld, daemonSet, setImage, type World } from './world.ts';

let world: World;
afterEach(() => world.stop());

const isPods = (resource: Resource): boolean => resource.resource === 'pods';
const isLive = (pod: Pod): boolean => pod.metadata.deletionTimestamp === undefined;

async function start(nodes: number, weather: Weather): Promise<void> {
  world = await createWorld({ nodes, through: (client, clock) => inWeather(client, clock, weather) });
}

describe('a quota', () => {
  it('that allows two pods: two run and are reported; the rest is asked for slowly, and said why', async () => {
    let creates = 0;
    let made = 0;
    const weather: Weather = {
      fate(verb, resource) {
        if (verb !== 'create' || !isPods(resource)) return 'fine';
        creates += 1;
        if (made >= 2) return forbiddenRequest(PODS, 'agent-x', 'exceeded quota: pods');
        made += 1;
        return 'fine';
      },
    };
    await start(10, weather);
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(async () => (await world.set()).status?.numberReady === 2);
    expect((await world.set()).status).toMatchObject({
      desiredNumberScheduled: 10,
      currentNumberScheduled: 2,
      observedGeneration: 1,
    });
    // One, two, four: the first batch that fails is the last.
    expect(creates).toBeLessThan(30);
    await world.settle(60_000);
    expect(creates).toBeLessThan(120);
    expect(
      (await world.events()).some((event) =>
        event.startsWith('Warning FailedCreate Error creating: pods "agent-x" is forbidden: exceeded quota'),
      ),
    ).toBe(true);
  });
});

describe('a policy', () => {
  it('that refuses some nodes their pods: all the others have theirs', async () => {
    let isRefusing = true;
    // The first in any order, and some more.
    const refused = /"node-(0|1|7|19)"/;
    const weather: Weather = {
      fate: (verb, resource, object) =>
        isRefusing && verb === 'create' && isPods(resource) && refused.test(JSON.stringify(object))
          ? forbiddenRequest(PODS, 'agent-x', 'not on this node')
          : 'fine',
    };
    await start(20, weather);
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(async () => (await world.set()).status?.numberReady === 16);
    isRefusing = false;
    await world.eventually(async () => (await world.set()).status?.numberReady === 20);
  });
});

describe('a namespace that is going away', () => {
  it('is not filled, and no events are made of it', async () => {
    world = await createWorld({ nodes: 3, controller: false });
    await world.client.create(NAMESPACES, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'leaving', finalizers: ['example.test/hold'] },
      spec: {},
    });
    await world.settle(1000);
    const set = daemonSet();
    await world.client.create(DAEMON_SETS, { ...set, metadata: { ...set.metadata, namespace: 'leaving' } });
    await world.client.delete(NAMESPACES, { name: 'leaving' });
    world.startController();
    await world.settle(10_000);
    expect((await world.client.list(PODS, { namespace: 'leaving' })).items).toHaveLength(0);
    expect((await world.events()).filter((event) => event.includes('FailedCreate'))).toEqual([]);
  });
});

describe('lost answers', () => {
  it('to every create: each pod is made once', async () => {
    const seen = new Set<string>();
    await start(6, {
      fate(verb, resource, object) {
        const name = object?.metadata.name ?? '';
        if (verb !== 'create' || !isPods(resource) || seen.has(name)) return 'fine';
        seen.add(name);
        return 'lost';
      },
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 6));
    expect(await world.pods()).toHaveLength(6);
    expect(seen.size).toBe(6);
  });

  it('to deletes of a rollout: never more pods taken down than allowed', async () => {
    let isLost = false;
    await start(6, {
      fate(verb, resource) {
        if (verb !== 'delete' || !isPods(resource)) return 'fine';
        isLost = !isLost;
        return isLost ? 'lost' : 'fine';
      },
      lagMs: (resource) => (isPods(resource) ? 500 : 0),
    });
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, 6));
    await setImage(world, 'example.test/agent:2');
    let fewest = 6;
    await world.eventually(async () => {
      fewest = Math.min(
        fewest,
        (await world.pods()).filter((pod) => isLive(pod) && pod.status?.phase === 'Running').length,
      );
      return allAvailable(world, 6)();
    }, 600_000);
    expect(fewest).toBeGreaterThanOrEqual(5);
  });
});

describe('another controller', () => {
  it('that decided the same and is slower finds each pod made, though it hears of them while it creates', async () => {
    const nodes = 12;
    let controllers = 0;
    const made: string[] = [];
    world = await createWorld({
      nodes,
      controller: false,
      through(client, clock) {
        controllers += 1;
        const pauseMs = controllers * 40;
        return {
          ...client,
          async create(resource, object, options) {
            if (isPods(resource)) await clock.sleep(pauseMs);
            const answer = await client.create(resource, object, options);
            if (isPods(resource)) made.push(answer.metadata.name);
            return answer;
          },
        };
      },
    });
    world.startController();
    world.startController();
    await world.client.create(DAEMON_SETS, daemonSet());
    await world.eventually(allAvailable(world, nodes));
    await world.settle(60_000);
    expect(made).toHaveLength(nodes);
    expect((await world.pods()).map(({ metadata }) => metadata.name).toSorted()).toEqual(made.toSorted());
  });
});

describe('a slow cache', () => {
  it('of ten seconds makes no pod twice', async () => {
    await start(8, { fate: () => 'fine', lagMs: (resource) => (isPods(resource) ? 10_000 : 0) });
    await world.client.create(DAEMON_SETS, daemonSet());
    let most = 0;
    await world.eventually(async () => {
      most = Math.max(most, (await world.pods()).length);
      return allAvailable(world, 8)();
    }, 300_000);
    expect(most).toBe(8);
  });
});

/** Invariants of any history of events, looked at after every step. */
async function check(maxUnavailable: number, nodes: number): Promise<void> {
  const pods = await world.pods();
  for (const here of Map.groupBy(
    pods.filter(isLive),
    (pod) =>
      pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]
        ?.matchFields?.[0]?.values?.[0] ?? '',
  ).values()) {
    const running = here.filter((pod) => pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded');
    expect(running.length).toBeLessThanOrEqual(1);
  }
  expect(pods.filter((pod) => isLive(pod) && pod.status?.phase === 'Running').length).toBeGreaterThanOrEqual(
    nodes - maxUnavailable,
  );
}

describe('any weather', () => {
  it('leaves one pod a node, never two, never more down than allowed, and quiet at the end', async () => {
    const NODES = 5;
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          fates: fc.array(fc.constantFrom('fine' as const, 'fine' as const, 'lost' as const, 'refused' as const), {
            minLength: 20,
            maxLength: 60,
          }),
          lags: fc.record({
            pods: fc.constantFrom(0, 100, 3000),
            revisions: fc.constantFrom(0, 2000),
            sets: fc.constantFrom(0, 1000),
          }),
          crashes: fc.array(fc.integer({ min: 50, max: 3000 }), { maxLength: 3 }),
          maxUnavailable: fc.constantFrom(1, 2),
        }),
        async ({ fates, lags, crashes, maxUnavailable }) => {
          let turn = 0;
          let isBad = false;
          const weather: Weather = {
            fate: () => (isBad && turn < fates.length ? (fates[turn++] ?? 'fine') : 'fine'),
            lagMs: ({ resource }) =>
              resource === 'pods'
                ? lags.pods
                : resource === 'controllerrevisions'
                  ? lags.revisions
                  : resource === 'daemonsets'
                    ? lags.sets
                    : 0,
          };
          await start(NODES, weather);
          await world.client.create(
            DAEMON_SETS,
            daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } } }),
          );
          await world.eventually(allAvailable(world, NODES), 600_000);
          isBad = true;
          for (const [i, wait] of [...crashes, 1000].entries()) {
            await setImage(world, `example.test/agent:${i + 2}`);
            for (let passed = 0; passed < wait; passed += 100) {
              await world.clock.advance(100);
              await check(maxUnavailable, NODES);
            }
            if (i < crashes.length) {
              await world.stopController();
              world.startController();
            }
          }
          await world.eventually(async () => {
            await check(maxUnavailable, NODES);
            return allAvailable(world, NODES)();
          }, 3_600_000);
          await world.settle(20_000);
          const { resourceVersion } = (await world.set()).metadata;
          const before = (await world.pods()).map((pod) => pod.metadata.resourceVersion);
          await world.settle(600_000);
          expect((await world.set()).metadata.resourceVersion).toBe(resourceVersion);
          expect((await world.pods()).map((pod) => pod.metadata.resourceVersion)).toEqual(before);
          await world.stop();
        },
      ),
      { numRuns: Number(process.env['FC_RUNS'] ?? 12), endOnFailure: true },
    );
  }, 60_000);
});
