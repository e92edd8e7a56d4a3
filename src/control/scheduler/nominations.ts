/**
 * Nominations: pods that preempted and wait for their victims to leave are nominated to that node. Kept in the cluster
 * state, where filters of pods of lower priority count them; written to the pod's status, where a scheduler that starts anew
 * finds them. The memory is ahead of the status, because the next pod is decided before the write is done.
 */
import type { Pod } from '../../core/api/types/core-v1.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import { recordOf } from '../../core/placement/pod-record.ts';
import type { PlacementChange } from './queue/cluster-change.ts';

export interface Nominations {
  /** Nominates the pod to this node; an empty name withdraws the nomination. */
  set(pod: Stored<Pod>, nodeName: string): void;
  /** The pod as the cache now shows it, and as it showed it before. */
  see(pod: Stored<Pod>, old: Stored<Pod> | undefined): void;
  /** The pod has a node or is gone. The room it was nominated to elsewhere is free for others. */
  end(pod: Stored<Pod>, takenNode: string | undefined): void;
}

const nominatedNode = (pod: Pod): string => pod.status?.nominatedNodeName ?? '';

export interface NominationListener {
  /** Room of a withdrawn nomination is free. */
  room(change: PlacementChange): void;
  /** The pod was nominated to another node, or to none. */
  renominated(uid: string): void;
}

export function createNominations(cluster: ClusterState, listener: NominationListener): Nominations {
  /** Node by UID of the pod; the same nominations as in the cluster state. */
  const nominated = new Map<string, string>();

  function set(pod: Stored<Pod>, nodeName: string): void {
    const { uid } = pod.metadata;
    const before = nominated.get(uid);
    if (nodeName === '') {
      if (before === undefined) return;
      nominated.delete(uid);
      cluster.denominate(pod);
    } else {
      nominated.set(uid, nodeName);
      cluster.nominate(pod, nodeName);
    }
    if (before === nodeName) return;
    listener.renominated(uid);
    if (before !== undefined) withdrawn(pod, before);
  }

  /** Only pods of at most the same priority counted the nomination, so only those are helped. */
  function withdrawn(pod: Stored<Pod>, nodeName: string): void {
    const record = recordOf(pod);
    listener.room({ kind: 'room', nodeName, record, atMost: record.priority });
  }

  return {
    set,
    see(pod, old) {
      const now = nominatedNode(pod);
      // An unrelated change, seen before this scheduler's write of the nomination: the nomination stands.
      if (now === '' && (old === undefined || nominatedNode(old) === '')) {
        const kept = nominated.get(pod.metadata.uid);
        if (kept !== undefined) cluster.nominate(pod, kept);
        return;
      }
      set(pod, now);
    },
    end(pod, takenNode) {
      const { uid } = pod.metadata;
      const before = nominated.get(uid);
      if (before === undefined) return;
      nominated.delete(uid);
      cluster.denominate(pod);
      if (before !== takenNode) withdrawn(pod, before);
    },
  };
}
