import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataDirectory } from './data-directory.ts';
import type { DataDirectory } from './data-directory.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'everynode-directory-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const refusal = (path: string): Promise<unknown> =>
  openDataDirectory(path).then(
    () => 'opened',
    (error: unknown) => error,
  );

/** Another process that opens the directory and holds it until it is killed. */
async function holder(path: string) {
  const module = new URL('data-directory.ts', import.meta.url).href;
  const script = `const { openDataDirectory } = await import(${JSON.stringify(module)});
    await openDataDirectory(${JSON.stringify(path)}); process.stdout.write('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

describe('the data directory', () => {
  it('is made with its parents, for its owner alone', async () => {
    const path = join(parent, 'a', 'b');
    const directory = await openDataDirectory(path);
    expect([modeOf(path), modeOf(join(path, 'lock')), modeOf(join(path, 'holder'))]).toEqual([0o700, 0o600, 0o600]);
    directory.release();
  });

  it('is closed to others when someone prepared it open, but left alone once it is in use', async () => {
    chmodSync(parent, 0o755);
    (await openDataDirectory(parent)).release();
    expect(modeOf(parent)).toBe(0o700);
    chmodSync(parent, 0o750);
    (await openDataDirectory(parent)).release();
    expect(modeOf(parent)).toBe(0o750);
  });

  it('is held by one at a time, within the process too', async () => {
    const first: DataDirectory = await openDataDirectory(parent);
    expect(await refusal(parent)).toMatchObject({ code: 'EN_STORE_LOCKED' });
    first.release();
    first.release();
    const second = await openDataDirectory(parent);
    expect(await refusal(parent)).toMatchObject({ code: 'EN_STORE_LOCKED' });
    second.release();
  });

  it('names the process that holds it, and is free as soon as that is killed', async () => {
    const child = await holder(parent);
    expect(await refusal(parent)).toMatchObject({
      code: 'EN_STORE_LOCKED',
      message: `${parent} is in use by process ${child.pid}; stop it, or use another data directory`,
    });
    child.kill('SIGKILL');
    await once(child, 'close');
    (await openDataDirectory(parent)).release();
  });

  it('says why a path cannot be one', async () => {
    const file = join(parent, 'file');
    writeFileSync(file, '');
    expect(await refusal(file)).toMatchObject({ code: 'EN_STORE_DIRECTORY' });
    writeFileSync(
      join(parent, 'lock'),
      'something else that is long enough not to be taken for an empty database '.repeat(20),
    );
    expect(await refusal(parent)).toMatchObject({ code: 'EN_STORE_DIRECTORY' });
  });
});
