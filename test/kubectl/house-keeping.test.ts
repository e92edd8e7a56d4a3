import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { kubectlSuite } from '../support/kubectl-suite.ts';
import { podOf } from '../support/manifests.ts';

const budget = (minAvailable: number) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'web' },
  spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
});

kubectlSuite(
  'budgets, quotas, limits, pod security and NoExecute taints',
  ({ ok, fails, run, index, namespace, minor, file }) => {
    const node = `node-${index}`;
    const labelled = (name: string): object => podOf(name, { nodeName: node, labels: { app: 'web' } });

    // Both take their time: a heartbeat, and a drain that gives up.
    it.concurrent('shows a node with its own Lease', async () => {
      await eventually(() => ok(['describe', 'node', node]), new RegExp(`HolderIdentity: +${node}`));
    });

    it.skipIf(minor < 21).concurrent('drains a node as fast as its budget allows', async () => {
      for (const name of ['web-0', 'web-1']) await ok(['create', '-f', '-'], { input: JSON.stringify(labelled(name)) });
      await ok(['wait', '--for=condition=Ready', 'pod', '-l', 'app=web', '--timeout=30s']);
      await ok(['create', '-f', file('budget.json', budget(1))]);
      await eventually(() => ok(['get', 'pdb', 'web', '--no-headers']), /^web +1 +N\/A +1 /);
      const drain = [
        'drain',
        node,
        '--force',
        '--ignore-daemonsets',
        '--delete-emptydir-data',
        '--pod-selector=app=web',
      ];
      const stuck = await run([...drain, '--timeout=6s']);
      expect(stuck.code).not.toBe(0);
      expect(stuck.stderr).toMatch(
        /error when evicting pods\/"web-\d" .*Cannot evict pod as it would violate the pod's disruption budget\./,
      );
      expect((await ok(['get', 'pods', '-l', 'app=web', '-o', 'name'])).trim().split('\n')).toHaveLength(1);
      // Without asking budgets it goes.
      await ok([...drain, '--disable-eviction', '--grace-period=0']);
      expect(await ok(['get', 'pods', '-l', 'app=web', '-o', 'name'])).toBe('');
      await ok(['uncordon', node]);
      expect(await ok(['describe', 'pdb', 'web'])).toMatch(
        /Allowed disruptions: +0\s+Current: +0\s+Desired: +1\s+Total: +0/,
      );
    });

    it('shows what a quota allows and what is used, and refuses more', async () => {
      await ok(['create', 'quota', 'small', '--hard=pods=1,configmaps=9']);
      await eventually(() => ok(['describe', 'quota', 'small']), /^pods +0 +1$/m);
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('first', { nodeName: node })) });
      await eventually(() => ok(['describe', 'quota', 'small']), /^pods +1 +1$/m);
      expect(await fails(['create', '-f', '-'], { input: JSON.stringify(podOf('second')) })).toContain(
        'pods "second" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1',
      );
      await ok(['delete', 'quota/small', 'pod/first']);
    });

    it('applies the limits of a namespace', async () => {
      const range = {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'limits' },
        spec: { limits: [{ type: 'Container', default: { cpu: '200m' }, max: { cpu: '1' } }] },
      };
      await ok(['create', '-f', file('limits.json', range)]);
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('limited')) });
      const path = 'jsonpath={.spec.containers[0].resources.limits.cpu}';
      expect(await ok(['get', 'pod', 'limited', '-o', path])).toBe('200m');
      const greedy = podOf('greedy', {
        containers: [{ name: 'main', image: 'example.test/a:1', resources: { limits: { cpu: '2' } } }],
      });
      expect(await fails(['create', '-f', '-'], { input: JSON.stringify(greedy) })).toContain(
        'pods "greedy" is forbidden: maximum cpu usage per Container is 1, but limit is 2',
      );
      await ok(['delete', 'limitrange/limits', 'pod/limited']);
    });

    it('keeps a namespace secure by its labels', async () => {
      const label = ['label', 'namespace', namespace];
      await ok([...label, 'pod-security.kubernetes.io/enforce=baseline', 'pod-security.kubernetes.io/warn=restricted']);
      const host = podOf('host', { hostNetwork: true });
      expect(await fails(['create', '-f', '-'], { input: JSON.stringify(host) })).toContain(
        'pods "host" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
      );
      const plain = await run(['create', '-f', '-'], { input: JSON.stringify(podOf('plain')) });
      expect(plain.code).toBe(0);
      expect(plain.stderr).toMatch(
        /^Warning: would violate PodSecurity "restricted:latest": allowPrivilegeEscalation/m,
      );
      const deployed = await run(['create', 'deployment', 'web', '--image=example.test/a:1', '--replicas=0']).catch(
        () => undefined,
      );
      if (minor >= 21) expect(deployed?.stderr).toMatch(/^Warning: would violate PodSecurity "restricted:latest"/m);
      await ok([...label, 'pod-security.kubernetes.io/enforce-', 'pod-security.kubernetes.io/warn-']);
      await run(['delete', 'deployment/web', 'pod/plain']);
    });

    it('evicts at once by a NoExecute taint', async () => {
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('going', { nodeName: node })) });
      const tolerations = [{ key: 'maintenance', operator: 'Exists' }];
      await ok(['create', '-f', '-'], { input: JSON.stringify(podOf('staying', { nodeName: node, tolerations })) });
      await ok(['wait', '--for=condition=Ready', 'pod/going', 'pod/staying', '--timeout=30s']);
      await ok(['taint', 'node', node, 'maintenance=now:NoExecute']);
      await eventually(() => ok(['get', 'pod', 'going', '--ignore-not-found']), /^$/);
      expect(await ok(['get', 'pod', 'staying', '-o', 'jsonpath={.status.phase}'])).toBe('Running');
      await eventually(() => ok(['get', 'events']), /TaintManagerEviction +pod\/going +Marking for deletion Pod/);
      await ok(['taint', 'node', node, 'maintenance-']);
    });

    it('taints a cordoned node, and takes the taint back', async () => {
      const taints = ['get', 'node', node, '-o', 'jsonpath={.spec.taints[*].key}'];
      await ok(['cordon', node]);
      await eventually(() => ok(taints), /^node.kubernetes.io\/unschedulable$/);
      await ok(['uncordon', node]);
      await eventually(() => ok(taints), /^$/);
    });
  },
  { groups: [{ name: 'node', count: 4 }] },
);
