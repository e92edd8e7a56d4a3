/** Roles bound to users, seen from the users' side. */
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NAMESPACES, ROLE_BINDINGS } from '../core/api/registry/resources.ts';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../core/api/types/rbac-v1.ts';
import type { Resource, Stored } from '../core/kube/objects.ts';
import { isStatus } from '../core/kube/status-error.ts';
import type { Client } from '../machinery/client/client.ts';
import { CliError } from './support/cli-error.ts';

type Binding = RoleBinding | ClusterRoleBinding;
const GROUP = 'rbac.authorization.k8s.io';
const BOOTSTRAPPED = 'kubernetes.io/bootstrapping';

/**
 * Kubernetes binds roles that do not exist; a name typed here is never meant so. A user who may not read roles is
 * believed.
 */
export async function checkGrant(client: Client, role: string, namespace: string | undefined): Promise<void> {
  await client.get(CLUSTER_ROLES, { name: role }).catch((error: unknown) => {
    if (isStatus(error, 'NotFound'))
      throw new CliError(`there is no cluster role ${role}`, 'kubectl get clusterroles shows which there are');
    if (!isStatus(error, 'Forbidden')) throw error;
  });
  if (namespace === undefined) return;
  await client.get(NAMESPACES, { name: namespace }).catch((error: unknown) => {
    if (isStatus(error, 'NotFound'))
      throw new CliError(`there is no namespace ${namespace}`, `kubectl create namespace ${namespace}`);
    if (!isStatus(error, 'Forbidden')) throw error;
  });
}

/** Binds a cluster role to the user, everywhere or in one namespace. Returns the outcome, for people. */
export async function bindUser(
  client: Client,
  user: string,
  role: string,
  namespace: string | undefined,
): Promise<string> {
  const name = `everynode:user:${user}:${role}`.replaceAll(/[/%]/g, '-');
  const binding = {
    apiVersion: `${GROUP}/v1`,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
  };
  const where = namespace === undefined ? 'everywhere' : `in namespace ${namespace}`;
  try {
    if (namespace === undefined) {
      await client.create(CLUSTER_ROLE_BINDINGS, { ...binding, kind: 'ClusterRoleBinding' });
    } else await client.create(ROLE_BINDINGS, { ...binding, kind: 'RoleBinding' });
  } catch (error) {
    if (!isStatus(error, 'AlreadyExists')) throw error;
    return `user ${user} has role ${role} ${where} already`;
  }
  return `user ${user} has role ${role} ${where}`;
}

interface Found {
  readonly resource: Resource<Binding>;
  readonly binding: Stored<Binding>;
}

async function allBindings(client: Client): Promise<readonly Found[]> {
  const [cluster, namespaced] = await Promise.all([client.list(CLUSTER_ROLE_BINDINGS), client.list(ROLE_BINDINGS)]);
  return [
    ...cluster.items.map((binding) => ({ resource: CLUSTER_ROLE_BINDINGS as Resource<Binding>, binding })),
    ...namespaced.items.map((binding) => ({ resource: ROLE_BINDINGS as Resource<Binding>, binding })),
  ];
}

/** Users and groups with the roles they have; those of the system itself are left out. */
export async function grantsTable(client: Client): Promise<string> {
  const rows = (await allBindings(client))
    .filter(({ binding }) => binding.metadata.labels?.[BOOTSTRAPPED] === undefined)
    .flatMap(({ binding }) =>
      (binding.subjects ?? [])
        .filter(({ kind }) => kind === 'User' || kind === 'Group')
        .map(({ kind, name }) => [name, kind, binding.roleRef.name, binding.metadata.namespace ?? '*']),
    )
    .sort((a, b) => (a.join('\0') < b.join('\0') ? -1 : 1));
  const table = [['NAME', 'KIND', 'ROLE', 'NAMESPACE'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)) + 3);
  return table
    .map(
      (row) =>
        `${row
          .map((cell, at) => cell.padEnd(widths[at] ?? 0))
          .join('')
          .trimEnd()}\n`,
    )
    .join('');
}

const isUser = (user: string) => (subject: Subject) => subject.kind === 'User' && subject.name === user;

/**
 * Removes the user from every binding; a binding without further subjects is deleted. Returns the outcome, line by
 * line.
 */
export async function unbindUser(client: Client, user: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { binding, resource } of await allBindings(client)) {
    const subjects = binding.subjects ?? [];
    const others = subjects.filter((subject) => !isUser(user)(subject));
    if (others.length === subjects.length) continue;
    const { name, namespace, resourceVersion, uid } = binding.metadata;
    const key = namespace === undefined ? { name } : { namespace, name };
    if (others.length > 0) await client.update(resource, { ...binding, subjects: others });
    else await client.delete(resource, key, { preconditions: { resourceVersion, uid } });
    const where = namespace === undefined ? 'everywhere' : `in namespace ${namespace}`;
    lines.push(`user ${user} no longer has role ${binding.roleRef.name} ${where}`);
  }
  return lines;
}
