/** Which changes enqueue an owner: those of the owner itself, of its children, and of orphans that it could adopt. */
import { deepEqual } from '../../core/kube/immutable.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import type { Clock } from '../time/clock.ts';
import { type Controller, NO_KEYS } from '../controller/controller.ts';
import type { Informer } from '../cache/informer.ts';
import { keyOf } from '../cache/object-keys.ts';
import type { Change } from '../cache/object-store.ts';
import type { Owner, Owners } from './owners.ts';
import type { Selects } from './selectors.ts';
import { enqueueSoon } from './turn.ts';

export interface FeedOptions<O extends KubeObject, W extends Owner<O>> {
  readonly controller: Controller<ObjectKey>;
  readonly clock: Clock;
  readonly resource: Resource<O>;
  readonly informer: Informer<O>;
  readonly owners: Owners<O, W>;
  readonly selects: (object: O) => Selects;
  /** Whether an owner is reconciled again after its controller's own writes to it. */
  readonly echo?: boolean;
}

export interface Feed {
  /** Enqueues the owner when its rest is over. */
  soon(key: ObjectKey): void;
  /** Enqueues owners when their children in this cache change. With `adopts`, orphans enqueue the owners that select them. */
  follow<T extends KubeObject>(informer: Informer<T>, adopts: boolean): void;
}

export function createFeed<O extends KubeObject, W extends Owner<O>>(options: FeedOptions<O, W>): Feed {
  const { controller, clock, resource, informer, owners, selects } = options;

  controller.watch(informer, (object, change) => {
    if (object !== change.object) return NO_KEYS;
    const key = keyOf(object);
    // The state that an own write led to needs no second look.
    const isOurs =
      options.echo !== true && owners.find(key)?.object.metadata.resourceVersion === object.metadata.resourceVersion;
    return change.type !== 'delete' && isOurs ? [] : [key];
  });

  const soon = (key: ObjectKey): void => enqueueSoon(owners.find(key)?.turn, key, controller.queue, clock);

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
          // The former controller may have to replace the child.
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

/** References that did not change are mostly the very same list. */
const hasOtherController = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.ownerReferences !== b.metadata.ownerReferences && controllerOf(a)?.uid !== controllerOf(b)?.uid;

const isOfGroup = (apiVersion: string, group: string): boolean =>
  group === '' ? !apiVersion.includes('/') : apiVersion.startsWith(`${group}/`);

export const sameLabels = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.labels === b.metadata.labels || deepEqual(a.metadata.labels ?? {}, b.metadata.labels ?? {});
