/** Enqueues Services whose endpoints may have changed: by the Service itself, and by pods it selects or selected. */
import { PODS, SERVICES } from '../../../../core/api/registry/resources.ts';
import type { Pod } from '../../../../core/api/types/core-v1.ts';
import type { ObjectKey, Stored } from '../../../../core/kube/objects.ts';
import type { Clock } from '../../../../machinery/time/clock.ts';
import { type Controller, NO_KEYS } from '../../../../machinery/controller/controller.ts';
import type { Informers } from '../../../../machinery/cache/informers.ts';
import { keyOf, keyText } from '../../../../machinery/cache/object-keys.ts';
import type { Change } from '../../../../machinery/cache/object-store.ts';
import { isTold, selectsOf } from './service-pods.ts';

/** The least time between two reconciles, and more for each selected pod. */
const COALESCE_MS = 50;
const MS_A_POD = 0.1;

export interface ServiceFeed {
  /** A reconcile over that many pods begins or has ended: the next one waits. */
  looked(key: ObjectKey, pods: number): void;
  forget(key: ObjectKey): void;
}

export function feedServices(controller: Controller<ObjectKey>, informers: Informers, clock: Clock): ServiceFeed {
  const services = informers.for(SERVICES);
  const pods = informers.for(PODS);
  /** The monotonic time before which pods enqueue the Service no more, by key. */
  const restUntil = new Map<string, number>();

  controller.watch(services, (service, { object }) => (service === object ? [keyOf(service)] : []));
  controller.watch(pods, (pod, change) => {
    if (pod !== change.object) return NO_KEYS;
    const { object, old } = change;
    let isWorthIt: boolean | undefined;
    for (const service of services.lister.list(object.metadata.namespace ?? '')) {
      // Most namespaces have no Service with a selector: nothing else is compared then.
      const selects = selectsOf(service);
      if (selects === undefined) continue;
      if (!selects(object.metadata.labels) && (old === undefined || !selects(old.metadata.labels))) continue;
      isWorthIt ??= isNews(change);
      if (!isWorthIt) break;
      soon(keyOf(service));
    }
    return NO_KEYS;
  });

  function soon(key: ObjectKey): void {
    const wait = (restUntil.get(keyText(key)) ?? 0) - clock.monotonic();
    if (wait > 0) controller.queue.addAfter(key, wait);
    else controller.queue.add(key);
  }

  return {
    looked: (key, count) => void restUntil.set(keyText(key), clock.monotonic() + COALESCE_MS + count * MS_A_POD),
    forget: (key) => void restUntil.delete(keyText(key)),
  };
}

const isNews = (change: Change<Pod>): boolean => change.type !== 'update' || isTold(change.old, change.object);

/** The pods of the namespace that the Service selects. */
export function selectedPods(
  pods: Iterable<Stored<Pod>>,
  selects: (labels: Pod['metadata']['labels']) => boolean,
): readonly Stored<Pod>[] {
  const found: Stored<Pod>[] = [];
  for (const pod of pods) if (selects(pod.metadata.labels)) found.push(pod);
  return found;
}
