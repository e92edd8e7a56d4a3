/** Does a node take a pod as far as the node itself decides, whatever is on it? */
import type { Node } from '../api/types/core-v1.ts';
import type { CompiledPod } from './compiled-pod.ts';
import { schedulable } from './unschedulable.ts';

/** Cordon, taints, labels and names: what the node is, not what is on it. */
export function mayHost({ tolerations, nodeAffinity }: CompiledPod, node: Node): boolean {
  return (
    schedulable(tolerations, node.spec.unschedulable) &&
    tolerations.firstUntolerated(node.spec.taints) === undefined &&
    (nodeAffinity.anyNode || nodeAffinity.matches(node))
  );
}
