/**
 * quota/ — keeps the status of ResourceQuotas: their limits and the usage. Admission counts for itself and needs no
 * status; people and planning tools read it. Kinds are followed only once a quota names them.
 *
 * A quota over many objects is counted again at most so often that counting stays a small share of the time.
 */
import { RESOURCE_QUOTAS } from '../../../core/api/registry/resources.ts';
import type { Pod, ResourceQuota } from '../../../core/api/types/core-v1.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import {
  compileQuota,
  countedKind,
  evaluatorOf,
  type QuotaEvaluator,
} from '../../../core/placement/quota/evaluators.ts';
import { aborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import type { HandlerRegistration, Informer } from '../../../machinery/cache/informer.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { keyOf, keyText } from '../../../machinery/cache/object-keys.ts';
import type { Change } from '../../../machinery/cache/object-store.ts';
import { type KeeperOptions, together } from '../keeper.ts';
import { type Counted, usedOf, withUsed } from './quota-status.ts';

export interface QuotaControllerOptions extends KeeperOptions {
  /** Every kind served. */
  readonly resources: () => readonly Resource[];
  /** Counted again even if nothing was heard: pods that are overdue to be gone stop counting by themselves. */
  readonly resyncMs?: number;
}

const RESYNC_MS = 300_000;
const CONCURRENCY = 5;
/** Looking at an object takes about a tenth of this, so counting takes no more than a tenth of the time. */
const PAUSE_PER_OBJECT_MS = 0.002;

interface Followed {
  readonly informer: Informer<KubeObject>;
  readonly evaluator: QuotaEvaluator;
  readonly registration: HandlerRegistration;
}

export function createQuotaController(options: QuotaControllerOptions): Actor {
  const { client, informers, clock, random } = options;
  const quotas = informers.for(RESOURCE_QUOTAS);
  /** By group and resource. */
  const followed = new Map<string, Followed>();
  /** When a quota may be counted again (monotonic), where that is not at once. */
  const notBefore = new Map<string, number>();

  async function count(key: ObjectKey, signal: AbortSignal): Promise<ReconcileResult | void> {
    const id = keyText(key);
    const quota = quotas.lister.get(key.name, key.namespace);
    if (quota === undefined) {
      notBefore.delete(id);
      return;
    }
    const wait = (notBefore.get(id) ?? 0) - clock.monotonic();
    if (wait > 0) return { requeueAfterMs: wait };
    const kinds = await kindsOf(quota, signal);
    const looked = kinds.reduce((sum, { objects }) => sum + objects.length, 0);
    const pause = looked * PAUSE_PER_OBJECT_MS;
    if (pause >= 1) notBefore.set(id, clock.monotonic() + pause);
    const next = withUsed(quota, usedOf(quota, kinds, clock.now()));
    if (next !== quota) {
      await client.update(RESOURCE_QUOTAS, next, { subresource: 'status', signal }).catch(ignoreGone);
    }
    return { requeueAfterMs: options.resyncMs ?? RESYNC_MS };
  }

  /** The kinds that the quota counts, as far as they are served. */
  async function kindsOf(quota: Stored<ResourceQuota>, signal: AbortSignal) {
    const kinds = new Map<string, Counted & { readonly objects: readonly KubeObject[] }>();
    for (const name of compileQuota(quota).hard.keys()) {
      const kind = countedKind(name);
      if (kind === undefined || kinds.has(`${kind.group}/${kind.resource}`)) continue;
      const found = follow(kind.group, kind.resource);
      if (found === undefined) continue;
      await found.registration.synced(signal);
      const objects = [...found.informer.lister.list(quota.metadata.namespace ?? '')];
      kinds.set(`${kind.group}/${kind.resource}`, { evaluator: found.evaluator, objects });
    }
    return [...kinds.values()];
  }

  function follow(group: string, plural: string): Followed | undefined {
    const id = `${group}/${plural}`;
    const known = followed.get(id);
    if (known !== undefined) return known;
    const resource = options
      .resources()
      .find((each) => each.group === group && each.resource === plural && each.namespaced);
    const evaluator = evaluatorOf(group, plural);
    if (resource === undefined || evaluator === undefined) return undefined;
    const informer = informers.for(resource);
    const registration = informer.addHandler({ batch: (changes) => changed(evaluator, changes) });
    const started = { informer, evaluator, registration };
    followed.set(id, started);
    return started;
  }

  function changed(evaluator: QuotaEvaluator, changes: readonly Change<KubeObject>[]): void {
    for (const change of changes) {
      if (change.type === 'update' && !matters(change.object, change.old)) continue;
      for (const quota of quotas.lister.list(change.object.metadata.namespace ?? '')) {
        const { hard } = compileQuota(quota);
        if (hard.keys().some((name) => evaluator.counts(name))) controller.queue.add(keyOf(quota));
      }
    }
  }

  const controller = createController<ObjectKey>({
    name: 'resource-quota',
    reconcile: count,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: CONCURRENCY,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    // Only changes of spec or status need a count; own writes change the status alone.
  }).watch(quotas, (quota, change) =>
    change.type === 'update' && change.old.spec === change.object.spec && change.old.status === change.object.status
      ? []
      : [keyOf(quota)],
  );

  const follower: Actor = {
    name: 'resource-quota-watch',
    async start(signal) {
      await aborted(signal);
      for (const { registration } of followed.values()) registration.remove();
    },
  };
  return together('resource-quota', [controller, follower]);
}

/** Whether a change can change the count: most changes of pods are news of their health. */
function matters(object: KubeObject, old: KubeObject): boolean {
  if (object.metadata.deletionTimestamp !== old.metadata.deletionTimestamp) return true;
  const [next, before] = [object as Pod, old as Pod];
  return (
    next.spec !== before.spec ||
    next.kind !== 'Pod' ||
    next.status?.phase !== before.status?.phase ||
    isResized(next, before)
  );
}

const isResized = ({ status }: Pod, { status: before }: Pod): boolean =>
  status?.resources !== before?.resources ||
  status?.containerStatuses?.some(({ resources }, i) => resources !== before?.containerStatuses?.[i]?.resources) ===
    true;

function ignoreGone(error: unknown): void {
  if (!isStatus(error, 'NotFound')) throw error;
}
