import { describe, expect, it } from 'vitest';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import { isThorough } from '../../support/thorough.ts';
import { SCENARIO_NAMES, scenarioNamed } from '../checks/scenarios.ts';

/** Few enough to wait for, or enough to trust; `npm run simulate` has the rest. */
const SEEDS = isThorough ? 20 : 5;

/** Has more seeds, in a file of its own. */
const APART = 'reservations';

describe.each(SCENARIO_NAMES.filter((name) => name !== APART))('scenario %s', (name) => {
  it(`holds every invariant in ${SEEDS} seeds with faults`, async () => {
    const scenario = scenarioNamed(name);
    const failures: string[] = [];
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { violation } = await runSeed({ seed, scenario, withFaults: true });
      if (violation !== undefined) failures.push(`seed ${seed}: ${violation.invariant}: ${violation.problem}`);
    }
    expect(failures).toEqual([]);
  });
});
