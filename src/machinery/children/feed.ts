/** What asks for a sync: the object itself, its pods, and orphans it could take in. */
import type { Pod } from '../../core/api/types/core-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Clock } from '../time/clock.ts';
import { type Controller, NO_KEYS, type ReconcileResult } from '../controller/controller.ts';
import type { Informer } from '../cache/informer.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Change } from '../cache/object-store.ts';
import type { Owner, Owners } from './owners.ts';
import type { Selects } from './selectors.ts';

/** The least time between two syncs of an object that only its children asked for, and more for each child there is. */
const COALESCE_MS = 20;
const MS_A_CHILD = 0.06;

/**
 * Syncs, and then lets the object rest: many children change within one breath, and looking once after all of them is enough.
 *
 * @param children how many there are to go through.
 */
export async function takeTurn<O extends KubeObject>(
  owner: Owner<O>,
  clock: Clock,
  children: () => number,
  sync: () => Promise<ReconcileResult>,
): Promise<ReconcileResult> {
  owner.isBusy = true;
  owner.again = false;
  try {
    const { requeueAfterMs = Infinity } = await sync();
    const pause = COALESCE_MS + children() * MS_A_CHILD;
    owner.restUntil = clock.monotonic() + pause;
    const wait = owner.again ? Math.min(requeueAfterMs, pause) : requeueAfterMs;
    return wait === Infinity ? {} : { requeueAfterMs: wait };
  } finally {
    owner.isBusy = false;
  }
}

export interface FeedOptions<O extends KubeObject, W extends Owner<O>> {
  readonly controller: Controller<ObjectKey>;
  readonly clock: Clock;
  readonly resource: Resource<O>;
  readonly informer: Informer<O>;
  readonly owners: Owners<O, W>;
  readonly selects: (object: O) => Selects;
  /** Whether it looks again at what its own writes made of the object. */
  readonly echo?: boolean;
}

export interface Feed {
  /** Looks at the object after what may come within one breath. */
  soon(key: ObjectKey): void;
  /** For a resource whose objects it controls. Selected orphans make it look for them if it adopts. */
  follow<T extends KubeObject>(informer: Informer<T>, adopts: boolean): void;
}

export function createFeed<O extends KubeObject, W extends Owner<O>>(options: FeedOptions<O, W>): Feed {
  const { controller, clock, resource, informer, owners, selects } = options;

  controller.watch(informer, (object, change) => {
    if (object !== change.object) return NO_KEYS;
    const key = keyOf(object);
    // What our own write made of it needs no second look.
    const isOurs =
      options.echo !== true && owners.find(key)?.object.metadata.resourceVersion === object.metadata.resourceVersion;
    return change.type !== 'delete' && isOurs ? [] : [key];
  });

  function soon(key: ObjectKey): void {
    const owner = owners.find(key);
    if (owner?.isBusy === true) {
      owner.again = true;
      return;
    }
    const wait = (owner?.restUntil ?? -Infinity) - clock.monotonic();
    if (wait > 0) controller.queue.addAfter(key, wait);
    else controller.queue.add(key);
  }

  function ownerKey(child: KubeObject): ObjectKey | undefined {
    const reference = controllerOf(child);
    if (reference === undefined || reference.kind !== resource.kind) return undefined;
    if (!isOfGroup(reference.apiVersion, resource.group)) return undefined;
    const { namespace } = child.metadata;
    return namespace === undefined ? { name: reference.name } : { namespace, name: reference.name };
  }

  function seeOrphan<T extends KubeObject>({ type, object, old }: Change<T>): void {
    if (type === 'delete' || object.metadata.deletionTimestamp !== undefined) return;
    if (old !== undefined && controllerOf(old) === undefined && sameLabels(old, object)) return;
    for (const candidate of informer.lister.list(object.metadata.namespace ?? '')) {
      if (!selects(candidate)(object.metadata.labels)) continue;
      const key = keyOf(candidate);
      const owner = owners.find(key);
      if (owner !== undefined) owner.adopts = true;
      controller.queue.add(key);
    }
  }

  return {
    soon,
    follow(children, adopts) {
      controller.watch(children, (object, change) => {
        if (object !== change.object) {
          // What it has left may need work as well.
          if (hasOtherController(object, change.object)) enqueue(object);
          return NO_KEYS;
        }
        if (controllerOf(object) !== undefined) enqueue(object);
        else if (adopts) seeOrphan(change);
        return NO_KEYS;
      });
    },
  };

  function enqueue(child: Stored): void {
    const key = ownerKey(child);
    if (key !== undefined) soon(key);
  }
}

/** Owners that did not change are mostly the very same list. */
const hasOtherController = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.ownerReferences !== b.metadata.ownerReferences && controllerOf(a)?.uid !== controllerOf(b)?.uid;

const isOfGroup = (apiVersion: string, group: string): boolean =>
  group === '' ? !apiVersion.includes('/') : apiVersion.startsWith(`${group}/`);

const sameLabels = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.labels === b.metadata.labels || deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {});

/** Whether the pod still runs or may. */
export const isActive = (pod: Pod): boolean =>
  pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed' && pod.metadata.deletionTimestamp === undefined;
