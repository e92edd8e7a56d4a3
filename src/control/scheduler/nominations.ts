/**
 * Promises of room: pods that preempted and wait for their victims to leave. Kept in the cluster state, where less
 * important pods see them; written to the pod's status, where a scheduler that starts anew finds them. The memory is
 * ahead of the status, because the next pod is decided before the write is done.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import type { PlacementChange } from './queue/cluster-change.ts';

export interface Nominations {
  /** Promises the pod this node; an empty name takes the promise back. */
  set(pod: Stored<Pod>, nodeName: string): void;
  /** The pod as the cache now shows it, and as it showed it before. */
  see(pod: Stored<Pod>, old: Stored<Pod> | undefined): void;
  /** It has a node or is gone. The room it was promised elsewhere is free for others. */
  end(pod: Stored<Pod>, takenNode: string | undefined): void;
}

const nominatedNode = (pod: Pod): string => pod.status?.nominatedNodeName ?? '';

export interface NominationListener {
  /** Room that was promised is free. */
  room(change: PlacementChange): void;
  /** This pod's promise changed. */
  renominated(uid: string): void;
}

export function createNominations(cluster: ClusterState, tell: NominationListener): Nominations {
  const promised = new Map<string, string>();

  function set(pod: Stored<Pod>, nodeName: string): void {
    const { uid } = pod.metadata;
    const before = promised.get(uid);
    if (nodeName === '') {
      if (before === undefined) return;
      promised.delete(uid);
      cluster.denominate(pod);
    } else {
      promised.set(uid, nodeName);
      cluster.nominate(pod, nodeName);
    }
    if (before === nodeName) return;
    tell.renominated(uid);
    if (before !== undefined) withdrawn(pod, before);
  }

  /** Pods that matter as much or less had to keep away from that room; the more important never did. */
  function withdrawn(pod: Stored<Pod>, nodeName: string): void {
    const record = recordOf(pod);
    tell.room({ kind: 'room', nodeName, record, atMost: record.priority });
  }

  return {
    set,
    see(pod, old) {
      const now = nominatedNode(pod);
      // A change of something else, seen before our own write of the promise: the promise stands.
      if (now === '' && (old === undefined || nominatedNode(old) === '')) {
        const kept = promised.get(pod.metadata.uid);
        if (kept !== undefined) cluster.nominate(pod, kept);
        return;
      }
      set(pod, now);
    },
    end(pod, takenNode) {
      const { uid } = pod.metadata;
      const before = promised.get(uid);
      if (before === undefined) return;
      promised.delete(uid);
      cluster.denominate(pod);
      if (before !== takenNode) withdrawn(pod, before);
    },
  };
}
