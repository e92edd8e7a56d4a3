/**
 * `npm start`, `npm test` and the other tasks of package.json begin here. Runs on any Node.js from 18 on: installs the dependencies when they are
 * absent or stale, finds a Node.js new enough for everynode (the machine's own, or the one npm installed), and goes on
 * with that.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedRuntime, isNewEnough, MEMORY, NEEDED } from '../bin/runtime.mjs';
import { whenOrphaned } from './when-orphaned.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMP = join(ROOT, 'node_modules', '.everynode-lock');
const CI_PROJECTS = ['unit', 'contract', 'cli', 'kubectl', 'simulation'];

const say = (text) => process.stderr.write(`everynode: ${text}\n`);

function lockDigest() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json', 'tools/runtime/package.json']) {
    hash.update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex');
}

function install() {
  const digest = lockDigest();
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest) return;
  say('installing dependencies (once; about half a minute)…');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) {
    say('npm ci failed; see the lines above. The first start needs a registry it can reach.');
    process.exit(1);
  }
  writeFileSync(STAMP, digest);
}

function runtime() {
  if (isNewEnough(process.version)) return process.execPath;
  const installed = installedRuntime(ROOT);
  if (installed !== undefined) return installed;
  say(
    `needs Node.js ${NEEDED.join('.')} or newer; this is ${process.version} and npm has none for ${process.platform}-${process.arch}.`,
  );
  return process.exit(1);
}

/** Newest change below `folder`, to tell whether the emitted JavaScript is still true. */
function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    latest = Math.max(latest, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return latest;
}

function build(node) {
  const stamp = join(ROOT, 'dist', '.built');
  const script = join(ROOT, 'scripts', 'build.mjs');
  const changedMs = Math.max(newest(join(ROOT, 'src')), statSync(script).mtimeMs);
  if (existsSync(stamp) && statSync(stamp).mtimeMs >= changedMs) return;
  say('building…');
  const done = spawnSync(node, [script], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (done.status !== 0) {
    say('the build failed; see the lines above.');
    process.exit(1);
  }
  writeFileSync(stamp, '');
}

/** Hands the terminal over and takes the child's exit as our own; a Ctrl-C reaches the child by itself. */
function become(node, args, cwd = ROOT) {
  const env = {
    ...process.env,
    ...MEMORY,
    PATH: `${dirname(node)}:${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
  };
  const child = spawn(node, args, { cwd, stdio: 'inherit', env });
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  // Without npm we may have been started to outlive a shell.
  if (process.env.npm_lifecycle_event !== undefined) whenOrphaned(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
}

/** npm takes us to the root of the project; files named in flags are meant from where the command was typed. */
const whereTheyStand = () => {
  const typedIn = process.env.INIT_CWD ?? '';
  return typedIn !== '' && existsSync(typedIn) ? typedIn : ROOT;
};

const FLAGS = [
  'data-dir',
  'ephemeral',
  'port',
  'bind',
  'nodes',
  'node-groups',
  'controllers',
  'write-kubeconfig',
  'audit-log-path',
  'audit-policy-file',
  'max-requests-inflight',
  'max-mutating-requests-inflight',
  'log-level',
];

/** npm keeps flags that stand before `--` to itself; a cluster other than the one asked for would start in silence. */
function refuseSwallowedFlags() {
  const swallowed = FLAGS.filter((flag) => process.env[`npm_config_${flag.replaceAll('-', '_')}`] !== undefined);
  if (swallowed.length === 0) return;
  say(
    `npm keeps --${swallowed.join(' and --')} to itself; flags go behind --, as in: npm start -- --${swallowed[0]} …`,
  );
  process.exit(1);
}

const [task, ...rest] = process.argv.slice(2);
if (task === 'start') refuseSwallowedFlags();
install();
const node = runtime();
const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
if (task === 'start') {
  build(node);
  // The flag of bin/everynode.mjs's first line: short pauses matter more to a server than throughput of the collector.
  become(node, ['--max-semi-space-size=8', join(ROOT, 'bin', 'everynode.mjs'), 'up', ...rest], whereTheyStand());
} else if (task === 'build') {
  build(node);
} else if (task === 'test') {
  build(node);
  become(node, [vitest, 'run', ...CI_PROJECTS.flatMap((name) => ['--project', name]), ...rest]);
} else if (task === 'test-all') {
  build(node);
  // See test/support/thorough.ts.
  process.env.EVERYNODE_THOROUGH ??= '1';
  become(node, [vitest, 'run', ...rest]);
} else if (task === 'test-kubernetes') {
  // Some suites start the operator as users do.
  build(node);
  become(node, [join(ROOT, 'scripts', 'test-kubernetes.mjs'), ...rest]);
} else if (task === 'soak') {
  build(node);
  become(node, [join(ROOT, 'scripts', 'soak.mjs'), ...rest]);
} else if (task === 'bench') {
  // What is measured is what users run: the emitted code.
  build(node);
  become(node, [join(ROOT, 'bench', 'run.ts'), ...rest]);
} else if (task === 'simulate') {
  become(node, [join(ROOT, 'scripts', 'simulate.ts'), ...rest]);
} else {
  say(
    `unknown task ${JSON.stringify(task)}; one of start, build, test, test-all, test-kubernetes, soak, bench, simulate`,
  );
  process.exit(1);
}
