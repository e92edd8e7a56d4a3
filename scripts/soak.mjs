/**
 * `npm run soak`: the long runs, for a night. Every seed of every scenario, fuzzing at large, power cuts, kills and backups
 * of the store, the differential tests with many cases, all of Kubernetes' own cases, and churn. Each step has a limit of
 * its own and a log in .cache/soak; one that fails does not keep the others from running.
 *
 *     npm run soak                         all; goes on where the last run at this commit was interrupted
 *     npm run soak -- --fresh              begins anew
 *     npm run soak -- conformance churn    these alone
 *     npm run soak -- --list
 *
 * EVERYNODE_SOAK_SEEDS (1000), EVERYNODE_POWER_CUTS (5000), EVERYNODE_KILLS (200), EVERYNODE_BACKUPS (100),
 * EVERYNODE_DIFFERENTIAL_CASES (5000), EVERYNODE_SOAK_MINUTES (10) say how much.
 */
import { execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, '.cache', 'soak');
const STATE = join(FOLDER, 'state.json');
const GRACE_MS = 20_000;
const say = (text) => process.stderr.write(`soak: ${text}\n`);
const script = (...parts) => join(ROOT, ...parts);
const seeds = process.env.EVERYNODE_SOAK_SEEDS || '1000';
const vitest = (project, ...filters) => [
  script('node_modules', 'vitest', 'vitest.mjs'),
  'run',
  '--project',
  project,
  ...filters,
];
const kubernetes = (filter) => [script('scripts', 'test-kubernetes.mjs'), filter];

/** What is run, for how many minutes at most, and with what in its environment. */
function allSteps() {
  const scenarios = readdirSync(script('examples', 'scenarios'))
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length));
  return [
    ...[...scenarios, 'generated'].map((name) => ({
      name: `seeds-${name}`,
      args: [script('scripts', 'simulate.ts'), '--scenario', name, '--seeds', seeds],
      minutes: 60,
    })),
    {
      name: 'fuzz',
      args: [...vitest('fuzz'), '--testTimeout=3600000'],
      env: { EVERYNODE_FUZZ_SCALE: process.env.EVERYNODE_FUZZ_SCALE || '5', EVERYNODE_SEED: 'random' },
      minutes: 60,
    },
    {
      name: 'power-cuts',
      args: [...vitest('contract', 'test/store'), '--testTimeout=3600000'],
      env: { EVERYNODE_POWER_CUTS: process.env.EVERYNODE_POWER_CUTS || '5000', EVERYNODE_SEED: 'random' },
      minutes: 60,
    },
    {
      name: 'kills',
      args: vitest('faults', 'test/faults/store/kill', 'test/faults/cluster/kill', 'test/faults/cluster/histories'),
      env: { EVERYNODE_KILLS: process.env.EVERYNODE_KILLS || '200' },
      minutes: 120,
    },
    {
      name: 'backups',
      args: vitest('faults', 'test/faults/cluster/backups'),
      env: { EVERYNODE_BACKUPS: process.env.EVERYNODE_BACKUPS || '100' },
      minutes: 60,
    },
    {
      name: 'differential',
      args: [...kubernetes('differential'), '--testTimeout=7200000'],
      env: { EVERYNODE_DIFFERENTIAL_CASES: process.env.EVERYNODE_DIFFERENTIAL_CASES || '5000' },
      minutes: 180,
    },
    {
      name: 'conformance',
      args: kubernetes('conformance'),
      env: { EVERYNODE_CONFORMANCE: 'wide' },
      // What passed before it was interrupted need not pass again.
      again: { EVERYNODE_CONFORMANCE: 'again' },
      minutes: 180,
    },
    { name: 'churn', args: [script('bench', 'run.ts'), 'api', 'soak'], minutes: 60 },
  ];
}

const commit = () => {
  const git = (...args) => String(execFileSync('git', args, { cwd: ROOT })).trim();
  try {
    // What is not committed makes another commit of it.
    return `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '+changes'}`;
  } catch {
    return 'unknown';
  }
};

