import { expect, it } from 'vitest';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, daemonSetOf, listOf } from '../support/manifests.ts';

kubectlSuite('apply and diff', ({ ok, fails, run, file, minor }) => {
  it('creates, leaves alone, configures, and drops a field that is no longer said', async () => {
    const apply = (data: { [key: string]: string }): Promise<string> =>
      ok(['apply', '-f', file('settings.json', configMapOf('settings', data))]);
    expect(await apply({ a: '1', b: '2' })).toBe('configmap/settings created\n');
    expect(await apply({ a: '1', b: '2' })).toBe('configmap/settings unchanged\n');
    await ok(['patch', 'configmap', 'settings', '-p', '{"data":{"foreign":"kept"}}']);
    expect(await apply({ a: '3' })).toBe('configmap/settings configured\n');
    expect(JSON.parse(await ok(['get', 'configmap', 'settings', '-o', 'jsonpath={.data}']))).toEqual({
      a: '3',
      foreign: 'kept',
    });
  });

  it('merges list entries by their key', async () => {
    const daemon = daemonSetOf('agent') as { spec: { template: { spec: { containers: object[] } } } };
    const second = { name: 'sidecar', image: 'sidecar:1' };
    await ok(['apply', '-f', file('agent.json', daemon)]);
    daemon.spec.template.spec.containers.push(second);
    await ok(['apply', '-f', file('agent.json', daemon)]);
    const images = (): Promise<string> =>
      ok(['get', 'daemonset', 'agent', '-o', 'jsonpath={.spec.template.spec.containers[*].image}']);
    expect(await images()).toBe('agent:1 sidecar:1');
    daemon.spec.template.spec.containers.shift();
    expect(await ok(['apply', '-f', file('agent.json', daemon)])).toBe('daemonset.apps/agent configured\n');
    expect(await images()).toBe('sidecar:1');
  });

  it('refuses to change what is immutable', async () => {
    const other = { ...daemonSetOf('agent'), spec: (daemonSetOf('other') as { spec: object }).spec };
    expect(await fails(['apply', '-f', file('immutable.json', other)])).toMatch(
      /^The DaemonSet "agent" is invalid: spec\.selector: Invalid value: .*: field is immutable$/,
    );
  });

  it('tells the difference: 0 for none, 1 for some', async () => {
    const same = file('same.json', configMapOf('settings', { a: '3' }));
    expect(await run(['diff', '-f', same])).toEqual({ code: 0, stdout: '', stderr: '' });
    const changed = await run(['diff', '-f', file('changed.json', configMapOf('settings', { a: '4' }))]);
    expect(changed.code).toBe(1);
    expect(changed.stdout).toMatch(/^- {2}a: "3"\n\+ {2}a: "4"$/m);
    expect(await ok(['get', 'configmap', 'settings', '-o', 'jsonpath={.data.a}'])).toBe('3');
  });

  it('says what it would do on the server', async () => {
    const path = file('dry.json', configMapOf('settings', { a: '5' }));
    expect(await ok(['apply', '--dry-run=server', '-f', path])).toBe(
      'configmap/settings configured (server dry run)\n',
    );
    expect(await ok(['get', 'configmap', 'settings', '-o', 'jsonpath={.data.a}'])).toBe('3');
  });

  it('prunes what is no longer in the set', async () => {
    const labelled = (name: string): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { set: 'one' } },
    });
    await ok(['apply', '-f', '-'], { input: listOf(labelled('kept'), labelled('dropped')) });
    const allow = minor >= 26 ? '--prune-allowlist=core/v1/ConfigMap' : '--prune-whitelist=core/v1/ConfigMap';
    const pruned = await ok(['apply', '--prune', '-l', 'set=one', allow, '-f', '-'], {
      input: JSON.stringify(labelled('kept')),
    });
    expect(pruned).toContain('configmap/dropped pruned');
    expect(await ok(['get', 'configmaps', '-l', 'set=one', '-o', 'name'])).toBe('configmap/kept\n');
  });
});
