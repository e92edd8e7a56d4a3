import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { podOf } from '../support/manifests.ts';
import { rowsOf } from '../support/table.ts';

kubectlSuite(
  'nodes: taint, cordon, drain',
  ({ ok, fails, run, index, namespace, minor }) => {
    // Nodes belong to nobody's namespace, so each version has one of its own.
    const node = `node-${index}`;
    const taints = async (): Promise<unknown> =>
      JSON.parse((await ok(['get', 'node', node, '-o', 'jsonpath={.spec.taints}'])) || '[]');

    it('adds, changes and removes taints', async () => {
      const taint = ['taint', 'node', node];
      expect(await ok([...taint, 'dedicated=a:NoSchedule'])).toBe(`node/${node} tainted\n`);
      expect(await taints()).toEqual([{ key: 'dedicated', value: 'a', effect: 'NoSchedule' }]);
      expect(await fails([...taint, 'dedicated=b:NoSchedule'])).toMatch(
        /already has dedicated taint\(s\) with same effect\(s\) and --overwrite is false$/,
      );
      expect(await ok([...taint, 'dedicated=b:NoSchedule', '--overwrite'])).toBe(`node/${node} modified\n`);
      expect(await ok([...taint, 'other=x:PreferNoSchedule'])).toBe(`node/${node} tainted\n`);
      expect(await ok(['describe', 'node', node])).toMatch(
        /^Taints: +dedicated=b:NoSchedule\n +other=x:PreferNoSchedule$/m,
      );
      expect(await ok([...taint, 'dedicated:NoSchedule-', 'other-'])).toBe(`node/${node} untainted\n`);
      expect(await taints()).toEqual([]);
      expect(await fails([...taint, 'dedicated-'])).toContain('taint "dedicated" not found');
      expect(await fails([...taint, 'dedicated=a:Sometimes'])).toContain('invalid taint effect: Sometimes');
    });

    it('keeps pods off a tainted node, and on it with a toleration', async () => {
      await ok(['taint', 'node', node, 'gpu=yes:NoSchedule']);
      const pinned = { nodeSelector: { 'kubernetes.io/hostname': node } };
      const tolerations = [{ key: 'gpu', operator: 'Exists' }];
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('refused', pinned)) });
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('tolerant', { ...pinned, tolerations })) });
      await ok(['wait', '--for=condition=Ready', 'pod/tolerant', '--timeout=30s']);
      const why = 'jsonpath={.status.phase} {.status.conditions[?(@.type=="PodScheduled")].reason}';
      await eventually(() => ok(['get', 'pod', 'refused', '-o', why]), /^Pending Unschedulable$/);
      expect(await ok(['get', 'pod', 'refused', '-o', 'jsonpath={.status.conditions[0].message}'])).toMatch(
        /^0\/\d nodes are available: .*\d node\(s\) had untolerated taint\(s\)/,
      );
      await ok(['taint', 'node', node, 'gpu-']);
      await ok(['wait', '--for=condition=Ready', 'pod/refused', '--timeout=30s']);
    });

    it('cordons and uncordons', async () => {
      expect(await ok(['cordon', node])).toBe(`node/${node} cordoned\n`);
      expect(rowsOf(await ok(['get', 'node', node]))[0]?.['STATUS']).toBe('Ready,SchedulingDisabled');
      expect(await ok(['cordon', node])).toBe(`node/${node} already cordoned\n`);
      expect(await ok(['describe', 'node', node])).toMatch(/^Unschedulable: +true$/m);
      expect(await ok(['uncordon', node])).toBe(`node/${node} uncordoned\n`);
      expect(await ok(['uncordon', node])).toBe(`node/${node} already uncordoned\n`);
    });

    it('says what a drain would do, and drains', async () => {
      const pod = podOf('leaving', { nodeName: node });
      await ok(['create', '-f', '-'], { input: JSON.stringify(pod) });
      await ok(['wait', '--for=condition=Ready', 'pod/leaving', '--timeout=30s']);
      const dry = await run([
        'drain',
        node,
        '--dry-run=server',
        '--force',
        '--ignore-daemonsets',
        '--pod-selector=!none',
      ]);
      expect(`${dry.stdout}${dry.stderr}`).toContain(`${namespace}/leaving (server dry run)`);
      // The oldest asks of each listed pod what kind it is, which lists do not say, and then for definitions of former times.
      if (minor > 20) {
        expect(dry.code).toBe(0);
        expect(dry.stdout).toContain(`node/${node} drained (server dry run)`);
      } else expect(dry.stderr).toContain('failed to list CRDs');
      expect(await fails(['drain', node, '--ignore-daemonsets'])).toContain(`${namespace}/leaving`);
      const drained = await ok(['drain', node, '--force', '--ignore-daemonsets', '--timeout=30s']);
      expect(drained).toContain('pod/leaving evicted');
      expect(drained).toMatch(new RegExp(`node/${node} (drained|evicted)\n$`));
      expect(await fails(['get', 'pod', 'leaving'])).toContain('not found');
      await ok(['uncordon', node]);
    });

    it('creates, labels and deletes a node', async () => {
      const name = `made-${minor}`;
      const made = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { pool: 'x' } } };
      expect(await ok(['create', '-f', '-'], { input: JSON.stringify(made) })).toBe(`node/${name} created\n`);
      await ok(['label', 'node', name, 'node-role.kubernetes.io/worker=']);
      const [row] = rowsOf(await ok(['get', 'node', name]));
      expect(row).toMatchObject({ NAME: name, ROLES: 'worker', STATUS: 'Unknown' });
      expect(await ok(['delete', 'node', name])).toBe(`node "${name}" deleted\n`);
    });
  },
  { groups: [{ name: 'node', count: 3 }] },
);
