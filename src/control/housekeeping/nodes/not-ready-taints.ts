/** The NoExecute taints of nodes that are not ready or unreachable: set one by one at the pace of the zone, removed at once. */
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { wasAborted } from '../../../machinery/time/abort.ts';
import { forEachBounded } from '../for-each-bounded.ts';
import { AT_ONCE, type LifecycleState, nowText, restartGrace } from './lifecycle-state.ts';
import { readyCondition } from './node-health.ts';
import { executingKey, isExecuting, withExecuting } from './node-taints.ts';
import { writeTaints } from './write-taints.ts';
import { nextStates, type ZoneCount, zoneOf } from './zones.ts';

/** A node that is down joins the queue of its zone; one that has the other of the two taints changes it at once. */
export async function queueTaint(lifecycle: LifecycleState, node: Stored<Node>, signal: AbortSignal): Promise<void> {
  const wanted = executingKey(readyCondition(node)?.status);
  const present = node.spec?.taints?.find(isExecuting)?.key;
  if (present === undefined) lifecycle.queue.add(zoneOf(node), node.metadata.name);
  else if (present !== wanted) await writeTaint(lifecycle, node, wanted, signal);
}

/** The node's turn in its zone. False when the taint could not be written and the node must be queued again. */
export async function taintInTurn(lifecycle: LifecycleState, name: string): Promise<boolean> {
  const { running, logger } = lifecycle;
  const node = lifecycle.nodes.get(name);
  const key = node === undefined ? undefined : executingKey(readyCondition(node)?.status);
  if (node === undefined || key === undefined || !running || running.aborted) return true;
  try {
    return await writeTaint(lifecycle, node, key, running);
  } catch (error) {
    if (!wasAborted(error, running)) logger.warn('Could not taint a node', { node: name, error });
    return false;
  }
}

export const removeTaint = (lifecycle: LifecycleState, node: Stored<Node>, signal: AbortSignal): Promise<boolean> =>
  writeTaint(lifecycle, node, undefined, signal);

const writeTaint = (
  lifecycle: LifecycleState,
  node: Stored<Node>,
  key: string | undefined,
  signal: AbortSignal,
): Promise<boolean> =>
  writeTaints(lifecycle.client, node, withExecuting(node.spec?.taints ?? [], key, nowText(lifecycle)), signal);

/** Sets the pace of each zone by the nodes that are down in it; when all are down, no node keeps or gets a taint. */
export async function handleDisruption(
  lifecycle: LifecycleState,
  counts: ReadonlyMap<string, ZoneCount>,
  all: readonly Stored<Node>[],
  signal: AbortSignal,
): Promise<void> {
  const { queue, logger } = lifecycle;
  const next = nextStates(lifecycle.zones, counts, lifecycle.rates);
  lifecycle.zones = next.states;
  for (const [zone, rate] of next.rates) queue.setRate(zone, rate);
  if (next.entersBlackout) {
    logger.warn('No node is ready: no node is tainted until one is', { nodes: all.length });
    const tainted = all.filter((node) => node.spec?.taints?.some(isExecuting) === true);
    for (const node of all) queue.remove(node.metadata.name);
    await forEachBounded(tainted, AT_ONCE, async (node) => {
      await removeTaint(lifecycle, node, signal);
    });
  }
  if (next.leavesBlackout) {
    logger.info('Some nodes are ready again');
    restartGrace(lifecycle);
  }
}
