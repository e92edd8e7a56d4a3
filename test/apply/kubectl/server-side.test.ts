/** Server-side apply as people use it, with kubectl old and new. */
import { expect, it } from 'vitest';
import { kubectlSuite } from '../../support/kubectl-suite.ts';
import { configMapOf, daemonSetOf } from '../../support/manifests.ts';
import { isThorough } from '../../support/thorough.ts';

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: { readonly [field: string]: unknown };
}

kubectlSuite(
  'server-side apply',
  ({ ok, fails, run, file, minor }) => {
    const owners = async (kind: string, name: string): Promise<readonly Owner[]> => {
      const shown = minor >= 21 ? ['--show-managed-fields'] : [];
      const text = await ok(['get', kind, name, '-o', 'json', ...shown]);
      return (JSON.parse(text) as { metadata: { managedFields?: Owner[] } }).metadata.managedFields ?? [];
    };
    const names = async (kind: string, name: string): Promise<readonly string[]> =>
      (await owners(kind, name)).map(({ manager, operation, subresource = '' }) =>
        [manager, operation, subresource].join(' ').trim(),
      );
    const apply = (path: string, ...more: readonly string[]): Promise<string> =>
      ok(['apply', '--server-side', '-f', path, ...more]);

    it('creates, does nothing twice, and shows who owns what', async () => {
      const path = file('one.json', configMapOf('one', { a: '1', b: '1' }));
      expect(await apply(path)).toBe('configmap/one serverside-applied\n');
      const version = await ok(['get', 'configmap', 'one', '-o', 'jsonpath={.metadata.resourceVersion}']);
      expect(await apply(path)).toBe('configmap/one serverside-applied\n');
      expect(await ok(['get', 'configmap', 'one', '-o', 'jsonpath={.metadata.resourceVersion}'])).toBe(version);
      expect(await owners('configmap', 'one')).toMatchObject([
        { manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } } },
      ]);
    });

    it('refuses to take what others own, names them, and takes it by force', async () => {
      const other = file('other.json', configMapOf('one', { a: '2' }));
      const refusal = await fails(['apply', '--server-side', '--field-manager=other', '-f', other]);
      expect(refusal).toContain('Apply failed with 1 conflict: conflict with "kubectl"');
      expect(refusal).toContain('.data.a');
      await apply(other, '--field-manager=other', '--force-conflicts');
      expect(await names('configmap', 'one')).toEqual(['kubectl Apply', 'other Apply']);
      expect(await ok(['get', 'configmap', 'one', '-o', 'jsonpath={.data}'])).toBe('{"a":"2","b":"1"}');
    });

    it('drops what it gave up, keeps what others hold', async () => {
      await apply(file('less.json', configMapOf('one', {})));
      expect(await ok(['get', 'configmap', 'one', '-o', 'jsonpath={.data}'])).toBe('{"a":"2"}');
    });

    it('tells the difference it would make', async () => {
      const changed = file('diff.json', configMapOf('one', { c: '1' }));
      const diff = await run(['diff', '--server-side', '-f', changed]);
      expect([diff.code, diff.stderr]).toEqual([1, '']);
      expect(diff.stdout).toMatch(/^\+ {2}c: "1"$/m);
      const same = await run([
        'diff',
        '--server-side',
        '--field-manager=other',
        '-f',
        file('s.json', configMapOf('one', { a: '2' })),
      ]);
      expect(same.code).toBe(0);
    });

    it('can be tried on the server', async () => {
      const path = file('dry.json', configMapOf('dry', { a: '1' }));
      expect(await apply(path, '--dry-run=server')).toBe('configmap/dry serverside-applied (server dry run)\n');
      expect(await fails(['get', 'configmap', 'dry'])).toContain('NotFound');
    });

    it('merges lists by their keys, and says which is there twice', async () => {
      const daemon = daemonSetOf('agent') as { spec: { template: { spec: { containers: object[] } } } };
      await apply(file('agent.json', daemon));
      const sidecar = {
        ...daemonSetOf('agent'),
        spec: { template: { spec: { containers: [{ name: 'sidecar', image: 'sidecar:1' }] } } },
      };
      await apply(file('sidecar.json', sidecar), '--field-manager=mesh', '--validate=false');
      const images = ['get', 'daemonset', 'agent', '-o', 'jsonpath={.spec.template.spec.containers[*].image}'];
      expect(await ok(images)).toBe('agent:1 sidecar:1');
      daemon.spec.template.spec.containers.push({ ...daemon.spec.template.spec.containers[0] });
      expect(await fails(['apply', '--server-side', '-f', file('twice.json', daemon)])).toContain(
        'duplicate entries for key',
      );
    });

    it('knows whoever scales, labels and annotates', async () => {
      await ok(['label', 'configmap', 'one', 'x=y']);
      await ok(['annotate', 'configmap', 'one', 'note=z', '--field-manager=me']);
      expect((await names('configmap', 'one')).filter((name) => name.endsWith('Update'))).toEqual(
        minor >= 21 ? expect.arrayContaining(['kubectl-label Update', 'me Update']) : expect.any(Array),
      );
    });

    it.skipIf(minor < 26)('takes over what client-side apply managed, and gives it back', async () => {
      const path = (data: { [key: string]: string }): string => file('moving.json', configMapOf('moving', data));
      await ok(['apply', '-f', path({ a: '1', b: '1' })]);
      expect(await names('configmap', 'moving')).toEqual(['kubectl-client-side-apply Update']);
      await apply(path({ a: '2' }));
      expect(await ok(['get', 'configmap', 'moving', '-o', 'jsonpath={.data}'])).toBe('{"a":"2"}');
      expect(await names('configmap', 'moving')).toContain('kubectl Apply');
      expect(await names('configmap', 'moving')).not.toContain('kubectl-client-side-apply Update');
      expect(await ok(['apply', '-f', path({ a: '3', c: '1' })])).toBe('configmap/moving configured\n');
      expect(await ok(['get', 'configmap', 'moving', '-o', 'jsonpath={.data}'])).toBe('{"a":"3","c":"1"}');
    });
  },
  { versions: isThorough ? 'all' : 'ends' },
);
