/**
 * One attempt: where should this pod go, as the cluster stands? Filters find nodes that will do, scores choose among
 * them, chance breaks ties. Nothing is changed here.
 *
 * A pod pinned to one node is decided by asking that node. Others ask as many nodes as kube-scheduler would
 * (`node-search.ts`); long searches are cut into turns, and if the cluster changed in between, the choice is checked once
 * more (`node-choice.ts`).
 */
import type { Refusal } from '../../core/placement/answer.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import { judgeWithNominated } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import type { PreparedPod } from '../../core/placement/prepared-pod.ts';
import type { ScoreOptions } from '../../core/placement/scores.ts';
import type { Random } from '../../machinery/random/random.ts';
import { type CycleState, nominatedFor, passes, prepare } from './cycle-state.ts';
import { type Attempt, type Decision, NO_NODES, refusedBy } from './decision.ts';
import { createKindMemory } from './kind-memory.ts';
import { choose } from './node-choice.ts';
import type { NodeOrder } from './node-order.ts';
import { searchNode } from './node-search.ts';
import { kindOf } from './queue/kinds-of-pods.ts';
import type { Turn } from './turn.ts';

export interface CycleOptions {
  readonly cluster: ClusterState;
  readonly order: NodeOrder;
  readonly random: Random;
  readonly plugins: readonly SchedulerPlugin[];
  readonly turn: Turn;
  readonly scoring?: (compiled: CompiledPod) => ScoreOptions;
}

export interface Cycle {
  /** Decides at once, where that is cheap: pinned pods, and pods whose kind was refused at this version of the cluster. */
  quick(compiled: CompiledPod): Decision | undefined;
  attempt(compiled: CompiledPod): Attempt;
  /** Storage changed, which the cluster's version does not count. */
  forget(): void;
  /** The answers of a plugin changed, which neither the cluster's version nor the changes of nodes count. */
  forgetAll(): void;
}

const NO_OPTIONS: ScoreOptions = {};

export function createCycle({ cluster, order, random, plugins, turn, scoring }: CycleOptions): Cycle {
  const cycle: CycleState = {
    cluster,
    order,
    random,
    plugins,
    turn,
    scoring: scoring ?? (() => NO_OPTIONS),
    memory: createKindMemory(cluster),
    best: [],
    lastRefused: undefined,
  };
  return {
    quick: (compiled) => decideQuickly(cycle, compiled),
    attempt: (compiled) => searchNode(cycle, compiled),
    forget: () => void (cycle.lastRefused = undefined),
    forgetAll() {
      cycle.lastRefused = undefined;
      cycle.memory.forget();
    },
  };
}

function decideQuickly(cycle: CycleState, compiled: CompiledPod): Decision | undefined {
  const { cluster, lastRefused } = cycle;
  if (cluster.nodes.size === 0) return NO_NODES;
  if (cycle.plugins.length > 0 || compiled.nodeAffinity.pinnedNodes !== undefined) {
    const prepared = prepare(cycle, compiled);
    const { pinnedNodes, refusal } = prepared;
    if (pinnedNodes !== undefined) {
      return refusal === undefined ? decidePinned(cycle, compiled, prepared, pinnedNodes) : refusedBy(prepared, [], []);
    }
    if (prepared.parts.some(({ part }) => part.basis === 'pod')) return undefined;
  }
  if (lastRefused?.version !== cluster.version || nominatedFor(cycle, compiled) !== undefined) return undefined;
  if (lastRefused.kind !== kindOf(compiled)) return undefined;
  return { ...lastRefused.decision, prepared: prepare(cycle, compiled) };
}

function decidePinned(
  cycle: CycleState,
  compiled: CompiledPod,
  prepared: PreparedPod,
  names: ReadonlySet<string>,
): Decision {
  const states: NodeState[] = [];
  for (const name of names) {
    const state = cycle.cluster.nodes.get(name);
    if (state !== undefined) states.push(state);
  }
  const [only] = states;
  if (only !== undefined && states.length === 1 && passes(cycle, prepared, only)) {
    return { outcome: 'placed', nodeName: only.name };
  }
  const nominated = nominatedFor(cycle, compiled);
  if (nominated !== undefined && passes(cycle, prepared, nominated))
    return { outcome: 'placed', nodeName: nominated.name };
  const found = states.filter((state) => passes(cycle, prepared, state));
  if (found.length > 0) return choose(cycle, prepared, found);
  return refusedBy(prepared, states, states.map((state) => judgeWithNominated(prepared, state)).filter(isRefusal));
}

const isRefusal = (answer: { readonly ok: boolean }): answer is Refusal => !answer.ok;
