/**
 * May this change help that pod? Asked of every filter that refused it; one that may have changed its mind is enough.
 * Never wrong on the side of silence: a pod that would now find a node is always called. Where kube-scheduler's hints
 * look at the change alone, these look at the node too, so that far fewer pods are called in vain.
 */
import { termSelects, type AffinityTerm } from '../../../core/placement/affinity-terms.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import { firstConflict, occupy, type UsedPorts } from '../../../core/placement/host-ports.ts';
import { allocatableOf } from '../../../core/placement/node-state.ts';
import type { PodRecord } from '../../../core/placement/pod-record.ts';
import { hasAllKeys } from '../../../core/placement/topology-spread.ts';
import { labelOf } from '../../../core/kube/labels.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import { NODE, POD, type PlacementChange } from './cluster-change.ts';
import { ACROSS_NODES, REJECTOR, UNDONE_BY_ROOM } from './rejectors.ts';
import { mayHost, offersMore, roomOn, type Room } from './room.ts';

/** How many pods of one kind a change may help: none, some (the room on one node), or all of them. */
export type Help = number;
export const NONE: Help = 0;
export const ALL: Help = Infinity;

export interface Waiter {
  readonly compiled: CompiledPod;
  readonly rejectors: number;
}

/** One change, made ready to be held against many kinds of pods. */
export interface Hint {
  /** What the node itself now has for the pod. */
  onNode(waiter: Waiter): Help;
  /** What the change means in other places of the same domains. */
  acrossNodes(waiter: Waiter): Help;
}

const none = (): Help => NONE;
const NOTHING: Hint = { onNode: none, acrossNodes: none };
const allIf = (helps: boolean): Help => (helps ? ALL : NONE);

export function hintFor(change: PlacementChange, cluster: ClusterState): Hint {
  switch (change.kind) {
    case 'node-added':
      return nodeAdded(change.node, cluster);
    case 'node-changed':
      return nodeChanged(change.node, change.old, change.aspects, cluster);
    case 'node-gone':
      return {
        onNode: none,
        acrossNodes: ({ compiled, rejectors }) =>
          allIf(
            (change.hadPods && (rejectors & REJECTOR.InterPodAffinity) !== 0) ||
              ((rejectors & REJECTOR.PodTopologySpread) !== 0 && spreadsOver(compiled, change.node)),
          ),
      };
    case 'pod-placed':
      return { onNode: none, acrossNodes: (waiter) => allIf(placedHelps(waiter, change.record, cluster)) };
    case 'pod-changed':
      return podChanged(change, cluster);
    case 'room':
      return roomAppeared(change, cluster);
  }
}

function nodeAdded(node: Node, cluster: ClusterState): Hint {
  const state = cluster.nodes.get(node.metadata.name);
  if (state === undefined) return NOTHING;
  const room = roomOn(state);
  return {
    onNode: ({ compiled }) => (mayHost(compiled, node) ? room.for(compiled) : NONE),
    // A new domain, or pods that were counted nowhere before.
    acrossNodes: ({ compiled, rejectors }) =>
      allIf(
        ((rejectors & REJECTOR.PodTopologySpread) !== 0 && spreadsOver(compiled, node)) ||
          ((rejectors & REJECTOR.InterPodAffinity) !== 0 && state.pods.size > 0),
      ),
  };
}

function nodeChanged(node: Node, old: Node, aspects: number, cluster: ClusterState): Hint {
  const state = cluster.nodes.get(node.metadata.name);
  if (state === undefined) return NOTHING;
  const room = roomOn(state);
  const before = allocatableOf(old);
  const labels = (aspects & NODE.LABELS) !== 0;
  return {
    onNode({ compiled, rejectors }) {
      if (!mayHost(compiled, node)) return NONE;
      const opened = !mayHost(compiled, old);
      const grew = (aspects & NODE.ALLOCATABLE) !== 0 && offersMore(compiled, state.allocatable, before);
      // Where a volume can be reached from is written in the labels of nodes too.
      const moved = labels && (rejectors & (REJECTOR.VolumeBinding | REJECTOR.VolumeZone | ACROSS_NODES)) !== 0;
      return opened || grew || moved || (rejectors & REJECTOR.Plugin) !== 0 ? room.for(compiled) : NONE;
    },
    acrossNodes({ compiled, rejectors }) {
      if ((rejectors & REJECTOR.PodTopologySpread) !== 0 && spreadChanged(compiled, node, old, aspects)) return ALL;
      if (!labels || (rejectors & REJECTOR.InterPodAffinity) === 0) return NONE;
      return allIf(domainsChanged(compiled, node, old, state.pods.size));
    },
  };
}

const spreadsOver = ({ spread }: CompiledPod, node: Node): boolean => hasAllKeys(node.metadata.labels, spread.hard);

function spreadChanged(compiled: CompiledPod, node: Node, old: Node, aspects: number): boolean {
  const [is, was] = [spreadsOver(compiled, node), spreadsOver(compiled, old)];
  if (is !== was) return true;
  if (!is) return false;
  // A label may also bring the node into, or take it out of, what the pod's own node affinity counts.
  return (aspects & (NODE.LABELS | NODE.TAINTS)) !== 0;
}

