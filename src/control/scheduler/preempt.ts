/**
 * DefaultPreemption: no node takes the pod as things stand; would one, if pods that matter less left it? Looks at nodes
 * where that can help, tries each in imagination, and picks where it costs least. Nothing is changed here; who must go
 * is carried out by `preemption-executor.ts`.
 */
import type { Refusal } from '../../core/placement/answer.ts';
import type { NodeState } from '../../core/placement/node-state.ts';
import { preparePod, type PreparedPod } from '../../core/placement/prepared-pod.ts';
import { NOTHING_PREPARED, preemptionSays, preemptionSummary } from '../../core/placement/summary.ts';
import {
  type Budget,
  candidatesWanted,
  pickCandidate,
  preemptionForbidden,
  selectVictims,
  type Victims,
} from '../../core/placement/victims.ts';
import type { Random } from '../../machinery/random/random.ts';
import type { Refused } from './decision.ts';
import { rejectorBit } from './queue/rejectors.ts';
import type { Turn } from './turn.ts';

export type Preemption =
  /** Victims to evict; the pod is nominated to their node. */
  | { readonly result: 'victims'; readonly victims: Victims }
  /** The pod waits for victims that are leaving already, or may not preempt: its nomination stays as it is. */
  | { readonly result: 'not-eligible'; readonly message: string }
  /** No eviction would help: an earlier nomination is withdrawn. */
  | {
      readonly result: 'no-candidates';
      readonly message: string;
      /** `REJECTOR` bits of the filters that refused the pod even without the victims: the pod waits for those too. */
      readonly rejectors: number;
    }
  /** The cluster changed during the search, and the pod may fit now. */
  | { readonly result: 'overtaken' };

export interface PreemptOptions {
  readonly budgets: () => readonly Budget[];
  readonly random: Random;
  readonly turn: Turn;
}

/** Yields whenever its turn is over. */
export type PreemptionSearch = Generator<undefined, Preemption, undefined>;

const OVERTAKEN: Preemption = { result: 'overtaken' };

export function* findPreemption(refused: Refused, options: PreemptOptions): PreemptionSearch {
  const { cluster, compiled, refusal } = refused.prepared;
  if (refusal !== undefined) return { result: 'not-eligible', message: NOTHING_PREPARED };
  // From the cluster state: the pod's status may still show a nomination that was withdrawn.
  const nominated = cluster.nominationOf(compiled.record.key);
  const forbidden = preemptionForbidden(refused.prepared, isHopeless(refused, nominated) ? undefined : nominated);
  if (forbidden !== undefined) return { result: 'not-eligible', message: preemptionSays(forbidden) };

  const potential: NodeState[] = [];
  for (let index = 0; index < refused.states.length; index++) {
    if ((refused.refusals[index] as Refusal).preemptionHelps) potential.push(refused.states[index] as NodeState);
  }
  const { turn } = options;
  const budgets = potential.length === 0 ? [] : options.budgets();
  const offset = potential.length === 0 ? 0 : options.random.integer(potential.length);
  const wanted = candidatesWanted(potential.length);
  const clean: Victims[] = [];
  const violating: Victims[] = [];
  const refusals: Refusal[] = [];
  let rejectors = 0;
  let { prepared } = refused;
  let interrupted = false;
  for (let step = 0; step < potential.length; step++) {
    if (step > 0 && turn.expired()) {
      interrupted = true;
      yield;
      prepared = preparePod(compiled, cluster, prepared.plugins);
    }
    const state = potential[(offset + step) % potential.length] as NodeState;
    if (state.slot < 0) continue;
    const answer = selectVictims(prepared, state, budgets);
    if (!answer.ok) {
      refusals.push(answer);
      rejectors |= rejectorBit(answer.nos[0]?.plugin ?? 'DefaultPreemption');
    } else if (answer.victims.pods.length > 0) {
      const list = answer.victims.budgetViolations === 0 ? clean : violating;
      if (list.length < wanted) list.push(answer.victims);
      if (clean.length > 0 && clean.length + violating.length >= wanted) break;
      // No victim is needed: room appeared since the node was asked.
    } else return OVERTAKEN;
  }
  const best = pickCandidate([...clean, ...violating]);
  if (best === undefined) {
    return { result: 'no-candidates', message: preemptionSummary(cluster.nodes.size, refusals), rejectors };
  }
  if (interrupted && !stillStands(best, prepared, budgets)) return OVERTAKEN;
  return { result: 'victims', victims: best };
}

/** The nominated node refused the pod for a reason that no eviction can remove. */
function isHopeless(refused: Refused, nominated: string | undefined): boolean {
  const index = refused.states.findIndex((state) => state.name === nominated);
  // A node that was not asked is one the pod cannot go to.
  return index < 0 || !(refused.refusals[index] as Refusal).preemptionHelps;
}

function stillStands(best: Victims, prepared: PreparedPod, budgets: readonly Budget[]): boolean {
  const state = prepared.cluster.nodes.get(best.nodeName);
  const answer = state === undefined ? undefined : selectVictims(prepared, state, budgets);
  if (answer?.ok !== true || answer.victims.pods.length !== best.pods.length) return false;
  return answer.victims.pods.every((record, index) => record.key === best.pods[index]?.key);
}
