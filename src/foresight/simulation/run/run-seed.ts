/** One seed: the scenario with its faults, and whether it ended like the run without them. */
import { SIMULATED_ACTORS, simulatedActors, type ActorFactory } from '../../../assembly/simulated.ts';
import { difference } from './canonical-state.ts';
import type { ScheduledFault } from '../faults/fault.ts';
import { createFaultPlan } from '../faults/plan.ts';
import type { InvariantFactory } from '../invariants/invariant.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { runWorld, type Outcome, type Violation } from './world.ts';

export interface SeedRequest {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly withFaults: boolean;
  readonly actors?: readonly ActorFactory[];
  readonly invariants?: readonly InvariantFactory[];
  /** Keeps only these steps and faults: for shrinking or replaying a failure. */
  readonly keep?: Keep;
}

export interface Keep {
  readonly steps: ReadonlySet<number>;
  readonly faults: ReadonlySet<string>;
}

export interface SeedResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly outcome: Outcome;
  readonly struck: readonly ScheduledFault[];
}

const actorsOf = ({ actors }: Scenario): readonly ActorFactory[] =>
  actors === undefined ? SIMULATED_ACTORS : simulatedActors(actors);

export async function runSeed(request: SeedRequest): Promise<SeedResult> {
  const { seed, scenario, withFaults, keep } = request;
  const common = {
    seed,
    scenario,
    actors: request.actors ?? actorsOf(scenario),
    ...(request.invariants === undefined ? {} : { invariants: request.invariants }),
    ...(keep === undefined ? {} : { steps: keep.steps }),
  };
  const outcome = await runWorld(withFaults ? { ...common, plan: createFaultPlan(seed, keep?.faults) } : common);
  const { struck } = outcome;
  if (!withFaults || outcome.violation !== undefined || struck.length === 0)
    return { seed, violation: outcome.violation, outcome, struck };
  const twin = await runWorld(common);
  const problem =
    twin.violation === undefined
      ? twin.state === undefined || outcome.state === undefined
        ? undefined
        : difference(twin.state, outcome.state)
      : `the unperturbed run failed by itself: ${twin.violation.invariant}: ${twin.violation.problem}`;
  if (problem === undefined) return { seed, violation: undefined, outcome, struck };
  return { seed, violation: { invariant: 'same-as-unperturbed', problem, atMs: outcome.virtualMs }, outcome, struck };
}
