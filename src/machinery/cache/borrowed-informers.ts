/**
 * Informers as one actor uses them, although they live longer than the actor: its handlers are removed when it ends, so that it neither
 * keeps its caches nor goes on working.
 */
import type { KubeObject, Resource } from '../../core/kube/objects.ts';
import type { Informer } from './informer.ts';
import type { Informers } from './informers.ts';
import type { ReflectorScope } from './reflector/reflector-options.ts';

export interface BorrowedInformers {
  readonly informers: Informers;
  /** Removes every handler that was added through `informers`. */
  release(): void;
}

/** @param lender the informers that lend the one of a resource; `informers` for all of them unless given. */
export function borrowInformers(
  informers: Informers,
  lender: (resource: Resource) => Informers = () => informers,
): BorrowedInformers {
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
        lend(lender(resource as Resource).for(resource, scope)),
    },
    release() {
      for (const registration of registrations.splice(0)) registration.remove();
    },
  };
}
