import { describe, expect, it } from 'vitest';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import { isThorough } from '../../support/thorough.ts';
import { scenarioNamed } from '../checks/scenarios.ts';

/** In portions, so that a slow machine is not taken for a hang. */
const PORTION = 5;
const FIRSTS = Array.from({ length: isThorough ? 20 : 2 }, (_, i) => i * PORTION + 1);

describe('Orders, Tickets and guardians', () => {
  it.each(FIRSTS)(`hold every invariant in ${PORTION} seeds with faults, from %i on`, async (from) => {
    const scenario = scenarioNamed('reservations');
    const failures: string[] = [];
    for (let seed = from; seed < from + PORTION; seed += 1) {
      const { violation } = await runSeed({ seed, scenario, withFaults: true });
      if (violation !== undefined) failures.push(`seed ${seed}: ${violation.invariant}: ${violation.problem}`);
    }
    expect(failures).toEqual([]);
  });
});
