/** Many seeds, one after the other, with a word about each that fails. */
import type { Clock } from '../../../machinery/time/clock.ts';
import { runSeed, type SeedRequest, type SeedResult } from './run-seed.ts';

export interface SeedsRequest extends Omit<SeedRequest, 'seed'> {
  readonly from: number;
  readonly count: number;
  /** The clock of the real world, to measure speed. */
  readonly clock: Clock;
  readonly onSeed?: (done: number, result: SeedResult) => void;
  /** The scenario of a seed, where each has its own. */
  readonly scenarioOf?: (seed: number) => SeedRequest['scenario'];
}

export interface SeedsResult {
  readonly failures: readonly SeedResult[];
  readonly seeds: number;
  readonly seconds: number;
  readonly faults: number;
  readonly commits: number;
  readonly virtualHours: number;
}

export async function runSeeds(request: SeedsRequest): Promise<SeedsResult> {
  const { from, count, clock, onSeed, scenarioOf, ...rest } = request;
  const began = clock.monotonic();
  const failures: SeedResult[] = [];
  let faults = 0;
  let commits = 0;
  let virtualMs = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await runSeed({ ...rest, seed, scenario: scenarioOf?.(seed) ?? rest.scenario });
    faults += result.struck.length;
    commits += result.outcome.commits;
    virtualMs += result.outcome.virtualMs;
    if (result.violation !== undefined) failures.push(result);
    onSeed?.(seed - from + 1, result);
  }
  const seconds = (clock.monotonic() - began) / 1000;
  return { failures, seeds: count, seconds, faults, commits, virtualHours: virtualMs / 3_600_000 };
}
