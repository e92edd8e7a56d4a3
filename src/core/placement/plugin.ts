/**
 * The port through which other rooms take part in scheduling, wired in at assembly: a claim that holds a slot for its
 * owner, overhead kept free for daemons. Plugins run after the built-in filters, in the order given.
 */
import type { Answer } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import type { CompiledPod } from './compiled-pod.ts';
import type { NodeState } from './node-state.ts';

export interface SchedulerPlugin {
  /** Stands where kube-scheduler's plugin names stand: in messages and metrics. */
  readonly name: string;
  /** May the pod go to this node? Pure and quick: it runs for every node that passed everything else. */
  filter?(pod: CompiledPod, node: NodeState, cluster: ClusterState): Answer;
  readonly scoring?: PluginScoring;
  /** The pod has a node and is about to be bound: set aside what it needs. A refusal frees what others reserved. */
  reserve?(pod: CompiledPod, nodeName: string): Answer;
  /** Binding failed or was given up. Also called for plugins that reserved nothing; must not fail. */
  unreserve?(pod: CompiledPod, nodeName: string): void;
  /** The last step before binding, the only one that may wait for others. */
  preBind?(pod: CompiledPod, nodeName: string, signal: AbortSignal): Promise<Answer>;
}

interface PluginScoring {
  readonly weight: number;
  /** A raw score, more is better; brought to 0–100 over the nodes in question unless `normalised`. */
  score(pod: CompiledPod, node: NodeState, cluster: ClusterState): number;
  readonly normalised?: boolean;
}
