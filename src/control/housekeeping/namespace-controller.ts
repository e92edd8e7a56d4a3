/**
 * Ends namespaces: some seconds after one is marked for deletion everything in it is deleted, pods first, and when
 * nothing is left the namespace loses the finalizer that kept it. The status says why a namespace still exists.
 */
import { KUBERNETES_FINALIZER } from '../../core/api/kinds/namespace.ts';
import { NAMESPACES } from '../../core/api/registry/resources.ts';
import type { Namespace } from '../../core/api/types/core-v1.ts';
import { isBeingDeleted } from '../../core/kube/finalizers.ts';
import type { Resource, Stored } from '../../core/kube/objects.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import { formatTime } from '../../core/kube/time.ts';
import type { Actor } from '../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../machinery/controller/controller.ts';
import { silentLogger } from '../../machinery/logging/logger.ts';
import { keyOf } from '../../machinery/cache/object-keys.ts';
import type { Surroundings } from '../../machinery/controller/surroundings.ts';
import { forEachBounded } from './for-each-bounded.ts';
import { terminationConditions, withConditions, type Remaining } from './namespace-conditions.ts';

export interface NamespaceControllerOptions extends Surroundings {
  /** Every kind that can have objects in a namespace and be listed and deleted. Asked anew for each look. */
  readonly resources: () => readonly NamespacedResource[];
  /**
   * Time between the deletion of a namespace and that of its content, five seconds unless given: `kubectl delete -f` of
   * a file that brings its own Namespace deletes the rest of the file meanwhile, and must find it.
   */
  readonly graceMs?: number;
}

interface NamespacedResource extends Resource {
  readonly verbs: readonly string[];
}

const CONCURRENCY = 4;
const DELETIONS_AT_ONCE = 32;
const PAGE = 500;
const SOONEST_MS = 200;
const LATEST_MS = 5_000;
/** As long as kube-controller-manager waits. */
const GRACE_MS = 5_000;

/** A namespace that is ending. */
interface Ending {
  /** When its content may be deleted, on the monotonic clock: the wait begins when this process sees the deletion. */
  readonly from: number;
  /** Reconciles that found content left. */
  looks: number;
}

export function createNamespaceController(options: NamespaceControllerOptions): Actor {
  const { client, clock, random, graceMs = GRACE_MS } = options;
  const namespaces = options.informers.for(NAMESPACES);
  /** By UID: a namespace of the same name that comes later is another one. */
  const endings = new Map<string, Ending>();

  function endingOf({ metadata: { uid } }: Stored<Namespace>): Ending {
    const known = endings.get(uid);
    if (known !== undefined) return known;
    const ending = { from: clock.monotonic() + graceMs, looks: 0 };
    endings.set(uid, ending);
    return ending;
  }

  async function end(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const seen = namespaces.lister.get(name);
    if (seen === undefined || !isEnding(seen)) {
      return;
    }
    const ending = endingOf(seen);
    const waitMs = ending.from - clock.monotonic();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    const namespace = await client.get(NAMESPACES, { name }, { signal }).catch(ignoreGone);
    if (namespace?.metadata.uid !== seen.metadata.uid || !isEnding(namespace)) return;
    const remaining = await clear(name, signal);
    if (remaining.length > 0) {
      await report(namespace, remaining, signal);
      const delay = SOONEST_MS * 2 ** Math.min(ending.looks++, 10);
      return { requeueAfterMs: Math.min(delay, LATEST_MS) };
    }
    const finalizers = (namespace.spec?.finalizers ?? []).filter((each) => each !== KUBERNETES_FINALIZER);
    const finalized: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
    await client.update(NAMESPACES, finalized, { subresource: 'finalize', signal }).catch(ignoreGone);
  }

  /** Pods go first: the objects that they use should outlive them. */
  async function clear(namespace: string, signal: AbortSignal): Promise<readonly Remaining[]> {
    const resources = options.resources();
    const pods = resources.filter(isPods);
    const waiting = await clearAll(pods, namespace, signal);
    if (waiting.length > 0) return waiting;
    return clearAll(
      resources.filter((resource) => !isPods(resource)),
      namespace,
      signal,
    );
  }

  async function clearAll(resources: readonly NamespacedResource[], namespace: string, signal: AbortSignal) {
    const remaining: Remaining[] = [];
    for (const resource of resources) {
      const { items } = await client.list(resource, { namespace, limit: PAGE, signal });
      if (items.length === 0) continue;
      // Nothing to delete where all objects are terminating already.
      if (!items.every(isBeingDeleted) || items.length === PAGE) await removeAll(resource, namespace, items, signal);
      const left = await client.list(resource, { namespace, limit: PAGE, signal });
      const count = left.items.length + (left.remainingItemCount ?? 0);
      if (count > 0) remaining.push({ resource, count, sample: left.items });
    }
    return remaining;
  }

  async function removeAll(
    resource: NamespacedResource,
    namespace: string,
    page: readonly Stored[],
    signal: AbortSignal,
  ): Promise<void> {
    if (resource.verbs.includes('deletecollection')) {
      await client.deleteCollection(resource, { namespace, propagationPolicy: 'Background', signal });
      return;
    }
    await forEachBounded(page, DELETIONS_AT_ONCE, async (object) => {
      const preconditions = { uid: object.metadata.uid };
      const how = { preconditions, propagationPolicy: 'Background', signal } as const;
      await client.delete(resource, keyOf(object), how).catch(ignoreGone);
    });
  }

  async function report(namespace: Stored<Namespace>, remaining: readonly Remaining[], signal: AbortSignal) {
    const told = withConditions(namespace, terminationConditions(remaining), formatTime(clock.now()));
    if (told === namespace) return;
    await client.update(NAMESPACES, told, { subresource: 'status', signal }).catch(ignoreGone);
  }

  return createController<string>({
    name: 'namespace-controller',
    reconcile: end,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: CONCURRENCY,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
  }).watch(namespaces, (namespace, { type }) => {
    if (type === 'delete') endings.delete(namespace.metadata.uid);
    return type !== 'delete' && isEnding(namespace) ? [namespace.metadata.name] : [];
  });
}

const isEnding = (namespace: Stored<Namespace>): boolean =>
  isBeingDeleted(namespace) && namespace.spec?.finalizers?.includes(KUBERNETES_FINALIZER) === true;

const isPods = ({ group, resource }: Resource): boolean => group === '' && resource === 'pods';

function ignoreGone(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}
