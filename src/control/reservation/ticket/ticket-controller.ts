/**
 * The controller of Tickets: keeps one guardian for each, says when its room is Reserved, ends it on time and removes it after its TTL.
 *
 * `ticket-step.ts` decides, purely, what is to be done next; `ticket-facts.ts` gathers what that is decided by; `ticket-sync.ts` carries
 * it out; `guardian-writer.ts` writes pods. Own writes count before the caches show them (`guardian-cache.ts`), guardians have names that
 * follow from their purpose, and one alarm serves the times of all Tickets.
 */
import { NODES, ORDERS, PODS, TICKETS } from '../../../core/api/registry/resources.ts';
import type { Order, Ticket } from '../../../core/api/types/korder-v1alpha1.ts';
import { isCordoned } from '../../../core/daemons/verdict.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { HandlerRegistration, Informer } from '../../../machinery/cache/informer.ts';
import { keyOf, keyText, parseKeyText } from '../../../machinery/cache/object-keys.ts';
import { Overlay } from '../../../machinery/children/overlay.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import { WritesUnderWay } from '../../../machinery/children/writes-under-way.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import type { EventRecorder } from '../../../machinery/events/event-recorder.ts';
import { createAlarm } from '../../../machinery/time/alarm.ts';
import { measured } from '../common/measured.ts';
import { Claimants } from './claimants.ts';
import { GuardianCache } from './guardian-cache.ts';
import { followGuardians } from './guardian-feed.ts';
import { GUARDIAN_IMAGE } from './guardian-pod.ts';
import { createGuardianWriter } from './guardian-writer.ts';
import { createHandoverWriter } from './handover-writer.ts';
import { createLeftShades } from './left-shades.ts';
import { createTicketEvents } from './ticket-events.ts';
import { indexTickets, type TicketCaches } from './ticket-facts.ts';
import { TicketMemory, Waiters } from './ticket-memory.ts';
import { createTicketSync } from './ticket-sync.ts';

export interface TicketControllerOptions extends Surroundings {
  /** Receives the events of Tickets; started and stopped by its owner. */
  readonly events: EventRecorder;
  /** Image of guardians. */
  readonly guardianImage?: string | undefined;
  /** Tickets reconciled at a time. */
  readonly concurrency?: number;
}

/** Most of the time of a reconcile is spent waiting for one answer. */
const CONCURRENCY = 128;

export function createTicketController(options: TicketControllerOptions): Actor {
  const { client, clock, informers } = options;
  const tickets = informers.for(TICKETS);
  const orders = informers.for(ORDERS);
  const pods = informers.for(PODS);
  const nodes = informers.for(NODES);
  indexTickets(tickets);
  const guardians = new GuardianCache(pods);
  const memory = new TicketMemory(guardians);
  const caches: TicketCaches = {
    tickets,
    written: new Overlay<Ticket>(tickets),
    guardians,
    orders: orders.lister,
    nodes: nodes.lister,
  };
  const onOrder = new Waiters();
  const onTick = new Waiters();
  const onNode = new Waiters();
  const events = createTicketEvents(options.events, clock);
  const alarm = createAlarm(clock, (key) => enqueue(key));
  const created = options.metrics?.counter({
    name: 'korder_guardian_pods_total',
    help: 'Guardian pods created',
    labels: ['namespace'],
  });
  const podWrites = new WritesUnderWay();
  const writes = new WritesUnderWay();
  const enqueue = (key: string): void => controller.queue.add(key);
  const writer = createGuardianWriter({
    client,
    guardians,
    writes: podWrites,
    onChanged: (ticket) => enqueue(keyText(keyOf(ticket))),
    image: options.guardianImage ?? GUARDIAN_IMAGE,
    onCreated: ({ metadata: { namespace = '' } }) => created?.with({ namespace }).inc(),
  });
  const handovers = createHandoverWriter({ client, guardians, image: options.guardianImage ?? GUARDIAN_IMAGE });
  const shades = createLeftShades({ client, pods, handovers });
  const claimants = new Claimants();
  const registrations: HandlerRegistration[] = [];
  const controller = createController<string>({
    name: 'ticket',
    clock,
    random: options.random,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    concurrency: options.concurrency ?? CONCURRENCY,
    describe: (key) => ({ ...parseKeyText(key) }),
    waitFor: [
      (signal) => nodes.synced(signal),
      async (signal) => void (await Promise.all(registrations.map((each) => each.synced(signal)))),
    ],
    reconcile: measured(
      options,
      'ticket',
      createTicketSync({
        client,
        clock,
        caches,
        memory,
        writer,
        handovers,
        shades,
        events,
        alarm,
        writes,
        enqueue,
        onOrder,
        onTick,
        onNode,
      }),
    ),
  });
  const { queue } = controller;

  function wake(keys: Iterable<string>): void {
    for (const key of keys) queue.add(key);
  }

  function listen(): void {
    registrations.push(
      pods.addHandler({
        batch(changes) {
          followGuardians(guardians, podWrites, changes, enqueue);
          claimants.follow(changes, enqueue);
        },
      }),
      tickets.addHandler({
        batch(changes) {
          for (const { type, object, old } of changes) {
            const gone = type === 'delete' ? object : old?.metadata.uid === object.metadata.uid ? undefined : old;
            if (gone !== undefined) forget(gone);
            if (type !== 'delete') claimants.sawTicket(object);
            // The state that an own write led to needs no second look.
            if (type !== 'delete' && caches.written.isOwnWrite(object)) caches.written.confirm(object);
            else {
              const key = keyText(keyOf(object));
              if (type !== 'update' || !writes.holds(key, object)) queue.add(key);
            }
          }
        },
      }),
      followOrders(
        orders,
        ({ metadata }) => wake(onOrder.take(metadata.uid)),
        ({ metadata }) => wake(onTick.take(metadata.uid)),
      ),
      nodes.addHandler({
        add: (node) => wake(onNode.take(node.metadata.name)),
        update(_old, node) {
          if (!isCordoned(node)) wake(onNode.take(node.metadata.name));
        },
      }),
    );
  }

  function forget(ticket: Stored<Ticket>): void {
    const { uid } = ticket.metadata;
    caches.written.forget(uid);
    memory.forget(uid);
    claimants.forget(ticket);
  }

  return {
    name: 'ticket-controller',
    ready: () => controller.ready(),
    async start(signal) {
      listen();
      try {
        await controller.start(signal);
      } finally {
        alarm.close();
        events.flush();
        for (const registration of registrations) registration.remove();
      }
    },
  };
}

type OrderHandler = (order: Stored<Order>) => void;

/** @param changed called when the spec of an Order has changed, or the Order goes. @param ticked called when a tick was carried out. */
const followOrders = (orders: Informer<Order>, changed: OrderHandler, ticked: OrderHandler): HandlerRegistration =>
  orders.addHandler({
    delete: changed,
    update(old, order) {
      if (old.metadata.uid !== order.metadata.uid) changed(old);
      const isSame =
        old.metadata.generation === order.metadata.generation &&
        old.metadata.deletionTimestamp === order.metadata.deletionTimestamp;
      if (!isSame) changed(order);
      if (old.status?.lastScheduleTime !== order.status?.lastScheduleTime) ticked(order);
    },
  });
