/**
 * A small cluster in virtual time for tests of Orders: API server, scheduler, simulated nodes, garbage collector, and the controllers of
 * Orders and Tickets, which can be stopped and started again.
 */
import { createTestServer, type TestServerOptions } from '../../../src/apiserver/testing/test-server.ts';
import { createGarbageCollector } from '../../../src/control/housekeeping/garbage-collector.ts';
import { collectableResources } from '../../../src/control/housekeeping/served-resources.ts';
import {
  createOrderController,
  type OrderControllerOptions,
} from '../../../src/control/reservation/order/order-controller.ts';
import { createTicketController } from '../../../src/control/reservation/ticket/ticket-controller.ts';
import { createScheduler } from '../../../src/control/scheduler/scheduler.ts';
import { RESERVATION_LABELS } from '../../../src/core/api/names.ts';
import { ownKinds } from '../../../src/core/api/registry/built-in-kinds.ts';
import { EVENTS, NODES, ORDERS, PODS, TICKETS } from '../../../src/core/api/registry/resources.ts';
import type { Event, Node, Pod } from '../../../src/core/api/types/core-v1.ts';
import type { Order, Ticket } from '../../../src/core/api/types/korder-v1alpha1.ts';
import { findCondition } from '../../../src/core/kube/conditions.ts';
import type { Condition } from '../../../src/core/kube/meta-v1.ts';
import type { Stored } from '../../../src/core/kube/objects.ts';
import { formatTime } from '../../../src/core/kube/time.ts';
import type { Actor } from '../../../src/machinery/actor.ts';
import { createInformers } from '../../../src/machinery/cache/informers.ts';
import type { Client } from '../../../src/machinery/client/client.ts';
import { createEventRecorder } from '../../../src/machinery/events/event-recorder.ts';
import { type LogLine, rememberingLogger } from '../../../src/machinery/logging/logger.ts';
import { createSeededRandom } from '../../../src/machinery/random/seeded-random.ts';
import { createVirtualClock, type VirtualClock } from '../../../src/machinery/time/virtual-clock.ts';
import { createFleet } from '../../../src/nodes/fleet/fleet.ts';
import { type NodeGroup, nodesOf } from '../../../src/nodes/fleet/node-groups.ts';
import { driven } from './driven-client.ts';

export interface OrderWorldOptions extends TestServerOptions {
  readonly nodes?: number | readonly NodeGroup[];
  readonly scheduler?: boolean;
  /** The controller of Tickets; without it Tickets stay as the Order makes them. */
  readonly tickets?: boolean;
  readonly controller?: Partial<OrderControllerOptions> | false;
  /** Stands between the controller of Orders and the server. */
  readonly through?: (client: Client, clock: VirtualClock) => Client;
}

export interface OrderWorld {
  readonly clock: VirtualClock;
  readonly client: Client;
  /** The server without anybody to move time on: for actors. */
  readonly direct: Client;
  readonly log: readonly LogLine[];
  /** Another controller of Orders on the same server, as after a restart. */
  startController(more?: Partial<OrderControllerOptions>): { stop(): Promise<void> };
  stopController(): Promise<void>;
  run(actor: Actor): () => Promise<void>;
  order(name?: string): Promise<Stored<Order>>;
  condition(type: string, name?: string): Promise<Condition | undefined>;
  /** Of the Order, in order of their nodes. */
  tickets(order?: string): Promise<readonly Stored<Ticket>[]>;
  guardians(): Promise<readonly Stored<Pod>[]>;
  /** Events about Orders: type, reason, message. */
  events(reason?: string): Promise<readonly string[]>;
  eventually(condition: () => Promise<boolean>, withinMs?: number): Promise<void>;
  /** The Order has so many available Tickets, and wants no more. */
  available(count: number, name?: string): Promise<void>;
  join(group: NodeGroup, change?: (node: Node) => Node): Promise<void>;
  stop(): Promise<void>;
}

export const namespace = 'default';
const OWN_KINDS = ['orders.core.korder.dev', 'tickets.core.korder.dev', 'quotas.core.korder.dev'];

