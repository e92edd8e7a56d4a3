/**
 * Builds helm, which the tests in test/helm want, from its Go module into .cache/helm. Its releases tell it by linker flags which
 * version it is and which Kubernetes it was made for; without them it renders charts for Kubernetes 1.20. One that was built
 * in the same way is kept.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GO_BUILD_FLAGS, goBuildEnvironment } from './go-build.mjs';

const VERSION = 'v3.22.0';
const MODULE = 'helm.sh/helm/v3';
const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'helm');
/** How the helm of the cache was built. */
const STAMP = join(CACHE, 'built-with');
const say = (text) => process.stderr.write(`get-helm: ${text}\n`);

const go = (args, env = {}) =>
  execFileSync('go', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...goBuildEnvironment(), GOFLAGS: '-mod=mod', ...env },
  });

/** `1.37`: client-go v0.37 is that of Kubernetes 1.37. */
function kubernetesOf() {
  const { GoMod } = JSON.parse(go(['mod', 'download', '-json', `${MODULE}@${VERSION}`]));
  const found = /^\s*k8s\.io\/client-go v0\.(\d+)\./m.exec(readFileSync(GoMod, 'utf8'));
  if (found === null) throw new Error(`${MODULE} ${VERSION} names no client-go`);
  return { major: '1', minor: found[1] };
}

function linkerFlags({ major, minor }) {
  const settings = {
    'internal/version.version': VERSION,
    'pkg/chartutil.k8sVersionMajor': major,
    'pkg/chartutil.k8sVersionMinor': minor,
    'pkg/lint/rules.k8sVersionMajor': major,
    'pkg/lint/rules.k8sVersionMinor': minor,
  };
  const all = Object.entries(settings).map(([name, value]) => `-X ${MODULE}/${name}=${value}`);
  return ['-s', '-w', ...all].join(' ');
}

const isThere = () =>
  existsSync(join(CACHE, 'helm')) && existsSync(STAMP) && readFileSync(STAMP, 'utf8').startsWith(`${VERSION}\n`);

if (isThere()) {
  say('have it');
} else {
  mkdirSync(CACHE, { recursive: true });
  say(`building helm ${VERSION} from its Go module (once; two to ten minutes)…`);
  try {
    const flags = linkerFlags(kubernetesOf());
    go(['install', ...GO_BUILD_FLAGS, `-ldflags=${flags}`, `${MODULE}/cmd/helm@${VERSION}`], { GOBIN: CACHE });
    writeFileSync(STAMP, `${VERSION}\n${flags}\n`);
    say('done');
  } catch (error) {
    const lines = String(error.stderr ?? error.message)
      .trim()
      .split('\n');
    say(`could not build it: ${lines.at(-1) ?? ''}`);
    process.exitCode = 1;
  }
}
