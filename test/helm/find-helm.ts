/** A helm of this machine: in .cache/helm (`node scripts/get-helm.mjs`), or on PATH. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Helm {
  readonly path: string;
  /** `3` */
  readonly major: number;
}

const CACHE = fileURLToPath(new URL('../../.cache/helm', import.meta.url));

export function findHelm(): Helm | undefined {
  for (const folder of [CACHE, ...(process.env['PATH'] ?? '').split(delimiter)]) {
    const path = join(folder, 'helm');
    if (!existsSync(path)) continue;
    try {
      const text = execFileSync(path, ['version', '--short'], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return { path, major: Number(/^v(\d+)/.exec(text)?.[1]) };
    } catch {
      // Not one that runs here.
    }
  }
  return undefined;
}