export async function createOrderWorld(options: OrderWorldOptions = {}): Promise<OrderWorld> {
  const clock = createVirtualClock();
  const random = createSeededRandom(7);
  const { client: direct, server } = await createTestServer({ ...options, clock, random });
  server.registry.add(ownKinds(OWN_KINDS));
  const client = driven(direct, clock);
  const log = rememberingLogger();
  const stops: (() => Promise<void>)[] = [];
  let stopController: () => Promise<void> = () => Promise.resolve();

  function run(start: (signal: AbortSignal) => Promise<unknown>): () => Promise<void> {
    const stopping = new AbortController();
    const done = start(stopping.signal);
    let isStopped = false;
    const stop = async (): Promise<void> => {
      if (isStopped) return;
      isStopped = true;
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
  const around = { client: direct, informers, clock, random };
  const recorder = createEventRecorder({
    client: direct,
    clock,
    random,
    controller: 'tickets',
    instance: 'test',
    api: 'core',
  });
  const others: readonly Actor[] = [
    createFleet({ client: direct, informers, clock, ownLeases: 0 }),
    createGarbageCollector({ ...around, resources: collectableResources(server.registry.all()) }),
    recorder,
    ...(options.scheduler === false ? [] : [createScheduler(around)]),
    ...(options.tickets === false ? [] : [createTicketController({ ...around, events: recorder })]),
  ];
  for (const actor of others) run((signal) => actor.start(signal));
  run((signal) => informers.start(signal));

  function startController(more: Partial<OrderControllerOptions> = {}): { stop(): Promise<void> } {
    const own = options.through?.(direct, clock) ?? direct;
    const watching = createInformers(own, { clock, random });
    const controller = createOrderController({
      client: own,
      informers: watching,
      clock,
      random,
      logger: log.logger,
      ...more,
    });
    const stop = run((signal) => Promise.all([watching.start(signal), controller.start(signal)]));
    stopController = stop;
    return { stop };
  }

  const world: OrderWorld = {
    clock,
    client,
    direct,
    log: log.lines,
    startController,
    stopController: () => stopController(),
    run: (actor) => run((signal) => actor.start(signal)),
    order: (name = 'rooms') => client.get(ORDERS, { namespace, name }),
    condition: async (type, name) => findCondition((await world.order(name)).status?.conditions, type),
    async tickets(order = 'rooms') {
      const { items } = await client.list(TICKETS, {
        namespace,
        labelSelector: `${RESERVATION_LABELS.order}=${order}`,
      });
      return items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
    },
    guardians: async () =>
      (await client.list(PODS, { namespace, labelSelector: `${RESERVATION_LABELS.guardian}=true` })).items,
    async events(reason) {
      const { items } = await client.list<Event>(EVENTS, { namespace });
      return items
        .filter(
          ({ involvedObject, ...event }) =>
            involvedObject.kind === 'Order' && (reason ?? event.reason) === event.reason,
        )
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
    available: (count, name) =>
      world.eventually(async () => {
        const { status, metadata } = await world.order(name);
        return (
          (status?.availableReplicas ?? 0) === count &&
          status?.replicas === count &&
          status.observedGeneration === metadata.generation
        );
      }),
    async join(group, change = (node) => node) {
      for (const node of nodesOf(group, formatTime(clock.now()))) await client.create(NODES, change(node));
    },
    async stop() {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
  if (options.controller !== false) startController(options.controller);
  const groups = typeof options.nodes === 'number' ? [{ name: 'node', count: options.nodes }] : (options.nodes ?? []);
  for (const group of groups) await world.join(group);
  await clock.advance(100);
  return world;
}

/** The node that the Ticket is pinned to; empty where there is none. */
export const nodeOf = ({ spec }: Ticket): string =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms[0]?.matchFields?.[0]
    ?.values?.[0] ?? '';

const sortKey = (ticket: Stored<Ticket>): string =>
  `${nodeOf(ticket)} ${ticket.metadata.creationTimestamp} ${ticket.metadata.name}`;