const done = (state) => new Set(Object.keys(state.steps).filter((name) => state.steps[name].outcome === 'passed'));

function load(isFresh) {
  const empty = { commit: commit(), steps: {} };
  if (isFresh || !existsSync(STATE)) return empty;
  const kept = JSON.parse(readFileSync(STATE, 'utf8'));
  return kept.commit === empty.commit && !empty.commit.includes('+') ? kept : empty;
}

const save = (state) => writeFileSync(STATE, `${JSON.stringify(state, null, 1)}\n`);

let running;
let isInterrupted = false;

/** The step and all it has started, which are a group of their own. */
function end(signal) {
  if (running === undefined) return;
  try {
    process.kill(-running.pid, signal);
  } catch {
    // It is gone already.
  }
}

function run({ name, args, env = {}, minutes }) {
  const log = createWriteStream(join(FOLDER, `${name}.log`));
  const began = Date.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, EVERYNODE_THOROUGH: '1', ...env },
    });
    running = child;
    let isLate = false;
    let last = '';
    const timer = setTimeout(() => {
      isLate = true;
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), GRACE_MS).unref();
    }, minutes * 60_000);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        log.write(chunk);
        last = `${last}${chunk}`.slice(-4000);
      });
    child.once('error', (error) => log.write(`${error.message}\n`));
    child.once('close', (code) => {
      clearTimeout(timer);
      running = undefined;
      log.end();
      const outcome = isInterrupted ? 'interrupted' : isLate ? 'too long' : code === 0 ? 'passed' : 'failed';
      resolve({ outcome, seconds: Math.round((Date.now() - began) / 1000), last: lastLines(last) });
    });
  });
}

const lastLines = (text) =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .slice(-3);

function summary(state, steps) {
  say('summary');
  for (const { name } of steps) {
    const { outcome = 'not run', seconds = 0, last = [] } = state.steps[name] ?? {};
    say(
      `  ${outcome.padEnd(11)} ${String(seconds).padStart(6)} s  ${name}${last.length > 0 ? `: ${last.at(-1)}` : ''}`,
    );
  }
  const bad = steps.filter(({ name }) => state.steps[name]?.outcome !== 'passed');
  say(bad.length === 0 ? 'all passed' : `${bad.length} of ${steps.length} did not pass; logs are in .cache/soak`);
  return bad.length === 0 ? 0 : 1;
}

const args = process.argv.slice(2);
const named = args.filter((argument) => !argument.startsWith('-'));
const all = allSteps();
const unknown = named.filter((name) => !all.some((step) => step.name === name));
const steps = named.length === 0 ? all : all.filter(({ name }) => named.includes(name));
if (unknown.length > 0 || args.includes('--list')) {
  if (unknown.length > 0) say(`there is no ${unknown.join(', ')}`);
  for (const { name, minutes } of all) say(`${name} (at most ${minutes} minutes)`);
  process.exit(unknown.length > 0 ? 1 : 0);
}

mkdirSync(FOLDER, { recursive: true });
const state = load(args.includes('--fresh'));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (isInterrupted) end('SIGKILL');
    isInterrupted = true;
    end('SIGTERM');
    setTimeout(() => end('SIGKILL'), GRACE_MS).unref();
  });
const before = named.length === 0 ? done(state) : new Set();
for (const step of steps) {
  if (isInterrupted) break;
  if (before.has(step.name)) {
    say(`${step.name}: passed before at this commit`);
    continue;
  }
  say(`${step.name}…`);
  const wasInterrupted = state.steps[step.name]?.outcome === 'interrupted';
  const result = await run(wasInterrupted ? { ...step, env: step.again ?? step.env } : step);
  state.steps[step.name] = result;
  save(state);
  say(`${step.name}: ${result.outcome} after ${result.seconds} s`);
}
const code = summary(state, steps);
process.exitCode = isInterrupted ? 130 : code;
