/**
 * The reconcile loop: keys come in from informers, a `Reconciler` makes the world of one key as it should be, failures
 * come back later and later. One key is never worked on twice at a time, whatever the concurrency.
 */
import type { KubeObject, ObjectKey, Stored } from '../../core/kube/objects.ts';
import { controllerOf } from '../../core/kube/owner-references.ts';
import { isStatus } from '../../core/kube/status-error.ts';
import type { Actor } from '../actor.ts';
import { abortAfter, aborted, linkAbort, wasAborted } from '../time/abort.ts';
import type { Clock } from '../time/clock.ts';
import { createControllerMetrics } from './controller-metrics.ts';
import { MachineryError } from '../errors.ts';
import type { Informer } from '../cache/informer.ts';
import { silentLogger, type LogFields, type Logger } from '../logging/logger.ts';
import { noMetrics, type Metrics } from '../metrics/metrics.ts';
import { keyOf, keyText } from '../cache/object-keys.ts';
import type { Change } from '../cache/object-store.ts';
import type { Random } from '../random/random.ts';
import { createQueueMetrics } from './workqueue/queue-metrics.ts';
import type { QueueOrder } from './workqueue/queue-order.ts';
import type { RateLimiter } from './workqueue/rate-limiter.ts';
import { createRateLimitingQueue, type RateLimitingQueue } from './workqueue/rate-limiting-queue.ts';
import type { Identify } from './workqueue/workqueue.ts';

/**
 * Brings the object of one key to its desired state. A reconciler learns *that* something may have changed, never *what*: it reads
 * the caches, computes a difference and writes it, so it is right after a crash, a missed event or a doubled one.
 * Returning means done until the next change; `requeueAfterMs` requeues the key after a delay; throwing requeues it with
 * growing delays, unless the error is a `TerminalError`.
 */
export type Reconciler<K> = (key: K, signal: AbortSignal) => Promise<ReconcileResult | void>;

export interface ReconcileResult {
  readonly requeueAfterMs?: number;
}

/** A failure that another attempt cannot mend: logged and counted, not requeued; the key waits for its next change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export interface ControllerOptions<K> {
  readonly name: string;
  readonly reconcile: Reconciler<K>;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger?: Logger;
  readonly metrics?: Metrics;
  /** Keys worked on at the same time. */
  readonly concurrency?: number;
  /** Tells keys apart; object keys by tenant, namespace and name unless said otherwise, the rest by value. */
  readonly identify?: Identify<K>;
  readonly limiter?: RateLimiter<K>;
  readonly order?: QueueOrder<K>;
  /** Work begins only when all of these have come (synced caches). */
  readonly waitFor?: readonly ((signal: AbortSignal) => Promise<void>)[];
  /** A reconcile that takes longer gets its signal fired. Default: no limit. */
  readonly reconcileTimeoutMs?: number;
  /** How long reconciles under way may go on when the controller is stopped, before their signal fires. Default: 0. */
  readonly drainMs?: number;
  /** The log fields of a key. */
  readonly describe?: (key: K) => LogFields;
}

export interface Controller<K> extends Actor {
  readonly queue: RateLimitingQueue<K>;
  /**
   * Enqueues the keys that a change concerns. Work begins only when the informer has synced. `keys` is called for the new state, and on
   * update for the old one too, since an owner that the object has left may need work as well.
   */
  watch<T extends KubeObject>(informer: Informer<T>, keys: (object: Stored<T>, change: Change<T>) => Iterable<K>): this;
  ready(): boolean;
}

/** For a change that concerns no key. Most changes do not, so that one shared empty list saves an allocation each. */
export const NO_KEYS: readonly never[] = Object.freeze([]);

