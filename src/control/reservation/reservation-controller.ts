/**
 * reservation/ — room reserved on nodes before workload comes: Orders, Tickets and guardians.
 *
 * `order/` makes Tickets of Orders, `ticket/` makes guardians of Tickets and ends Tickets on time, `node/` opens new nodes to workload
 * once their room is reserved, `claim/` is the part of a scheduler that hands room over to pods. They meet through API objects only; this
 * file starts and stops the first three together. `common/` has what they share.
 */
import type { Actor } from '../../machinery/actor.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { createEventRecorder, type EventRecorder } from '../../machinery/events/event-recorder.ts';
import { linkAbort } from '../../machinery/time/abort.ts';
import { createReservationMetrics } from './common/reservation-metrics.ts';
import { createUnreservedTaintController } from './node/unreserved-taint-controller.ts';
import { createOrderController } from './order/order-controller.ts';
import { whileDefined } from './served-definitions.ts';
import { createTicketController } from './ticket/ticket-controller.ts';

export interface ReservationControllerOptions extends Surroundings {
  /** Recorder of the events; by default the controller has its own. */
  readonly events?: EventRecorder;
  /** Image of guardians; `registry.k8s.io/pause` unless given. */
  readonly guardianImage?: string | undefined;
  /** The API server knows the kinds by definitions, which may come and go. */
  readonly areDefined?: boolean;
}

const COMPONENT = 'everynode-reservation';

export function createReservationController(options: ReservationControllerOptions): Actor {
  return options.areDefined === true ? whileDefined('reservation', options, createParts) : createParts(options);
}

/** All parts over kinds that are served. */
function createParts(options: ReservationControllerOptions): Actor {
  const { client, clock, random, logger, metrics, instance = 'everynode' } = options;
  const own =
    options.events === undefined
      ? createEventRecorder({
          client,
          clock,
          random,
          ...(logger === undefined ? {} : { logger }),
          ...(metrics === undefined ? {} : { metrics }),
          controller: COMPONENT,
          instance,
          api: 'core',
        })
      : undefined;
  const events: EventRecorder = options.events ?? (own as EventRecorder);
  const around = { ...options, events };
  const parts: readonly Actor[] = [
    createOrderController(around),
    createTicketController(around),
    createUnreservedTaintController(around),
    createReservationMetrics(options),
  ];
  return {
    name: 'reservation',
    ready: () => parts.every((part) => part.ready?.() ?? true),
    async start(signal) {
      using recording = linkAbort(undefined);
      const written = own?.start(recording.signal);
      try {
        await Promise.all(parts.map((part) => part.start(signal)));
      } finally {
        // The parts emit their last events when they stop.
        recording.abort();
        await written;
      }
    },
  };
}
