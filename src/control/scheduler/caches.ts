/**
 * What the informers tell, turned into the cluster state that filters read, into pods to schedule, and into changes that
 * may help those who wait. A handler only records; nothing here waits or writes.
 */
import { NAMESPACES, NODES, PODS } from '../../core/api/registry/resources.ts';
import type { Node, Pod } from '../../core/api/types/core-v1.ts';
import { deepEqual } from '../../core/kube/immutable.ts';
import type { Stored } from '../../core/kube/objects.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import { countsAlike, isTerminal, recordOf } from '../../core/placement/pod-record.ts';
import type { HandlerRegistration } from '../../machinery/cache/informer.ts';
import type { Informers } from '../../machinery/cache/informers.ts';
import type { Change } from '../../machinery/cache/object-store.ts';
import type { AssumedPods } from './assumed-pods.ts';
import type { NodeOrder } from './node-order.ts';
import type { Nominations } from './nominations.ts';
import { nodeAspects, podAspects } from './queue/cluster-change.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';

export interface CacheOptions {
  readonly informers: Informers;
  readonly cluster: ClusterState;
  readonly queue: SchedulingQueue;
  readonly assumed: AssumedPods;
  readonly nominations: Nominations;
  readonly order: NodeOrder;
  /** Whether this scheduler is the one the pod asks for. */
  readonly isOurs: (pod: Pod) => boolean;
  /** The pod has a node or is gone. */
  readonly onSettled: (uid: string) => void;
}

const isPlaced = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '' && !isTerminal(pod);

export function followCluster(options: CacheOptions): readonly HandlerRegistration[] {
  const { informers, cluster, queue, assumed, nominations, order, isOurs, onSettled } = options;

  function placed(pod: Stored<Pod>): void {
    const nodeName = pod.spec.nodeName ?? '';
    const { uid } = pod.metadata;
    const assumedNode = assumed.confirm(uid);
    cluster.setPod(pod);
    if (assumedNode === nodeName) {
      onSettled(uid);
      return;
    }
    // Bound by somebody else, perhaps while it was in our hands.
    queue.remove(uid);
    nominations.end(pod, nodeName);
    onSettled(uid);
    const record = recordOf(pod);
    if (assumedNode !== undefined) queue.changed({ kind: 'room', nodeName: assumedNode, record, atMost: Infinity });
    queue.changed({ kind: 'pod-placed', record, nodeName });
  }

  function placedChanged(old: Stored<Pod>, pod: Stored<Pod>): void {
    const nodeName = pod.spec.nodeName ?? '';
    cluster.setPod(pod);
    if (countsAlike(old, pod)) return;
    const [before, record] = [recordOf(old), recordOf(pod)];
    const aspects = podAspects(record, before);
    if (aspects !== 0) queue.changed({ kind: 'pod-changed', record, old: before, nodeName, aspects });
  }

  /** A pod that was on a node is not any more: deleted, or ended. */
  function left(pod: Stored<Pod>): void {
    assumed.confirm(pod.metadata.uid);
    cluster.removePod(pod);
    onSettled(pod.metadata.uid);
    queue.changed({ kind: 'room', nodeName: pod.spec.nodeName ?? '', record: recordOf(pod), atMost: Infinity });
  }

  function unplaced(old: Stored<Pod> | undefined, pod: Stored<Pod>): void {
    if (!isOurs(pod)) return;
    const { uid, deletionTimestamp } = pod.metadata;
    const assumedNode = assumed.nodeOf(uid);
    if (assumedNode === undefined) {
      nominations.see(pod, old);
      if (old === undefined) queue.add(pod);
      else queue.update(old, pod);
    } else if (deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined) {
      // It leaves before it came. Whatever its binding still does, it will not stay.
      forgetAssumed(pod, assumedNode);
    }
  }

  function forgetAssumed(pod: Stored<Pod>, nodeName: string): void {
    if (assumed.forget(pod)) queue.changed({ kind: 'room', nodeName, record: recordOf(pod), atMost: Infinity });
  }

  function unplacedGone(pod: Stored<Pod>): void {
    if (!isOurs(pod)) return;
    const { uid } = pod.metadata;
    queue.remove(uid);
    const assumedNode = assumed.nodeOf(uid);
    if (assumedNode !== undefined) forgetAssumed(pod, assumedNode);
    nominations.end(pod, undefined);
    onSettled(uid);
  }

  function gone(pod: Stored<Pod>): void {
    if (isPlaced(pod)) left(pod);
    else if (!isTerminal(pod)) unplacedGone(pod);
  }

  function seePod(change: Change<Pod>): void {
    const { type, object: pod, old } = change;
    if (type === 'delete') {
      // The last state seen decides where it was counted; the final one may say more.
      gone(isPlaced(pod) && !isPlaced(old) ? pod : old);
      if (isPlaced(pod) && !isPlaced(old)) unplacedGone(old);
      return;
    }
    if (old !== undefined && old.metadata.uid !== pod.metadata.uid) {
      gone(old);
      seePod({ type: 'add', object: pod, old: undefined });
      return;
    }
    if (isTerminal(pod)) {
      if (old !== undefined && !isTerminal(old)) gone(old);
    } else if (!isPlaced(pod)) unplaced(old, pod);
    else if (old !== undefined && isPlaced(old)) placedChanged(old, pod);
    else placed(pod);
  }

  function seeNode({ type, object: node, old }: Change<Node>): void {
    const { name } = node.metadata;
    if (type === 'delete') {
      const hadPods = (cluster.nodes.get(name)?.pods.size ?? 0) > 0;
      cluster.removeNode(name);
      order.stale();
      queue.changed({ kind: 'node-gone', node: old, hadPods });
      return;
    }
    cluster.setNode(node);
    if (old === undefined) {
      order.stale();
      queue.changed({ kind: 'node-added', node });
      return;
    }
    if (old.metadata.labels !== node.metadata.labels) order.stale();
    const aspects = nodeAspects(node, old);
    if (aspects !== 0) queue.changed({ kind: 'node-changed', node, old, aspects });
    if (aspects !== 0 || old.spec.unschedulable !== node.spec.unschedulable) judgePromises(name);
  }

  /** A promise that cannot be kept any more would keep others from room that is there. */
  function judgePromises(nodeName: string): void {
    if (cluster.nominated === 0) return;
    for (const { key } of [...cluster.nominatedTo(nodeName)]) queue.reconsider(key);
  }

  return [
    informers.for(NAMESPACES).addHandler({
      batch(changes) {
        for (const { type, object, old } of changes) {
          const { name, labels } = object.metadata;
          if (type === 'delete') cluster.removeNamespace(name);
          else cluster.setNamespace(name, labels);
          if (type !== 'update' || !deepEqual(old.metadata.labels, labels)) queue.changed({ kind: 'namespace', name });
        }
      },
    }),
    informers.for(NODES).addHandler({ batch: (changes) => changes.forEach(seeNode) }),
    informers.for(PODS).addHandler({ batch: (changes) => changes.forEach(seePod) }),
  ];
}
