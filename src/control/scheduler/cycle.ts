/**
 * One attempt: where should this pod go, as the cluster stands? Filters find nodes that will do, scores choose among
 * them, chance breaks ties. Nothing is changed here.
 *
 * A pod pinned to one node is decided by asking that node. Others look at as many nodes as kube-scheduler would; long
 * searches are cut into turns, and if the cluster changed in between, the choice is checked once more.
 */
import type { Refusal } from '../../core/placement/answer.ts';
import type { ClusterState } from '../../core/placement/cluster-state.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import { feasible, feasibleWithNominated, judgeWithNominated } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { SchedulerPlugin } from '../../core/placement/plugin.ts';
import { preparePod, type PreparedPod } from '../../core/placement/prepared-pod.ts';
import { feasibleNodesWanted, scoreNodes, type ScoreOptions } from '../../core/placement/scores.ts';
import type { Random } from '../../machinery/random/random.ts';
import { createKindMemory, REFUSES } from './kind-memory.ts';
import type { NodeOrder } from './node-order.ts';
import { kindOf } from './queue/kinds-of-pods.ts';
import { NO_PLUGINS } from './queue/queued-pod.ts';
import { REJECTOR, rejectorBit } from './queue/rejectors.ts';
import type { Turn } from './turn.ts';

export interface CycleOptions {
  readonly cluster: ClusterState;
  readonly order: NodeOrder;
  readonly random: Random;
  readonly plugins: readonly SchedulerPlugin[];
  readonly turn: Turn;
  readonly scoring?: (compiled: CompiledPod) => ScoreOptions;
}

export interface Refused {
  readonly outcome: 'refused';
  readonly prepared: PreparedPod;
  /** One of each node that was asked, and said no. */
  readonly refusals: readonly Refusal[];
  /** The nodes in the same order. */
  readonly states: readonly NodeState[];
  readonly rejectors: number;
  readonly plugins: readonly string[];
}

export type Decision =
  | { readonly outcome: 'placed'; readonly nodeName: string }
  | Refused
  | { readonly outcome: 'no-nodes' }
  /** The cluster changed under a search that took several turns, and took away what was chosen. */
  | { readonly outcome: 'overtaken' };

/** Yields whenever its turn is over; the answer is returned. */
type Attempt = Generator<undefined, Decision, undefined>;

export interface Cycle {
  /** The answer at once, where that takes no time: pods with a pin, pods whose like was refused a moment ago. */
  quick(compiled: CompiledPod): Decision | undefined;
  attempt(compiled: CompiledPod): Attempt;
  /** Something changed that the cluster's version does not count: storage, or what a plugin knows. */
  forget(): void;
}

/** So many nodes are asked between two looks at the clock. */
const STRIDE = 64;
const NO_NODES: Decision = { outcome: 'no-nodes' };
const OVERTAKEN: Decision = { outcome: 'overtaken' };
const NO_OPTIONS: ScoreOptions = {};

