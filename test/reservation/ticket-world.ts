/** A small cluster in virtual time for tests of Tickets: API server, scheduler, simulated nodes, garbage collector, the controllers. */
import { createTestServer, type TestServerOptions } from '../../src/apiserver/testing/test-server.ts';
import { createGarbageCollector } from '../../src/control/housekeeping/garbage-collector.ts';
import { collectableResources } from '../../src/control/housekeeping/served-resources.ts';
import { createUnreservedTaintController } from '../../src/control/reservation/node/unreserved-taint-controller.ts';
import {
  createTicketController,
  type TicketControllerOptions,
} from '../../src/control/reservation/ticket/ticket-controller.ts';
import { createScheduler } from '../../src/control/scheduler/scheduler.ts';
import { RESERVATION_LABELS } from '../../src/core/api/names.ts';
import { ownKinds } from '../../src/core/api/registry/built-in-kinds.ts';
import { EVENTS, NODES, ORDERS, PODS, TICKETS } from '../../src/core/api/registry/resources.ts';
import type { Event, Node, Pod, PodSpec } from '../../src/core/api/types/core-v1.ts';
import type { Order, OrderSpec, Ticket, TicketSpec } from '../../src/core/api/types/korder-v1alpha1.ts';
import type { ObjectMeta } from '../../src/core/kube/meta-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';
import { controllerReference } from '../../src/core/kube/owner-references.ts';
import { formatTime } from '../../src/core/kube/time.ts';
import type { Actor } from '../../src/machinery/actor.ts';
import { createInformers } from '../../src/machinery/cache/informers.ts';
import type { Client } from '../../src/machinery/client/client.ts';
import type { Surroundings } from '../../src/machinery/controller/surroundings.ts';
import { createEventRecorder } from '../../src/machinery/events/event-recorder.ts';
import { createSeededRandom } from '../../src/machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../src/machinery/time/virtual-clock.ts';
import { createFleet } from '../../src/nodes/fleet/fleet.ts';
import { type NodeGroup, nodesOf } from '../../src/nodes/fleet/node-groups.ts';

export interface TicketWorldOptions extends TestServerOptions {
  readonly nodes?: number | readonly NodeGroup[];
  readonly scheduler?: boolean;
  readonly controller?: Partial<TicketControllerOptions> | false;
  /** Beside the controllers of Tickets and of the taint. */
  readonly more?: (around: Surroundings) => readonly Actor[];
  /** Stands between the controllers and the server. */
  readonly through?: (client: Client, clock: VirtualClock) => Client;
}

export interface TicketWorld {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** The server without anybody to move time on: for actors. */
  readonly direct: Client;
  /** Another instance of the controllers on the same server, as after a restart. Unless `isStopped`, it is left behind at the end. */
  startController(more?: Partial<TicketControllerOptions>, isStopped?: boolean): { stop(): Promise<void> };
  stopController(): Promise<void>;
  run(actor: Actor): () => Promise<void>;
  ticket(name?: string): Promise<Stored<Ticket>>;
  tickets(): Promise<readonly Stored<Ticket>[]>;
  guardians(): Promise<readonly Stored<Pod>[]>;
  events(reason?: string): Promise<readonly Event[]>;
  phase(name?: string): Promise<string | undefined>;
  eventually(condition: () => Promise<boolean>, withinMs?: number): Promise<void>;
  join(group: NodeGroup, change?: (node: Node) => Node): Promise<void>;
  stop(): Promise<void>;
}

export const namespace = 'default';

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
  };
}

