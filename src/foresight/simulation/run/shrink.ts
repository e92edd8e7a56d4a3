/** Makes a failure small: fewer faults, then fewer steps, then once more fewer faults, and the same invariant broken. */
import { smallestFailing } from './delta-debugging.ts';
import { runSeed, type Keep, type SeedRequest, type SeedResult } from './run-seed.ts';

export interface Shrunk {
  readonly keep: Keep;
  readonly result: SeedResult;
  readonly runs: number;
}

const MOST_RUNS = 400;

export async function shrink(
  request: SeedRequest,
  failed: SeedResult,
  onRun: (runs: number, faults: number, steps: number) => void = () => undefined,
): Promise<Shrunk> {
  const invariant = failed.violation?.invariant;
  let runs = 0;
  let best = failed;
  let faults: readonly string[] = failed.struck.map(({ at }) => at);
  let steps: readonly number[] = request.scenario.steps
    .map((_, index) => index)
    .filter((index) => request.keep?.steps.has(index) ?? true);

  const fails = async (keptFaults: readonly string[], keptSteps: readonly number[]): Promise<boolean> => {
    runs += 1;
    onRun(runs, keptFaults.length, keptSteps.length);
    const keep: Keep = { faults: new Set(keptFaults), steps: new Set(keptSteps) };
    const result = await runSeed({ ...request, keep }).catch(() => undefined);
    if (result === undefined || result.violation?.invariant !== invariant) return false;
    best = result;
    return true;
  };
  const left = (): number => MOST_RUNS - runs;
  faults = await smallestFailing(faults, (part) => fails(part, steps), left());
  steps = await smallestFailing(steps, (part) => fails(faults, part), left());
  faults = await smallestFailing(faults, (part) => fails(part, steps), left());
  const keep: Keep = { faults: new Set(faults), steps: new Set(steps) };
  // `best` is of the last part that failed, which is the smallest; run once more as a proof.
  if (!(await fails(faults, steps)))
    return { keep: { faults: new Set(failed.struck.map(({ at }) => at)), steps: keep.steps }, result: failed, runs };
  return { keep, result: best, runs };
}
