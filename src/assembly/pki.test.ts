import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clusterKeys } from './pki.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everynode-pki-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 0, 1);
const keys = (now = NOW) => clusterKeys(folder, '127.0.0.1', now);
const file = (name: string): string => join(folder, 'pki', name);

describe('the keys of a cluster', () => {
  it('are kept beside the data, but for the serving certificate', async () => {
    const first = await keys();
    const second = await keys();
    expect([second.authority, second.admin]).toEqual([first.authority, first.admin]);
    expect(second.server).not.toEqual(first.server);
    expect(readdirSync(join(folder, 'pki')).toSorted()).toEqual([
      'admin.crt',
      'admin.key',
      'ca.crt',
      'ca.key',
      'sa.key',
    ]);
  });

  it('are made anew where a start was cut off between key and certificate', async () => {
    const first = await keys();
    rmSync(file('admin.crt'));
    writeFileSync(file('admin.crt.new'), 'half');
    const second = await keys();
    expect(second.authority).toEqual(first.authority);
    expect(second.admin).not.toEqual(first.admin);
    expect(readdirSync(join(folder, 'pki'))).not.toContain('admin.crt.new');
  });

  it('are renewed before they expire', async () => {
    const first = await keys();
    const later = await keys(NOW + 3640 * 86_400_000);
    expect(later.authority).not.toEqual(first.authority);
  });

  it('say which file is damaged and what can be done, and change nothing', async () => {
    await keys();
    const good = readFileSync(file('ca.crt'), 'utf8');
    const other = readFileSync(file('admin.crt'), 'utf8');
    for (const text of ['', 'garbage', good.slice(0, 200), other]) {
      writeFileSync(file('ca.crt'), text);
      await expect(keys()).rejects.toMatchObject({
        code: 'EN_ASSEMBLY_KEYS',
        message: expect.stringMatching(/ca\.crt cannot be read: .*Restore it/) as string,
      });
      expect(readFileSync(file('ca.crt'), 'utf8')).toBe(text);
    }
    writeFileSync(file('ca.key'), 'garbage');
    await expect(keys()).rejects.toMatchObject({
      message: expect.stringMatching(/ca\.key cannot be read: .*Restore it/) as string,
    });
  });
});
