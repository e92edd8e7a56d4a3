/** Backups under load are whole and of one moment; every damaged byte of one is noticed; a restore is all or nothing. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realClock } from '../../../../../machinery/time/real-clock.ts';
import { openStore } from '../../../store-over-engine.ts';
import type { Store } from '../../../store.ts';
import { PODS, putTo, removeFrom } from '../../../support.contract.ts';
import { createLogEngine } from '../log-engine.ts';
import { quickDisk, state } from '../log-support.contract.ts';
import { createBackup, restoreBackup, verifyBackup } from './backup.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'everynode-backup-'));
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

const dataDir = (): string => join(parent, 'data');
const file = (name = 'backup.tar'): string => join(parent, name);
const open = async (directory = dataDir()): Promise<Store> =>
  openStore({
    clock: realClock,
    engine: await createLogEngine({
      directory: join(directory, 'store'),
      segmentBytes: 2_000,
      garbageBytes: 2_000,
      wrapFiles: quickDisk,
    }),
  });
const backUp = (output = file()) =>
  createBackup({ dataDir: dataDir(), output, taken: '2026-01-01T00:00:00Z', product: '0.0.0' });

async function small(): Promise<void> {
  const store = await open();
  for (let i = 0; i < 5; i++) await putTo(store, PODS, 'a', `p${i}`, i);
  await store.close();
  mkdirSync(join(dataDir(), 'pki'));
  writeFileSync(join(dataDir(), 'pki', 'ca.key'), 'secret', { mode: 0o600 });
}

const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was taken',
    (error: unknown) => `${(error as { code?: string }).code}: ${(error as Error).message}`,
  );

const ROUNDS = 30;

describe('a backup', () => {
  it(`taken while the store writes and merges is of one moment, and lacks nothing (${ROUNDS} backups)`, async () => {
    const store = await open();
    const done = { writes: 0, stop: false };
    const work = (async () => {
      while (!done.stop) {
        const name = `p${(done.writes * 7) % 13}`;
        if (done.writes++ % 5 === 4) await removeFrom(store, PODS, 'a', name).catch(() => undefined);
        else await putTo(store, PODS, 'a', name, done.writes);
        if (done.writes % 3 === 0) await realClock.sleep(1);
      }
    })();
    for (let round = 0; round < ROUNDS; round++) {
      const before = store.revision;
      const backup = await backUp(file(`${round}.tar`));
      expect(backup.revision).toBeGreaterThanOrEqual(before);
      expect(await verifyBackup(file(`${round}.tar`))).toEqual(backup);
      const target = join(parent, `restored-${round}`);
      await restoreBackup(file(`${round}.tar`), target);
      const again = await open(target);
      expect(again.revision).toBe(backup.revision);
      expect(state(again)).toHaveLength(backup.objects);
      expect(JSON.stringify([...again.list(PODS)])).toBe(
        JSON.stringify([...store.list(PODS, { revision: backup.revision })]),
      );
      await again.close();
      rmSync(target, { recursive: true });
      await realClock.sleep(3);
    }
    done.stop = true;
    await work;
    await store.close();
  });

  it('brings the keys along, for the owner alone, and can be listed by tar', async () => {
    await small();
    const backup = await backUp();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const target = join(parent, 'new');
    expect(await restoreBackup(file(), target)).toEqual(backup);
    expect(readFileSync(join(target, 'pki', 'ca.key'), 'utf8')).toBe('secret');
    expect(statSync(join(target, 'pki', 'ca.key')).mode & 0o777).toBe(0o600);
    expect(statSync(target).mode & 0o777).toBe(0o700);
    const again = await open(target);
    expect(state(again)).toHaveLength(5);
    await again.close();
  });

  it('is noticed when any byte of it is another, when it is cut off, and when something stands behind it', async () => {
    await small();
    await backUp();
    const whole = readFileSync(file());
    for (let at = 0; at < whole.length; at += 37) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(file(), damaged);
      expect([at, await refusal(verifyBackup(file()))]).toEqual([at, expect.stringContaining('EN_STORE_BACKUP: ')]);
    }
    for (const length of [0, 100, 512, 5_000, whole.length - 512, whole.length - 1]) {
      writeFileSync(file(), whole.subarray(0, length));
      expect(await refusal(verifyBackup(file()))).toMatch(/EN_STORE_BACKUP: .*it ends at byte \d+, within/);
    }
    writeFileSync(file(), Buffer.concat([whole, Buffer.alloc(512)]));
    expect(await refusal(verifyBackup(file()))).toContain('512 bytes stand behind its end');
    expect(await refusal(restoreBackup(file(), join(parent, 'new')))).toContain('EN_STORE_BACKUP');
    expect(existsSync(join(parent, 'new'))).toBe(false);
  });

  it('is not taken of a damaged store, and leaves no half of a file', async () => {
    await small();
    const segment = join(dataDir(), 'store', '00000001-00000001.log');
    const bytes = readFileSync(segment);
    bytes[300] = (bytes[300] ?? 0) ^ 1;
    writeFileSync(segment, bytes);
    expect(await refusal(backUp())).toMatch(/EN_STORE_CORRUPT: 00000001-00000001.log is damaged at byte/);
    expect(readdirSync(parent)).toEqual(['data']);
  });

  it('is restored to an empty place only, and says what is wrong with others', async () => {
    await small();
    await backUp();
    expect(await refusal(restoreBackup(file(), dataDir()))).toContain('is not empty. Restore to a new directory');
    mkdirSync(join(parent, 'empty'));
    await restoreBackup(file(), join(parent, 'empty'));
    expect(await refusal(createBackup({ dataDir: parent, output: file('x'), taken: '', product: '' }))).toContain(
      'holds no store',
    );
    expect(await refusal(verifyBackup(join(parent, 'nothing')))).toContain('cannot read');
    expect(await refusal(backUp(join(parent, 'no', 'folder.tar')))).toContain('cannot write');
  });
});
