/**
 * What happens in a cluster, as far as it may help a pod that waits. Whoever feeds the caches says it; the queue decides
 * whom it concerns. Said after the cluster state shows it.
 */
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../../core/api/types/core-v1.ts';
import type { CSINode, StorageClass } from '../../../core/api/types/storage-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { PodRecord } from '../../../core/placement/pod-record.ts';
import type { Requests } from '../../../core/placement/requests.ts';

/** What about a node changed, as bits. */
export const NODE = { ALLOCATABLE: 1, LABELS: 2, TAINTS: 4 } as const;
/** What about a pod on a node changed, as bits. */
export const POD = { LABELS: 1, SMALLER: 2, TERMINATING: 4 } as const;

export type ClusterChange = PlacementChange | StorageChange | OtherChange;

/** Of nodes and of what is on them. */
export type PlacementChange =
  | { readonly kind: 'node-added'; readonly node: Node }
  | { readonly kind: 'node-changed'; readonly node: Node; readonly old: Node; readonly aspects: number }
  | { readonly kind: 'node-gone'; readonly node: Node; readonly hadPods: boolean }
  /** A pod is on its node, whoever put it there. */
  | { readonly kind: 'pod-placed'; readonly record: PodRecord; readonly nodeName: string }
  | {
      readonly kind: 'pod-changed';
      readonly record: PodRecord;
      readonly old: PodRecord;
      readonly nodeName: string;
      readonly aspects: number;
    }
  /**
   * There is more room on a node: a pod ended or was taken back, or a promise of room was withdrawn, which helps only
   * those it was kept from: pods of at most that priority. Without a record it is room that a pod was called for and did not take.
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

/** Only what may make the node take more: a cordon that is lifted counts as a taint that goes. */
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

/** In any resource; another may have grown. */
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
