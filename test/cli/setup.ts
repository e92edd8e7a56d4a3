/** The command line is tested as it is published: emitted JavaScript, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export default function setup(): void {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  spawnSync(process.execPath, [tsc, '-p', join(ROOT, 'tsconfig.build.json')], { cwd: ROOT });
  if (!existsSync(join(ROOT, 'dist', 'cli', 'main.js'))) throw new Error('the build emitted nothing');
}
