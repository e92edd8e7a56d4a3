/** The objects around the DaemonSet. */
import type { Component } from '../../api/component/types.ts';
import type { SecretText } from '../../api/component/secret-text.ts';
import type { DaemonSet } from '../../api/types/apps-v1.ts';
import type { ConfigMap, Namespace, ServiceAccount } from '../../api/types/core-v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../../api/types/rbac-v1.ts';
import type { ObjectMeta } from '../../kube/meta-v1.ts';
import type { Identity } from './mode.ts';
import type { Findings } from './findings.ts';

/** A Secret whose values cannot be seen; `revealed` makes a plain one of it. */
export interface RenderedSecret {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret';
  readonly metadata: ObjectMeta;
  readonly type: string;
  /** The texts themselves, not yet in base64. */
  readonly data: { readonly [key: string]: SecretText };
}

export type RenderedObject =
  | Namespace
  | ServiceAccount
  | ClusterRole
  | ClusterRoleBinding
  | Role
  | RoleBinding
  | ConfigMap
  | RenderedSecret
  | DaemonSet;

export const metaOf = ({ namespace, labels }: Identity, name: string): ObjectMeta => ({ name, namespace, labels });

export function namespaceOf({ spec }: Component, { namespace, labels }: Identity): readonly Namespace[] {
  if (spec.createNamespace !== true) return [];
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...spec.namespaceLabels, ...labels } },
      spec: {},
    },
  ];
}

export function serviceAccountOf({ spec }: Component, identity: Identity): readonly ServiceAccount[] {
  const { serviceAccount } = identity;
  if (spec.createServiceAccount !== true || serviceAccount === undefined) return [];
  return [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: metaOf(identity, serviceAccount) }];
}

export const configMapsOf = ({ spec }: Component, identity: Identity): readonly ConfigMap[] =>
  Object.entries(spec.configMaps ?? {}).map(([name, data]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metaOf(identity, name),
    data,
  }));

export function secretsOf(
  identity: Identity,
  literals: ReadonlyMap<string, SecretText>,
  dockerConfig: SecretText | undefined,
): readonly RenderedSecret[] {
  const secret = (name: string, type: string, data: RenderedSecret['data']): RenderedSecret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metaOf(identity, name),
    type,
    data,
  });
  return [
    ...(literals.size === 0 ? [] : [secret(identity.envSecret, 'Opaque', Object.fromEntries(literals))]),
    ...(dockerConfig === undefined
      ? []
      : [secret(identity.pullSecret, 'kubernetes.io/dockerconfigjson', { '.dockerconfigjson': dockerConfig })]),
  ];
}

type RbacObject = ClusterRole | ClusterRoleBinding | Role | RoleBinding;

const RBAC = 'rbac.authorization.k8s.io';

export function rbacOf({ spec }: Component, identity: Identity, findings: Findings): readonly RbacObject[] {
  const { clusterRules = [], namespaceRules = [] } = spec.rbac ?? {};
  if (clusterRules.length === 0 && namespaceRules.length === 0) return [];
  const { mode, namespace, labels, clusterRole, role, serviceAccount } = identity;
  // The existing tool gives rights only to accounts it makes, and says nothing about the others; a lint does.
  if (mode === 'compatible' && spec.createServiceAccount !== true) return [];
  if (serviceAccount === undefined) {
    findings.push({
      path: ['spec', 'rbac'],
      fault: {
        code: 'EN_COMPONENT_RBAC_ACCOUNT',
        message: 'rights are given, but no service account to give them to',
        suggestion: 'add createServiceAccount: true, or serviceAccountName',
      },
    });
    return [];
  }
  const subjects = [{ kind: 'ServiceAccount', name: serviceAccount, namespace }];
  const apiVersion = `${RBAC}/v1`;
  return [
    ...(clusterRules.length === 0
      ? []
      : ([
          { apiVersion, kind: 'ClusterRole', metadata: { name: clusterRole, labels }, rules: clusterRules },
          {
            apiVersion,
            kind: 'ClusterRoleBinding',
            metadata: { name: clusterRole, labels },
            roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: clusterRole },
            subjects,
          },
        ] satisfies RbacObject[])),
    ...(namespaceRules.length === 0
      ? []
      : ([
          { apiVersion, kind: 'Role', metadata: metaOf(identity, role), rules: namespaceRules },
          {
            apiVersion,
            kind: 'RoleBinding',
            metadata: metaOf(identity, role),
            roleRef: { apiGroup: RBAC, kind: 'Role', name: role },
            subjects,
          },
        ] satisfies RbacObject[])),
  ];
}