export async function createTicketWorld(options: TicketWorldOptions = {}): Promise<TicketWorld> {
  const clock = createVirtualClock();
  const random = createSeededRandom(7);
  const { client: direct, server } = await createTestServer({ ...options, clock, random });
  server.registry.add(ownKinds(['orders.core.korder.dev', 'tickets.core.korder.dev', 'quotas.core.korder.dev']));
  const client = driven(direct, clock);
  const stops: (() => Promise<void>)[] = [];
  let stopController: () => Promise<void> = () => Promise.resolve();

  function run(start: (signal: AbortSignal) => Promise<unknown>, isStopped = true): () => Promise<void> {
    const stopping = new AbortController();
    const done = start(stopping.signal);
    const stop = async (): Promise<void> => {
      stopping.abort();
      let over = false;
      void done.finally(() => (over = true)).catch(() => undefined);
      await clock.runUntil(() => over, 60_000);
      await done;
    };
    if (isStopped) stops.push(stop);
    return stop;
  }

  const informers = createInformers(direct, { clock, random });
  const around: Surroundings = { client: direct, informers, clock, random };
  const others: Actor[] = [
    createFleet({ client: direct, informers, clock, ownLeases: 0 }),
    createGarbageCollector({ ...around, resources: collectableResources(server.registry.all()) }),
    ...(options.scheduler === false ? [] : [createScheduler(around)]),
    ...(options.more?.(around) ?? []),
  ];
  for (const actor of others) run((signal) => actor.start(signal));
  run((signal) => informers.start(signal));

  function startController(more: Partial<TicketControllerOptions> = {}, isStopped = true): { stop(): Promise<void> } {
    const own = options.through?.(direct, clock) ?? direct;
    const watching = createInformers(own, { clock, random });
    const recorder = createEventRecorder({
      client: direct,
      clock,
      random,
      controller: 'everynode-reservation',
      instance: 'test',
      api: 'core',
    });
    const given = { client: own, informers: watching, clock, random, events: recorder, ...more };
    const actors = [createTicketController(given), createUnreservedTaintController(given), watching, recorder];
    const stop = run((signal) => Promise.all(actors.map((actor) => actor.start(signal))), isStopped);
    stopController = stop;
    return { stop };
  }
  if (options.controller !== false) startController(options.controller);

  const world: TicketWorld = {
    clock,
    client,
    direct,
    startController,
    stopController: () => stopController(),
    run: (actor) => run((signal) => actor.start(signal)),
    ticket: (name = 'room') => client.get(TICKETS, { namespace, name }),
    tickets: async () => (await client.list(TICKETS, { namespace })).items,
    guardians: async () =>
      (await client.list(PODS, { namespace, labelSelector: `${RESERVATION_LABELS.guardian}=true` })).items,
    async events(reason) {
      const { items } = await client.list<Event>(EVENTS, { namespace });
      return items.filter(
        (event) =>
          event.source?.component === 'everynode-reservation' && (reason === undefined || event.reason === reason),
      );
    },
    phase: async (name) => (await world.ticket(name)).status?.phase,
    async eventually(condition, withinMs = 120_000) {
      const end = clock.monotonic() + withinMs;
      for (;;) {
        if (await condition()) return;
        if (clock.monotonic() >= end) throw new Error('it did not come about in time');
        await clock.advance(50);
      }
    },
    async join(group, change = (node) => node) {
      for (const node of nodesOf(group, formatTime(clock.now()))) await client.create(NODES, change(node));
    },
    async stop() {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
  const groups = typeof options.nodes === 'number' ? [{ name: 'node', count: options.nodes }] : (options.nodes ?? []);
  for (const group of groups) await world.join(group);
  await clock.advance(100);
  return world;
}

const REQUESTS = { resources: { requests: { cpu: '500m', memory: '256Mi' } } };

export const ticket = (spec: Partial<TicketSpec> = {}, metadata: Partial<ObjectMeta> = {}): Ticket => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name: 'room', namespace, ...metadata },
  spec: { ...REQUESTS, ...spec },
});

export const order = (spec: Partial<OrderSpec> = {}, name = 'rooms'): Order => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name, namespace },
  spec: { strategy: { type: 'OneTime', refreshPolicy: 'OnClaim' }, template: { spec: REQUESTS }, ...spec },
});

/** Metadata of a Ticket that the Order made. */
export const madeBy = (owner: Stored<Order>): Partial<ObjectMeta> => ({
  labels: { [RESERVATION_LABELS.order]: owner.metadata.name, [RESERVATION_LABELS.orderUid]: owner.metadata.uid },
  ownerReferences: [controllerReference({ ...owner, apiVersion: ORDERS.group + '/' + ORDERS.version, kind: 'Order' })],
});

export const pinnedTo = (node: string): Pick<TicketSpec, 'affinity'> => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
      },
    },
  },
});

export const pod = (name: string, spec: Partial<PodSpec> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'example.test/web:1' }], ...spec },
});
