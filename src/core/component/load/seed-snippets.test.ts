/** The snippets people find in the documentation of this manifest, exactly as they are written there. */
import { describe, expect, it } from 'vitest';
import { HOST_PATH_TYPES } from '../../api/component/volumes.ts';
import { appOf, podOf, renderedText } from '../testing/manifests.ts';

const indented = (text: string, by: number): string => text.trim().replaceAll(/^/gm, ' '.repeat(by));

const inContainer = (snippet: string): string => `
apiVersion: kubernetes.project-planton.org/v1
kind: KubernetesDaemonSet
metadata:
  name: agent
spec:
  namespace: agents
  container:
    app:
      image: {repo: busybox, tag: "1.36"}
${indented(snippet, 6)}
`;
const inSpec = (snippet: string): string => `${inContainer('')}${indented(snippet, 2)}\n`;

const VOLUME_MOUNTS = `
volume_mounts:
  - name: varlog
    mount_path: /var/log
    host_path: /var/log
    host_path_type: DirectoryOrCreate
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

describe('as documented', () => {
  it.each(HOST_PATH_TYPES)('a volume mount with host_path_type %s', (type) => {
    const result = renderedText(inContainer(VOLUME_MOUNTS.replace('DirectoryOrCreate', type)));
    expect(appOf(result).volumeMounts).toEqual([{ name: 'varlog', mountPath: '/var/log', readOnly: true }]);
    expect(podOf(result).volumes).toEqual([{ name: 'varlog', hostPath: { path: '/var/log', type } }]);
  });

  it('tolerations', () => {
    expect(podOf(renderedText(inSpec(TOLERATIONS))).tolerations).toEqual([
      { key: 'node-role.kubernetes.io/master', operator: 'Exists', effect: 'NoSchedule' },
      { operator: 'Exists' },
    ]);
  });

  it('a security context with user 0', () => {
    expect(appOf(renderedText(inContainer(SECURITY_CONTEXT))).securityContext).toEqual({
      privileged: true,
      runAsUser: 0,
      capabilities: { add: ['NET_ADMIN', 'SYS_PTRACE'], drop: ['ALL'] },
    });
  });

  it.each([
    ['update_strategy: {type: RollingUpdate}', { type: 'RollingUpdate' }],
    ['update_strategy: {type: OnDelete}', { type: 'OnDelete' }],
    [
      'update_strategy: {type: RollingUpdate, rolling_update: {max_unavailable: "1"}}',
      { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
    ],
  ])('%s', (snippet, strategy) => {
    expect(renderedText(inSpec(snippet)).daemonSet.spec.updateStrategy).toEqual(strategy);
  });

  it('create_namespace makes the namespace, and pods are found by app=daemonset', () => {
    const { objects, daemonSet } = renderedText(inSpec('create_namespace: true'));
    expect(objects[0]).toMatchObject({ kind: 'Namespace', metadata: { name: 'agents' } });
    expect(daemonSet.spec.template.metadata?.labels).toMatchObject({ app: 'daemonset' });
  });
});
