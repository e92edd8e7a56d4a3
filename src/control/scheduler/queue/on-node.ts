/**
 * Would the node take the pod now, or after less important pods left it? Asked of the one node a change is about, with
 * the filters themselves, so that no pod is requeued in vain. Where another filter than before stands in the way, the pod
 * waits for that one too from now on.
 */
import type { Refusal } from '../../../core/placement/answer.ts';
import type { ClusterState } from '../../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../../core/placement/compiled-pod.ts';
import { judgeWithNominated } from '../../../core/placement/filters.ts';
import type { NodeState } from '../../../core/placement/node-state.ts';
import { mayHost } from '../../../core/placement/may-host.ts';
import type { SchedulerPlugin } from '../../../core/placement/plugin.ts';
import { preparePod } from '../../../core/placement/prepared-pod.ts';
import { preemptsNobody, selectVictims } from '../../../core/placement/victims.ts';
import { POD, type PlacementChange } from './cluster-change.ts';
import { type Help, NONE } from './hints.ts';
import { type Room, roomOn } from './room.ts';

/** The answer of a node about a pod. */
export interface Standing {
  /** How many of its kind the node could take. */
  readonly help: Help;
  /** The filters that refuse it there, now and with less important pods gone: a change elsewhere may persuade them. */
  readonly refusedBy: readonly string[];
}

const NO_FILTERS: readonly string[] = Object.freeze([]);
export const NO_HELP: Standing = { help: NONE, refusedBy: NO_FILTERS };

export interface OnNode {
  ask(compiled: CompiledPod): Standing;
}

/** `undefined` where the change makes no node more welcoming. */
export function nodeConcerned(change: PlacementChange, cluster: ClusterState): NodeState | undefined {
  switch (change.kind) {
    case 'node-added':
    case 'node-changed':
      return cluster.nodes.get(change.node.metadata.name);
    case 'room':
      return cluster.nodes.get(change.nodeName);
    case 'pod-changed':
      return (change.aspects & POD.SMALLER) === 0 ? undefined : cluster.nodes.get(change.nodeName);
    case 'node-gone':
    case 'pod-placed':
      return undefined;
  }
}

export function askNode(
  change: PlacementChange,
  state: NodeState,
  cluster: ClusterState,
  plugins: readonly SchedulerPlugin[],
): OnNode {
  const atMost = change.kind === 'room' ? change.atMost : Infinity;
  let room: Room | undefined;
  return {
    ask(compiled) {
      if (compiled.record.priority > atMost || !mayHost(compiled, state.node)) return NO_HELP;
      // A pod that takes the place of others needs no room beside them, and comes alone.
      const count = displaces(compiled, cluster, plugins) ? 1 : (room ??= roomOn(state)).for(compiled);
      if (count === 0) return NO_HELP;
      const prepared = preparePod(compiled, cluster, plugins);
      const answer = judgeWithNominated(prepared, state);
      if (answer.ok) return { help: count, refusedBy: NO_FILTERS };
      const refusedBy = pluginsOf(answer);
      if (!answer.preemptionHelps || preemptsNobody(prepared) !== undefined) return { help: NONE, refusedBy };
      const emptied = selectVictims(prepared, state, []);
      return emptied.ok
        ? { help: count, refusedBy: NO_FILTERS }
        : { help: NONE, refusedBy: [...refusedBy, ...pluginsOf(emptied)] };
    },
  };
}

const displaces = (compiled: CompiledPod, cluster: ClusterState, plugins: readonly SchedulerPlugin[]): boolean =>
  plugins.some((plugin) => plugin.partIn(compiled, cluster)?.displaced !== undefined);

const pluginsOf = ({ nos }: Refusal): readonly string[] => nos.slice(0, 1).map((no) => no.plugin);
