import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/counts.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'everynode-counts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = (name: string, text: string): string => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const counted = (strict: string, ...files: readonly string[]) => {
  const env = { ...process.env, EVERYNODE_CI_STRICT: strict };
  const { status, stdout } = spawnSync(process.execPath, [script, ...files], { env, encoding: 'utf8' });
  return [status, stdout.trim()] as const;
};
const passed = written('test.json', JSON.stringify({ numPassedTests: 7, numFailedTests: 0, numPendingTests: 1 }));
const failed = written('other.json', JSON.stringify({ numPassedTests: 1, numFailedTests: 2, numPendingTests: 0 }));
const note = written(
  'kubernetes.note',
  'differential: seed 20261117 of the day: api-requests PARTED in 2 of 400 cases\n',
);

it('names in its last line what the seed of the day found, and does not fail for it', () => {
  expect(counted('', passed, note)).toEqual([
    0,
    '7 passed, 0 failed, 1 skipped; differential: seed 20261117 of the day: api-requests PARTED in 2 of 400 cases',
  ]);
});

it('fails for it where everything has to hold', () => {
  expect(counted('1', passed, note)[0]).toBe(1);
  expect(counted('1', passed)[0]).toBe(0);
});

it('fails for tests that failed, and where none ran', () => {
  expect(counted('', passed, failed)).toEqual([1, '8 passed, 2 failed, 1 skipped']);
  expect(counted('', join(folder, 'missing.json'))[0]).toBe(1);
});
