/**
 * Pods that were given a node and whose binding the cache does not show yet. Assumed pods count on their node all the same,
 * so that scheduling goes on without waiting for the API server. A pod stays assumed until the cache shows it bound or
 * gone, or until it is certain that its binding failed: forgetting on a mere timeout would give its room away twice.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';

export interface AssumedPods {
  readonly size: number;
  nodeOf(uid: string): string | undefined;
  assume(pod: Stored<Pod>, nodeName: string): void;
  /** The cache shows the pod bound or gone: it is no longer assumed. Returns the node that was assumed. */
  confirm(uid: string): string | undefined;
  /** The pod will not be bound: frees its room. False when it was no longer assumed. */
  forget(pod: Stored<Pod>): boolean;
}

export function createAssumedPods(cluster: ClusterState): AssumedPods {
  const nodes = new Map<string, string>();
  return {
    get size() {
      return nodes.size;
    },
    nodeOf: (uid) => nodes.get(uid),
    assume(pod, nodeName) {
      nodes.set(pod.metadata.uid, nodeName);
      cluster.setPod(pod, nodeName);
    },
    confirm(uid) {
      const nodeName = nodes.get(uid);
      if (nodeName !== undefined) nodes.delete(uid);
      return nodeName;
    },
    forget(pod) {
      if (!nodes.delete(pod.metadata.uid)) return false;
      cluster.removePod(pod);
      return true;
    },
  };
}
