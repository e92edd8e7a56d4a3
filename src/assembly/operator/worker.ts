/**
 * Controllers that can be stopped and begun again within one process: each time a new actor, over the same informers.
 * The handlers of the former actor are removed, so that it neither keeps its caches nor goes on working.
 */
import { borrowInformers } from '../../machinery/cache/borrowed-informers.ts';
import type { OperatorParts } from '../catalogue/entry.ts';
import type { Chosen } from '../catalogue/select.ts';
import type { Worker } from './shift.ts';

export function workerOf({ row, place }: Chosen<'operator'>, around: OperatorParts): Worker {
  return {
    row,
    create() {
      const { informers, release } = borrowInformers(around.informers);
      const actor = place.create({ ...around, informers });
      const { ready, unknown } = actor;
      return {
        name: actor.name,
        ...(ready === undefined ? {} : { ready: () => ready.call(actor) }),
        ...(unknown === undefined ? {} : { unknown: () => unknown.call(actor) }),
        async start(signal) {
          try {
            await actor.start(signal);
          } finally {
            release();
          }
        },
      };
    },
  };
}
