/** Suites run in several workers; each tells a file how many cases it judged, and the sum is printed at the end. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The environment variable that names the file. */
export const COUNTS_FILE = 'EVERYNODE_FUZZ_COUNTS';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'everynode-fuzz-'));
  const file = join(folder, 'counts');
  process.env[COUNTS_FILE] = file;
  return () => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const counts = lines.map((line) => JSON.parse(line) as { readonly suite: string; readonly judged: number });
    const total = counts.reduce((sum, { judged }) => sum + judged, 0);
    const each = counts.map(({ suite, judged }) => `${suite.replace('.test.ts', '')} ${judged}`).join(', ');
    process.stdout.write(`\nfuzz: ${total} cases (${each})\n`);
    rmSync(folder, { recursive: true });
  };
}
