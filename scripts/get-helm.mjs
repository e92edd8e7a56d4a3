/** Builds helm, which the tests in test/helm want, from its Go module into .cache/helm. One that is there already is kept. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GO_BUILD_FLAGS, goBuildEnvironment } from './go-build.mjs';

const VERSION = 'v3.22.0';
const CACHE = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'helm');
const say = (text) => process.stderr.write(`get-helm: ${text}\n`);

if (existsSync(join(CACHE, 'helm'))) {
  say('have it');
} else {
  mkdirSync(CACHE, { recursive: true });
  say(`building helm ${VERSION} from its Go module (once; two to ten minutes)…`);
  try {
    execFileSync('go', ['install', ...GO_BUILD_FLAGS, '-ldflags=-s -w', `helm.sh/helm/v3/cmd/helm@${VERSION}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...goBuildEnvironment(), GOBIN: CACHE, GOFLAGS: '-mod=mod' },
    });
    say('done');
  } catch (error) {
    const lines = String(error.stderr ?? error.message)
      .trim()
      .split('\n');
    say(`could not build it: ${lines.at(-1) ?? ''}`);
    process.exitCode = 1;
  }
}
