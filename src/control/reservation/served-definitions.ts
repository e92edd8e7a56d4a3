/**
 * Follows the definitions of Orders, Tickets and Quotas on a cluster that everynode does not serve, and runs an actor while all are
 * served. A cluster without the definitions costs three quiet watches.
 */
import { CUSTOM_RESOURCE_DEFINITIONS, ORDERS, QUOTAS, TICKETS } from '../../core/api/registry/resources.ts';
import type { CustomResourceDefinition } from '../../core/api/types/apiextensions-v1.ts';
import { isConditionTrue } from '../../core/kube/conditions.ts';
import type { GroupVersionResource, Resource } from '../../core/kube/objects.ts';
import type { Actor } from '../../machinery/actor.ts';
import { borrowInformers } from '../../machinery/cache/borrowed-informers.ts';
import { createInformer, type InformerOptions } from '../../machinery/cache/informer.ts';
import { createInformers } from '../../machinery/cache/informers.ts';
import type { Client } from '../../machinery/client/client.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { aborted, linkAbort } from '../../machinery/time/abort.ts';

const KINDS: readonly GroupVersionResource[] = [ORDERS, TICKETS, QUOTAS];

const nameOf = ({ group, resource }: GroupVersionResource): string => `${resource}.${group}`;

/** Established, with the version that is followed. */
const isServed = (definition: CustomResourceDefinition | undefined, { version }: GroupVersionResource): boolean =>
  definition !== undefined &&
  definition.metadata.deletionTimestamp === undefined &&
  isConditionTrue(definition.status?.conditions, 'Established') &&
  definition.spec.versions.some(({ name, served }) => name === version && served);

/**
 * The actor, while the API server serves the kinds by definitions, which may come and go. Informers of the kinds are its own; all others
 * are the process's.
 */
export function whileDefined<O extends Surroundings>(name: string, options: O, create: (options: O) => Actor): Actor {
  const { client, clock, random, logger } = options;
  const following = { clock, random, ...(logger === undefined ? {} : { logger }), dropManagedFields: true };
  const served = whileServed(client, following, () => {
    // Objects from the wire share equal parts again: Tickets of one template hold its parts once.
    const own = createInformers(client, { ...following, share: true });
    const isOwn = ({ group }: Resource): boolean => group === ORDERS.group;
    const { informers, release } = borrowInformers(options.informers, (resource) =>
      isOwn(resource) ? own : options.informers,
    );
    const actor = create({ ...options, informers });
    return {
      ...actor,
      unknown: () =>
        [...own.all()].flatMap((informer) =>
          informer.hasSynced() && !informer.isRefused() ? [] : [informer.resource],
        ),
      async start(signal) {
        try {
          await Promise.all([own.start(signal), actor.start(signal)]);
        } finally {
          release();
        }
      },
    };
  });
  return { ...served, name };
}

/** @param create a new actor for each time in which all kinds are served. */
function whileServed(client: Client, options: InformerOptions, create: () => Actor): Actor {
  const logger = options.logger ?? silentLogger;
  const definitions = KINDS.map((kind) => {
    const fieldSelector = `metadata.name=${nameOf(kind)}`;
    return { kind, informer: createInformer(client, CUSTOM_RESOURCE_DEFINITIONS, { fieldSelector }, options) };
  });
  /** The actor that runs. */
  let current: Actor | undefined;
  let changed: () => void = () => undefined;

  const areServed = (): boolean =>
    definitions.every(({ kind, informer }) => isServed(informer.lister.get(nameOf(kind)), kind));

  /** Resolves when all are served, or no more; when the signal fires in any case. */
  async function until(served: boolean, signal: AbortSignal): Promise<void> {
    while (areServed() !== served && !signal.aborted)
      await Promise.race([new Promise<void>((resolve) => void (changed = resolve)), aborted(signal)]);
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for (;;) {
      await until(true, signal);
      if (signal.aborted) return;
      logger.info('Orders, Tickets and Quotas are served');
      using life = linkAbort(signal);
      current = create();
      const running = current.start(life.signal);
      // A failure is thrown below; the wait for the definitions must not outlive it.
      running.catch(() => life.abort());
      await until(false, life.signal);
      life.abort();
      await running;
      current = undefined;
    }
  }

  return {
    name: 'reservation',
    ready: () => definitions.every(({ informer }) => informer.hasSynced()) && (current?.ready?.() ?? true),
    unknown: () => [
      ...definitions.flatMap(({ informer }) => (isKnown(informer) ? [] : [informer.resource as Resource])),
      ...(current?.unknown?.() ?? []),
    ],
    async start(signal) {
      const registrations = definitions.map(({ informer }) => informer.addHandler({ batch: () => changed() }));
      const runs = definitions.map(({ informer }) => informer.run(signal));
      try {
        await Promise.all([follow(signal), ...runs]);
      } finally {
        for (const registration of registrations) registration.remove();
      }
    },
  };
}

const isKnown = ({ hasSynced, isRefused }: { hasSynced(): boolean; isRefused(): boolean }): boolean =>
  hasSynced() && !isRefused();
