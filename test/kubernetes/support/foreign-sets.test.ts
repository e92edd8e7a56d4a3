import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { comparable, type Done, foreignSets, isRace, partingLines, tableOf, type Act } from './foreign-sets.ts';

const run = (stdout: string, code = 0, stderr = '') => ({ code, stdout, stderr });

describe('sets of foreign manifests', () => {
  it('are sub-folders and files of the folder that is named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'everynode-foreign-'));
    try {
      mkdirSync(join(folder, 'b'));
      for (const name of ['a.yaml', 'c.json', 'README.md']) writeFileSync(join(folder, name), '');
      symlinkSync(join(folder, 'b'), join(folder, 'd'));
      expect(foreignSets(folder).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
      // kubectl does not look into a link.
      expect(foreignSets(folder)[3]?.path).toBe(realpathSync(join(folder, 'b')));
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(foreignSets('')).toEqual([]);
    expect(foreignSets('/nowhere/at/all')).toEqual([]);
  });

  it('are compared by what was printed in any order, without identities and moments', () => {
    const theirs = run(
      'configmap/b created\nconfigmap/a created\n+++ /tmp/MERGED-123/v1.ConfigMap.default.a\t2026-11-17 20:00:00.123456 +0000\n+  uid: b9f7d6f2-54d1-4ac4-9a0e-4f2b1b9d7a11\n',
      1,
      'Error from server (NotFound): x at https://127.0.0.1:1234\n',
    );
    const ours = run(
      'configmap/a created\nconfigmap/b created\n+++ /tmp/MERGED-9/v1.ConfigMap.default.a\t2026-11-17 20:00:01.654321 +0000\n+  uid: 00000000-54d1-4ac4-9a0e-4f2b1b9d7a11\n',
      1,
      'Error from server (NotFound): x at https://127.0.0.1:4321\n',
    );
    expect(comparable(ours)).toEqual(comparable(theirs));
    expect(partingLines(comparable(theirs), comparable(run('configmap/a created\nconfigmap/a created\n')))).toEqual([
      'kubernetes: exit 1',
      expect.stringContaining('kubernetes: +'),
      expect.stringContaining('kubernetes: +++ MERGED/v1.ConfigMap'),
      'kubernetes: configmap/b created',
      'kubernetes: stderr: Error from server (NotFound): x at SERVER',
      'everynode:  exit 0',
      'everynode:  configmap/a created',
    ]);
  });

  it('may race with their own deletion where Kubernetes loses that race itself', () => {
    const from = 'Error from server (NotFound): error when deleting "x.yaml": ';
    const quick = run('namespace "n" deleted\nservice "s" deleted from n namespace\nrule.example.com "r" deleted\n');
    const lost = run(
      'namespace "n" deleted\n',
      1,
      `${from}services "s" not found\n${from}the server could not find the requested resource (delete rules.example.com r)\n`,
    );
    const unknown = run(
      'namespace "n" deleted\nservice "s" deleted from n namespace\n',
      1,
      'ensure CRDs are installed first, resource mapping not found for name: "r" namespace: "n" from "x.yaml": no matches for kind "Rule" in version "example.com/v1"\n',
    );
    expect(isRace('delete', lost, quick)).toBe(true);
    expect(isRace('delete', lost, unknown)).toBe(true);
    expect(isRace('delete', quick, lost)).toBe(false);
    expect(isRace('apply', lost, quick)).toBe(false);
    expect(isRace('delete', lost, run('namespace "n" deleted\n'))).toBe(false);
  });

  it('end in a table', () => {
    const acts = new Map<Act, Done>([
      ['apply', { codes: [0, 0], parted: 0, raced: false }],
      ['diff', { codes: [1, 0], parted: 2, raced: true }],
      ['delete', { codes: [0, 1], parted: 3, raced: false }],
    ]);
    expect(tableOf([{ set: 'calico', acts }])).toBe(
      '| set | apply | diff | apply again | delete |\n| --- | --- | --- | --- | --- |\n| calico | exit 0, same | exit 1, here 0, the same gone | not run | exit 0, here 1, 3 lines part |',
    );
  });
});
