/** A service account of the namespace `default` that may do exactly what these rules say. */
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, SERVICE_ACCOUNTS } from '../../src/core/api/registry/resources.ts';
import type { TokenRequest } from '../../src/core/api/types/authentication-v1.ts';
import type { PolicyRule } from '../../src/core/api/types/rbac-v1.ts';
import type { Resource } from '../../src/core/kube/objects.ts';
import type { Client } from '../../src/machinery/client/client.ts';

const RBAC = 'rbac.authorization.k8s.io';
const TOKENS: Resource<TokenRequest> = {
  group: '',
  version: 'v1',
  resource: 'serviceaccounts',
  kind: 'TokenRequest',
  namespaced: true,
};

/** Makes the account; answers with a token of it. */
export async function accountWith(client: Client, name: string, rules: readonly PolicyRule[]): Promise<string> {
  const account = { name, namespace: 'default' };
  const of = (kind: string) => ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name } });
  await client.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  await client.create(CLUSTER_ROLES, { ...of('ClusterRole'), rules });
  await client.create(CLUSTER_ROLE_BINDINGS, {
    ...of('ClusterRoleBinding'),
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: account, spec: {} };
  const { status } = await client.create(TOKENS, request, { subresource: 'token' });
  return status?.token ?? '';
}
