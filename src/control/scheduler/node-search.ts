/**
 * The search for a node over the whole cluster, cut into turns. Asks as many nodes as kube-scheduler would; where none
 * takes the pod, asks all of them for their reasons.
 */
import type { Refusal } from '../../core/placement/answer.ts';
import type { CompiledPod } from '../../core/placement/compiled-pod.ts';
import { judgeWithNominated } from '../../core/placement/filters.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import type { PreparedPod } from '../../core/placement/prepared-pod.ts';
import { feasibleNodesWanted } from '../../core/placement/scores.ts';
import { type CycleState, nominatedFor, passes, prepare, rememberRefused } from './cycle-state.ts';
import { type Attempt, OVERTAKEN, refusedBy } from './decision.ts';
import { choose, chooseAgain, chooseRemembered } from './node-choice.ts';

/** Nodes that are asked between two reads of the clock. */
const STRIDE = 64;

export function* searchNode(cycle: CycleState, compiled: CompiledPod): Attempt {
  const { order, turn } = cycle;
  let prepared = prepare(cycle, compiled);
  if (prepared.refusal !== undefined) return rememberRefused(cycle, refusedBy(prepared, [], []));
  const nominated = nominatedFor(cycle, compiled);
  if (nominated !== undefined && passes(cycle, prepared, nominated))
    return { outcome: 'placed', nodeName: nominated.name };

  const states = order.list();
  const wanted = feasibleNodesWanted(states.length);
  const { start } = order;
  const remembered = chooseRemembered(cycle, prepared, states, start, wanted);
  if (remembered !== undefined) return remembered;
  const found: NodeState[] = [];
  let interrupted = false;
  let asked = 0;
  while (asked < states.length && found.length < wanted) {
    const end = Math.min(states.length, asked + STRIDE);
    for (; asked < end && found.length < wanted; asked++) {
      const at = start + asked;
      const state = states[at < states.length ? at : at - states.length] as NodeState;
      if (passes(cycle, prepared, state)) found.push(state);
    }
    if (asked < states.length && found.length < wanted && turn.expired()) {
      interrupted = true;
      yield;
      prepared = prepare(cycle, compiled);
    }
  }
  order.advance(asked);
  if (found.length > 0) return interrupted ? chooseAgain(cycle, prepared, found) : choose(cycle, prepared, found);
  return yield* collectRefusals(cycle, prepared, states);
}

/** No node took the pod: collects the reasons of all nodes. */
function* collectRefusals(cycle: CycleState, first: PreparedPod, states: readonly NodeState[]): Attempt {
  let prepared = first;
  const asked: NodeState[] = [];
  const refusals: Refusal[] = [];
  for (let index = 0; index < states.length; index++) {
    const state = states[index] as NodeState;
    if (index % STRIDE === 0 && index > 0 && cycle.turn.expired()) {
      yield;
      prepared = prepare(cycle, first.compiled);
    }
    // The node was deleted since the search began.
    if (state.slot < 0) continue;
    const answer = judgeWithNominated(prepared, state);
    // Room appeared on a node that was asked before.
    if (answer.ok) return OVERTAKEN;
    asked.push(state);
    refusals.push(answer);
  }
  return rememberRefused(cycle, refusedBy(prepared, asked, refusals));
}
