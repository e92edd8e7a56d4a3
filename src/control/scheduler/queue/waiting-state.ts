/** The state of the index of waiting pods in one record: under which keys each pod is found, and how it joins and leaves. */
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import { kindOf } from './kinds-of-pods.ts';
import type { QueuedPod } from './queued-pod.ts';
import { ABOUT_STORAGE, ACROSS_NODES, REJECTOR, rejectorBit } from './rejectors.ts';
import { claimNames } from './storage-hints.ts';

/** Waiting pods that every filter treats alike and that the same filters refused. */
export interface Kind {
  readonly key: string;
  /** Any of the pods, compiled; stands for all of them, except for the nodes they are pinned to. */
  readonly example: CompiledPod;
  /** `REJECTOR` bits: the filters that refused the first of the pods, and those found in the way since. Only grows. */
  rejectors: number;
  /** Never empty: the kind is forgotten with its last pod. */
  readonly entries: Set<QueuedPod>;
}

/** The keys under which one pod is found; needed to remove it when its object has changed. */
interface Membership {
  /** The pod's kind in `free` (no pin) or `pinnedAcross`; undefined for pinned pods that only their nodes concern. */
  readonly kind: Kind | undefined;
  readonly pinned: ReadonlySet<string> | undefined;
  readonly claims: readonly string[];
}

export interface WaitingState {
  readonly cluster: ClusterState;
  readonly plugins: readonly SchedulerPlugin[];
  /** Every waiting pod, in the order in which they came; all other fields are indexes of these. */
  readonly members: Map<QueuedPod, Membership>;
  /** Kinds of pods without a pin, by `Kind.key`. */
  readonly free: Map<string, Kind>;
  /** Kinds of pinned pods that a filter across nodes refused, by `Kind.key`. */
  readonly pinnedAcross: Map<string, Kind>;
  /** Pinned pods by the name of each node they are pinned to. */
  readonly byNode: Map<string, Set<QueuedPod>>;
  /** Pods by each claim they mount, as `namespace/name`. */
  readonly byClaim: Map<string, Set<QueuedPod>>;
  /** Pods that a storage filter refused. */
  readonly aboutStorage: Set<QueuedPod>;
  /** Pods that a plugin of another room refused. */
  readonly byPlugin: Set<QueuedPod>;
  /** Pods that were refused because the cluster had no node. */
  readonly withoutNodes: Set<QueuedPod>;
}

export function addWaiting(waiting: WaitingState, entry: QueuedPod, compiled: CompiledPod): void {
  const { rejectors } = entry;
  const pinned = compiled.nodeAffinity.pinnedNodes;
  let kind: Kind | undefined;
  if (pinned === undefined) kind = join(waiting, waiting.free, entry, compiled);
  else {
    for (const name of pinned) addTo(waiting.byNode, name, entry);
    if ((rejectors & ACROSS_NODES) !== 0) kind = join(waiting, waiting.pinnedAcross, entry, compiled);
  }
  const claims = claimNames(entry.pod);
  for (const claim of claims) addTo(waiting.byClaim, claim, entry);
  if ((rejectors & ABOUT_STORAGE) !== 0) waiting.aboutStorage.add(entry);
  if ((rejectors & REJECTOR.Plugin) !== 0) waiting.byPlugin.add(entry);
  if ((rejectors & REJECTOR.NoNodes) !== 0) waiting.withoutNodes.add(entry);
  waiting.members.set(entry, { kind, pinned, claims });
}

export function removeWaiting(waiting: WaitingState, entry: QueuedPod): boolean {
  const member = waiting.members.get(entry);
  if (member === undefined) return false;
  waiting.members.delete(entry);
  const { kind } = member;
  if (kind?.entries.delete(entry) === true && kind.entries.size === 0) {
    (member.pinned === undefined ? waiting.free : waiting.pinnedAcross).delete(kind.key);
  }
  for (const name of member.pinned ?? NO_PINS) removeFrom(waiting.byNode, name, entry);
  for (const claim of member.claims) removeFrom(waiting.byClaim, claim, entry);
  waiting.aboutStorage.delete(entry);
  waiting.byPlugin.delete(entry);
  waiting.withoutNodes.delete(entry);
  return true;
}

function join({ cluster }: WaitingState, kinds: Map<string, Kind>, entry: QueuedPod, compiled: CompiledPod): Kind {
  // A nominated pod may go where others of its kind may not, so it is a kind of its own.
  const own = cluster.nominationOf(entry.uid) === undefined ? '' : entry.uid;
  const key = `${own}\n${entry.rejectors}\n${kindOf(compiled)}`;
  let kind = kinds.get(key);
  if (kind === undefined)
    kinds.set(key, (kind = { key, example: compiled, rejectors: entry.rejectors, entries: new Set() }));
  kind.entries.add(entry);
  return kind;
}

/** Other filters than before refuse this kind now: its pods wait for those too. */
export function widenKind(waiting: WaitingState, kind: Kind, refusedBy: readonly string[]): void {
  for (const plugin of refusedBy) {
    const bit = rejectorBit(plugin);
    if ((kind.rejectors & bit) === bit && bit !== REJECTOR.Plugin) continue;
    kind.rejectors |= bit;
    for (const entry of kind.entries) {
      widenEntry(entry, plugin);
      if ((bit & ABOUT_STORAGE) !== 0) waiting.aboutStorage.add(entry);
      if (bit === REJECTOR.Plugin) waiting.byPlugin.add(entry);
    }
  }
}

/** True when the pod did not wait for this filter before. */
export function widenEntry(entry: QueuedPod, plugin: string): boolean {
  const bit = rejectorBit(plugin);
  const isNew = (entry.rejectors & bit) !== bit;
  entry.rejectors |= bit;
  if (bit !== REJECTOR.Plugin || entry.plugins.includes(plugin)) return isNew;
  entry.plugins = [...entry.plugins, plugin];
  return true;
}

export const NO_PINS: ReadonlySet<string> = new Set();

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set?.delete(value) === true && set.size === 0) sets.delete(key);
}
