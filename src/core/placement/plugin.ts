/**
 * The port through which other rooms take part in scheduling, wired in at assembly: a claim that takes the place of its
 * guardian, overhead kept free for daemons. A plugin is asked once for each pod of an attempt, and pods that it has no part
 * in are scheduled as though the plugin were not there, with all memories of the scheduler.
 */
import type { Answer, No, Refusal } from './answer.ts';
import type { ClusterState } from './cluster-state.ts';
import type { CompiledPod } from './compiled-pod.ts';
import type { NodeState } from './node-state.ts';

export interface SchedulerPlugin {
  /** Stands where kube-scheduler's plugin names stand: in messages and metrics. */
  readonly name: string;
  /**
   * The part that the plugin takes in scheduling this pod; `undefined`: none. Quick, for it is asked for every pod, and the
   * same object while its answers are the same. A plugin whose answers change says so (`Scheduler.pluginChanged`).
   */
  partIn(pod: CompiledPod, cluster: ClusterState): PluginPart | undefined;
}

export interface PluginPart {
  /**
   * `kind`: the answers depend on the kind of the pod and on the node with its pods alone, so they hold for all pods of the
   * kind until the node changes. `pod`: every pod is asked about; only for pods that are a kind of their own (`kindOf`).
   */
  readonly basis: 'kind' | 'pod';
  /** The pod can go nowhere, whatever the node. */
  readonly refusal?: Refusal | undefined;
  /** The only nodes worth asking, and the reason that stands for all others. */
  readonly only?: { readonly nodes: ReadonlySet<string>; readonly others: No } | undefined;
  /** Keys of pods on this node whose place the pod is to take: all filters judge the node as though they were gone. */
  displaced?(node: NodeState): readonly string[];
  /** May the pod go to this node? Pure and quick: it runs for every node that passed the built-in filters. */
  filter?(node: NodeState): Answer;
  readonly scoring?: PluginScoring | undefined;
  /** Answers of the plugin may come to help the pod where nodes refuse it: the pod waits for them, too. */
  readonly awaits?: true | undefined;
  /** Why the pod may preempt nobody; `undefined`: it may. */
  readonly preemptsNobody?: string | undefined;
  /** The pod was given this node, and the plugin binds it in place of the scheduler. Called before anything else is decided. */
  reserve?(nodeName: string): PluginReservation;
}

export interface PluginReservation {
  /**
   * Called when the volumes of the pod are bound. May take long: it does not count among the bindings that hold up further
   * decisions. Rejects only when the signal fires.
   */
  bind(signal: AbortSignal): Promise<Binding>;
  /** The pod was not bound. Must not fail. */
  undo(): void;
}

interface PluginScoring {
  readonly weight: number;
  /** A raw score, more is better; brought to 0–100 over the nodes in question unless `normalised`. */
  score(node: NodeState): number;
  readonly normalised?: boolean;
}

/** How a binding ended. */
export type Binding =
  | { readonly bound: true }
  /** The pod was bound to another node by another client, or is gone: nothing is left to schedule. */
  | { readonly bound: false; readonly settled: true }
  | { readonly bound: false; readonly settled: false; readonly message: string };

export interface NamedPart {
  /** Name of the plugin. */
  readonly name: string;
  readonly part: PluginPart;
}
