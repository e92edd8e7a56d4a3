/**
 * The controllers of an operator over one client: caches, and the shift that runs each controller while it may act. `everynode
 * operator` adds connection, leader election and health (`process.ts`); tests that bring clients of their own use this alone, so
 * that what they judge is what ships.
 */
import { createInformers, type Informers } from '../../machinery/cache/informers.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Logger } from '../../machinery/logging/logger.ts';
import type { Metrics } from '../../machinery/metrics/metrics.ts';
import type { Chosen } from '../catalogue/select.ts';
import type { RivalOptions } from './rivals.ts';
import { createShift, type Shift, type Worker } from './shift.ts';
import { workerOf } from './worker.ts';

/** How caches are filled at first: in pages, as a stream of events, or every kind in one list; see the reflector. */
export type InitialState = 'pages' | 'stream' | 'whole';

export interface OperatorControllersOptions extends RivalOptions {
  /** Through this client controllers write; `client` unless given. A fence in it keeps a process that lost the lead from writing. */
  readonly writer?: Client;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Name of this process among several, in events. */
  readonly instance: string;
  readonly controllers: readonly Chosen<'operator'>[];
  /** Workers of the process that are no controllers of the catalogue, in the same shift. */
  readonly others?: readonly Worker[];
  /** Image of guardian pods; the controller's own default unless given. */
  readonly guardianImage?: string | undefined;
  /** `pages` unless given. */
  readonly initialState?: InitialState | undefined;
}

export interface OperatorControllers {
  /** To be started, and synced before the shift runs. */
  readonly informers: Informers;
  readonly shift: Shift;
}

export function createOperatorControllers(options: OperatorControllersOptions): OperatorControllers {
  const { client, clock, random, logger, metrics, instance, initialState } = options;
  const informers = createInformers(client, {
    clock,
    random,
    logger,
    // Objects from the wire share equal parts again: pods of one template hold its parts once.
    share: true,
    dropManagedFields: true,
    streamingList: initialState === 'stream',
    ...(initialState === 'whole' ? { pageSize: 0 } : {}),
  });
  const { guardianImage } = options;
  const writer = options.writer ?? client;
  const around = { client: writer, informers, clock, random, logger, metrics, instance, guardianImage };
  const workers = [...options.controllers.map((chosen) => workerOf(chosen, around)), ...(options.others ?? [])];
  return { informers, shift: createShift(workers, options) };
}
