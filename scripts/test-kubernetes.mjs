/**
 * `npm run test:kubernetes`: the suites of test/kubernetes, against a real control plane that is built on first use.
 *
 *     npm run test:kubernetes                                 all of them, with the newest release
 *     npm run test:kubernetes -- daemonset                    those whose path has this in it
 *     npm run test:kubernetes -- --release 1.31               what holds for an older release too
 *     KUBECONFIG=… npm run test:kubernetes -- --existing      what can be asked of a cluster that somebody uses
 *
 * With `--partial` whatever has been built is used and nothing more is built: `.ci/run` gives the build a time of its own.
 * With `--until=SECONDS` (since 1970) suites run one by one until then, each with a report of its own in `.cache`, and the
 * differential ones once more with the seed of the day, whose finds are noted and fail with EVERYNODE_CI_STRICT=1 alone.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dayNote, daySeed, replayText } from './day-seed.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const FOLDER = join(ROOT, 'test', 'kubernetes');
const NOTE = join(ROOT, '.cache', 'kubernetes.note');
const BUILD_LOG = join(ROOT, '.cache', 'kubernetes-build.log');
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const say = (text) => process.stderr.write(`test-kubernetes: ${text}\n`);

/** What an older control plane is asked; and an existing one. The rest has a reason. */
const OLDER = ['client-contract', 'daemonset', 'conformance'];
const EXISTING = ['existing-cluster'];
const WHY_NOT_OLDER = {
  'existing-cluster': 'is asked of clusters that somebody uses, with --existing',
  'upstream-on-ours': 'its controllers are made for an API server of their own time',
  differential: 'everynode answers as the newest release does',
};
const WHY_NOT_EXISTING = {
  'client-contract': 'makes the server forget its past; what it asks besides is asked here too',
  conformance: 'takes nodes and namespaces as it finds them',
  daemonset: 'needs a control plane without a DaemonSet controller of its own',
  'upstream-on-ours': 'needs no cluster',
  differential: 'needs a control plane of its own for each case',
};

const suites = () =>
  existsSync(FOLDER)
    ? readdirSync(FOLDER, { withFileTypes: true })
        .filter((entry) => (entry.isDirectory() && entry.name !== 'support') || entry.name.endsWith('.test.ts'))
        .map((entry) => entry.name.replace(/\.test\.ts$/, ''))
        .toSorted()
    : [];

function sayWhatIsLeftOut(asked, reasons, otherwise) {
  for (const name of suites()) if (!asked.includes(name)) say(`left out: ${name}: ${reasons[name] ?? otherwise}`);
}

/** Takes `--name value` and `--name=value` out of the arguments. */
function take(args, name) {
  const at = args.findIndex((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  const [taken] = args.splice(at, 1);
  return taken.includes('=') ? taken.slice(taken.indexOf('=') + 1) : (args.splice(at, 1)[0] ?? '');
}

const takeFlag = (args, name) => {
  const at = args.indexOf(`--${name}`);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
};

const isFilter = (argument) => !argument.startsWith('-');
const filters = (names) => names.map((name) => `test/kubernetes/${name}`);

function refuse(text) {
  say(text);
  process.exit(1);
}

/** What a build that ran out of time, or could not begin, has left undone; for the last line of `.ci/run`. */
function noteWhatIsMissing(minutes) {
  rmSync(NOTE, { force: true });
  mkdirSync(dirname(NOTE), { recursive: true });
  const folder = programs(['--print']);
  const missing = [...CONTROL_PLANE, 'e2e.test'].filter((name) => !existsSync(join(folder, name)));
  const isBare = CONTROL_PLANE.some((name) => missing.includes(name));
  if (missing.length > 0) {
    const what = isBare ? 'kubernetes' : 'conformance';
    const why = whyNotBuilt(minutes);
    writeFileSync(NOTE, `${what}: NOT RUN: ${isBare ? 'binaries' : missing.join(', ')} not built${why}`);
  }
  return isBare;
}

/** The last words of the build, if it was not for want of time. */
function whyNotBuilt(minutes) {
  const said = existsSync(BUILD_LOG) ? (readFileSync(BUILD_LOG, 'utf8').trim().split('\n').at(-1) ?? '') : '';
  const reason = /^get-kubernetes: (.*)$/.exec(said)?.[1] ?? '';
  if (reason !== '' && !reason.includes('the time for building is over')) return `: ${reason}`;
  return minutes === undefined ? '' : ` within ${minutes} minutes`;
}

function programs(args) {
  const script = join(ROOT, 'scripts', 'get-kubernetes.mjs');
  const got = spawnSync(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 2], encoding: 'utf8' });
  if (got.status !== 0) process.exit(1);
  return got.stdout.trim();
}

const args = process.argv.slice(2);
const release = take(args, 'release') ?? process.env.EVERYNODE_K8S_RELEASE ?? '';
const minutes = take(args, 'minutes');
/** Seconds since 1970. */
const until = take(args, 'until');
const isExisting = takeFlag(args, 'existing');
const isPartial = takeFlag(args, 'partial');
const env = { ...process.env };

