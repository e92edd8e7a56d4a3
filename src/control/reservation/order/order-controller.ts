/**
 * order/ — the controller of Orders: one Ticket on every eligible node, or as many as there are replicas.
 *
 * `order-registry.ts` holds the Orders it knows, counted by engines of core/daemons at the cost of what changes; `sync.ts` reconciles
 * one Order; `ticket-writer.ts` creates and deletes Tickets, `ticket-statuses.ts` marks and extends them, `ticket-claims.ts` adopts and
 * releases them, `report.ts` reports. There are no expectations: Tickets have names that follow from their purpose, and the answers to
 * own writes count before the caches show them (machinery/children).
 */
import type { ObjectKey } from '../../../core/kube/objects.ts';
import type { Actor } from '../../../machinery/actor.ts';
import type { HandlerRegistration } from '../../../machinery/cache/informer.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import { enqueueSoon } from '../../../machinery/children/turn.ts';
import { createController } from '../../../machinery/controller/controller.ts';
import type { Surroundings } from '../../../machinery/controller/surroundings.ts';
import { createEventRecorder, type EventRecorder } from '../../../machinery/events/event-recorder.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { createAlarm } from '../../../machinery/time/alarm.ts';
import { measured } from '../common/measured.ts';
import { type CacheOptions, feedRegistry, heardAll, openCaches } from './caches.ts';
import type { KnownOrder } from './known-order.ts';
import { createNodeCensus } from './node-census.ts';
import { COMPONENT, createOrderEvents } from './order-events.ts';
import { OrderRegistry } from './order-registry.ts';
import { createSync } from './sync.ts';
import { createTicketStatuses } from './ticket-statuses.ts';
import { createTicketTally } from './ticket-tally.ts';
import { createTicketWriter } from './ticket-writer.ts';

export interface OrderControllerOptions extends Surroundings, CacheOptions {
  /** Recorder of the controller's events; by default they go to the API. */
  readonly events?: EventRecorder;
  /** Orders reconciled at a time. */
  readonly concurrency?: number;
  /** Tickets created, deleted or written at a time for one Order. */
  readonly burst?: number;
  /** The least time between two reconciles of an Order that only Tickets and nodes asked for; large Orders take more. */
  readonly coalesceMs?: number;
}

const BURST = 250;
const CONCURRENCY = 8;
const COALESCE_MS = 20;
/** Rest of an Order for each change: where more than 500 come a second, each rest is longer than the one before. */
const REST_PER_CHANGE_MS = 2;
/** The longest rest, for each place: a burst of 50,000 Tickets is reported once a second. */
const REST_PER_PLACE_MS = 0.02;
const LONGEST_REST_MS = 1000;

const restMs = (least: number, changes: number, places: number): number =>
  Math.max(least, Math.min(LONGEST_REST_MS, changes * REST_PER_CHANGE_MS, places * REST_PER_PLACE_MS));

export function createOrderController(options: OrderControllerOptions): Actor {
  const { client, clock, random } = options;
  const logger = options.logger ?? silentLogger;
  const metrics = options.metrics === undefined ? {} : { metrics: options.metrics };
  const { burst = BURST, coalesceMs = COALESCE_MS } = options;
  const caches = openCaches(options);
  const own =
    options.events === undefined
      ? createEventRecorder({
          client,
          clock,
          random,
          logger,
          ...metrics,
          controller: COMPONENT,
          instance: options.instance ?? 'everynode',
          api: 'core',
        })
      : undefined;
  const events = createOrderEvents(own ?? options.events ?? NO_EVENTS);
  function soon(order: KnownOrder): void {
    order.changes += 1;
    enqueueSoon(order.turn, order.key, controller.queue, clock);
  }
  const registry = new OrderRegistry({ clock, tickets: caches.tickets, onChange: soon });
  const census = createNodeCensus((uid) => {
    const order = registry.byUid(uid);
    if (order !== undefined) soon(order);
  });
  const tally = createTicketTally(events);
  const alarm = createAlarm(clock, (key) => {
    const order = registry.byName(key);
    if (order !== undefined) controller.queue.add(order.key);
  });
  const sync = createSync({
    client,
    clock,
    logger: logger.with({ controller: 'order' }),
    registry,
    census,
    events,
    orders: caches.orders.lister,
    tickets: caches.tickets,
    writer: createTicketWriter({ client, events: tally, burst }),
    statuses: createTicketStatuses({ client, clock, tally, burst }),
    tally,
    alarm,
    pauseMs: (changes, places) => restMs(coalesceMs, changes, places),
  });
  const registrations: HandlerRegistration[] = [];
  const controller = createController<ObjectKey>({
    name: 'order',
    reconcile: measured(options, 'order', sync),
    clock,
    random,
    logger,
    ...metrics,
    concurrency: options.concurrency ?? CONCURRENCY,
    waitFor: [(signal) => heardAll(caches, registrations, signal)],
  });

  function listen(): void {
    registrations.push(
      ...feedRegistry(registry, census, caches),
      caches.orders.addHandler({
        batch(changes) {
          for (const { type, object } of changes) {
            const known = registry.byName(keyText(keyOf(object)));
            // The state that an own status write led to needs no second look.
            if (type === 'delete' || known?.object.metadata.resourceVersion !== object.metadata.resourceVersion)
              controller.queue.add(keyOf(object));
          }
        },
      }),
    );
  }

  return {
    name: 'order-controller',
    ready: () => controller.ready(),
    async start(signal) {
      listen();
      await Promise.all([own?.start(signal), controller.start(signal)]);
      alarm.close();
      for (const registration of registrations) registration.remove();
    },
  };
}

const NO_EVENTS: EventRecorder = { event: () => undefined };
