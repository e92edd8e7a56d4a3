/**
 * pods/ — deletes pods that no kubelet or controller will: those on nodes that are gone, those that ended long ago when
 * there are too many, terminating ones without a node, and terminating ones on a node declared out of service.
 *
 * Each deletion names what it rests on. A node missing from the cache proves nothing: it waits in quarantine, and then
 * the API server is asked; only "not found" is an answer.
 */
import { DISRUPTION_TARGET } from '../../../core/api/kinds/disruption-status.ts';
import { NODES, PODS } from '../../../core/api/registry/resources.ts';
import type { Pod, PodCondition, PodStatus } from '../../../core/api/types/core-v1.ts';
import { setCondition } from '../../../core/kube/conditions.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { formatTime } from '../../../core/kube/time.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import { keyOf } from '../../../machinery/cache/object-keys.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import type { KeeperOptions } from '../keeper.ts';
import { createQuarantine, sortPods, type Sorted } from './sort-pods.ts';

export interface PodGcOptions extends KeeperOptions {
  readonly periodMs?: number;
  /** How long a node must have been missing before the API server is asked. */
  readonly quarantineMs?: number;
  /** Number of ended pods that are kept; 0 keeps all. */
  readonly keepEnded?: number;
}

const PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;
const KEEP_ENDED = 12_500;
const AT_ONCE = 32;

export function createPodGc(options: PodGcOptions): Actor {
  const { client, informers, clock } = options;
  const logger = (options.logger ?? silentLogger).with({ controller: 'pod-gc' });
  const pods = informers.for(PODS);
  const nodes = informers.for(NODES);
  const quarantine = createQuarantine(options.quarantineMs ?? QUARANTINE_MS);
  const keepEnded = options.keepEnded ?? KEEP_ENDED;

  /** The pods at the end of the last round that found nothing to do or to wait for; undefined after any other. */
  let settledAt: string | undefined;

  async function collect(signal: AbortSignal): Promise<void> {
    const { resourceVersion } = pods;
    if (settledAt === resourceVersion) return;
    const sorted = sortPods(pods.lister.list(), (name) => nodes.lister.get(name), keepEnded);
    settledAt = sorted.isSettled ? resourceVersion : undefined;
    await removeAll(sorted.ended, undefined, signal);
    await removeAll(sorted.outOfService, undefined, signal);
    await collectOrphans(sorted, signal);
    await removeAll(sorted.unscheduled, undefined, signal);
  }

  async function collectOrphans(sorted: Sorted, signal: AbortSignal): Promise<void> {
    for (const name of quarantine.due(new Set(sorted.byMissingNode.keys()), clock.monotonic())) {
      const isGone = await client.get(NODES, { name }, { signal }).then(
        () => false,
        (error: unknown) => {
          if (wasAborted(error, signal)) throw error;
          if (!isStatus(error, 'NotFound')) logger.warn('Could not ask for a missing node', { node: name, error });
          return isStatus(error, 'NotFound');
        },
      );
      if (isGone) await removeAll(sorted.byMissingNode.get(name) ?? [], ORPHANED, signal);
    }
  }

  function removeAll(some: readonly Stored<Pod>[], why: PodCondition | undefined, signal: AbortSignal): Promise<void> {
    return forEachBounded(some, AT_ONCE, async (pod) => {
      try {
        await remove(pod, why, signal);
      } catch (error) {
        if (isStatus(error, 'NotFound') || isStatus(error, 'Conflict')) return;
        if (wasAborted(error, signal)) throw error;
        logger.warn('Could not remove a pod', { ...keyOf(pod), error });
      }
    });
  }

  /**
   * The pod's phase is first set to Failed: with its node gone no kubelet would ever do so, and its owner needs to
   * know.
   */
  async function remove(pod: Stored<Pod>, why: PodCondition | undefined, signal: AbortSignal): Promise<void> {
    const { uid } = pod.metadata;
    const phase = pod.status?.phase;
    logger.info('Removing a pod', { ...keyOf(pod), phase: phase ?? '', node: pod.spec?.nodeName ?? '' });
    if (phase !== 'Succeeded' && phase !== 'Failed') {
      const now = formatTime(clock.now());
      const conditions = why === undefined ? undefined : setCondition(pod.status?.conditions, why, now);
      const status: PodStatus = { ...pod.status, phase: 'Failed', ...(conditions === undefined ? {} : { conditions }) };
      await client.update(PODS, { ...pod, status }, { subresource: 'status', signal });
    }
    await client.delete(PODS, keyOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  }

  return {
    name: 'pod-gc',
    ready: () => pods.hasSynced() && nodes.hasSynced(),
    async start(signal) {
      // A node that goes leaves pods behind which have not changed.
      const following = nodes.addHandler({ delete: () => (settledAt = undefined) });
      try {
        await Promise.all([pods.synced(signal), nodes.synced(signal)]);
        while (!signal.aborted) {
          await collect(signal).catch((error: unknown) => {
            if (!wasAborted(error, signal)) logger.warn('Could not collect pods', { error });
          });
          await clock.sleep(options.periodMs ?? PERIOD_MS, signal);
        }
      } catch (error) {
        if (!wasAborted(error, signal)) throw error;
      } finally {
        following.remove();
      }
    },
  };
}

const ORPHANED: PodCondition = {
  type: DISRUPTION_TARGET,
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
};