/** The node moved between domains the pod's terms speak of; its pods moved with it, and their terms may speak of others. */
function domainsChanged({ record }: CompiledPod, node: Node, old: Node, pods: number): boolean {
  if (pods > 0) return true;
  const moved = (term: AffinityTerm): boolean =>
    labelOf(node.metadata.labels, term.topologyKey) !== labelOf(old.metadata.labels, term.topologyKey);
  const { affinity } = record;
  return affinity !== undefined && (affinity.requiredAffinity.some(moved) || affinity.requiredAntiAffinity.some(moved));
}

function roomAppeared(change: Extract<PlacementChange, { kind: 'room' }>, cluster: ClusterState): Hint {
  const state = cluster.nodes.get(change.nodeName);
  // Pods of nodes that are gone were counted nowhere.
  if (state === undefined) return NOTHING;
  const { record, atMost } = change;
  const room = roomOn(state);
  const freedPorts: UsedPorts = new Map();
  if (record !== undefined) occupy(freedPorts, record.ports, 1);
  return {
    onNode({ compiled, rejectors }) {
      if (compiled.record.priority > atMost) return NONE;
      let helped = rejectors & (UNDONE_BY_ROOM | REJECTOR.Plugin);
      // Ports are the only obstacle: then it must be one of them that became free.
      if (helped === REJECTOR.NodePorts && record !== undefined) {
        helped = firstConflict(freedPorts, compiled.record.ports) === undefined ? 0 : helped;
      }
      return helped !== 0 && mayHost(compiled, state.node) ? room.for(compiled) : NONE;
    },
    acrossNodes: (waiter) =>
      record === undefined || waiter.compiled.record.priority > atMost ? NONE : goneHelps(waiter, record, cluster),
  };
}

function podChanged(change: Extract<PlacementChange, { kind: 'pod-changed' }>, cluster: ClusterState): Hint {
  const { record, old, aspects, nodeName } = change;
  const state = cluster.nodes.get(nodeName);
  let room: Room | undefined;
  return {
    onNode({ compiled, rejectors }) {
      if (state === undefined || (aspects & POD.SMALLER) === 0) return NONE;
      if ((rejectors & (REJECTOR.NodeResourcesFit | REJECTOR.Plugin)) === 0 || !mayHost(compiled, state.node))
        return NONE;
      return (room ??= roomOn(state)).for(compiled);
    },
    acrossNodes(waiter) {
      // Spreading does not count pods that are on their way out.
      if ((aspects & POD.TERMINATING) !== 0 && spreadCounts(waiter, old)) return ALL;
      if ((aspects & POD.LABELS) === 0) return NONE;
      return placedHelps(waiter, record, cluster) ? ALL : goneHelps(waiter, old, cluster);
    },
  };
}

/** A pod that came: it may be the neighbour a pod waits for, or raise the least that others are measured by. */
function placedHelps(waiter: Waiter, other: PodRecord, cluster: ClusterState): boolean {
  return (
    ((waiter.rejectors & REJECTOR.InterPodAffinity) !== 0 &&
      isWantedNeighbour(waiter.compiled.record, other, cluster)) ||
    spreadCounts(waiter, other)
  );
}

/**
 * A pod that went: it may be one that was avoided, that objected, or that counted. Pods that keep each other out of a
 * domain are helped one at a time.
 */
function goneHelps(waiter: Waiter, other: PodRecord, cluster: ClusterState): Help {
  if (spreadCounts(waiter, other)) return ALL;
  if ((waiter.rejectors & REJECTOR.InterPodAffinity) === 0) return NONE;
  const { record } = waiter.compiled;
  // When the last pod of a group goes, the next may begin the group anywhere.
  if (isWantedNeighbour(record, other, cluster)) return ALL;
  const ours = record.affinity?.requiredAntiAffinity ?? [];
  const avoided = ours.some((term) => selects(term, other, cluster));
  const objected = (other.affinity?.requiredAntiAffinity ?? []).some((term) => selects(term, record, cluster));
  if (!avoided && !objected) return NONE;
  return ours.some((term) => selects(term, record, cluster)) ? 1 : ALL;
}

const selects = (term: AffinityTerm, { namespace, labels }: PodRecord, cluster: ClusterState): boolean =>
  termSelects(term, namespace, labels, cluster.namespaceLabels(namespace));

function isWantedNeighbour(record: PodRecord, other: PodRecord, cluster: ClusterState): boolean {
  const terms = record.affinity?.requiredAffinity ?? [];
  return terms.length > 0 && terms.every((term) => selects(term, other, cluster));
}

function spreadCounts({ compiled, rejectors }: Waiter, other: PodRecord): boolean {
  if ((rejectors & REJECTOR.PodTopologySpread) === 0 || other.namespace !== compiled.record.namespace) return false;
  return compiled.spread.hard.some((constraint) => constraint.selector.matches(other.labels));
}
