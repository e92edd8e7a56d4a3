/** `npm run simulate`: seeds of a scenario, and for one that fails the smallest story that still does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Clock } from '../../../machinery/time/clock.ts';
import { SimulationError } from '../errors.ts';
import { describeFault } from '../faults/fault.ts';
import { runSeed, type Keep, type SeedRequest, type SeedResult } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';
import { generateScenario } from '../scenario/generate-scenario.ts';
import { describeAction } from '../scenario/play-scenario.ts';
import { readScenario } from '../scenario/read-scenario.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { shrink } from './shrink.ts';

export interface CommandWorld {
  /** Where named scenarios are. */
  readonly folder: string;
  readonly clock: Clock;
  readonly out: (line: string) => void;
  /** Progress and everything that is not the result. */
  readonly err: (text: string) => void;
  readonly isTerminal: boolean;
}

interface Arguments {
  readonly scenario: string;
  readonly seeds: number;
  readonly seed?: number;
  readonly faults: boolean;
  readonly shrink: boolean;
  readonly log: boolean;
  readonly keepSteps?: string;
  readonly keepFaults?: string;
}

const LOG_TAIL = 60;
/** The name of scenarios made up from the seed. */
const GENERATED = 'generated';

const wholeNumber = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('expected a whole number');
  return value;
};

/** Returns the exit code: 0, or 1 when an invariant broke or nothing could be run. */
export async function simulate(argv: readonly string[], world: CommandWorld): Promise<number> {
  const program = new Command('simulate')
    .description('Runs a scenario from many seeds in virtual time, with faults, and checks that all invariants hold.')
    .option(
      '--scenario <name>',
      `a name from ${relative('', world.folder) || '.'}/, a file, "all", or "${GENERATED}"`,
      'all',
    )
    .option('--seeds <n>', 'how many seeds, from --seed or 1 on', wholeNumber, 100)
    .option('--seed <n>', 'one seed alone, unless --seeds says more', wholeNumber)
    .option('--no-faults', 'only what the scenario says happens')
    .option('--shrink', 'make the first failure small', false)
    .option('--log', 'print everything that happened', false)
    .option('--keep-steps <list>', 'only these steps, by number')
    .option('--keep-faults <list>', 'only these faults, as a report names them, separated by ";"')
    .exitOverride()
    .configureOutput({ writeOut: (text) => world.err(text), writeErr: (text) => world.err(text) });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
  const options = program.opts<Arguments>();
  const isExplicit = program.getOptionValueSource('seeds') === 'cli';
  const count = options.seed !== undefined && !isExplicit ? 1 : options.seeds;
  try {
    let failed = 0;
    for (const make of scenariosOf(options.scenario, world.folder)) failed += await run(make, options, count, world);
    return failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SimulationError)) throw error;
    world.err(`${error.message}\n`);
    return 1;
  }
}

interface NamedScenario {
  /** As it is written after --scenario. */
  readonly argument: string;
  scenario(seed: number): Scenario;
}

function scenariosOf(name: string, folder: string): readonly NamedScenario[] {
  if (name === GENERATED) return [{ argument: GENERATED, scenario: generateScenario }];
  const names = (): string[] =>
    readdirSync(folder)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => basename(file, '.yaml'))
      .toSorted();
  if (name === 'all') return names().map((each) => loaded(each, join(folder, `${each}.yaml`)));
  const named = join(folder, `${name}.yaml`);
  if (existsSync(named)) return [loaded(name, named)];
  if (existsSync(name)) return [loaded(name, name)];
  throw new SimulationError(
    'EN_SIMULATION_ARGUMENT',
    `no scenario ${JSON.stringify(name)}; there are ${[...names(), GENERATED, 'all'].join(', ')}, or name a file`,
  );
}

function loaded(argument: string, path: string): NamedScenario {
  const { scenario, problems } = readScenario(readFileSync(path, 'utf8'), basename(path, '.yaml'));
  if (scenario !== undefined) return { argument, scenario: () => scenario };
  const lines = problems.map((each) => `${path}:${each.line}:${each.column}: ${each.path}: ${each.message}`);
  throw new SimulationError('EN_SIMULATION_SCENARIO', lines.join('\n'));
}

