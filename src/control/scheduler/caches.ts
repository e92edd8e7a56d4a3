/**
 * Turns the changes of the informers into the cluster state that filters read, into pods to schedule, and into changes
 * that may help waiting pods. A handler only records; nothing here waits or writes.
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
  /** Whether the pod names this scheduler. */
  readonly isOurs: (pod: Pod) => boolean;
  /** The pod has a node or is gone. */
  readonly onSettled: (uid: string) => void;
  /** Whether the pods are between two states of the server: the cluster shows room that may be taken. */
  readonly onPart: (isPart: boolean) => void;
}

/** Counts on a node. */
const isAssigned = (pod: Pod): boolean => (pod.spec.nodeName ?? '') !== '' && !isTerminal(pod);

export function followCluster(caches: CacheOptions): readonly HandlerRegistration[] {
  const { informers, cluster, queue } = caches;
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
    informers.for(NODES).addHandler({
      batch(changes) {
        for (const change of changes) nodeChanged(caches, change);
      },
    }),
    informers.for(PODS).addHandler({
      batch(changes, isPart) {
        for (const change of changes) podChanged(caches, change);
        caches.onPart(isPart);
      },
    }),
  ];
}

function nodeChanged(caches: CacheOptions, { type, object: node, old }: Change<Node>): void {
  const { cluster, queue, order } = caches;
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
  if (aspects !== 0 || old.spec.unschedulable !== node.spec.unschedulable) reconsiderNominated(caches, name);
}

/** A nomination to a node that no longer takes the pod would keep other pods from room that is there. */
function reconsiderNominated({ cluster, queue }: CacheOptions, nodeName: string): void {
  if (cluster.nominated === 0) return;
  for (const { key } of [...cluster.nominatedTo(nodeName)]) queue.reconsider(key);
}

function podChanged(caches: CacheOptions, change: Change<Pod>): void {
  const { type, object: pod, old } = change;
  if (type === 'delete') {
    // The last state seen decides where the pod was counted; the final one may already show its node.
    podGone(caches, isAssigned(pod) && !isAssigned(old) ? pod : old);
    if (isAssigned(pod) && !isAssigned(old)) pendingPodGone(caches, old);
    return;
  }
  if (old !== undefined && old.metadata.uid !== pod.metadata.uid) {
    podGone(caches, old);
    podChanged(caches, { type: 'add', object: pod, old: undefined });
    return;
  }
  if (isTerminal(pod)) {
    if (old !== undefined && !isTerminal(old)) podGone(caches, old);
  } else if (!isAssigned(pod)) pendingPodSeen(caches, old, pod);
  else if (old !== undefined && isAssigned(old)) assignedPodChanged(caches, old, pod);
  else podAssigned(caches, pod);
}

function podGone(caches: CacheOptions, pod: Stored<Pod>): void {
  if (isAssigned(pod)) assignedPodGone(caches, pod);
  else if (!isTerminal(pod)) pendingPodGone(caches, pod);
}

function podAssigned(caches: CacheOptions, pod: Stored<Pod>): void {
  const { cluster, queue } = caches;
  const nodeName = pod.spec.nodeName ?? '';
  const { uid } = pod.metadata;
  const assumedNode = caches.assumed.confirm(uid);
  cluster.setPod(pod);
  if (assumedNode === nodeName) {
    caches.onSettled(uid);
    return;
  }
  // Bound by another scheduler or by hand, perhaps while the pod was in the queue or in flight.
  queue.remove(uid);
  caches.nominations.end(pod, nodeName);
  caches.onSettled(uid);
  const record = recordOf(pod);
  if (assumedNode !== undefined) queue.changed({ kind: 'room', nodeName: assumedNode, record, atMost: Infinity });
  queue.changed({ kind: 'pod-placed', record, nodeName });
}

function assignedPodChanged({ cluster, queue }: CacheOptions, old: Stored<Pod>, pod: Stored<Pod>): void {
  const nodeName = pod.spec.nodeName ?? '';
  cluster.setPod(pod);
  if (countsAlike(old, pod)) return;
  const [before, record] = [recordOf(old), recordOf(pod)];
  const aspects = podAspects(record, before);
  if (aspects !== 0) queue.changed({ kind: 'pod-changed', record, old: before, nodeName, aspects });
}

/** An assigned pod was deleted, or ended. */
function assignedPodGone({ cluster, queue, assumed, onSettled }: CacheOptions, pod: Stored<Pod>): void {
  assumed.confirm(pod.metadata.uid);
  cluster.removePod(pod);
  onSettled(pod.metadata.uid);
  queue.changed({ kind: 'room', nodeName: pod.spec.nodeName ?? '', record: recordOf(pod), atMost: Infinity });
}

function pendingPodSeen(caches: CacheOptions, old: Stored<Pod> | undefined, pod: Stored<Pod>): void {
  if (!caches.isOurs(pod)) return;
  const { uid, deletionTimestamp } = pod.metadata;
  const assumedNode = caches.assumed.nodeOf(uid);
  if (assumedNode === undefined) {
    caches.nominations.see(pod, old);
    if (old === undefined) caches.queue.add(pod);
    else caches.queue.update(old, pod);
  } else if (deletionTimestamp !== undefined && old?.metadata.deletionTimestamp === undefined) {
    // Deleted before its binding was seen: the pod will not stay, whether or not the binding succeeds.
    forgetAssumed(caches, pod, assumedNode);
  }
}

function pendingPodGone(caches: CacheOptions, pod: Stored<Pod>): void {
  if (!caches.isOurs(pod)) return;
  const { uid } = pod.metadata;
  caches.queue.remove(uid);
  const assumedNode = caches.assumed.nodeOf(uid);
  if (assumedNode !== undefined) forgetAssumed(caches, pod, assumedNode);
  caches.nominations.end(pod, undefined);
  caches.onSettled(uid);
}

function forgetAssumed({ assumed, queue }: CacheOptions, pod: Stored<Pod>, nodeName: string): void {
  if (assumed.forget(pod)) queue.changed({ kind: 'room', nodeName, record: recordOf(pod), atMost: Infinity });
}
