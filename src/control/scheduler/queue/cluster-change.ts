/**
 * Changes in the cluster that may help a waiting pod. `caches.ts` and `assume-and-bind.ts` report them, once the cluster state
 * shows them; the queue decides which pods they concern.
 */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../core/api/types/core-v1.ts';
import type { CSINode, StorageClass } from '../../../core/api/types/storage-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { PodRecord } from '../../../core/placement/pod-record.ts';
import type { Requests } from '../../../core/placement/requests.ts';

/** Aspects of a node that changed, as bits. */
export const NODE = { ALLOCATABLE: 1, LABELS: 2, TAINTS: 4 } as const;
/** Aspects of an assigned pod that changed, as bits. */
export const POD = { LABELS: 1, SMALLER: 2, TERMINATING: 4 } as const;

export type ClusterChange = PlacementChange | StorageChange | OtherChange;

/** Changes of nodes and of assigned pods. */
export type PlacementChange =
  | { readonly kind: 'node-added'; readonly node: Node }
  | { readonly kind: 'node-changed'; readonly node: Node; readonly old: Node; readonly aspects: number }
  | { readonly kind: 'node-gone'; readonly node: Node; readonly hadPods: boolean }
  /** A pod was assumed on a node, or bound to it by another client. */
  | { readonly kind: 'pod-placed'; readonly record: PodRecord; readonly nodeName: string }
  | {
      readonly kind: 'pod-changed';
      readonly record: PodRecord;
      readonly old: PodRecord;
      readonly nodeName: string;
      readonly aspects: number;
    }
  /**
   * A node has more room: a pod ended, its binding failed, or a nomination was withdrawn, which helps only pods of at most
   * the nominated pod's priority. Without a record: room that a requeued pod did not take.
   */
  | {
      readonly kind: 'room';
      readonly nodeName: string;
      readonly record: PodRecord | undefined;
      readonly atMost: number;
    };

export type StorageChange =
  | { readonly kind: 'claim'; readonly claim: PersistentVolumeClaim; readonly added: boolean }
  | { readonly kind: 'volume'; readonly volume: PersistentVolume; readonly old: PersistentVolume | undefined }
  | { readonly kind: 'storage-class'; readonly storageClass: StorageClass; readonly old: StorageClass | undefined }
  | { readonly kind: 'csi-node'; readonly csiNode: CSINode; readonly old: CSINode | undefined };

type OtherChange =
  /** Labels of a namespace decide which pods an affinity term means. */
  | { readonly kind: 'namespace'; readonly name: string }
  /** A plugin of another room says that its answers may have changed. */
  | { readonly kind: 'plugin'; readonly name: string };

const STORAGE: ReadonlySet<string> = new Set<StorageChange['kind']>(['claim', 'volume', 'storage-class', 'csi-node']);

export const isStorageChange = (change: ClusterChange): change is StorageChange => STORAGE.has(change.kind);

/** The node a change is about, for those that wait for one node only. */
export function nodeOf(change: ClusterChange): string | undefined {
  if ('nodeName' in change) return change.nodeName;
  if ('node' in change) return change.node.metadata.name;
  return change.kind === 'csi-node' ? change.csiNode.metadata.name : undefined;
}

const same = (a: unknown, b: unknown): boolean => a === b || deepEqual(a, b);

/** Only aspects that may make the node take more pods: an uncordon counts as a removed taint. */
export function nodeAspects(node: Node, old: Node): number {
  let aspects = 0;
  if (!same(node.status?.allocatable, old.status?.allocatable)) aspects |= NODE.ALLOCATABLE;
  if (!same(node.metadata.labels, old.metadata.labels)) aspects |= NODE.LABELS;
  const uncordoned = old.spec.unschedulable === true && node.spec.unschedulable !== true;
  if (uncordoned || !same(node.spec.taints, old.spec.taints)) aspects |= NODE.TAINTS;
  return aspects;
}

export function podAspects(record: PodRecord, old: PodRecord): number {
  let aspects = 0;
  if (!same(record.labels, old.labels)) aspects |= POD.LABELS;
  if (record.requests !== old.requests && isSmaller(record.requests, old.requests)) aspects |= POD.SMALLER;
  if (record.terminating && !old.terminating) aspects |= POD.TERMINATING;
  return aspects;
}

/** Smaller in any resource; another may have grown. */
export function isSmaller(requests: Requests, old: Requests): boolean {
  if (
    requests.cpu < old.cpu ||
    requests.memory < old.memory ||
    requests.ephemeralStorage < old.ephemeralStorage ||
    requests.scalars.size < old.scalars.size
  ) {
    return true;
  }
  for (const [name, amount] of old.scalars) {
    if ((requests.scalars.get(name) ?? 0) < amount) return true;
  }
  return false;
}
