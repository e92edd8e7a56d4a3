/** A small cluster in virtual time for tests: API server, scheduler, simulated nodes, the DaemonSet controller. */
import { createTestServer, type TestServerOptions } from '../../src/apiserver/testing/test-server.ts';
import {
  createDaemonSetController,
  type DaemonSetControllerOptions,
} from '../../src/control/daemonset/daemonset-controller.ts';
import { createScheduler } from '../../src/control/scheduler/scheduler.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, EVENTS, NODES, PODS } from '../../src/core/api/registry/resources.ts';
import type { ControllerRevision, DaemonSet, DaemonSetSpec } from '../../src/core/api/types/apps-v1.ts';
import type { Event, Node, Pod, PodSpec } from '../../src/core/api/types/core-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { createFleet } from '../../src/nodes/fleet/fleet.ts';
import { nodesOf, type NodeGroup } from '../../src/nodes/fleet/node-groups.ts';
import { formatTime } from '../../src/core/kube/time.ts';

export interface WorldOptions extends TestServerOptions {
  readonly nodes?: number | readonly NodeGroup[];
  readonly scheduler?: boolean;
  readonly fleet?: boolean;
  /** Nodes have a Lease each while they are so few; otherwise they share one. */
  readonly ownLeases?: number;
  readonly controller?: Partial<DaemonSetControllerOptions> | false;
  /** Stands between the controller and the server. */
  readonly through?: (client: Client, clock: VirtualClock) => Client;
}

/** Who speaks of DaemonSets: the controller, and the rollout driver. */
const OURS: ReadonlySet<string> = new Set(['daemonset-controller', 'everynode-rollout']);

export interface World {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** The server without anybody to move time on: for actors. */
  readonly direct: Client;
  /** Another controller on the same server, as after a restart. */
  startController(options?: Partial<DaemonSetControllerOptions>): { stop(): Promise<void> };
  stopController(): Promise<void>;
  pods(set?: string): Promise<readonly Stored<Pod>[]>;
  podsByNode(set?: string): Promise<ReadonlyMap<string, readonly Stored<Pod>[]>>;
  set(name?: string): Promise<Stored<DaemonSet>>;
  revisions(): Promise<readonly Stored<ControllerRevision>[]>;
  events(): Promise<readonly string[]>;
  eventually(condition: () => Promise<boolean>, withinMs?: number): Promise<void>;
  settle(ms?: number): Promise<void>;
  stop(): Promise<void>;
}

/** A client for tests: while they wait for an answer, what is due at the present instant happens. */
function driven(client: Client, clock: VirtualClock): Client {
  const drive = async <T>(answer: Promise<T>): Promise<T> => {
    let isSettled = false;
    const settle = (): void => void (isSettled = true);
    answer.then(settle, settle);
    while (!isSettled) await clock.drain();
    return answer;
  };
  return {
    ...client,
    get: (...args) => drive(client.get(...args)),
    list: (...args) => drive(client.list(...args)),
    create: (...args) => drive(client.create(...args)),
    update: (...args) => drive(client.update(...args)),
    patch: (...args) => drive(client.patch(...args)),
    delete: (...args) => drive(client.delete(...args)),
    deleteCollection: (...args) => drive(client.deleteCollection(...args)),
  };
}

const nodeGroup = (count: number): NodeGroup => ({ name: 'node', count });

