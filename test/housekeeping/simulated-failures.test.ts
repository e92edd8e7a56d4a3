import { describe, expect, it } from 'vitest';
import { FLEET, simulatedControllers } from '../../src/assembly/simulated.ts';
import { runSeed } from '../../src/foresight/simulation/run/run-seed.ts';
import { scenarioNamed } from '../simulation/checks/scenarios.ts';

/** The simulation's own suites run without these keepers; beside them nothing may come out otherwise. */
const ACTORS = [FLEET, ...simulatedControllers(['*', 'nodelifecycle', 'disruption', 'resourcequota'])];
const SEEDS = 3;

describe('nodes that come, fail and go, with every keeper at work', () => {
  it(`break no invariant in ${SEEDS} seeds with faults`, { timeout: 60_000 }, async () => {
    const scenario = scenarioNamed('node-churn');
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violation } = await runSeed({ seed, scenario, withFaults: true, actors: ACTORS });
      if (violation !== undefined) failures.push(`seed ${seed}: ${violation.invariant}: ${violation.problem}`);
    }
    expect(failures).toEqual([]);
  });
});
