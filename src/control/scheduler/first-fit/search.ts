/**
 * Looks for the first node that takes a pod, the search starting where the last one ended, so that pods spread. Fifty
 * thousand nodes are asked in slices: after a few milliseconds everybody else has a turn, and the search goes on with
 * the cluster as it is then.
 */
import type { Pod } from '../../../core/api/types/core-v1.ts';
import type { Refusal } from '../../../core/placement/answer.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import { compilePodOnce } from '../../../core/placement/compiled-pod.ts';
import { feasible, judge } from '../../../core/placement/filters.ts';
import type { NodeState } from '../../../core/placement/node-state.ts';
import { preparePod, type PreparedPod } from '../../../core/placement/prepared-pod.ts';
import { failureOf, NO_NODES, summarizeFailure } from '../../../core/placement/summary.ts';

export type SearchResult =
  | { readonly found: NodeState }
  /** No node takes it, in kube-scheduler's words. */
  | { readonly found: undefined; readonly message: string };

export interface Search {
  /** `breathe` is called every few nodes; a promise is waited for. */
  find(pod: Pod, breathe: () => Promise<void> | undefined): Promise<SearchResult>;
}

/** Nodes asked between two looks at the clock. */
const STRIDE = 256;

export function createSearch(cluster: ClusterState): Search {
  /** In the order of arrival; `next` is where the coming search begins. */
  let order: NodeState[] = [];
  let orderVersion = -1;
  let next = 0;

  function nodeStates(): readonly NodeState[] {
    if (orderVersion !== cluster.topologyVersion) {
      order = [...cluster.nodes.values()];
      orderVersion = cluster.topologyVersion;
    }
    return order;
  }

  /** A pinned pod is not judged on the thousands of nodes it never could go to. */
  function candidates({ pinnedNodes }: PreparedPod): readonly NodeState[] {
    if (pinnedNodes === undefined) return nodeStates();
    return [...pinnedNodes].flatMap((name) => cluster.nodes.get(name) ?? []);
  }

  return {
    async find(pod, breathe) {
      const compiled = compilePodOnce(pod);
      let prepared = preparePod(compiled, cluster);
      const isPinned = prepared.pinnedNodes !== undefined;
      const refreshed = (): PreparedPod =>
        prepared.version === cluster.version ? prepared : (prepared = preparePod(compiled, cluster));
      let states = candidates(prepared);
      const first = isPinned ? 0 : next;
      for (let i = 0; i < states.length; i += 1) {
        if (i % STRIDE === STRIDE - 1) {
          const pause = breathe();
          if (pause !== undefined) {
            await pause;
            states = candidates(refreshed());
          }
        }
        const at = (first + i) % states.length;
        const state = states[at];
        if (state === undefined || !feasible(prepared, state)) continue;
        if (!isPinned) next = at + 1;
        return { found: state };
      }
      if (cluster.nodes.size === 0) return { found: undefined, message: NO_NODES };
      const refusals: Refusal[] = [];
      for (let i = 0; i < states.length; i += 1) {
        if (i % STRIDE === STRIDE - 1) {
          const pause = breathe();
          if (pause !== undefined) {
            await pause;
            states = candidates(refreshed());
          }
        }
        const state = states[i];
        if (state === undefined) break;
        const answer = judge(prepared, state);
        // Came free while we looked: better late than waiting for the next change.
        if (answer.ok) return { found: state };
        refusals.push(answer);
      }
      return { found: undefined, message: summarizeFailure(failureOf(prepared, refusals)) };
    },
  };
}
