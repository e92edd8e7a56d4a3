/**
 * Brings the kubectl binaries that the tests want into .cache/kubectl: the newest release and one of the middle, built
 * from their Go modules, and the oldest the distribution carries, taken out of its package without installing it. What
 * cannot be had is said, not hidden; a binary that is there already is kept. With `--strict` it fails unless there is
 * an old one, a new one and one in between.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GO_BUILD_FLAGS, goBuildEnvironment } from './go-build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, '.cache', 'kubectl');
const SOURCE = join(ROOT, 'tools', 'kubectl');
/** The middle one; its transcript is in test/kubectl/walk/transcripts. */
const MIDDLE = { minor: '27', patch: '3' };
const say = (text) => process.stderr.write(`get-kubectl: ${text}\n`);
const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });

function build(cwd, { minor, patch }) {
  const target = join(CACHE, `kubectl-1.${minor}`);
  if (existsSync(target)) return;
  say(`building kubectl 1.${minor} from its Go module (once; one to three minutes)…`);
  const symbols = [`gitVersion=v1.${minor}.${patch}`, 'gitMajor=1', `gitMinor=${minor}`].map(
    (s) => `-X k8s.io/component-base/version.${s}`,
  );
  // Under a name that no test looks for, until it is whole.
  const temporary = join(CACHE, `.building-${process.pid}`);
  const args = ['build', ...GO_BUILD_FLAGS, '-ldflags', `-s -w ${symbols.join(' ')}`, '-o', temporary, '.'];
  run('go', args, { cwd, env: goBuildEnvironment() });
  renameSync(temporary, target);
}

function buildNewest() {
  const version = /k8s\.io\/kubectl v0\.(\d+)\.(\d+)/.exec(readFileSync(join(SOURCE, 'go.mod'), 'utf8'));
  if (version === null) throw new Error('go.mod names no kubectl');
  const [, minor = '', patch = ''] = version;
  build(SOURCE, { minor, patch });
}

/** Machines often have one of the middle already: versioned files beside the kubectl on PATH. */
function isBesideAnother(minor) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .filter((path) => existsSync(path))
    .some((path) => existsSync(`${dirname(realpathSync(path))}/kubectl.1.${minor}`));
}

function buildMiddle() {
  const { minor, patch } = MIDDLE;
  if (isBesideAnother(minor) || existsSync(join(CACHE, `kubectl-1.${minor}`))) return;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  try {
    copyFileSync(join(SOURCE, 'main.go'), join(folder, 'main.go'));
    const modules = ['kubectl', 'component-base'].map((name) => `k8s.io/${name}@v0.${minor}.${patch}`);
    for (const args of [
      ['init', 'everynode.dev/tools/kubectl'],
      ['edit', ...modules.map((module) => `-require=${module}`)],
      ['tidy'],
    ])
      run('go', ['mod', ...args], { cwd: folder });
    build(folder, MIDDLE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function unpackOldest() {
  if (readdirSync(CACHE).some((name) => name.startsWith('kubectl-debian'))) return;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  try {
    const download = () => run('apt-get', ['download', 'kubernetes-client'], { cwd: folder });
    try {
      download();
    } catch {
      // A fresh machine does not know yet what there is.
      run('apt-get', ['update']);
      download();
    }
    const [archive] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    run('dpkg-deb', ['-x', archive, 'out'], { cwd: folder });
    const target = join(CACHE, 'kubectl-debian');
    copyFileSync(join(folder, 'out', 'usr', 'bin', 'kubectl'), target);
    chmodSync(target, 0o755);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(CACHE, { recursive: true });
let failures = 0;
function attempt(what, get) {
  try {
    get();
  } catch (error) {
    failures += 1;
    const lines = String(error.stderr ?? error.message)
      .trim()
      .split('\n');
    say(`could not get ${what}: ${lines.at(-1) ?? ''}`);
  }
}

attempt('the newest kubectl', buildNewest);
attempt('a kubectl of the middle', buildMiddle);
attempt('the distribution’s kubectl', unpackOldest);
say(`have ${readdirSync(CACHE).join(', ') || 'none'} in ${CACHE}`);
if (failures > 0 && process.argv.includes('--strict')) {
  say('the tests need an old one, a new one and one in between');
  process.exitCode = 1;
}