export function createController<K>(options: ControllerOptions<K>): Controller<K> {
  const { name, clock, random } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: name });
  const identify: Identify<K> = options.identify ?? identityOf;
  const queueMetrics = createQueueMetrics(options.metrics ?? noMetrics, name);
  const queue = createRateLimitingQueue<K>({
    clock,
    identify,
    metrics: queueMetrics,
    ...(options.limiter === undefined ? {} : { limiter: options.limiter }),
    ...(options.order === undefined ? {} : { order: options.order }),
  });
  const concurrency = options.concurrency ?? 1;
  const metrics = createControllerMetrics(options.metrics ?? noMetrics, name, concurrency);
  const waits = [...(options.waitFor ?? [])];
  let state: 'new' | 'syncing' | 'working' = 'new';

  async function attempt(key: K, stop: AbortSignal): Promise<void> {
    const began = clock.monotonic();
    const timeout = options.reconcileTimeoutMs;
    using link = timeout === undefined ? linkAbort(stop) : abortAfter(clock, timeout, stop);
    metrics.started();
    try {
      // The call itself may throw; in an async function that is a rejection like any other.
      const result = await options.reconcile(key, link.signal);
      queue.forget(key);
      const requeueAfterMs = result?.requeueAfterMs;
      if (requeueAfterMs !== undefined) queue.addAfter(key, requeueAfterMs);
      metrics.finished(requeueAfterMs === undefined ? 'success' : 'requeue_after', clock.monotonic() - began);
    } catch (error) {
      if (wasAborted(error, stop)) {
        metrics.finished('success', clock.monotonic() - began);
        return;
      }
      fail(key, error, began);
    }
  }

  function fail(key: K, error: unknown, began: number): void {
    const fields = { ...(options.describe ?? describeKey)(key), reconcileID: random.uuid(), error };
    metrics.finished('error', clock.monotonic() - began);
    if (error instanceof TerminalError) {
      metrics.terminal();
      queue.forget(key);
      logger.error('Reconcile failed and will not be tried again', fields);
      return;
    }
    if (isBug(error)) metrics.panicked();
    queue.addRateLimited(key);
    // A lost race is how optimistic concurrency works, not a fault to look into.
    if (isStatus(error, 'Conflict')) logger.debug('Reconcile met a newer version, trying again', fields);
    else logger.error('Reconcile failed, trying again', { ...fields, retries: queue.retries(key) });
  }

  async function work(stop: AbortSignal): Promise<void> {
    for (;;) {
      const key = await queue.get();
      if (key === undefined) return;
      // Keys still queued at shutdown are left to the next start, whose first list enqueues them again.
      if (!queue.isShutDown) await attempt(key, stop);
      queue.done(key);
    }
  }

  function addAll(keys: Iterable<K>): void {
    // By index where possible: iterators would be most of the allocations of an event.
    if (Array.isArray(keys)) for (let i = 0; i < keys.length; i += 1) queue.add(keys[i] as K);
    else for (const key of keys) queue.add(key);
  }

  const controller: Controller<K> = {
    name,
    queue,
    ready: () => state === 'working',

    watch(informer, keys) {
      const registration = informer.addHandler({
        batch(changes) {
          for (const change of changes) {
            if (change.type === 'update') addAll(keys(change.old, change));
            addAll(keys(change.object, change));
          }
        },
      });
      waits.push((signal) => registration.synced(signal));
      return controller;
    },

    async start(signal) {
      if (state !== 'new') throw new MachineryError('EN_MACHINERY_ALREADY_STARTED', `controller ${name} runs already`);
      state = 'syncing';
      using reconciling = linkAbort(undefined);
      try {
        await Promise.all(waits.map((wait) => wait(signal)));
      } catch (error) {
        queue.shutDown();
        if (wasAborted(error, signal)) return;
        throw error;
      }
      state = 'working';
      logger.info('Controller started', { concurrency });
      const workers = Array.from({ length: concurrency }, () => work(reconciling.signal));
      await aborted(signal);
      queue.shutDown();
      const drain = clock.after(options.drainMs ?? 0, () => reconciling.abort(signal.reason));
      await Promise.all(workers);
      drain.cancel();
      logger.info('Controller stopped');
    },
  };
  return controller;
}

/** Enqueues each changed object itself. */
export const forObject =
  (tenant?: string) =>
  (object: KubeObject): readonly ObjectKey[] => [keyOf(object, tenant)];

/** Enqueues the controlling owner of each changed object, if it is of this kind (any version of its group). */
export const forOwner =
  (owner: { readonly group: string; readonly kind: string; readonly namespaced: boolean }, tenant?: string) =>
  (object: KubeObject): readonly ObjectKey[] => {
    const reference = controllerOf(object);
    if (reference === undefined || reference.kind !== owner.kind) return [];
    const slash = reference.apiVersion.indexOf('/');
    if ((slash < 0 ? '' : reference.apiVersion.slice(0, slash)) !== owner.group) return [];
    const { namespace } = object.metadata;
    const inNamespace = owner.namespaced && namespace !== undefined ? { namespace } : {};
    return [{ ...(tenant === undefined ? {} : { tenant }), ...inNamespace, name: reference.name }];
  };

const isObjectKey = (key: unknown): key is ObjectKey =>
  typeof key === 'object' && key !== null && typeof (key as { readonly name?: unknown }).name === 'string';

const identityOf = (key: unknown): unknown => (isObjectKey(key) ? keyText(key) : key);

const describeKey = (key: unknown): LogFields => {
  if (!isObjectKey(key)) return { key };
  const { tenant, namespace, name } = key;
  return { ...(tenant === undefined ? {} : { tenant }), ...(namespace === undefined ? {} : { namespace }), name };
};

/** Errors of the program itself, as opposed to errors of the server or the network. */
const isBug = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof TypeError ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  error instanceof SyntaxError;
