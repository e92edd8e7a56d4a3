/** What every controller of this house gets, and what it makes of it. */
import type { KubeObject, ObjectKey, Stored } from '../../../../core/kube/objects.ts';
import type { Actor } from '../../../../machinery/actor.ts';
import {
  type Controller,
  type ControllerOptions,
  createController,
  type ReconcileResult,
} from '../../../../machinery/controller/controller.ts';
import type { Informer } from '../../../../machinery/cache/informer.ts';
import { eventsFor, type KeeperOptions } from '../../keeper.ts';
import type { Tell } from '../../../../machinery/children/tell.ts';
import { takeTurn } from '../../../../machinery/children/feed.ts';
import type { Owner, Owners } from '../../../../machinery/children/owners.ts';

export interface WorkloadOptions extends KeeperOptions {
  /** Objects worked on at a time. */
  readonly concurrency?: number;
}

const CONCURRENCY = 8;

/** Speaks in events as this component of kube-controller-manager; the actors write them. */
export function createTeller(
  options: WorkloadOptions,
  component: string,
): { readonly actors: readonly Actor[]; readonly tell: Tell } {
  const { recorder, actors } = eventsFor(options, component);
  return { actors, tell: (object, type, reason, note) => recorder.event(object, { type, reason, note }) };
}

/** What a reconcile loop needs of the surroundings. */
export const loopOptions = (
  { clock, random, logger, metrics, concurrency = CONCURRENCY }: WorkloadOptions,
  name: string,
): Omit<ControllerOptions<ObjectKey>, 'reconcile'> => ({
  name,
  clock,
  random,
  ...(logger === undefined ? {} : { logger }),
  ...(metrics === undefined ? {} : { metrics }),
  concurrency,
});

export interface OwnerLoop<O extends KubeObject, W extends Owner<O>> {
  readonly name: string;
  readonly informer: Informer<O>;
  readonly owners: Owners<O, W>;
  /** How many children there are to go through; few unless said. */
  readonly children?: (owner: W) => number;
  /** Whether the object is left alone. */
  readonly skips?: (object: Stored<O>) => boolean;
  readonly sync: (owner: W, signal: AbortSignal) => Promise<ReconcileResult>;
}

/** The loop that syncs the objects of one kind, each with what is remembered of it. */
export function createOwnerLoop<O extends KubeObject, W extends Owner<O>>(
  options: WorkloadOptions,
  { name, informer, owners, children = () => 0, skips = () => false, sync }: OwnerLoop<O, W>,
): Controller<ObjectKey> {
  return createController<ObjectKey>({
    ...loopOptions(options, name),
    async reconcile(key, signal) {
      const object = informer.lister.get(key.name, key.namespace);
      if (object === undefined) return owners.forget(key);
      if (skips(object)) return undefined;
      const owner = owners.of(key, object);
      return takeTurn(
        owner,
        options.clock,
        () => children(owner),
        () => sync(owner, signal),
      );
    },
  });
}
