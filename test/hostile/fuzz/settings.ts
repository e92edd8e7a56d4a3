/** How long and from which seed. A failure prints its seed and path; both can be given back to see it again. */
import type { Parameters } from 'fast-check';

const number = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

const RUNS = number('EVERYNODE_FUZZ_RUNS');
const SEED = number('EVERYNODE_FUZZ_SEED') ?? Date.now() % 2 ** 31;
const PATH = process.env['EVERYNODE_FUZZ_PATH'];

/** Unless more runs are asked for, a suite stops where it is when its time is up: slow machines look at less. */
export function settings<T>(name: string, runs: number, milliseconds: number): Parameters<T> {
  process.stderr.write(`fuzz ${name}: EVERYNODE_FUZZ_SEED=${SEED} EVERYNODE_FUZZ_RUNS=${RUNS ?? runs}\n`);
  return {
    seed: SEED,
    numRuns: RUNS ?? runs,
    endOnFailure: RUNS === undefined,
    ...(PATH === undefined ? {} : { path: PATH }),
    ...(RUNS === undefined ? { interruptAfterTimeLimit: milliseconds } : {}),
  };
}

export const TIMEOUT = RUNS === undefined ? 60_000 : 3_600_000;
