/** Components as a renderer would make them, for tests of what brings them to a cluster. */
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../src/core/api/types/rbac-v1.ts';
import type { ConfigMap, Namespace, Secret, ServiceAccount } from '../../src/core/api/types/core-v1.ts';
import type { DaemonSet, DaemonSetSpec } from '../../src/core/api/types/apps-v1.ts';
import type { KubeObject } from '../../src/core/kube/objects.ts';
import type { RenderedComponent } from '../../src/control/component/apply/rendered.ts';

export interface AgentOptions {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly createsNamespace?: boolean;
  readonly image?: string;
  readonly config?: string;
  /** A second ConfigMap. */
  readonly extraConfig?: string;
  readonly secret?: string;
  readonly hasRbac?: boolean;
  readonly selector?: { readonly [key: string]: string };
  readonly spec?: Partial<DaemonSetSpec>;
  readonly annotations?: { readonly [key: string]: string };
  readonly more?: readonly KubeObject[];
}

const RBAC = 'rbac.authorization.k8s.io/v1';

/** A checksum that tells states apart; what it is made of is not what is tested here. */
const checksum = (...texts: readonly string[]): string => {
  let hash = 7;
  for (const text of texts) for (const char of text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return String(hash);
};

export function agent(options: AgentOptions = {}): RenderedComponent {
  const { name = 'agent', namespace = 'logging', image = 'example.test/agent:1' } = options;
  const { config = 'level: info\n', secret = 'hunter2-token', hasRbac = true } = options;
  const metadata = (suffix = ''): { readonly name: string; readonly namespace: string } => ({
    name: `${name}${suffix}`,
    namespace,
  });
  const labels = options.selector ?? { app: 'daemonset', 'app.kubernetes.io/name': name };
  const namespaceObject: Namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
  const account: ServiceAccount = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata() };
  const configMap: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('-config'), data: { config } };
  const secretObject: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('-env-secrets'),
    type: 'Opaque',
    stringData: { TOKEN: secret },
  };
  const extra: readonly ConfigMap[] =
    options.extraConfig === undefined
      ? []
      : [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('-extra'), data: { extra: options.extraConfig } }];
  const roles: readonly (ClusterRole | ClusterRoleBinding | Role | RoleBinding)[] = hasRbac
    ? [
        {
          apiVersion: RBAC,
          kind: 'ClusterRole',
          metadata: { name: `${namespace}-${name}` },
          rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }],
        },
        {
          apiVersion: RBAC,
          kind: 'ClusterRoleBinding',
          metadata: { name: `${namespace}-${name}` },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `${namespace}-${name}` },
          subjects: [{ kind: 'ServiceAccount', name, namespace }],
        },
        {
          apiVersion: RBAC,
          kind: 'Role',
          metadata: metadata(),
          rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
        },
        {
          apiVersion: RBAC,
          kind: 'RoleBinding',
          metadata: metadata(),
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace }],
        },
      ]
    : [];
  const set: DaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...metadata(), ...(options.annotations === undefined ? {} : { annotations: options.annotations }) },
    spec: {
      selector: { matchLabels: labels },
      ...options.spec,
      template: {
        metadata: {
          labels,
          annotations: { 'checksum/config': checksum(config, secret) },
        } as unknown as DaemonSet['metadata'],
        spec: {
          serviceAccountName: name,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              name: 'main',
              image,
              envFrom: [{ secretRef: { name: `${name}-env-secrets` } }],
              resources: { requests: { cpu: '10m', memory: '16Mi' } },
            },
          ],
        },
      },
    },
  };
  return {
    identity: { name, namespace, ...(options.uid === undefined ? {} : { uid: options.uid }) },
    objects: [
      ...(options.createsNamespace === false ? [] : [namespaceObject]),
      configMap,
      ...extra,
      account,
      ...roles,
      secretObject,
      ...(options.more ?? []),
      set,
    ],
  };
}
