/** Which of the nodes that take a pod it gets: the highest score, and chance among equals. */
import type { NodeState } from '../../core/placement/node-state.ts';
import type { PreparedPod } from '../../core/placement/prepared-pod.ts';
import { scoreNodes } from '../../core/placement/scores.ts';
import { type CycleState, passes } from './cycle-state.ts';
import { type Decision, OVERTAKEN } from './decision.ts';
import { REFUSES } from './kind-memory.ts';

export function choose(cycle: CycleState, prepared: PreparedPod, found: readonly NodeState[]): Decision {
  const [only] = found;
  if (only !== undefined && found.length === 1) return { outcome: 'placed', nodeName: only.name };
  const { totals } = scoreNodes(prepared, found, cycle.scoring(prepared.compiled));
  let best = 0;
  let ties = 1;
  for (let index = 1; index < totals.length; index++) {
    const [score, most] = [totals[index] as number, totals[best] as number];
    if (score > most) [best, ties] = [index, 1];
    else if (score === most && cycle.random.integer(++ties) === 0) best = index;
  }
  return { outcome: 'placed', nodeName: (found[best] as NodeState).name };
}

/** After a search of several turns: nodes found in earlier turns are checked again. */
export function chooseAgain(cycle: CycleState, prepared: PreparedPod, found: readonly NodeState[]): Decision {
  const left = found.filter((state) => state.slot >= 0 && passes(cycle, prepared, state));
  return left.length === 0 ? OVERTAKEN : choose(cycle, prepared, left);
}

/**
 * Searches and chooses as `searchNode` and `choose` would, from the scores that nodes had for the last pod of this kind; for nearly all pods.
 * `undefined` where the full search must decide.
 */
export function chooseRemembered(
  cycle: CycleState,
  prepared: PreparedPod,
  states: readonly NodeState[],
  start: number,
  wanted: number,
): Decision | undefined {
  const { best, order } = cycle;
  if (cycle.scoring(prepared.compiled).siblings !== undefined) return undefined;
  const memories = cycle.memory.scoresFor(prepared);
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
  const chosen = states[best[best.length === 1 ? 0 : cycle.random.integer(best.length)] as number] as NodeState;
  order.advance(asked);
  return { outcome: 'placed', nodeName: chosen.name };
}