async function run(named: NamedScenario, options: Arguments, count: number, world: CommandWorld): Promise<number> {
  const from = options.seed ?? 1;
  const keep = keepOf(options, named.scenario(from));
  const request: Omit<SeedRequest, 'seed'> = {
    scenario: named.scenario(from),
    withFaults: options.faults,
    ...(keep === undefined ? {} : { keep }),
  };
  const result = await runSeeds({
    ...request,
    from,
    count,
    clock: world.clock,
    scenarioOf: named.scenario,
    onSeed(done, each) {
      if (options.log) for (const line of each.outcome.log) world.out(line);
      if (each.violation !== undefined) world.out(failureLine(named.argument, each));
      if (world.isTerminal && done % 10 === 0) world.err(`\r${named.argument}: ${done} of ${count} seeds`);
    },
  });
  if (world.isTerminal) world.err('\r\u001b[K');
  const { failures, seconds } = result;
  world.out(
    `${named.argument}: ${count} seeds, ${failures.length} failed; ${result.faults} faults, ${result.commits} changes, ` +
      `${result.virtualHours.toFixed(1)} virtual hours; ${(count / Math.max(seconds, 0.001)).toFixed(1)} seeds/s`,
  );
  const [first] = failures;
  if (first !== undefined && options.shrink) await tellSmallest(named, request, first, world);
  return failures.length;
}

const failureLine = (argument: string, { seed, violation }: SeedResult): string =>
  `FAILED ${argument} seed ${seed}: ${violation?.invariant}: ${violation?.problem}`;

function keepOf({ keepSteps, keepFaults }: Arguments, scenario: Scenario): Keep | undefined {
  if (keepSteps === undefined && keepFaults === undefined) return undefined;
  const list = (text: string, separator: string): string[] =>
    text.split(separator).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
  return {
    steps: new Set(keepSteps === undefined ? scenario.steps.keys() : list(keepSteps, ',').map(Number)),
    faults: new Set(keepFaults === undefined ? [] : list(keepFaults, ';')),
  };
}

async function tellSmallest(
  named: NamedScenario,
  request: Omit<SeedRequest, 'seed'>,
  failed: SeedResult,
  world: CommandWorld,
): Promise<void> {
  const { seed } = failed;
  const scenario = named.scenario(seed);
  const full: SeedRequest = { ...request, seed, scenario };
  const { keep, result, runs } = await shrink(full, failed, (tries, faults, steps) => {
    if (world.isTerminal) world.err(`\rshrinking: ${tries} runs, ${faults} faults, ${steps} steps\u001b[K`);
  });
  if (world.isTerminal) world.err('\r\u001b[K');
  const replayed = await runSeed({ ...full, keep });
  const { log } = replayed.outcome;
  const steps = [...keep.steps].toSorted((a, b) => a - b);
  world.out(`\nsmallest failure of seed ${seed} (${runs} runs):`);
  for (const index of steps) {
    const step = scenario.steps[index];
    if (step !== undefined) world.out(`  step ${index}: ${describeAction(step.action)}`);
  }
  for (const { at, fault } of replayed.struck) world.out(`  ${at}: ${describeFault(fault)}`);
  world.out(`  ${result.violation?.invariant}: ${result.violation?.problem}`);
  world.out(`\nhow it came about${log.length > LOG_TAIL ? ` (the last ${LOG_TAIL} of ${log.length} lines)` : ''}:`);
  for (const line of log.slice(-LOG_TAIL)) world.out(`  ${line}`);
  world.out(`\nreplay it:\n  ${replayCommand(named.argument, seed, steps, [...keep.faults], request.withFaults)}`);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function replayCommand(
  argument: string,
  seed: number,
  steps: readonly number[],
  faults: readonly string[],
  withFaults: boolean,
): string {
  const parts = [`npm run simulate -- --scenario ${quoted(argument)} --seed ${seed} --log`];
  parts.push(`--keep-steps ${quoted(steps.join(','))}`);
  if (withFaults) parts.push(`--keep-faults ${quoted(faults.join(';'))}`);
  else parts.push('--no-faults');
  return parts.join(' ');
}
