/** Keeps the NoSchedule taints of nodes in step with their conditions and their cordon, and former labels with the stable. */
import { NODES } from '../../../core/api/registry/resources.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import type { Stored } from '../../../core/kube/objects.ts';
import { formatTime } from '../../../core/kube/time.ts';
import type { Actor } from '../../../machinery/actor.ts';
import { createController, type ReconcileResult } from '../../../machinery/controller/controller.ts';
import { silentLogger } from '../../../machinery/logging/logger.ts';
import type { KeeperOptions } from '../keeper.ts';
import { missingLabels, NO_TAINTS, withConditionTaints } from './node-taints.ts';
import { writeTaints } from './write-taints.ts';

const CONCURRENCY = 32;
/** After a conflict: the newer state of the node is on its way to the cache. */
const AGAIN_MS = 20;
const NONE: readonly [] = [];

export function createConditionTaints(options: KeeperOptions): Actor {
  const { client, informers, clock, random } = options;
  const nodes = informers.for(NODES);

  async function reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult | void> {
    const node = nodes.lister.get(name);
    if (node === undefined) return;
    const taints = withConditionTaints(node, formatTime(clock.now()));
    const isWritten = await writeTaints(client, node, taints, signal, missingLabels(node));
    return isWritten ? undefined : { requeueAfterMs: AGAIN_MS };
  }

  const needsReconcile = (node: Stored<Node>): boolean =>
    withConditionTaints(node, '') !== (node.spec?.taints ?? NO_TAINTS) || missingLabels(node) !== undefined;

  return createController<string>({
    name: 'condition-taints',
    reconcile,
    clock,
    random,
    logger: options.logger ?? silentLogger,
    concurrency: CONCURRENCY,
    ...(options.metrics === undefined ? {} : { metrics: options.metrics }),
    // Only nodes with a wrong taint or label are enqueued: fifty thousand nodes in order cost nothing.
  }).watch(nodes, (node, { object, type }) =>
    type !== 'delete' && node === object && needsReconcile(node) ? [node.metadata.name] : NONE,
  );
}
