/**
 * Brings a real control plane into .cache/kubernetes/<version>, for the tests in test/kubernetes: kube-apiserver,
 * kube-controller-manager and kube-scheduler, the etcd they are made for, and Kubernetes' own end-to-end tests, built from
 * their Go modules (half an hour on two cores the first time, two minutes once Go's cache knows them). What is there already
 * is kept.
 *
 *     node scripts/get-kubernetes.mjs [--without-e2e] [--version=1.34.2] [--print]
 *
 * `--print` says where everything is and builds nothing. The version is the one that everynode says it is, unless told
 * otherwise here or by EVERYNODE_K8S_VERSION. With EVERYNODE_K8S_BIN set to a folder that has the binaries (the end-to-end
 * tests may be missing), those are used and nothing is built.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const CONTROL_PLANE = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
const E2E = 'e2e.test';
const say = (text) => process.stderr.write(`get-kubernetes: ${text}\n`);

/** `1.36.4`, of the one file that says which Kubernetes everynode is. */
function ownVersion() {
  const text = readFileSync(join(ROOT, 'src', 'core', 'api', 'version.ts'), 'utf8');
  const found = /major: '(\d+)', minor: '(\d+)', patch: '(\d+)'/.exec(text);
  if (found === null) throw new Error('version.ts names no Kubernetes');
  return found.slice(1).join('.');
}

const goMod = (module) => {
  const args = ['mod', 'download', '-json', module];
  return readFileSync(JSON.parse(String(execFileSync('go', args, { cwd: tmpdir() }))).GoMod, 'utf8');
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
    ...(/^godebug .+$/m.exec(upstream) ?? []),
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

/** What to build, in which module. */
function recipe(name) {
  if (name === 'etcd') return { verb: ['build'], module: 'etcd', path: 'go.etcd.io/etcd/server/v3' };
  if (name === E2E)
    return { verb: ['test', '-c', '-vet=off'], module: 'kubernetes', path: 'k8s.io/kubernetes/test/e2e' };
  return { verb: ['build'], module: 'kubernetes', path: `k8s.io/kubernetes/cmd/${name}` };
}

function build(folder, modules, name, version) {
  const [major, minor] = version.split('.');
  const facts = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const symbols = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((where) =>
    Object.entries(facts).map(([fact, value]) => `-X ${where}.${fact}=${value}`),
  );
  const { verb, module, path } = recipe(name);
  say(`building ${name} ${version} (the first time may take a quarter of an hour)…`);
  const began = Date.now();
  // Under a name that nobody looks for, until it is whole.
  const unfinished = join(folder, `.building-${process.pid}`);
  const args = [...verb, '-mod=mod', '-ldflags', `-s -w ${symbols.join(' ')}`, '-o', unfinished, path];
  const done = spawnSync('go', args, { cwd: modules[module], stdio: ['ignore', 2, 2] });
  if (done.status !== 0) throw new Error(`go ${verb.join(' ')} ${path} failed; see the lines above`);
  renameSync(unfinished, join(folder, name));
  say(`${name} took ${Math.round((Date.now() - began) / 1000)} s`);
}

const asked = process.argv.find((argument) => argument.startsWith('--version='))?.slice('--version='.length);
const given = process.env.EVERYNODE_K8S_BIN ?? '';
const version = asked ?? (process.env.EVERYNODE_K8S_VERSION || ownVersion());
const folder = given === '' ? join(ROOT, '.cache', 'kubernetes', version) : given;
const wanted = [...CONTROL_PLANE, ...(process.argv.includes('--without-e2e') ? [] : [E2E])];

try {
  if (given !== '') {
    const missing = CONTROL_PLANE.filter((name) => !existsSync(join(folder, name)));
    if (missing.length > 0) throw new Error(`EVERYNODE_K8S_BIN has no ${missing.join(', ')}`);
  } else if (!process.argv.includes('--print')) {
    mkdirSync(folder, { recursive: true });
    const missing = wanted.filter((name) => !existsSync(join(folder, name)));
    if (missing.length > 0) {
      const modules = writeModules(folder, version);
      for (const name of missing) build(folder, modules, name, version);
    }
  }
  process.stdout.write(`${folder}\n`);
} catch (error) {
  const lines = String(error.stderr ?? error.message)
    .trim()
    .split('\n');
  say(lines.at(-1) ?? '');
  process.exitCode = 1;
}