export function createCycle(options: CycleOptions): Cycle {
  const { cluster, order, random, plugins, turn } = options;
  const scoring = options.scoring ?? (() => NO_OPTIONS);
  const memory = createKindMemory(cluster);
  /** Places in the order of the nodes that are best so far; used anew each time. */
  const best: number[] = [];
  /** The last pod that was refused everywhere: the next of its kind fares no better while nothing has changed. */
  let lastRefused: { readonly kind: string; readonly version: number; readonly decision: Refused } | undefined;

  const prepare = (compiled: CompiledPod): PreparedPod => preparePod(compiled, cluster, plugins);
  const passes = (prepared: PreparedPod, state: NodeState): boolean =>
    cluster.nominated === 0 ? feasible(prepared, state) : feasibleWithNominated(prepared, state);

  // The pod's status may still tell of a promise that was taken back, or not yet of one that was made.
  const nominatedFor = ({ record }: CompiledPod): NodeState | undefined =>
    cluster.nominated === 0 ? undefined : cluster.nodes.get(cluster.nominationOf(record.key) ?? '');

  function refused(prepared: PreparedPod, states: readonly NodeState[], refusals: readonly Refusal[]): Refused {
    let rejectors = prepared.pinnedNodes === undefined ? 0 : REJECTOR.NodeAffinity;
    let named: Set<string> | undefined;
    const note = ({ nos }: Refusal): void => {
      const [first] = nos;
      if (first === undefined) return;
      const bit = rejectorBit(first.plugin);
      rejectors |= bit;
      if (bit === REJECTOR.Plugin) (named ??= new Set()).add(first.plugin);
    };
    if (prepared.refusal !== undefined) note(prepared.refusal);
    for (const refusal of refusals) note(refusal);
    const names = named === undefined ? NO_PLUGINS : [...named];
    return { outcome: 'refused', prepared, refusals, states, rejectors, plugins: names };
  }

  function remember(decision: Refused): Refused {
    const { compiled, version } = decision.prepared;
    // Where plugins look at pods, two of a kind may differ in what only the plugin sees.
    if (plugins.length === 0 && compiled.nodeAffinity.pinnedNodes === undefined) {
      lastRefused = { kind: kindOf(compiled), version, decision };
    }
    return decision;
  }

  function decidePinned(compiled: CompiledPod, prepared: PreparedPod, names: ReadonlySet<string>): Decision {
    const states: NodeState[] = [];
    for (const name of names) {
      const state = cluster.nodes.get(name);
      if (state !== undefined) states.push(state);
    }
    const [only] = states;
    if (only !== undefined && states.length === 1 && passes(prepared, only)) {
      return { outcome: 'placed', nodeName: only.name };
    }
    const nominated = nominatedFor(compiled);
    if (nominated !== undefined && passes(prepared, nominated)) return { outcome: 'placed', nodeName: nominated.name };
    const found = states.filter((state) => passes(prepared, state));
    if (found.length > 0) return choose(prepared, found);
    return refused(prepared, states, states.map((state) => judgeWithNominated(prepared, state)).filter(isRefusal));
  }

  function choose(prepared: PreparedPod, found: readonly NodeState[]): Decision {
    const [only] = found;
    if (only !== undefined && found.length === 1) return { outcome: 'placed', nodeName: only.name };
    const { totals } = scoreNodes(prepared, found, scoring(prepared.compiled));
    let best = 0;
    let ties = 1;
    for (let index = 1; index < totals.length; index++) {
      const [score, most] = [totals[index] as number, totals[best] as number];
      if (score > most) [best, ties] = [index, 1];
      else if (score === most && random.integer(++ties) === 0) best = index;
    }
    return { outcome: 'placed', nodeName: (found[best] as NodeState).name };
  }

  function quick(compiled: CompiledPod): Decision | undefined {
    if (cluster.nodes.size === 0) return NO_NODES;
    const { pinnedNodes } = compiled.nodeAffinity;
    if (pinnedNodes !== undefined) {
      const prepared = prepare(compiled);
      if (prepared.refusal !== undefined) return refused(prepared, [], []);
      return decidePinned(compiled, prepared, pinnedNodes);
    }
    if (lastRefused?.version !== cluster.version || nominatedFor(compiled) !== undefined) return undefined;
    if (lastRefused.kind !== kindOf(compiled)) return undefined;
    return { ...lastRefused.decision, prepared: prepare(compiled) };
  }

  function* attempt(compiled: CompiledPod): Attempt {
    let prepared = prepare(compiled);
    if (prepared.refusal !== undefined) return remember(refused(prepared, [], []));
    const nominated = nominatedFor(compiled);
    if (nominated !== undefined && passes(prepared, nominated)) return { outcome: 'placed', nodeName: nominated.name };

    const states = order.list();
    const wanted = feasibleNodesWanted(states.length);
    const { start } = order;
    const remembered = bestRemembered(prepared, states, start, wanted);
    if (remembered !== undefined) return remembered;
    const found: NodeState[] = [];
    let interrupted = false;
    let asked = 0;
    while (asked < states.length && found.length < wanted) {
      const end = Math.min(states.length, asked + STRIDE);
      for (; asked < end && found.length < wanted; asked++) {
        const at = start + asked;
        const state = states[at < states.length ? at : at - states.length] as NodeState;
        if (passes(prepared, state)) found.push(state);
      }
      if (asked < states.length && found.length < wanted && turn.expired()) {
        interrupted = true;
        yield;
        prepared = prepare(compiled);
      }
    }
    order.advance(asked);
    if (found.length > 0) return interrupted ? chooseAgain(prepared, found) : choose(prepared, found);

    const asking: NodeState[] = [];
    const refusals: Refusal[] = [];
    for (let index = 0; index < states.length; index++) {
      const state = states[index] as NodeState;
      if (index % STRIDE === 0 && index > 0 && turn.expired()) {
        yield;
        prepared = prepare(compiled);
      }
      // Gone since the search began.
      if (state.slot < 0) continue;
      const answer = judgeWithNominated(prepared, state);
      // Room appeared on a node that was asked before.
      if (answer.ok) return OVERTAKEN;
      asking.push(state);
      refusals.push(answer);
    }
    return remember(refused(prepared, asking, refusals));
  }

  /** The same search and the same choice, from what nodes said to the last pod of this kind; for nearly all pods. */
  function bestRemembered(
    prepared: PreparedPod,
    states: readonly NodeState[],
    start: number,
    wanted: number,
  ): Decision | undefined {
    if (scoring(prepared.compiled).siblings !== undefined) return undefined;
    const memories = memory.scoresFor(prepared);
    if (memories === undefined) return undefined;
    const { scores, asked: known, changes } = memories;
    const slots = order.slots();
    const { length } = slots;
    best.length = 0;
    let [most, found, asked] = [0, 0, 0];
    for (let at = start; asked < length && found < wanted; asked++, at++) {
      if (at === length) at = 0;
      const slot = slots[at] as number;
      const isKnown = known[slot] === changes[slot];
      const score = isKnown ? (scores[slot] as number) : memories.ask(states[at] as NodeState);
      if (score === REFUSES) continue;
      if (Number.isNaN(score)) return undefined;
      found++;
      if (score < most) continue;
      if (score > most) {
        most = score;
        best.length = 0;
      }
      best.push(at);
    }
    if (best.length === 0) return undefined;
    const chosen = states[best[best.length === 1 ? 0 : random.integer(best.length)] as number] as NodeState;
    order.advance(asked);
    return { outcome: 'placed', nodeName: chosen.name };
  }

  /** Some of what was found in earlier turns may be taken by now. */
  function chooseAgain(prepared: PreparedPod, found: readonly NodeState[]): Decision {
    const left = found.filter((state) => state.slot >= 0 && passes(prepared, state));
    return left.length === 0 ? OVERTAKEN : choose(prepared, left);
  }

  return { quick, attempt, forget: () => void (lastRefused = undefined) };
}

const isRefusal = (answer: { readonly ok: boolean }): answer is Refusal => !answer.ok;
