import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSeed } from '../../../src/foresight/simulation/run/run-seed.ts';
import { generateScenario } from '../../../src/foresight/simulation/scenario/generate-scenario.ts';
import { isThorough } from '../../support/thorough.ts';
import { scenario as anyScenario } from './arbitrary-scenario.ts';

/** In portions, so that a slow machine is not taken for a hang. */
const PORTION = 5;
const FIRSTS = Array.from({ length: isThorough ? 24 : 6 }, (_, i) => i * PORTION + 1);
const RUNS = isThorough ? 25 : 8;

describe('scenarios made up from the seed', () => {
  it.each(FIRSTS)(`hold every invariant in ${PORTION} seeds with faults, from %i on`, async (from) => {
    const failures: string[] = [];
    for (let seed = from; seed < from + PORTION; seed += 1) {
      const { violation } = await runSeed({ seed, scenario: generateScenario(seed), withFaults: true });
      if (violation !== undefined) failures.push(`seed ${seed}: ${violation.invariant}: ${violation.problem}`);
    }
    expect(failures).toEqual([]);
  });
});

describe('any scenario', () => {
  it('holds every invariant, whatever happens in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, fc.integer({ min: 1, max: 100_000 }), async (scenario, seed) => {
        const { violation } = await runSeed({ seed, scenario, withFaults: true });
        expect(violation).toBeUndefined();
      }),
      { numRuns: RUNS, seed: 20_260_101, endOnFailure: false },
    );
  });
});
