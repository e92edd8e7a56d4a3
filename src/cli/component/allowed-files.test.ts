import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SecretRefused } from '../../core/component/secrets/secret-source.ts';
import { MOST_BYTES, readAllowed } from './allowed-files.ts';

let base: string;
let own: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'everynode-files-')));
  own = join(base, 'own');
  mkdirSync(join(own, 'sub'), { recursive: true });
  mkdirSync(join(base, 'own-but-longer'));
  writeFileSync(join(own, 'token'), 'mine');
  writeFileSync(join(own, 'sub', 'token'), 'mine');
  writeFileSync(join(base, 'outside'), 'theirs');
  writeFileSync(join(base, 'own-but-longer', 'token'), 'theirs');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const read = (path: string, isNamed = false): string | undefined =>
  readAllowed(join(own, path), [{ path: own, isNamed }])?.content.toString();
const refusal = (path: string, folders = [{ path: own, isNamed: false }]): SecretRefused => {
  try {
    readAllowed(path, folders);
  } catch (error) {
    if (error instanceof SecretRefused) return error;
    throw error;
  }
  throw new Error(`${path} was read`);
};

describe('a file that a manifest names', () => {
  it('is read below its folder, by links that stay there, too', () => {
    symlinkSync('token', join(own, 'link'));
    symlinkSync('sub', join(own, 'folder'));
    for (const path of ['token', 'sub/token', './sub/../token', 'link', 'folder/token'])
      expect(read(path)).toBe('mine');
    expect(read('absent')).toBeUndefined();
    expect(read('token/below-a-file')).toBeUndefined();
  });

  it('is read where the folder itself is a link, and from a Secret that Kubernetes mounted', () => {
    symlinkSync(own, join(base, 'alias'));
    expect(readAllowed(join(base, 'alias', 'token'), [{ path: join(base, 'alias'), isNamed: false }])?.path).toBe(
      join(own, 'token'),
    );
    mkdirSync(join(own, '..2026_11_17'));
    writeFileSync(join(own, '..2026_11_17', 'key'), 'mine');
    symlinkSync('..2026_11_17', join(own, '..data'));
    symlinkSync('..data/key', join(own, 'key'));
    expect(read('key')).toBe('mine');
  });

  it.each([
    '../outside',
    '../own-but-longer/token',
    'sub/../../outside',
    '../absent',
    '../../../../../../../../etc/passwd',
    '..',
  ])('is refused at %s', (path) => {
    expect(refusal(join(own, path)).message).toContain(`is not below ${own}`);
  });

  it.each(['/etc/passwd', '/proc/self/environ', '/dev/zero', '/dev/stdin', '/'])('is refused at %s', (path) => {
    expect(refusal(path).message).toContain('is not below');
  });

  it('is refused where a link leads out, of the file, of a folder or in a chain', () => {
    symlinkSync('../outside', join(own, 'link'));
    symlinkSync(base, join(own, 'folder'));
    symlinkSync('link', join(own, 'chain'));
    for (const path of ['link', 'folder/outside', 'chain', 'folder/own-but-longer/token'])
      expect(refusal(join(own, path)).message).toContain('where the link leads, is not below');
    symlinkSync('loop', join(own, 'loop'));
    expect(() => read('loop')).toThrow('ELOOP');
  });

  it('names the flag that would allow it, in words a shell takes', () => {
    expect(refusal(join(base, 'outside')).fix).toBe(`if that is meant: --allow-files ${base}`);
    mkdirSync(join(base, "it's; rm"));
    writeFileSync(join(base, "it's; rm", 'x'), '');
    expect(refusal(join(base, "it's; rm", 'x')).fix).toContain(`--allow-files '${base}/it'\\''s; rm'`);
    expect(readAllowed(join(base, 'outside'), [{ path: base, isNamed: true }])?.content.toString()).toBe('theirs');
    expect(refusal(join(own, 'token'), []).message).toBe('a manifest from stdin has no folder');
  });

  it('is refused where it is hidden, unless its folder is named: a manifest may lie in a home directory', () => {
    mkdirSync(join(own, '.ssh'));
    writeFileSync(join(own, '.ssh', 'id'), 'theirs');
    symlinkSync('.ssh', join(own, 'ssh'));
    for (const path of ['.ssh/id', 'ssh/id', '.netrc']) expect(refusal(join(own, path)).message).toMatch(/ is hidden$/);
    expect(read('.ssh/id', true)).toBe('theirs');
  });

  it('is refused everywhere for a manifest in the root directory', () => {
    expect(refusal('/etc/passwd', [{ path: '/', isNamed: false }]).message).toContain('is not below');
    expect(readAllowed('/etc/passwd', [{ path: '/', isNamed: true }])).toBeDefined();
  });

  it('is a file, not a directory, a pipe nobody writes to, a socket or a device', async () => {
    execFileSync('mkfifo', [join(own, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(own, 'socket'), resolve));
    try {
      expect(() => read('sub')).toThrow('is a directory');
      for (const path of ['pipe', 'socket']) expect(() => read(path)).toThrow('is a pipe, a socket or a device');
      expect(() => readAllowed('/dev/zero', [{ path: '/dev', isNamed: true }])).toThrow('a device');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('is at most as large as a Secret, whatever its size says', () => {
    writeFileSync(join(own, 'full'), Buffer.alloc(MOST_BYTES, 'a'));
    expect(read('full')).toHaveLength(MOST_BYTES);
    writeFileSync(join(own, 'over'), Buffer.alloc(MOST_BYTES + 1, 'a'));
    expect(() => read('over')).toThrow('larger than 1 MiB');
    writeFileSync(join(own, 'huge'), '');
    truncateSync(join(own, 'huge'), 2 ** 40);
    expect(() => read('huge')).toThrow('larger than 1 MiB');
  });

  it('is never one from outside, while a link is turned to and fro', async () => {
    symlinkSync('token', join(own, 'turning'));
    const turner = new Worker(
      `const fs = require('node:fs');
       const { workerData: { at, to } } = require('node:worker_threads');
       for (let i = 0; ; i++) { fs.symlinkSync(to[i % to.length], at + '.new'); fs.renameSync(at + '.new', at); }`,
      { eval: true, workerData: { at: join(own, 'turning'), to: ['../outside', 'token', 'sub/token'] } },
    );
    try {
      await new Promise((resolve) => turner.once('online', resolve));
      const seen = new Map<string, number>();
      for (let i = 0; i < 3000; i++) {
        let said: string;
        try {
          said = read('turning') ?? 'nothing';
        } catch (error) {
          said = error instanceof SecretRefused ? 'refused' : (error as Error).message;
        }
        seen.set(said, (seen.get(said) ?? 0) + 1);
      }
      expect([...seen.keys()]).not.toContain('theirs');
      expect([...seen.keys()]).toEqual(expect.arrayContaining(['mine', 'refused']));
    } finally {
      await turner.terminate();
    }
  });
});
