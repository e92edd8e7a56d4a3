/**
 * Scores of nodes for the last pod of a kind, each kept until the node or its pods change. Ten thousand pods of one
 * template then ask every node a handful of times instead of five hundred nodes each. Only for kinds about which nodes
 * can be asked one by one: no filters across nodes, no preferences, no plugin that judges each pod.
 */
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import { feasible } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { NamedPart } from '../../core/placement/plugin.ts';
import type { PreparedPod } from '../../core/placement/prepared-pod.ts';
import { scoreByRequests } from '../../core/placement/scores.ts';
import { kindOf } from './queue/kinds-of-pods.ts';

/** The node does not take the pod. */
export const REFUSES = -1;

interface NodeScores {
  /** By slot: the node's score, or REFUSES, or NaN where the score depends on the other nodes. */
  readonly scores: Float64Array;
  /** By slot: the value of `changes` when the node was asked; the score is outdated where the two differ. */
  readonly asked: Float64Array;
  readonly changes: Float64Array;
  /** Asks the node again and remembers the score. */
  ask(state: NodeState): number;
}

export interface KindMemory {
  /** `undefined` where nodes cannot be asked one by one. */
  scoresFor(prepared: PreparedPod): NodeScores | undefined;
  /** The answers of a plugin changed, which the changes of nodes do not show. */
  forget(): void;
}

interface Memory {
  /** As in `NodeScores`; both as long as the columns of the cluster were at the last use. */
  asked: Float64Array;
  scores: Float64Array;
}

/** Templates that are scheduled at the same time are few; sixteen bytes a node each. */
const MAX_KINDS = 8;

const isByKind = ({ part }: NamedPart): boolean => part.basis === 'kind' && part.scoring === undefined;

export function createKindMemory(cluster: ClusterState): KindMemory {
  /** Least recently used first. */
  const memories = new Map<string, Memory>();

  function memoryOf(kind: string): Memory {
    let memory = memories.get(kind);
    if (memory === undefined) {
      const size = cluster.columns.changes.length;
      memory = { asked: new Float64Array(size), scores: new Float64Array(size) };
      const [oldest] = memories.keys();
      if (memories.size >= MAX_KINDS && oldest !== undefined) memories.delete(oldest);
    } else memories.delete(kind);
    memories.set(kind, memory);
    return memory;
  }

  return {
    forget: () => memories.clear(),
    scoresFor(prepared) {
      if (cluster.nominated > 0 || prepared.spread !== undefined || !prepared.parts.every(isByKind)) return undefined;
      if (!prepared.volumes.none || !prepared.affinity.skipped) return undefined;
      const score = scoreByRequests(prepared);
      if (score === undefined) return undefined;
      const memory = memoryOf(kindOf(prepared.compiled));
      const { changes } = cluster.columns;
      if (memory.asked.length < changes.length) {
        const larger: Memory = { asked: new Float64Array(changes.length), scores: new Float64Array(changes.length) };
        larger.asked.set(memory.asked);
        larger.scores.set(memory.scores);
        Object.assign(memory, larger);
      }
      const { asked, scores } = memory;
      const { tolerations } = prepared.compiled;
      const ask = (state: NodeState): number => {
        const { slot } = state;
        const { taints } = state.node.spec;
        const avoided = taints !== undefined && tolerations.countUntoleratedPreferences(taints) > 0;
        let answer = feasible(prepared, state) ? score(state) : REFUSES;
        // Avoided, not refused: the lower score depends on the other nodes, so the full search decides.
        if (avoided && answer !== REFUSES) answer = Number.NaN;
        asked[slot] = changes[slot] as number;
        scores[slot] = answer;
        return answer;
      };
      return { scores, asked, changes, ask };
    },
  };
}
