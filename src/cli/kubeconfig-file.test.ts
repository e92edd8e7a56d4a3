import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeKubeconfig } from './kubeconfig-file.ts';

const config = (name: string, server: string): string =>
  JSON.stringify({
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });

describe('a kubeconfig file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'everynode-test-'));
    file = join(folder, 'kubeconfig');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made for its owner alone', () => {
    expect(writeKubeconfig(file, config('everynode', 'https://127.0.0.1:1'))).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('keeps the clusters of others, and says nothing of them', () => {
    writeFileSync(file, config('theirs', 'https://10.0.0.1:6443'));
    expect(writeKubeconfig(file, config('everynode', 'https://127.0.0.1:1'))).toBeUndefined();
    expect(readFileSync(file, 'utf8')).toContain('https://10.0.0.1:6443');
  });

  it('tells which cluster of ours it stood for until now', () => {
    writeKubeconfig(file, config('everynode', 'https://127.0.0.1:1'));
    expect(writeKubeconfig(file, config('everynode', 'https://127.0.0.1:1'))).toBeUndefined();
    expect(writeKubeconfig(file, config('everynode', 'https://127.0.0.1:2'))).toBe('https://127.0.0.1:1');
  });

  it('is left alone when it is something else', () => {
    writeFileSync(file, '[1, 2]');
    expect(() => writeKubeconfig(file, config('everynode', 'https://127.0.0.1:1'))).toThrow('is no kubeconfig');
    expect(readFileSync(file, 'utf8')).toBe('[1, 2]');
  });
});
