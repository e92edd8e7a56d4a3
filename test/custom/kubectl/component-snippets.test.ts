/**
 * What people find in the documentation of this manifest, end to end: its snippets on a cluster, and the commands it
 * names for trouble, by kubectl.
 */
import { expect, it } from 'vitest';
import { HOST_PATH_TYPES } from '../../../src/core/api/component/volumes.ts';
import { loadManifests, prepareComponents } from '../../../src/core/component/load/load.ts';
import { printObjects } from '../../../src/core/component/print/print-yaml.ts';
import { eventually } from '../../support/eventually.ts';
import { kubectlSuite } from '../../support/kubectl-suite.ts';

const indented = (text: string, by: number): string => text.trim().replaceAll(/^/gm, ' '.repeat(by));

interface Snippets {
  readonly app?: string;
  readonly spec?: string;
}

const manifest = (name: string, namespace: string, { app = '', spec = '' }: Snippets): string => `
apiVersion: kubernetes.project-planton.org/v1
kind: KubernetesDaemonSet
metadata:
  name: ${name}
spec:
  namespace: ${namespace}
  container:
    app:
      image: {repo: busybox, tag: "1.36"}
${indented(app, 6)}
${indented(spec, 2)}
`;

async function rendered(name: string, namespace: string, snippets: Snippets): Promise<string> {
  const text = manifest(name, namespace, snippets);
  const { components, problems } = await prepareComponents(loadManifests([{ file: `${name}.yaml`, text }]));
  expect(problems).toEqual([]);
  return printObjects(components.flatMap((each) => each.rendered.objects));
}

const mountOf = (type: string): string => `
volume_mounts:
  - name: varlog
    mount_path: /var/log
    host_path: /var/log
    host_path_type: ${type}
    read_only: true
`;
const TOLERATIONS = `
tolerations:
  # Run on master nodes
  - key: node-role.kubernetes.io/master
    operator: Exists
    effect: NoSchedule
  # Run on all nodes regardless of taints
  - operator: Exists
`;
const SECURITY_CONTEXT = `
security_context:
  privileged: true
  run_as_user: 0
  capabilities:
    add:
      - NET_ADMIN
      - SYS_PTRACE
    drop:
      - ALL
`;

kubectlSuite(
  'the documented snippets and commands of KubernetesDaemonSet',
  (session) => {
    const { namespace } = session;
    const apply = async (name: string, snippets: Snippets): Promise<void> =>
      void (await session.ok(['apply', '-f', session.file(`${name}.yaml`, await rendered(name, namespace, snippets))]));
    const field = (name: string, path: string): Promise<string> =>
      session.ok(['get', 'daemonset', name, '-o', `jsonpath={.spec.template.spec${path}}`]);

    it.each(HOST_PATH_TYPES)('a mount with host_path_type %s rolls out', async (type) => {
      const name = `mount-${type.toLowerCase()}`;
      await apply(name, { app: mountOf(type) });
      expect(await field(name, '.volumes[0].hostPath.type')).toBe(type);
      await session.ok(['rollout', 'status', `daemonset/${name}`, '--timeout=60s']);
      await session.ok(['delete', 'daemonset', name]);
    });

    it('tolerations and a security context with user 0 arrive as they are', async () => {
      await apply('whole', { app: SECURITY_CONTEXT, spec: TOLERATIONS });
      expect(await field('whole', '.containers[0].securityContext.runAsUser')).toBe('0');
      expect(await field('whole', '.tolerations[1]')).toBe('{"operator":"Exists"}');
      await session.ok(['rollout', 'status', 'daemonset/whole', '--timeout=60s']);
    });

    it('RollingUpdate replaces pods, OnDelete leaves them', async () => {
      const strategies = [
        ['rolling', 'update_strategy: {type: RollingUpdate, rolling_update: {max_unavailable: "1"}}'],
        ['manual', 'update_strategy: {type: OnDelete}'],
      ] as const;
      for (const [name, spec] of strategies) await apply(name, { spec });
      const status = (name: string): Promise<string> =>
        session.ok([
          'get',
          'daemonset',
          name,
          '-o',
          'jsonpath=seen {.status.observedGeneration} updated {.status.updatedNumberScheduled} ready {.status.numberReady}',
        ]);
      for (const [name] of strategies) await eventually(() => status(name), /^seen 1 updated 2 ready 2$/);
      for (const [name, spec] of strategies) await apply(name, { app: 'args: [sleep]', spec });
      await session.ok(['rollout', 'status', 'daemonset/rolling', '--timeout=60s']);
      await eventually(() => status('rolling'), /^seen 2 updated 2 ready 2$/);
      await eventually(() => status('manual'), /^seen 2 updated 0? ?ready 2$/);
      await session.ok(['delete', 'pod', '-l', 'planton.ai/name=manual']);
      await eventually(() => status('manual'), /^seen 2 updated 2 ready 2$/);
    });

    it('what is said of trouble works: describe, events, and logs of all containers', async () => {
      await apply('stuck', { app: 'resources: {requests: {cpu: "9000"}}' });
      const described = await session.ok(['describe', 'daemonset', 'whole', '-n', namespace]);
      expect(described).toMatch(/^Desired Number of Nodes Scheduled: 2$/m);
      expect(described).toMatch(/Normal +SuccessfulCreate .*daemonset-controller +Created pod: whole-/);
      await eventually(
        () => session.ok(['get', 'events', '-n', namespace]),
        /Warning +FailedScheduling +pod\/stuck-\S+ .*Insufficient cpu/,
      );
      const logs = await session.ok(['logs', '-n', namespace, '-l', 'app=daemonset', '--all-containers', '--prefix']);
      expect(logs).toMatch(/^\[pod\/whole-\S+\/app\] /m);
      expect(logs).toMatch(/^\[pod\/rolling-\S+\/app\] /m);
    });
  },
  { groups: [{ name: 'node', count: 2 }] },
);
