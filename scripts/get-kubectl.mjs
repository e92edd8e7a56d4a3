/**
 * Brings the kubectl binaries that the tests want into .cache/kubectl: the newest release built from its Go module, and
 * the oldest the distribution carries, taken out of its package without installing it. What cannot be had is said, not
 * hidden; a binary that is there already is kept.
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
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, '.cache', 'kubectl');
const say = (text) => process.stderr.write(`get-kubectl: ${text}\n`);
const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });

function buildNewest() {
  const source = join(ROOT, 'tools', 'kubectl');
  const version = /k8s\.io\/kubectl v0\.(\d+)\.(\d+)/.exec(readFileSync(join(source, 'go.mod'), 'utf8'));
  if (version === null) throw new Error('go.mod names no kubectl');
  const [, minor = '', patch = ''] = version;
  const target = join(CACHE, `kubectl-1.${minor}`);
  if (existsSync(target)) return;
  say(`building kubectl 1.${minor} from its Go module (once; one to three minutes)…`);
  const symbols = [`gitVersion=v1.${minor}.${patch}`, 'gitMajor=1', `gitMinor=${minor}`].map(
    (s) => `-X k8s.io/component-base/version.${s}`,
  );
  const temporary = `${target}.${process.pid}`;
  run('go', ['build', '-trimpath', '-ldflags', `-s -w ${symbols.join(' ')}`, '-o', temporary, '.'], { cwd: source });
  copyFileSync(temporary, target);
  rmSync(temporary);
}

function unpackOldest() {
  if (readdirSync(CACHE).some((name) => name.startsWith('kubectl-debian'))) return;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  try {
    run('apt-get', ['download', 'kubernetes-client'], { cwd: folder });
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
function attempt(what, get) {
  try {
    get();
  } catch (error) {
    const lines = String(error.stderr ?? error.message)
      .trim()
      .split('\n');
    say(`could not get ${what}: ${lines.at(-1) ?? ''}`);
  }
}

attempt('the newest kubectl', buildNewest);
attempt('the distribution’s kubectl', unpackOldest);
say(`have ${readdirSync(CACHE).join(', ') || 'none'}`);
