import { cpSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, folder, names, run } from './run-cli.ts';

const NODES = '/api/v1/nodes';
const kubeconfig = (home: string): string => join(home, 'kubeconfig');

describe('everynode backup and restore', () => {
  it('carry a running cluster, keys and all, to another directory; a damaged file is refused', async () => {
    const home = folder();
    const cluster = cli(['up', '--port', '0', '--nodes', '3'], { home });
    await cluster.says(/is up at https:\S+/);
    const before = await names(kubeconfig(home), NODES);
    const file = join(home, 'cluster.tar');
    const made = await run(['backup', '-o', file], { home });
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.stdout).toMatch(/revision {2}\d+\n {2}objects {3}\d+\n[^]*hash {6}sha256:[0-9a-f]{64}\n$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const twice = await run(['backup', '-o', file], { home });
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining('is there already')]);
    expect((await run(['backup', '-o', file, '--force'], { home })).code).toBe(0);
    const verified = await run(['restore', '--verify', file], { home });
    expect([verified.code, verified.stdout.split('\n')[0]]).toEqual([0, file]);
    cluster.child.kill('SIGKILL');
    await cluster.ended;

    const restored = join(home, 'restored');
    const put = await run(['restore', file, '--data-dir', restored], { home });
    expect([put.code, put.stderr]).toEqual([0, expect.stringContaining(`everynode up --data-dir ${restored}`)]);
    const again = cli(['up', '--port', '0', '--nodes', '3', '--data-dir', restored], { home });
    await again.says(/is up at https:\S+/);
    expect(await names(kubeconfig(home), NODES)).toEqual(before);
    again.child.kill('SIGTERM');
    expect((await again.ended).code).toBe(0);

    const bytes = readFileSync(file);
    bytes[3_000] = (bytes[3_000] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const damaged = await run(['restore', '--verify', file], { home });
    expect([damaged.code, damaged.stdout]).toEqual([1, '']);
    expect(damaged.stderr).toMatch(/error: .*cluster.tar is not a whole backup: the hash of store\/\S+ does not match/);
    const refused = await run(['restore', file, '--data-dir', join(home, 'nowhere')], { home });
    expect([refused.code, existsSync(join(home, 'nowhere'))]).toEqual([1, false]);
  });

  it('say what is missing', async () => {
    const home = folder();
    const nothing = await run(['backup', '-o', join(home, 'x.tar')], { home });
    expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringMatching(/is not there\n.*--data-dir DIR/)]);
    const nowhere = await run(['restore', join(home, 'x.tar')], { home });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('--data-dir DIR')]);
    const absent = await run(['restore', '--verify', join(home, 'x.tar')], { home });
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('cannot read')]);
  });
});

describe('a plain copy of a data directory', () => {
  it('that has the keys and not the store is not begun anew', async () => {
    const home = folder();
    const cluster = cli(['up', '--port', '0', '--nodes', '0'], { home });
    await cluster.says(/is up at https:\S+/);
    cluster.child.kill('SIGKILL');
    await cluster.ended;
    const copy = join(home, 'copy');
    cpSync(join(home, 'cluster'), copy, { recursive: true });
    for (const name of ['record', 'holder', '00000001-00000001.log', 'lock', 'reserve'])
      rmSync(join(copy, 'store', name), { force: true });
    const refused = await run(['up', '--port', '0', '--data-dir', copy], { home });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /error: record is missing: the keys beside .* everynode backup .*EN_STORE_INCOMPLETE/s,
    );
  });
});
