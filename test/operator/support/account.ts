/** Somebody who has exactly the rights that are given to them: a service account with roles of its own. */
import { OPERATOR_RIGHTS } from '../../../src/assembly/catalogue/operator-rights.ts';
import type { OperatorRights } from '../../../src/assembly/catalogue/rights.ts';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  NAMESPACES,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '../../../src/core/api/registry/resources.ts';
import type { TokenRequest } from '../../../src/core/api/types/authentication-v1.ts';
import type { PolicyRule } from '../../../src/core/api/types/rbac-v1.ts';
import type { KubeObject, Resource } from '../../../src/core/kube/objects.ts';
import { isStatus } from '../../../src/core/kube/status-error.ts';
import type { Client } from '../../../src/machinery/client/client.ts';

export const NAMESPACE = 'everynode';
const ACCOUNT = 'operator';
const RBAC = 'rbac.authorization.k8s.io';
const TOKENS: Resource<TokenRequest> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
};

/** Makes the account and binds its (still empty) roles; answers with its token. */
export async function createAccount(admin: Client): Promise<string> {
  await make(admin, NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE }, spec: {} });
  const metadata = { name: ACCOUNT, namespace: NAMESPACE };
  await make(admin, SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await giveRights(admin, []);
  const subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: NAMESPACE }];
  const bound = (kind: string) => ({ apiGroup: RBAC, kind, name: ACCOUNT });
  await make(admin, CLUSTER_ROLE_BINDINGS, {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: ACCOUNT },
    subjects,
    roleRef: bound('ClusterRole'),
  });
  await make(admin, ROLE_BINDINGS, {
    apiVersion: `${RBAC}/v1`,
    kind: 'RoleBinding',
    metadata,
    subjects,
    roleRef: bound('Role'),
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata, spec: {} } as TokenRequest;
  const { status } = await admin.create(TOKENS, request, { subresource: 'token' });
  return status?.token ?? '';
}

/** From now on these, and nothing else. */
export async function giveRights(admin: Client, rights: readonly OperatorRights[]): Promise<void> {
  const rules = (scope: OperatorRights['scope']): readonly PolicyRule[] =>
    rights.filter((each) => each.scope === scope).flatMap((each) => each.rules);
  const metadata = { name: ACCOUNT };
  const cluster = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata, rules: rules('cluster') };
  const inNamespace = { namespace: NAMESPACE };
  const own = {
    apiVersion: `${RBAC}/v1`,
    kind: 'Role',
    metadata: { ...metadata, ...inNamespace },
    rules: rules('namespace'),
  };
  await make(admin, CLUSTER_ROLES, cluster);
  await admin.update(CLUSTER_ROLES, cluster);
  await make(admin, ROLES, own);
  await admin.update(ROLES, own, inNamespace);
}

async function make<T extends KubeObject>(admin: Client, resource: Resource<T>, object: T): Promise<void> {
  await admin.create(resource, object).catch((error: unknown) => {
    if (!isStatus(error, 'AlreadyExists')) throw error;
  });
}

export const rightsOf = (...features: string[]): readonly OperatorRights[] =>
  OPERATOR_RIGHTS.filter(({ feature }) => features.includes(feature));

/** One verb on one resource. */
export interface Right {
  readonly feature: string;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly name: string | undefined;
}

export function rightsOneByOne(rights: readonly OperatorRights[]): readonly Right[] {
  const all: Right[] = [];
  for (const { feature, rules } of rights)
    for (const { apiGroups = [], resources = [], resourceNames, verbs } of rules)
      for (const group of apiGroups)
        for (const resource of resources)
          for (const verb of verbs) all.push({ feature, verb, group, resource, name: resourceNames?.[0] });
  return all;
}

/** All but that one. */
export const without = (rights: readonly OperatorRights[], gone: Right): readonly OperatorRights[] =>
  rights.map((each) => ({
    ...each,
    rules: each.rules.flatMap((rule): readonly PolicyRule[] => {
      const { apiGroups = [], resources = [], resourceNames } = rule;
      const isIt = (group: string, resource: string): boolean =>
        each.feature === gone.feature &&
        group === gone.group &&
        resource === gone.resource &&
        resourceNames?.[0] === gone.name;
      const split = apiGroups.flatMap((group) =>
        resources.map((resource) => ({
          ...rule,
          apiGroups: [group],
          resources: [resource],
          verbs: isIt(group, resource) ? rule.verbs.filter((verb) => verb !== gone.verb) : rule.verbs,
        })),
      );
      return split.filter(({ verbs }) => verbs.length > 0);
    }),
  }));
