/**
 * Controllers that can be stopped and begun again within one process: each time a new actor, over the same informers.
 * The handlers of the former actor are removed, so that it neither keeps its caches nor goes on working.
 */
import type { KubeObject, Resource } from '../../core/kube/objects.ts';
import type { Informer } from '../../machinery/cache/informer.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { ReflectorScope } from '../../machinery/cache/reflector/reflector-options.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import type { Chosen } from '../catalogue/select.ts';
import type { Worker } from './shift.ts';

export function workerOf({ row, place }: Chosen<'operator'>, around: Surroundings): Worker {
  return {
    row,
    create() {
      const { informers, release } = borrowed(around.informers);
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

/** The informers as one actor uses them: `release` removes every handler that it has added. */
function borrowed(informers: Informers): { readonly informers: Informers; release(): void } {
  const registrations: { remove(): void }[] = [];
  const lend = <T extends KubeObject>(informer: Informer<T>): Informer<T> =>
    // Everything else, the getters too, is the informer's own.
    Object.create(informer, {
      addHandler: {
        value: (...args: Parameters<Informer<T>['addHandler']>) => {
          const registration = informer.addHandler(...args);
          registrations.push(registration);
          return registration;
        },
      },
    }) as Informer<T>;
  return {
    informers: {
      ...informers,
      for: <T extends KubeObject>(resource: Resource<T>, scope?: ReflectorScope) =>
        lend(informers.for(resource, scope)),
    },
    release() {
      for (const registration of registrations.splice(0)) registration.remove();
    },
  };
}
