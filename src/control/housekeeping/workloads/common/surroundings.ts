/** Options of the workload controllers, and the loop that reconciles owners of children. */
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
import type { Tell } from './tell.ts';
import { takeTurn } from '../../../../machinery/children/turn.ts';
import type { Owner, Owners } from '../../../../machinery/children/owners.ts';

export interface WorkloadOptions extends KeeperOptions {
  /** Objects reconciled at a time. */
  readonly concurrency?: number;
}

const CONCURRENCY = 8;
/** The least time between two reconciles of an object that only its children asked for, and more for each child there is. */
const COALESCE_MS = 20;
const MS_A_CHILD = 0.06;

/** Emits events as this component of kube-controller-manager; the actors write them to the API. */
export function createTeller(
  options: WorkloadOptions,
  component: string,
): { readonly actors: readonly Actor[]; readonly tell: Tell } {
  const { recorder, actors } = eventsFor(options, component);
  return { actors, tell: (object, type, reason, note) => recorder.event(object, { type, reason, note }) };
}

/** The part of the options that every reconcile loop takes. */
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
  /** The number of children that a reconcile goes through; few unless given. */
  readonly children?: (owner: W) => number;
  /** Whether the object is left alone. */
  readonly skips?: (object: Stored<O>) => boolean;
  readonly sync: (owner: W, signal: AbortSignal) => Promise<ReconcileResult>;
}

/** The loop that reconciles the objects of one kind, each with its `Owner` record. */
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
        owner.turn,
        options.clock,
        () => COALESCE_MS + children(owner) * MS_A_CHILD,
        () => sync(owner, signal),
      );
    },
  });
}
