/**
 * Which waiting pods a change may help. Pods without a pin are asked about by kind, pods pinned to the node of the change
 * one by one, and pods that filters across nodes refused wherever the change may reach.
 */
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import { type CompiledPod, compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import {
  type ClusterChange,
  isStorageChange,
  nodeOf,
  type PlacementChange,
  type StorageChange,
} from './cluster-change.ts';
import { ALL, type Help, helpAcrossNodes, NONE } from './hints.ts';
import { askNode, NO_HELP, nodeConcerned } from './on-node.ts';
import type { QueuedPod } from './queued-pod.ts';
import { ACROSS_NODES, REJECTOR } from './rejectors.ts';
import { sharesDomain } from './shared-domains.ts';
import { storageHelps } from './storage-hints.ts';
import { addWaiting, type Kind, removeWaiting, type WaitingState, widenEntry, widenKind } from './waiting-state.ts';

/** The pods found so far; true for those chosen as one of a limited number of their kind. */
export type Helped = Map<QueuedPod, boolean>;

export function helpedBy(waiting: WaitingState, change: ClusterChange): Helped {
  const helped: Helped = new Map();
  if (isStorageChange(change)) addHelpedByStorage(waiting, change, helped);
  else if (change.kind === 'namespace') addHelpedByNamespace(waiting, change, helped);
  else if (change.kind === 'plugin') {
    for (const entry of waiting.byPlugin) if (entry.plugins.includes(change.name)) helped.set(entry, false);
  } else {
    addHelpedFree(waiting, change, helped);
    addHelpedPinned(waiting, change, helped);
    if (change.kind === 'node-gone') addNominated(waiting, change.node.metadata.name, helped);
    if (change.kind === 'node-added') for (const entry of waiting.withoutNodes) helped.set(entry, false);
  }
  return helped;
}

/** Whether the change may help this one pod, which is not in the index. */
export function mayHelp(
  { cluster, plugins }: WaitingState,
  change: ClusterChange,
  entry: QueuedPod,
  compiled: CompiledPod,
): boolean {
  if (isStorageChange(change)) return storageHelps(change, entry);
  if (change.kind === 'namespace') return (entry.rejectors & REJECTOR.InterPodAffinity) !== 0;
  if (change.kind === 'plugin') return entry.plugins.includes(change.name);
  const state = nodeConcerned(change, cluster);
  if (state !== undefined) {
    const { help, refusedBy } = askNode(change, state, cluster, plugins).ask(compiled);
    if (help !== NONE) return true;
    for (const plugin of refusedBy) widenEntry(entry, plugin);
  }
  return helpAcrossNodes(change, { compiled, rejectors: entry.rejectors }, cluster) !== NONE;
}

/** Adds as many pods of the kind as the change helps, oldest first. */
function addKind(waiting: WaitingState, kind: Kind, help: Help, change: ClusterChange, helped: Helped): void {
  if (help === NONE) return;
  const limited = help < kind.entries.size;
  let left = limited ? help : Infinity;
  for (const entry of kind.entries) {
    if (left <= 0) break;
    if (entry.lastRequeuedBy === change) continue;
    left--;
    if (!helped.has(entry) || !limited) helped.set(entry, limited);
  }
}

const helpElsewhere = (kind: Kind, change: PlacementChange, cluster: ClusterState): Help =>
  (kind.rejectors & ACROSS_NODES) === 0
    ? NONE
    : helpAcrossNodes(change, { compiled: kind.example, rejectors: kind.rejectors }, cluster);

function addHelpedFree(waiting: WaitingState, change: PlacementChange, helped: Helped): void {
  const { cluster, free, plugins } = waiting;
  if (free.size === 0) return;
  const state = nodeConcerned(change, cluster);
  const node = state === undefined ? undefined : askNode(change, state, cluster, plugins);
  for (const kind of free.values()) {
    const elsewhere = helpElsewhere(kind, change, cluster);
    if (elsewhere === ALL) {
      addKind(waiting, kind, ALL, change, helped);
      continue;
    }
    const { help, refusedBy } = node?.ask(kind.example) ?? NO_HELP;
    widenKind(waiting, kind, refusedBy);
    addKind(waiting, kind, Math.max(elsewhere, help), change, helped);
  }
}

function addHelpedPinned(waiting: WaitingState, change: PlacementChange, helped: Helped): void {
  const { cluster } = waiting;
  const nodeName = nodeOf(change);
  const here = nodeName === undefined ? undefined : waiting.byNode.get(nodeName);
  if (here !== undefined) addHelpedHere(waiting, change, here, helped);
  for (const kind of waiting.pinnedAcross.values()) {
    if (helpElsewhere(kind, change, cluster) === NONE) continue;
    for (const entry of sharesDomain(waiting, change, kind, here)) helped.set(entry, false);
  }
}

/** Asks the node of the change about each pod that is pinned to it. */
function addHelpedHere(
  waiting: WaitingState,
  change: PlacementChange,
  here: ReadonlySet<QueuedPod>,
  helped: Helped,
): void {
  const { cluster, plugins } = waiting;
  const state = nodeConcerned(change, cluster);
  if (state === undefined) return;
  const node = askNode(change, state, cluster, plugins);
  for (const entry of [...here]) {
    const compiled = compilePodOnce(entry.pod);
    const { help, refusedBy } = node.ask(compiled);
    if (help !== NONE) helped.set(entry, false);
    else if (refusedBy.filter((plugin) => widenEntry(entry, plugin)).length > 0) {
      removeWaiting(waiting, entry);
      addWaiting(waiting, entry, compiled);
    }
  }
}

/** Labels of a namespace decide which pods an affinity term selects. */
function addHelpedByNamespace(waiting: WaitingState, change: ClusterChange, helped: Helped): void {
  for (const kinds of [waiting.free, waiting.pinnedAcross]) {
    for (const kind of kinds.values()) {
      if ((kind.rejectors & REJECTOR.InterPodAffinity) !== 0) addKind(waiting, kind, ALL, change, helped);
    }
  }
}

function addHelpedByStorage(waiting: WaitingState, change: StorageChange, helped: Helped): void {
  const entries =
    change.kind === 'claim'
      ? waiting.byClaim.get(`${change.claim.metadata.namespace ?? 'default'}/${change.claim.metadata.name}`)
      : waiting.aboutStorage;
  if (entries === undefined) return;
  for (const entry of entries) if (storageHelps(change, entry)) helped.set(entry, false);
}

/** Pods nominated to a node that is gone must look for another. */
function addNominated({ cluster, members }: WaitingState, nodeName: string, helped: Helped): void {
  const uids = new Set(cluster.nominatedTo(nodeName).map((record) => record.key));
  if (uids.size === 0) return;
  for (const entry of members.keys()) if (uids.has(entry.uid)) helped.set(entry, false);
}
