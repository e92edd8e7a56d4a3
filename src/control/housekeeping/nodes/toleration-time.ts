/** How long a pod may stay on a node with NoExecute taints. Pure. */
import type { Node, Taint, Toleration } from '../../../core/api/types/core-v1.ts';
import { toleratesTaint } from '../../../core/placement/taints.ts';

const NONE: readonly Taint[] = [];

/** The node's NoExecute taints. The same empty list for every node without any. */
export function executingTaints(node: Node | undefined): readonly Taint[] {
  const taints = node?.spec?.taints;
  if (taints === undefined || !taints.some(({ effect }) => effect === 'NoExecute')) return NONE;
  return taints.filter(({ effect }) => effect === 'NoExecute');
}

/** Milliseconds; Infinity when every taint is tolerated for ever, 0 when one is not tolerated at all. */
export function stayMs(taints: readonly Taint[], tolerations: readonly Toleration[] | undefined): number {
  let shortest = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    // As upstream, the first that matches is the one that counts.
    const used = tolerations?.find((toleration) => toleratesTaint(toleration, taint));
    if (used === undefined) return 0;
    const seconds = used.tolerationSeconds;
    if (seconds !== undefined && seconds !== null) shortest = Math.min(shortest, Math.max(0, seconds) * 1000);
  }
  return shortest;
}
