/**
 * The waiting pods, found by the changes they wait for. A change of a node costs in proportion to the pods pinned to it and
 * to the number of *kinds* of other pods, however many of each there are; a change elsewhere to the kinds that look
 * there. Nothing of a waiting pod is kept compiled except one example a kind.
 */
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import type { ClusterChange } from './cluster-change.ts';
import { helpedBy, mayHelp } from './helped-pods.ts';
import type { QueuedPod } from './queued-pod.ts';
import { addWaiting, removeWaiting, type WaitingState } from './waiting-state.ts';

interface HelpedPod {
  readonly entry: QueuedPod;
  /** The pod is one of a limited number of its kind that the change can help. */
  readonly limited: boolean;
}

export interface WaitingIndex {
  readonly size: number;
  add(entry: QueuedPod, compiled: CompiledPod): void;
  /** False when the pod was not in the index. */
  remove(entry: QueuedPod): boolean;
  /** In the order in which the pods came. */
  entries(): Iterable<QueuedPod>;
  /** The pods that the change may help; they stay in the index until they are removed. */
  helpedBy(change: ClusterChange): HelpedPod[];
  /** Whether the change may help this one pod, which is not in the index. */
  helps(change: ClusterChange, entry: QueuedPod, compiled: CompiledPod): boolean;
}

export interface WaitingIndexOptions {
  readonly cluster: ClusterState;
  readonly plugins: readonly SchedulerPlugin[];
}

export function createWaitingIndex({ cluster, plugins }: WaitingIndexOptions): WaitingIndex {
  const waiting: WaitingState = {
    cluster,
    plugins,
    members: new Map(),
    free: new Map(),
    pinnedAcross: new Map(),
    byNode: new Map(),
    byClaim: new Map(),
    aboutStorage: new Set(),
    byPlugin: new Set(),
    withoutNodes: new Set(),
  };
  return {
    get size() {
      return waiting.members.size;
    },
    entries: () => waiting.members.keys(),
    add: (entry, compiled) => addWaiting(waiting, entry, compiled),
    remove: (entry) => removeWaiting(waiting, entry),
    helpedBy: (change) => Array.from(helpedBy(waiting, change), ([entry, limited]) => ({ entry, limited })),
    helps: (change, entry, compiled) => mayHelp(waiting, change, entry, compiled),
  };
}