if (isExisting) {
  if ((env.KUBECONFIG ?? '') === '') refuse('--existing wants KUBECONFIG to name the cluster');
  env.EVERYNODE_EXISTING_CLUSTER = env.KUBECONFIG;
  sayWhatIsLeftOut(EXISTING, WHY_NOT_EXISTING, 'needs a control plane of its own');
  if (!args.some(isFilter)) args.push(...filters(EXISTING));
} else {
  if (release !== '') {
    env.EVERYNODE_K8S_RELEASE = release;
    process.env.EVERYNODE_K8S_RELEASE = release;
    if (!args.some(isFilter)) {
      sayWhatIsLeftOut(OLDER, WHY_NOT_OLDER, 'is asked of the newest release alone');
      args.push(...filters(OLDER));
    }
  }
  if (isPartial) {
    env.EVERYNODE_K8S_PARTIAL = '1';
    if (noteWhatIsMissing(minutes)) process.exit(0);
  } else {
    programs(minutes === undefined ? [] : [`--minutes=${minutes}`]);
  }
}

const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
let child;
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child?.kill('SIGTERM'));

/** Resolves with the exit code; what is not done in time is ended, which is no code. */
const run = (more, limitMs, besides = {}) =>
  new Promise((resolve) => {
    child = spawn(process.execPath, [vitest, 'run', '--project', 'kubernetes', ...more], {
      cwd: ROOT,
      stdio: 'inherit',
      env: { ...env, ...besides },
    });
    let isLate = false;
    const timer =
      limitMs === undefined
        ? undefined
        : setTimeout(() => {
            isLate = true;
            child.kill('SIGKILL');
          }, limitMs);
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      resolve(isLate ? undefined : (code ?? (signal === 'SIGINT' ? 130 : 1)));
    });
  });

/** One suite after the other, the most telling first, as long as there is time; what there is none for is noted. */
async function runUntil(end) {
  const names = ['support', ...suites()].toSorted((a, b) => rank(a) - rank(b));
  let worst = 0;
  for (const name of names) {
    const left = end - Date.now();
    const report = join(ROOT, '.cache', `kubernetes-${name}.json`);
    rmSync(report, { force: true });
    // All of Kubernetes' own cases take longer than everything else together.
    if (name === 'conformance') env.EVERYNODE_CONFORMANCE ??= 'daemons';
    if (left < LEAST_MS) {
      addNote(`${name}: NOT RUN: no time left`);
      continue;
    }
    if (name === 'foreign-sets' && foreignNote() !== undefined) {
      addNote(foreignNote());
      continue;
    }
    const code = await run([`test/kubernetes/${name}`, ...args, `--outputFile.json=${report}`], left);
    if (code === undefined) addNote(`${name}: NOT FINISHED: no time left`);
    else worst = Math.max(worst, code);
    if (name === 'differential') worst = Math.max(worst, await runDaySeed(end - Date.now()));
  }
  return worst;
}

/**
 * Differential suites draw other cases every day: their fixed seed only ever asks what was asked before. Its report is not
 * among those that are counted, because what it finds need not have come with the change that is to land.
 */
async function runDaySeed(left) {
  const seed = daySeed(new Date());
  if (left < LEAST_MS) {
    addNote(`differential: seed ${seed} of the day: NOT RUN: no time left`);
    return 0;
  }
  say(`differential: seed ${seed} of the day`);
  const report = join(ROOT, '.cache', 'day-seed.json');
  rmSync(report, { force: true });
  const more = ['test/kubernetes/differential', ...args, `--outputFile.json=${report}`];
  const code = await run(more, left, { EVERYNODE_SEED: seed });
  if (code === undefined) addNote(`differential: seed ${seed} of the day: NOT FINISHED: no time left`);
  else if (code !== 0) {
    say(replayText(seed));
    addNote(dayNote(seed, existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined));
  }
  return (env.EVERYNODE_CI_STRICT ?? '') === '' ? 0 : (code ?? 0);
}

/** Why the sets of foreign manifests are not asked; undefined if they are. */
function foreignNote() {
  const folder = env.EVERYNODE_MANIFESTS ?? '';
  const isFolder = folder !== '' && existsSync(folder) && statSync(folder).isDirectory();
  return isFolder ? undefined : 'foreign sets: NOT RUN: EVERYNODE_MANIFESTS names no folder';
}

/** All that is asked for at once; what is left out is said last. */
async function runAll() {
  const code = await run(args);
  const asked = args.filter(isFilter);
  const isAsked = asked.length === 0 || asked.some((filter) => 'test/kubernetes/foreign-sets.test.ts'.includes(filter));
  if (isAsked && !isExisting && foreignNote() !== undefined) say(foreignNote());
  return code;
}

/** Less is not worth a beginning. */
const LEAST_MS = 60_000;
const ORDER = [
  'support',
  'client-contract',
  'daemonset',
  'operator',
  'upstream-on-ours',
  'conformance',
  'component-apply',
  'component-cli',
  'component-controller',
  'component-examples',
  'webhooks',
  'faults',
  'differential',
  'foreign-sets',
];
const rank = (name) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
const addNote = (text) => {
  say(text);
  const before = existsSync(NOTE) ? `${readFileSync(NOTE, 'utf8').trim()}; ` : '';
  writeFileSync(NOTE, before + text);
};

process.exitCode = until === undefined ? await runAll() : await runUntil(Number(until) * 1000);
