/**
 * The order in which nodes are asked: by turns from each zone, so that a search that stops early has asked nodes of every
 * zone. A search starts where the last one stopped. The order is rebuilt on the first read after nodes came, went or moved.
 */
import { labelOf } from '../../core/kube/labels.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { NodeState } from '../../core/placement/node-state.ts';

export interface NodeOrder {
  /** Each list is never changed once returned. */
  list(): readonly NodeState[];
  /** Slots of the same nodes in the same order, by which columns are read without touching the node states. */
  slots(): Int32Array;
  /** A node came, went, or has other labels. */
  stale(): void;
  /** Where the next search starts. */
  readonly start: number;
  advance(steps: number): void;
}

const zoneOf = ({ node }: NodeState): string => {
  const { labels } = node.metadata;
  const region = labelOf(labels, 'topology.kubernetes.io/region') ?? '';
  return `${region}\0${labelOf(labels, 'topology.kubernetes.io/zone') ?? ''}`;
};

export function createNodeOrder(cluster: ClusterState): NodeOrder {
  let states: readonly NodeState[] = [];
  let slots = new Int32Array();
  let isStale = true;
  let start = 0;

  const list = (): readonly NodeState[] => {
    if (!isStale) return states;
    isStale = false;
    states = byTurns(cluster.nodes.values());
    slots = Int32Array.from(states, (state) => state.slot);
    if (start >= states.length) start = 0;
    return states;
  };

  return {
    list,
    slots() {
      list();
      return slots;
    },
    stale: () => void (isStale = true),
    get start() {
      return start;
    },
    advance(steps) {
      start = states.length === 0 ? 0 : (start + steps) % states.length;
    },
  };
}

function byTurns(nodes: Iterable<NodeState>): readonly NodeState[] {
  const zones = new Map<string, NodeState[]>();
  let count = 0;
  for (const state of nodes) {
    const zone = zoneOf(state);
    const members = zones.get(zone);
    if (members === undefined) zones.set(zone, [state]);
    else members.push(state);
    count++;
  }
  const lists = [...zones.values()];
  if (lists.length <= 1) return lists[0] ?? [];
  const ordered: NodeState[] = [];
  for (let round = 0; ordered.length < count; round++) {
    for (const members of lists) {
      const state = members[round];
      if (state !== undefined) ordered.push(state);
    }
  }
  return ordered;
}
