/**
 * The pods that wait, found by what they wait for. A change of a node costs in proportion to the pods pinned to it and
 * to the number of *kinds* of other pods, however many of each there are; a change elsewhere to the kinds that look
 * there. Nothing of a waiting pod is kept compiled except one example a kind.
 */
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import { type CompiledPod, compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import {
  type ClusterChange,
  isStorageChange,
  nodeOf,
  type PlacementChange,
  type StorageChange,
} from './cluster-change.ts';
import { ALL, type Help, helpAcrossNodes, NONE } from './hints.ts';
import { kindOf } from './kinds-of-pods.ts';
import { askNode, NO_HELP, nodeConcerned } from './on-node.ts';
import type { QueuedPod } from './queued-pod.ts';
import { ABOUT_STORAGE, ACROSS_NODES, REJECTOR, rejectorBit } from './rejectors.ts';
import { sharesDomain } from './shared-domains.ts';
import { claimNames, storageHelps } from './storage-hints.ts';

interface Called {
  readonly entry: QueuedPod;
  /** As one of a limited number. */
  readonly limited: boolean;
}

export interface WaitingIndex {
  readonly size: number;
  add(entry: QueuedPod, compiled: CompiledPod): void;
  remove(entry: QueuedPod): boolean;
  /** In the order they came. */
  entries(): Iterable<QueuedPod>;
  /** Whom the change may help. They stay in the index until they are removed. */
  calledBy(change: ClusterChange): Called[];
  /** Whether it may help this one pod, which is not in the index. */
  helps(change: ClusterChange, entry: QueuedPod, compiled: CompiledPod): boolean;
}

interface Kind {
  readonly key: string;
  /** Stands for all of them; where they are pinned is each one's own. */
  readonly example: CompiledPod;
  /** Those that refused the first of them, and those found in the way since. */
  rejectors: number;
  readonly entries: Set<QueuedPod>;
}

interface Membership {
  readonly kind: Kind | undefined;
  readonly pinned: ReadonlySet<string> | undefined;
  readonly claims: readonly string[];
}

export interface WaitingIndexOptions {
  readonly cluster: ClusterState;
  /** Where plugins of other rooms judge pods too, two pods of a kind may differ in what only the plugin sees. */
  readonly plugins: readonly SchedulerPlugin[];
}

export function createWaitingIndex({ cluster, plugins }: WaitingIndexOptions): WaitingIndex {
  const members = new Map<QueuedPod, Membership>();
  /** Pods that may go anywhere, by kind. */
  const free = new Map<string, Kind>();
  /** Pods with a pin that also look beyond their node. */
  const pinnedAcross = new Map<string, Kind>();
  const byNode = new Map<string, Set<QueuedPod>>();
  const byClaim = new Map<string, Set<QueuedPod>>();
  const aboutStorage = new Set<QueuedPod>();
  const byPlugin = new Set<QueuedPod>();
  /** They were told that there is no node; whatever node comes, that is no longer true. */
  const withoutNodes = new Set<QueuedPod>();

  const join = (kinds: Map<string, Kind>, entry: QueuedPod, compiled: CompiledPod): Kind => {
    // One that was promised room may go where its like may not.
    const own = cluster.nominationOf(entry.uid) === undefined ? '' : entry.uid;
    const key = `${own}\n${entry.rejectors}\n${kindOf(compiled)}`;
    let kind = kinds.get(key);
    if (kind === undefined)
      kinds.set(key, (kind = { key, example: compiled, rejectors: entry.rejectors, entries: new Set() }));
    kind.entries.add(entry);
    return kind;
  };

  /** Whom a hint on one kind means. Those who wait for one node only are asked for themselves. */
  const take = (kind: Kind, help: Help, change: ClusterChange, into: Map<QueuedPod, boolean>): void => {
    if (help === NONE) return;
    const limited = plugins.length === 0 && help < kind.entries.size;
    let left = limited ? help : Infinity;
    for (const entry of kind.entries) {
      if (left <= 0) break;
      if (entry.lastCall === change) continue;
      left--;
      if (!into.has(entry) || !limited) into.set(entry, limited);
    }
  };

  /** Another filter stands in the way of this kind by now: it waits for that one too. */
  const widen = (kind: Kind, refusedBy: readonly string[]): void => {
    for (const plugin of refusedBy) {
      const bit = rejectorBit(plugin);
      if ((kind.rejectors & bit) === bit && bit !== REJECTOR.Plugin) continue;
      kind.rejectors |= bit;
      for (const entry of kind.entries) {
        widenEntry(entry, plugin);
        if ((bit & ABOUT_STORAGE) !== 0) aboutStorage.add(entry);
        if (bit === REJECTOR.Plugin) byPlugin.add(entry);
      }
    }
  };

  const callFree = (change: PlacementChange, into: Map<QueuedPod, boolean>): void => {
    if (free.size === 0) return;
    const state = nodeConcerned(change, cluster);
    const node = state === undefined ? undefined : askNode(change, state, cluster, plugins);
    for (const kind of free.values()) {
      const across = acrossFor(kind, change);
      if (across === ALL) {
        take(kind, ALL, change, into);
        continue;
      }
      const { help, refusedBy } = node?.ask(kind.example) ?? NO_HELP;
      widen(kind, refusedBy);
      take(kind, Math.max(across, help), change, into);
    }
  };

  const acrossFor = (kind: Kind, change: PlacementChange): Help => {
    if ((kind.rejectors & ACROSS_NODES) === 0) return NONE;
    return helpAcrossNodes(change, { compiled: kind.example, rejectors: kind.rejectors }, cluster);
  };

  const callPinned = (change: PlacementChange, into: Map<QueuedPod, boolean>): void => {
    const nodeName = nodeOf(change);
    const here = nodeName === undefined ? undefined : byNode.get(nodeName);
    const state = here === undefined ? undefined : nodeConcerned(change, cluster);
    if (here !== undefined && state !== undefined) {
      const node = askNode(change, state, cluster, plugins);
      for (const entry of [...here]) {
        const compiled = compilePodOnce(entry.pod);
        const { help, refusedBy } = node.ask(compiled);
        if (help !== NONE) into.set(entry, false);
        else if (refusedBy.filter((plugin) => widenEntry(entry, plugin)).length > 0) {
          remove(entry);
          add(entry, compiled);
        }
      }
    }
    for (const kind of pinnedAcross.values()) {
      if (acrossFor(kind, change) === NONE) continue;
      for (const entry of sharesDomain(change, kind.example, kind.rejectors, kind.entries, here, pinsOf, cluster)) {
        into.set(entry, false);
      }
    }
  };

  const pinsOf = (entry: QueuedPod): ReadonlySet<string> => members.get(entry)?.pinned ?? NO_PINS;

  const callStorage = (change: StorageChange, into: Map<QueuedPod, boolean>): void => {
    const waiting =
      change.kind === 'claim'
        ? (byClaim.get(`${change.claim.metadata.namespace ?? 'default'}/${change.claim.metadata.name}`) ?? NOBODY)
        : aboutStorage;
    for (const entry of waiting) if (storageHelps(change, entry)) into.set(entry, false);
  };

  function add(entry: QueuedPod, compiled: CompiledPod): void {
    const { rejectors } = entry;
    const pinned = compiled.nodeAffinity.pinnedNodes;
    let kind: Kind | undefined;
    if (pinned === undefined) kind = join(free, entry, compiled);
    else {
      for (const name of pinned) addTo(byNode, name, entry);
      if ((rejectors & ACROSS_NODES) !== 0) kind = join(pinnedAcross, entry, compiled);
    }
    const claims = claimNames(entry.pod);
    for (const claim of claims) addTo(byClaim, claim, entry);
    if ((rejectors & ABOUT_STORAGE) !== 0) aboutStorage.add(entry);
    if ((rejectors & REJECTOR.Plugin) !== 0) byPlugin.add(entry);
    if ((rejectors & REJECTOR.NoNodes) !== 0) withoutNodes.add(entry);
    members.set(entry, { kind, pinned, claims });
  }

  function remove(entry: QueuedPod): boolean {
    const member = members.get(entry);
    if (member === undefined) return false;
    members.delete(entry);
    const { kind } = member;
    if (kind?.entries.delete(entry) === true && kind.entries.size === 0) {
      (member.pinned === undefined ? free : pinnedAcross).delete(kind.key);
    }
    for (const name of member.pinned ?? []) removeFrom(byNode, name, entry);
    for (const claim of member.claims) removeFrom(byClaim, claim, entry);
    aboutStorage.delete(entry);
    byPlugin.delete(entry);
    withoutNodes.delete(entry);
    return true;
  }

  return {
    get size() {
      return members.size;
    },
    entries: () => members.keys(),

    add,
    remove,

    calledBy(change) {
      const called = new Map<QueuedPod, boolean>();
      if (isStorageChange(change)) callStorage(change, called);
      else if (change.kind === 'namespace') {
        for (const kind of [...free.values(), ...pinnedAcross.values()]) {
          if ((kind.rejectors & REJECTOR.InterPodAffinity) !== 0) take(kind, ALL, change, called);
        }
      } else if (change.kind === 'plugin') {
        for (const entry of byPlugin) if (entry.plugins.includes(change.name)) called.set(entry, false);
      } else {
        callFree(change, called);
        callPinned(change, called);
        if (change.kind === 'node-gone') callNominated(change.node.metadata.name, called);
        if (change.kind === 'node-added') for (const entry of withoutNodes) called.set(entry, false);
      }
      return Array.from(called, ([entry, limited]) => ({ entry, limited }));
    },

    helps(change, entry, compiled) {
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
    },
  };

  /** The node a pod was promised is gone: it must look for another. */
  function callNominated(nodeName: string, into: Map<QueuedPod, boolean>): void {
    const keys = new Set(cluster.nominatedTo(nodeName).map((record) => record.key));
    if (keys.size === 0) return;
    for (const entry of members.keys()) if (keys.has(entry.uid)) into.set(entry, false);
  }
}

const NO_PINS: ReadonlySet<string> = new Set();
const NOBODY: ReadonlySet<QueuedPod> = new Set();

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([value]));
  else set.add(value);
}

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key);
  if (set?.delete(value) === true && set.size === 0) sets.delete(key);
}

/** True when the pod did not wait for this filter before. */
function widenEntry(entry: QueuedPod, plugin: string): boolean {
  const bit = rejectorBit(plugin);
  const isNew = (entry.rejectors & bit) !== bit;
  entry.rejectors |= bit;
  if (bit !== REJECTOR.Plugin || entry.plugins.includes(plugin)) return isNew;
  entry.plugins = [...entry.plugins, plugin];
  return true;
}
