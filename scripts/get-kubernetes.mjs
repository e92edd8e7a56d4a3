/**
 * Brings a real control plane into .cache/kubernetes/<version>, for the tests in test/kubernetes: kube-apiserver,
 * kube-controller-manager and kube-scheduler, the etcd they are made for, and Kubernetes' own end-to-end tests, built from
 * their Go modules. docs/testing.md says how long that takes; what is there already is kept.
 *
 *     node scripts/get-kubernetes.mjs [--without-e2e] [--release=1.31] [--minutes=50] [--print]
 *
 * `--print` says where everything is and builds nothing. The release is the one that everynode says it is, unless told
 * otherwise here or by EVERYNODE_K8S_RELEASE: `1.31.0`, or `1.31` for one of its patches. With `--minutes` what is not
 * built by then is given up; what is whole stays. With EVERYNODE_K8S_BIN set to a folder that has the binaries (the
 * end-to-end tests may be missing), those are used and nothing is built.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GO_BUILD_FLAGS, goBuildEnvironment } from './go-build.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(ROOT, '.cache', 'kubernetes');
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const E2E = 'e2e.test';
const say = (text) => process.stderr.write(`get-kubernetes: ${text}\n`);
const flag = (name) => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`));
  return given?.slice(name.length + 3);
};

/** `1.36.4`, of the one file that says which Kubernetes everynode is. */
function ownVersion() {
  const text = readFileSync(join(ROOT, 'src', 'core', 'api', 'version.ts'), 'utf8');
  const found = /major: '(\d+)', minor: '(\d+)', patch: '(\d+)'/.exec(text);
  if (found === null) throw new Error('version.ts names no Kubernetes');
  return found.slice(1).join('.');
}

/** Patches that this project has been tried with. Of some others not every part can be had from the module proxy. */
const TRIED = { 1.31: '1.31.0' };

/** The patch of a release that was tried, or its newest; what was built of it before is as good. */
function versionOf(release) {
  if (/^\d+\.\d+\.\d+$/.test(release)) return release;
  if (!/^\d+\.\d+$/.test(release)) throw new Error(`${release} is no release of Kubernetes; say 1.31 or 1.31.0`);
  const known = TRIED[release] ?? ownVersion();
  if (known.startsWith(`${release}.`)) return known;
  const isOfIt = (name) => name.startsWith(`${release}.`) && existsSync(join(CACHE, name, 'kube-scheduler'));
  const built = existsSync(CACHE) ? readdirSync(CACHE).find(isOfIt) : undefined;
  if (built !== undefined) return built;
  const args = ['list', '-m', '-f', '{{.Version}}', `k8s.io/kubernetes@v${release}`];
  return String(execFileSync('go', args, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] }))
    .trim()
    .slice(1);
}

/** Go tells in JSON what went wrong, too. */
const goMod = (module) => {
  const got = spawnSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' });
  if (got.error !== undefined) throw new Error(`go cannot be run: ${got.error.message}`);
  const { GoMod, Error: problem } = JSON.parse(got.stdout === '' ? '{}' : got.stdout);
  if (GoMod === undefined) throw new Error(problem ?? got.stderr);
  return readFileSync(GoMod, 'utf8');
};

/**
 * A module that requires one other and nothing else. Those it names at v0.0.0 (Kubernetes' staging modules, which live
 * beside it) are taken as they were published with it.
 */
function writeModule(folder, path, version, upstream, published) {
  const file = join(folder, 'go.mod');
  const required = `require ${path} v${version}`;
  // Go adds what it finds out; only another version begins anew.
  if (existsSync(file) && readFileSync(file, 'utf8').includes(`${required}\n`)) return;
  const lines = [
    'module everynode.dev/test/kubernetes',
    '',
    /^go .+$/m.exec(upstream)?.[0] ?? 'go 1.24',
    // Programs behave by the defaults of the module they are built in, which is this one.
    ...Array.from(upstream.matchAll(/^godebug .+$/gm), ([line]) => line),
    '',
    required,
    '',
    ...Array.from(upstream.matchAll(/^\s+(\S+) v0\.0\.0$/gm), ([, name]) => `replace ${name} => ${name} ${published}`),
  ];
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, 'go.sum'), { force: true });
  writeFileSync(file, `${lines.join('\n')}\n`);
}

