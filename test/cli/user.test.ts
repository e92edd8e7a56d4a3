import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ask, cli, folder, run } from './run-cli.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('everynode user', () => {
  it('lets people in, tells who is in, and takes their roles away', async () => {
    const home = folder();
    const cluster = cli(['up', '--port', '0', '--ephemeral'], { home });
    await cluster.says(/is up at https:\S+/);
    const env = { KUBECONFIG: '' };
    const everynode = (...args: string[]) => run(['user', ...args], { home, env });

    const jane = join(home, 'jane.kubeconfig');
    const added = await everynode(
      'add',
      'jane',
      '--group',
      'devs',
      '--group',
      'ops',
      '--role',
      'view',
      '--namespace',
      'default',
      '--write-kubeconfig',
      jane,
    );
    expect([added.code, added.stdout]).toEqual([0, '']);
    expect(added.stderr).toContain('user jane has role view in namespace default');
    expect(added.stderr).not.toContain('client-key-data');
    expect(statSync(jane).mode & 0o777).toBe(0o600);
    expect((await ask(jane, CONFIG_MAPS)).status).toBe(200);
    expect((await ask(jane, '/api/v1/namespaces/kube-system/configmaps')).status).toBe(403);
    expect((await ask(jane, '/api/v1/namespaces/default/secrets')).status).toBe(403);

    const printed = await everynode('add', 'bob', '--days', '1');
    const bob = join(home, 'bob.kubeconfig');
    writeFileSync(bob, printed.stdout, { mode: 0o600 });
    expect((await ask(bob, CONFIG_MAPS)).status).toBe(403);
    expect((await ask(bob, '/api')).status).toBe(200);

    // Into a kubeconfig that is in use: beside what is there, which stays the current one.
    const both = join(home, 'both');
    writeFileSync(both, readFileSync(join(home, 'kubeconfig')));
    await everynode('add', 'carol', '--write-kubeconfig', both);
    const contexts = parse(readFileSync(both, 'utf8')) as { contexts: { name: string }[]; 'current-context': string };
    expect([contexts.contexts.map(({ name }) => name), contexts['current-context']]).toEqual([
      ['everynode', 'carol@everynode'],
      'everynode',
    ]);

    expect((await everynode('list')).stdout).toBe('NAME   KIND   ROLE   NAMESPACE\njane   User   view   default\n');
    const removed = await everynode('remove', 'jane');
    expect([removed.code, removed.stderr]).toEqual([
      0,
      expect.stringContaining('no longer has role view in namespace default'),
    ]);
    expect((await ask(jane, CONFIG_MAPS)).status).toBe(403);
    const again = await everynode('remove', 'jane');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no role is bound to user jane')]);

    const master = await everynode('add', 'eve', '--group', 'system:masters');
    expect([master.code, master.stdout]).toEqual([1, '']);
    expect(master.stderr).toContain('with system:masters group is not allowed');
    const asBob = await run(['user', 'add', 'eve', '--kubeconfig', bob], { home, env });
    expect([asBob.code, asBob.stderr]).toEqual([1, expect.stringContaining('User "bob" cannot create resource')]);
    const nowhere = await everynode('add', 'x', '--role', 'view', '--namespace', 'shop');
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('kubectl create namespace shop')]);
    const nothing = await everynode('add', 'x', '--role', 'veiw');
    expect([nothing.code, nothing.stdout]).toEqual([1, '']);
    expect(nothing.stderr).toContain('there is no cluster role veiw');
    expect((await everynode('add', 'x', '--days', '0')).stderr).toContain('expected 1 to 365');
    expect((await everynode('add', 'x', '--namespace', 'y')).stderr).toContain('Name the role too');

    cluster.child.kill('SIGTERM');
    expect((await cluster.ended).code).toBe(0);
    expect((await everynode('list')).stderr).toContain('Is the cluster running?');
  });
});
