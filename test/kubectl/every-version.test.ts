/** The commands used most, with every release at hand; the other suites walk everything with the oldest and the newest. */
import { expect, it } from 'vitest';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { configMapOf, daemonSetOf, podOf } from '../support/manifests.ts';
import { AGE, rowsOf } from '../support/table.ts';

const age = expect.stringMatching(AGE) as unknown as string;

kubectlSuite(
  'the most used commands',
  ({ ok, fails, run, file, namespace, minor, index }) => {
    it('creates, shows and describes a pod', async () => {
      await ok(['create', '-f', file('pod.json', podOf('web', { labels: { app: 'web' } }))]);
      await ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=30s']);
      const [table, json, text] = await Promise.all([
        ok(['get', 'pods', '--show-labels']),
        ok(['get', 'pod', 'web', '-o', 'json']),
        ok(['describe', 'pod', 'web']),
      ]);
      const LABELS: unknown = expect.stringMatching(/^app=web,topology\.kubernetes\.io\/zone=/);
      expect(rowsOf(table)).toEqual([
        { NAME: 'web', READY: '1/1', STATUS: 'Running', RESTARTS: '0', AGE: age, LABELS },
      ]);
      expect(JSON.parse(json)).toMatchObject({ kind: 'Pod', status: { phase: 'Running', qosClass: 'BestEffort' } });
      expect(text).toMatch(/^Name: +web$/m);
    });

    it('runs, labels, annotates and patches', async () => {
      await ok(['run', 'ran', '--image=nginx']);
      await ok(['label', 'pod', 'ran', 'a=b']);
      await ok(['annotate', 'pod', 'ran', 'note=yes']);
      await ok(['patch', 'pod', 'ran', '-p', '{"metadata":{"labels":{"c":"d"}}}']);
      const metadata = await ok([
        'get',
        'pod',
        'ran',
        '-o',
        'jsonpath={.metadata.labels.a}{.metadata.labels.c} {.metadata.annotations.note}',
      ]);
      expect(metadata).toBe('bd yes');
    });

    it('creates with generators and with the server in dry-run', async () => {
      await ok(['create', 'deployment', 'web', '--image=nginx']);
      await ok(['create', 'secret', 'generic', 'secret', '--from-literal=password=x']);
      await ok(['create', 'serviceaccount', 'robot']);
      await ok(['scale', 'deployment', 'web', '--replicas=2']);
      expect(await ok(['run', 'dry', '--image=nginx', '--dry-run=server'])).toBe('pod/dry created (server dry run)\n');
      expect(await ok(['get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}'])).toBe('2');
      expect(await fails(['get', 'pod', 'dry'])).toBe('Error from server (NotFound): pods "dry" not found');
    });

    it('applies, changes and compares', async () => {
      const first = file('agent.json', daemonSetOf('agent', 'agent:1'));
      const second = file('agent-2.json', daemonSetOf('agent', 'agent:2'));
      expect(await ok(['apply', '-f', first])).toBe('daemonset.apps/agent created\n');
      expect(await ok(['apply', '-f', first])).toBe('daemonset.apps/agent unchanged\n');
      const difference = await run(['diff', '-f', second]);
      expect(difference.code).toBe(1);
      expect(difference.stdout).toMatch(/^-.*agent:1$/m);
      expect(difference.stdout).toMatch(/^\+.*agent:2$/m);
      expect(await ok(['apply', '-f', second])).toBe('daemonset.apps/agent configured\n');
    });

    it('taints and cordons nodes', async () => {
      const node = `node-${index}`;
      await ok(['taint', 'node', node, 'dedicated=x:NoSchedule']);
      await ok(['cordon', node]);
      expect(await ok(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable} {.spec.taints[*].key}'])).toMatch(
        /^true dedicated/,
      );
      await ok(['uncordon', node]);
      await ok(['taint', 'node', node, 'dedicated-']);
      expect(await ok(['get', 'node', node, '-o', 'jsonpath={.spec}'])).toBe('{}');
    });

    it('says what is wrong', async () => {
      const bad = JSON.stringify({ ...podOf('Bad_Name') });
      expect(await fails(['create', '-f', '-'], { input: bad })).toContain(
        'The Pod "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain',
      );
      const twice = file('twice.json', configMapOf('twice', {}));
      await ok(['create', '-f', twice]);
      expect(await fails(['create', '-f', twice])).toMatch(
        /^Error from server \(AlreadyExists\): error when creating ".*": configmaps "twice" already exists$/,
      );
    });

    it('reads logs and deletes', async () => {
      expect(await ok(['logs', 'web'])).toMatch(/ started /);
      const where = minor >= 34 ? ` from ${namespace} namespace` : '';
      expect(await ok(['delete', 'pod', 'web'])).toBe(`pod "web" deleted${where}\n`);
      expect(await fails(['get', 'pod', 'web'])).toBe('Error from server (NotFound): pods "web" not found');
    });
  },
  { versions: 'all', groups: [{ name: 'node', count: 6 }] },
);
