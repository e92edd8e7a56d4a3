/** The cluster in virtual time of the DaemonSet tests, with the workload controllers, which can be ended and begun anew. */
import { createControllers, selectableNames, selectControllers } from '../../src/assembly/catalogue/select.ts';
import { WORKLOAD_CONTROLLERS } from '../../src/assembly/catalogue/workloads.ts';
import { createGarbageCollector } from '../../src/control/housekeeping/garbage-collector.ts';
import { collectableResources } from '../../src/control/housekeeping/served-resources.ts';
import { createRegistry } from '../../src/core/api/registry/registry.ts';
import { DEPLOYMENTS, EVENTS, PODS, REPLICA_SETS } from '../../src/core/api/registry/resources.ts';
import type { Deployment, DeploymentSpec, ReplicaSet } from '../../src/core/api/types/apps-v1.ts';
import type { Event, Pod, PodSpec } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import type { VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { createWorld, type World, type WorldOptions } from '../daemonset/world.ts';

export interface WorkloadWorldOptions extends Omit<WorldOptions, 'controller' | 'through'> {
  /** Stands between the controllers and the server. */
  readonly through?: (client: Client, clock: VirtualClock) => Client;
  /** Workload controllers that run; all of them unless given. */
  readonly only?: readonly string[];
  readonly garbageCollector?: boolean;
}

export interface WorkloadWorld {
  readonly world: World;
  readonly client: Client;
  readonly clock: VirtualClock;
  /** Ends the controllers and begins others, as after a crash. */
  restart(): Promise<void>;
  pods(selector?: string): Promise<readonly Stored<Pod>[]>;
  sets(): Promise<readonly Stored<ReplicaSet>[]>;
  deployment(name?: string): Promise<Stored<Deployment>>;
  /** `Normal Reason message`, by component. */
  events(component: string): Promise<readonly string[]>;
  eventually(condition: () => Promise<boolean>, withinMs?: number): Promise<void>;
  settle(ms?: number): Promise<void>;
  stop(): Promise<void>;
}

const REGISTRY = createRegistry();
const ALL = selectableNames('simulated', WORKLOAD_CONTROLLERS);

export async function createWorkloadWorld(options: WorkloadWorldOptions = {}): Promise<WorkloadWorld> {
  const { through = (plain) => plain, only, garbageCollector = false, ...rest } = options;
  const world = await createWorld({ nodes: 3, ...rest, controller: false });
  const { client, clock, direct } = world;
  let stopControllers = begin();

  function begin(): () => Promise<void> {
    const random = createSeededRandom(23);
    const own = through(direct, clock);
    const informers = createInformers(own, { clock, random });
    const around = { client: own, informers, clock, random };
    const actors = [
      informers,
      ...createControllers(selectControllers('simulated', only ?? ALL, WORKLOAD_CONTROLLERS), {
        ...around,
        registry: REGISTRY,
      }),
      ...(garbageCollector
        ? [createGarbageCollector({ ...around, resources: collectableResources(REGISTRY.all()) })]
        : []),
    ];
    const stopping = new AbortController();
    const running = Promise.all(actors.map((actor) => actor.start(stopping.signal)));
    return async () => {
      stopping.abort();
      let isOver = false;
      void running.finally(() => (isOver = true)).catch(() => undefined);
      await clock.runUntil(() => isOver, 60_000);
      await running;
    };
  }
  await clock.advance(100);

  return {
    world,
    client,
    clock,
    async restart() {
      await stopControllers();
      stopControllers = begin();
      await clock.advance(100);
    },
    async pods(labelSelector = 'app=web') {
      return (await client.list(PODS, { namespace: 'default', labelSelector })).items;
    },
    async sets() {
      const { items } = await client.list(REPLICA_SETS, { namespace: 'default' });
      return items.toSorted((a, b) => revision(a) - revision(b));
    },
    deployment: (name = 'web') => client.get(DEPLOYMENTS, { namespace: 'default', name }),
    async events(component) {
      const { items } = await client.list<Event>(EVENTS, { namespace: 'default' });
      return items
        .filter((event) => event.source?.component === component)
        .map((event) => `${event.type} ${event.reason} ${event.message}`);
    },
    eventually: (condition, withinMs) => world.eventually(condition, withinMs),
    settle: (ms) => world.settle(ms),
    async stop() {
      await stopControllers();
      await world.stop();
    },
  };
}

const revision = (set: ReplicaSet): number =>
  Number(set.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);

export const template = (
  image = 'example.test/web:1',
  spec: Partial<PodSpec> = {},
  name = 'web',
): Deployment['spec']['template'] => ({
  metadata: { labels: { app: name } } as unknown as Deployment['metadata'],
  spec: { containers: [{ name: 'main', image }], ...spec },
});

export const deployment = (spec: Partial<DeploymentSpec> = {}, name = 'web'): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: { selector: { matchLabels: { app: name } }, template: template(undefined, {}, name), ...spec },
});

export const key = (name = 'web') => ({ namespace: 'default', name });

export const setImage = (house: WorkloadWorld, image: string, name = 'web'): Promise<Stored<Deployment>> =>
  house.client.patch(DEPLOYMENTS, key(name), {
    type: 'strategic',
    body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
  });

export const rolledOut =
  (house: WorkloadWorld, count: number, name = 'web') =>
  async (): Promise<boolean> => {
    const { status, metadata } = await house.deployment(name);
    return (
      (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      (status?.updatedReplicas ?? 0) === count &&
      (status?.replicas ?? 0) === count &&
      (status?.availableReplicas ?? 0) === count
    );
  };
