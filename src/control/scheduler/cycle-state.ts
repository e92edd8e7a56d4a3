/** The state that attempts share (`cycle.ts`, `node-search.ts`, `node-choice.ts`), in one record. */
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import { feasible, feasibleWithNominated } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import { preparePod, type PreparedPod } from '../../core/placement/prepared-pod.ts';
import type { ScoreOptions } from '../../core/placement/scores.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { Refused } from './decision.ts';
import type { KindMemory } from './kind-memory.ts';
import type { NodeOrder } from './node-order.ts';
import { kindOf } from './queue/kinds-of-pods.ts';
import type { Turn } from './turn.ts';

export interface CycleState {
  /** Read only: a decision changes nothing in the cluster. */
  readonly cluster: ClusterState;
  /** The order in which nodes are asked; every search advances it. */
  readonly order: NodeOrder;
  readonly random: Random;
  readonly plugins: readonly SchedulerPlugin[];
  readonly turn: Turn;
  readonly scoring: (compiled: CompiledPod) => ScoreOptions;
  /** Scores of nodes by kind of pod, each valid until its node changes. */
  readonly memory: KindMemory;
  /** Scratch of `chooseRemembered`: positions in the node order of the best nodes so far. Empty at the start of each use. */
  readonly best: number[];
  /** The last pod that every node refused. Holds for pods of the same kind while the cluster has the same version. */
  lastRefused: { readonly kind: string; readonly version: number; readonly decision: Refused } | undefined;
}

export const prepare = ({ cluster, plugins }: CycleState, compiled: CompiledPod): PreparedPod =>
  preparePod(compiled, cluster, plugins);

export const passes = ({ cluster }: CycleState, prepared: PreparedPod, state: NodeState): boolean =>
  cluster.nominated === 0 ? feasible(prepared, state) : feasibleWithNominated(prepared, state);

/** From the cluster state: the pod's status may still show a withdrawn nomination, or not yet show a new one. */
export const nominatedFor = ({ cluster }: CycleState, { record }: CompiledPod): NodeState | undefined =>
  cluster.nominated === 0 ? undefined : cluster.nodes.get(cluster.nominationOf(record.key) ?? '');

export function rememberRefused(cycle: CycleState, decision: Refused): Refused {
  const { compiled, version } = decision.prepared;
  // A plugin that judges each pod may answer otherwise for the next, even for the same one a moment later.
  const isByKind = decision.prepared.parts.every(({ part }) => part.basis === 'kind');
  if (isByKind && decision.prepared.pinnedNodes === undefined) {
    cycle.lastRefused = { kind: kindOf(compiled), version, decision };
  }
  return decision;
}
