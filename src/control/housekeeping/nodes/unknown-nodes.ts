/** Calls silent nodes Unknown, after the API server was asked once more, and their pods not ready. */
import { LEASES, NODES } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import { AT_ONCE, hasOwnLease, type LifecycleState, nowText } from './lifecycle-state.ts';
import { markPodsNotReady } from './mark-pods-not-ready.ts';
import { heartbeatLease, LEASE_NAMESPACE, readyCondition, unknownConditions } from './node-health.ts';
import { isExcluded, type ZoneCount, zoneOf } from './zones.ts';

export async function markUnknown(
  lifecycle: LifecycleState,
  silent: readonly Stored<Node>[],
  counts: ReadonlyMap<string, ZoneCount>,
  signal: AbortSignal,
): Promise<void> {
  const { client, recorder, logger } = lifecycle;
  const isRenewed = liveLeases(lifecycle, signal);
  const fell = new Set<string>();
  await forEachBounded(silent, AT_ONCE, async (node) => {
    const { name } = node.metadata;
    const conditions = unknownConditions(node, nowText(lifecycle));
    if (conditions === node.status?.conditions) return;
    const lease = heartbeatLease(node);
    const hasOwn = hasOwnLease(lifecycle, lease, name);
    if ((await isRenewed(lease)) || (hasOwn && (await isRenewed(name)))) return;
    const wasReady = readyCondition(node)?.status === 'True';
    const unknown: Stored<Node> = { ...node, status: { ...node.status, conditions } };
    await client.update(NODES, unknown, { subresource: 'status', signal }).catch(ignoreLost);
    if (!wasReady) return;
    fell.add(name);
    const count = isExcluded(node) ? undefined : counts.get(zoneOf(node));
    if (count !== undefined) {
      count.ready -= 1;
      count.notReady += 1;
    }
    const note = `Node ${name} status is now: NodeNotReady`;
    recorder.event(node, { type: 'Normal', reason: 'NodeNotReady', note });
    logger.info('A node is no longer heard of', { node: name });
  });
  for (const name of lifecycle.unmarked) fell.add(name);
  if (fell.size > 0) await markPodsNotReady(lifecycle, fell, signal);
}

/**
 * Whether the API server holds a newer renewal of a Lease than the cache: then the cache was behind, not the node. Each
 * Lease is read once.
 */
function liveLeases(lifecycle: LifecycleState, signal: AbortSignal): (lease: string) => Promise<boolean> {
  const { clock, signs } = lifecycle;
  const reads = new Map<string, Promise<string | undefined>>();
  const renewed = new Set<string>();
  return async (lease) => {
    let read = reads.get(lease);
    if (read === undefined) reads.set(lease, (read = liveRenewTime(lifecycle, lease, signal)));
    const renewTime = await read;
    if (renewTime !== undefined && renewTime !== signs.get(lease)?.renewTime) {
      signs.set(lease, { renewTime, aliveAt: clock.monotonic() });
      renewed.add(lease);
    }
    return renewed.has(lease);
  };
}

async function liveRenewTime(
  { client }: LifecycleState,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const lease = await client.get(LEASES, { namespace: LEASE_NAMESPACE, name }, { signal });
    return lease.spec?.renewTime ?? undefined;
  } catch (error) {
    if (isStatus(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Another writer changed the node in this moment, or it is gone: the next pass sees. */
function ignoreLost(error: unknown): void {
  if (!isStatus(error, 'Conflict') && !isStatus(error, 'NotFound')) throw error;
}
