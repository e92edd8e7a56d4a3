/**
 * May this change help that pod in other places than the one node it is about? Asked of the filters that look across
 * nodes, where they refused the pod; what the node itself has to say is found by asking it (`on-node.ts`). Never wrong on
 * the side of silence: a pod that would now find a node is always called.
 */
import { labelOf } from '../../../core/kube/labels.ts';
import type { Node } from '../../../core/api/types/core-v1.ts';
import { termSelects, type AffinityTerm } from '../../../core/placement/affinity-terms.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import type { PodRecord } from '../../../core/placement/pod-record.ts';
import { hasAllKeys } from '../../../core/placement/topology-spread.ts';
import { NODE, POD, type PlacementChange } from './cluster-change.ts';
import { REJECTOR } from './rejectors.ts';

/** How many pods of one kind a change may help: none, some (the room on one node), or all of them. */
export type Help = number;
export const NONE: Help = 0;
export const ALL: Help = Infinity;

export interface Waiter {
  readonly compiled: CompiledPod;
  /** Bits of the filters that refused it. */
  readonly rejectors: number;
}

const allIf = (helps: boolean): Help => (helps ? ALL : NONE);
const refusedBySpread = ({ rejectors }: Waiter): boolean => (rejectors & REJECTOR.PodTopologySpread) !== 0;
const refusedByPods = ({ rejectors }: Waiter): boolean => (rejectors & REJECTOR.InterPodAffinity) !== 0;

export function helpAcrossNodes(change: PlacementChange, waiter: Waiter, cluster: ClusterState): Help {
  const { compiled } = waiter;
  switch (change.kind) {
    case 'node-added': {
      // A new domain, or pods that were counted nowhere before.
      const pods = cluster.nodes.get(change.node.metadata.name)?.pods.size ?? 0;
      return allIf(
        (refusedBySpread(waiter) && spreadsOver(compiled, change.node)) || (refusedByPods(waiter) && pods > 0),
      );
    }
    case 'node-gone':
      return allIf(
        (refusedBySpread(waiter) && spreadsOver(compiled, change.node)) || (refusedByPods(waiter) && change.hadPods),
      );
    case 'node-changed': {
      const { node, old, aspects } = change;
      if (refusedBySpread(waiter) && spreadChanged(compiled, node, old, aspects)) return ALL;
      if ((aspects & NODE.LABELS) === 0 || !refusedByPods(waiter)) return NONE;
      const pods = cluster.nodes.get(node.metadata.name)?.pods.size ?? 0;
      return allIf(domainsChanged(compiled, node, old, pods));
    }
    case 'pod-placed':
      return allIf(placedHelps(waiter, change.record, cluster));
    case 'pod-changed': {
      const { record, old, aspects } = change;
      // Spreading does not count pods that are on their way out.
      if ((aspects & POD.TERMINATING) !== 0 && spreadCounts(waiter, old)) return ALL;
      if ((aspects & POD.LABELS) === 0) return NONE;
      return placedHelps(waiter, record, cluster) ? ALL : goneHelps(waiter, old, cluster);
    }
    case 'room': {
      const { record, atMost, nodeName } = change;
      // Pods of nodes that are gone were counted nowhere.
      if (record === undefined || compiled.record.priority > atMost || !cluster.nodes.has(nodeName)) return NONE;
      return goneHelps(waiter, record, cluster);
    }
  }
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

/** A pod that came: it may be the neighbour a pod waits for, or raise the least that others are measured by. */
function placedHelps(waiter: Waiter, other: PodRecord, cluster: ClusterState): boolean {
  return (
    (refusedByPods(waiter) && isWantedNeighbour(waiter.compiled.record, other, cluster)) || spreadCounts(waiter, other)
  );
}

/**
 * A pod that went: it may be one that was avoided, that objected, or that counted. Pods that keep each other out of a
 * domain are helped one at a time.
 */
function goneHelps(waiter: Waiter, other: PodRecord, cluster: ClusterState): Help {
  if (spreadCounts(waiter, other)) return ALL;
  if (!refusedByPods(waiter)) return NONE;
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

function spreadCounts(waiter: Waiter, other: PodRecord): boolean {
  const { compiled } = waiter;
  if (!refusedBySpread(waiter) || other.namespace !== compiled.record.namespace) return false;
  return compiled.spread.hard.some((constraint) => constraint.selector.matches(other.labels));
}
