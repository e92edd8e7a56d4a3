/** Runs once before the kubectl tests: finds the binaries, and tries to get some where there are none. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findKubectls } from './kubectl.ts';
import { NO_KUBECTL } from './no-kubectl.ts';

const SCRIPT = fileURLToPath(new URL('../../scripts/get-kubectl.mjs', import.meta.url));
const LIMIT_MS = 240_000;

const has = (command: string, flag: string): boolean => spawnSync(command, [flag], { stdio: 'ignore' }).status === 0;

export default function setup(): void {
  if (findKubectls().length > 0) return;
  if (has('go', 'version') || has('apt-get', '--version')) {
    spawnSync(process.execPath, [SCRIPT], { stdio: ['ignore', 2, 2], timeout: LIMIT_MS });
    if (findKubectls().length > 0) return;
  }
  process.stderr.write(`\nWARNING: the kubectl tests do not run: ${NO_KUBECTL}\n\n`);
}
