import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeDirectory } from './make-directory.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everynode-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('makeDirectory', () => {
  it('makes what is missing, private, and leaves alone what is there', () => {
    makeDirectory(join(folder, 'a', 'b'), 0o700);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
    makeDirectory(join(folder, 'a', 'b'), 0o755);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
  });

  it('says at once that it cannot', () => {
    writeFileSync(join(folder, 'file'), '');
    expect(() => makeDirectory(join(folder, 'file', 'x'), 0o700)).toThrow(/ENOTDIR/);
    // Only Linux has this directory, which exists and takes no children.
    if (existsSync('/proc/self')) expect(() => makeDirectory('/proc/everynode/x', 0o700)).toThrow(/ENOENT/);
  });
});