/** The etcd that belongs to a Kubernetes is the one whose client it has. */
function writeModules(folder, version) {
  const [, minor, patch] = version.split('.');
  const upstream = goMod(`k8s.io/kubernetes@v${version}`);
  const etcd = /go\.etcd\.io\/etcd\/client\/v3 v(\S+)/.exec(upstream)?.[1];
  if (etcd === undefined) throw new Error('this Kubernetes names no etcd');
  const modules = { kubernetes: join(folder, 'modules', 'kubernetes'), etcd: join(folder, 'modules', 'etcd') };
  writeModule(modules.kubernetes, 'k8s.io/kubernetes', version, upstream, `v0.${minor}.${patch}`);
  const server = 'go.etcd.io/etcd/server/v3';
  writeModule(modules.etcd, server, etcd, goMod(`${server}@v${etcd}`), `v${etcd}`);
  return modules;
}

/** What one call of Go makes: etcd, then the control plane (at once, so that no core idles while one of it is linked), then the rest. */
function steps(missing) {
  const programs = missing.filter((name) => name !== 'etcd' && name !== E2E);
  const of = (names, step) => (names.some((name) => missing.includes(name)) ? [{ names, ...step }] : []);
  return [
    ...of(['etcd'], { module: 'etcd', verb: ['build'], paths: ['go.etcd.io/etcd/server/v3'] }),
    ...of(programs, {
      module: 'kubernetes',
      verb: ['build'],
      paths: programs.map((name) => `k8s.io/kubernetes/cmd/${name}`),
    }),
    ...of([E2E], { module: 'kubernetes', verb: ['test', '-c', '-vet=off'], paths: ['k8s.io/kubernetes/test/e2e'] }),
  ];
}

async function build(folder, modules, { names, module, verb, paths }, version, deadline) {
  const [major, minor] = version.split('.');
  const facts = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const symbols = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((where) =>
    Object.entries(facts).map(([fact, value]) => `-X ${where}.${fact}=${value}`),
  );
  say(`building ${names.join(', ')} ${version} (the first time takes a quarter of an hour or more)…`);
  const began = Date.now();
  // Where nobody looks for them, until they are whole.
  const unfinished = join(folder, `.building-${process.pid}`);
  mkdirSync(unfinished, { recursive: true });
  const output = names.length === 1 ? join(unfinished, names[0]) : `${unfinished}/`;
  const args = [
    ...verb,
    '-mod=mod',
    ...GO_BUILD_FLAGS,
    '-ldflags',
    `-s -w ${symbols.join(' ')}`,
    '-o',
    output,
    ...paths,
  ];
  try {
    await go(args, modules[module], deadline);
    for (const name of names) renameSync(join(unfinished, name), join(folder, name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  say(`${names.join(', ')}: ${Math.round((Date.now() - began) / 1000)} s`);
}

/** Go and its compilers, which go with it when time is up or we are told to end. */
function go(args, cwd, deadline) {
  const left = deadline - Date.now();
  if (left <= 0) return Promise.reject(new Error('the time for building is over'));
  return new Promise((resolve, reject) => {
    const child = spawn('go', args, { cwd, detached: true, env: goBuildEnvironment(), stdio: ['ignore', 2, 2] });
    let why = '';
    const end = (reason) => {
      why ||= reason;
      try {
        process.kill(-child.pid, 'SIGTERM');
      } catch {
        // It is gone already.
      }
    };
    const timer = Number.isFinite(left) ? setTimeout(() => end('the time for building is over'), left) : undefined;
    const interrupted = () => end('interrupted');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, interrupted);
    child.once('error', (error) => reject(new Error(`go cannot be run: ${error.message}`)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.off(signal, interrupted);
      if (why !== '') reject(new Error(why));
      else if (code !== 0) reject(new Error(`go ${args[0]} ${args.at(-1)} failed; see the lines above`));
      else resolve();
    });
  });
}

async function get() {
  const given = process.env.EVERYNODE_K8S_BIN ?? '';
  if (given !== '') {
    const missing = CONTROL_PLANE.filter((name) => !existsSync(join(given, name)));
    if (missing.length > 0) throw new Error(`EVERYNODE_K8S_BIN has no ${missing.join(', ')}`);
    return given;
  }
  const version = versionOf(flag('release') ?? (process.env.EVERYNODE_K8S_RELEASE || ownVersion()));
  const folder = join(CACHE, version);
  if (process.argv.includes('--print')) return folder;
  const minutes = Number(flag('minutes') ?? Infinity);
  const deadline = Date.now() + minutes * 60_000;
  mkdirSync(folder, { recursive: true });
  const wanted = [...CONTROL_PLANE, ...(process.argv.includes('--without-e2e') ? [] : [E2E])];
  const missing = wanted.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) {
    const modules = writeModules(folder, version);
    for (const step of steps(missing)) await build(folder, modules, step, version, deadline);
  }
  return folder;
}

try {
  process.stdout.write(`${await get()}\n`);
} catch (error) {
  const lines = String(error.stderr || error.message)
    .trim()
    .split('\n');
  say(lines.at(-1) ?? '');
  process.exitCode = 1;
}