export async function createWorld(options: WorldOptions = {}): Promise<World> {
  const clock = createVirtualClock();
  const random = createSeededRandom(7);
  const { client: direct } = await createTestServer({ ...options, clock, random });
  const client = driven(direct, clock);
  const stops: (() => Promise<void>)[] = [];
  let stopController: () => Promise<void> = () => Promise.resolve();

  function run(start: (signal: AbortSignal) => Promise<unknown>): () => Promise<void> {
    const stopping = new AbortController();
    const done = start(stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      let over = false;
      void done.finally(() => (over = true)).catch(() => undefined);
      await clock.runUntil(() => over, 60_000);
      await done;
    };
    stops.push(stop);
    return stop;
  }

  const informers = createInformers(direct, { clock, random });
  if (options.fleet !== false) {
    const fleet = createFleet({ client: direct, informers, clock, ownLeases: options.ownLeases ?? 0 });
    run((signal) => fleet.start(signal));
  }
  if (options.scheduler !== false) {
    const scheduler = createScheduler({ client: direct, informers, clock, random });
    run((signal) => scheduler.start(signal));
  }
  run((signal) => informers.start(signal));

  function startController(more: Partial<DaemonSetControllerOptions> = {}): { stop(): Promise<void> } {
    const own = options.through?.(direct, clock) ?? direct;
    const watching = createInformers(own, { clock, random });
    const controller = createDaemonSetController({ client: own, informers: watching, clock, random, ...more });
    const stop = run((signal) => Promise.all([watching.start(signal), controller.start(signal)]));
    stopController = stop;
    return { stop };
  }
  if (options.controller !== false) startController(options.controller);

  const groups = typeof options.nodes === 'number' ? [nodeGroup(options.nodes)] : (options.nodes ?? []);
  for (const group of groups)
    for (const node of nodesOf(group, formatTime(clock.now()))) await client.create(NODES, node);
  await clock.advance(100);

  const world: World = {
    clock,
    client,
    direct,
    startController,
    stopController: () => stopController(),
    async pods(set = 'agent') {
      const { items } = await client.list(PODS, { namespace: 'default', labelSelector: `app=${set}` });
      return items;
    },
    async podsByNode(set) {
      return Map.groupBy(await world.pods(set), (pod) => pod.spec.nodeName ?? '');
    },
    set: (name = 'agent') => client.get(DAEMON_SETS, { namespace: 'default', name }),
    async revisions() {
      const { items } = await client.list(CONTROLLER_REVISIONS, { namespace: 'default' });
      return items.toSorted((a, b) => a.revision - b.revision);
    },
    async events() {
      const { items } = await client.list<Event>(EVENTS, { namespace: 'default' });
      return items
        .filter((event) => OURS.has(event.source?.component ?? ''))
        .map((event) => `${event.type} ${event.reason} ${event.message}`);
    },
    async eventually(condition, withinMs = 120_000) {
      const end = clock.monotonic() + withinMs;
      for (;;) {
        if (await condition()) return;
        if (clock.monotonic() >= end) throw new Error('it did not come about in time');
        await clock.advance(50);
      }
    },
    settle: (ms = 2000) => clock.advance(ms),
    async stop() {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
  return world;
}

export function daemonSet(spec: Partial<DaemonSetSpec> = {}, pod: Partial<PodSpec> = {}, name = 'agent'): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } } as unknown as DaemonSet['metadata'],
        spec: { containers: [{ name: 'main', image: 'example.test/agent:1' }], ...pod },
      },
      ...spec,
    },
  };
}

/** A new image: the usual reason for a rollout. */
export async function setImage(world: World, image: string, name = 'agent'): Promise<Stored<DaemonSet>> {
  return world.client.patch(
    DAEMON_SETS,
    { namespace: 'default', name },
    {
      type: 'strategic',
      body: { spec: { template: { spec: { containers: [{ name: 'main', image }] } } } },
    },
  );
}

export const bareNode = (name: string, node: Partial<Node> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  ...node,
  metadata: { name, ...node.metadata },
  spec: { ...node.spec },
});

export const allAvailable =
  (world: World, count: number, name = 'agent') =>
  async (): Promise<boolean> => {
    const { status, metadata } = await world.set(name);
    return (
      (status?.numberAvailable ?? 0) === count &&
      status?.desiredNumberScheduled === count &&
      status.updatedNumberScheduled === count &&
      status.observedGeneration === metadata.generation
    );
  };
