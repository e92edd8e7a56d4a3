/**
 * Puts the default roles and bindings in place at each start: absent ones are created, rules and subjects of a newer
 * server are added to existing ones, and additions of people stay. A role annotated with `autoupdate: "false"` is left
 * as it is.
 */
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../core/api/registry/resources.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding, Subject } from '../../../core/api/types/rbac-v1.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject, ObjectKey, Resource, Stored } from '../../../core/kube/objects.ts';
import { isStatus } from '../../../core/kube/status-error.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { uncovered } from '../rbac/covers.ts';
import { AUTO_UPDATE, readDefaultAccess } from './read-roles.ts';

/** Another client may write the same object at the same time. */
const ATTEMPTS = 3;

export async function ensureDefaultAccess(client: Client): Promise<void> {
  const { clusterRoleBindings, clusterRoles, roleBindings, roles } = readDefaultAccess();
  // All requests at once: with a disk underneath they share its waits.
  await Promise.all([
    ensureAll(client, CLUSTER_ROLES, clusterRoles, completedRole),
    ensureAll(client, CLUSTER_ROLE_BINDINGS, clusterRoleBindings, completedBinding),
    ensureAll(client, ROLES, roles, completedRole),
    ensureAll(client, ROLE_BINDINGS, roleBindings, completedBinding),
  ]);
}

/**
 * How an existing object is brought to its default: `replace` where an update cannot do it (`roleRef` is immutable).
 */
type Completion<T extends KubeObject> = { readonly update: T } | { readonly replace: true };

async function ensureAll<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  expected: readonly T[],
  complete: (existing: Stored<T>, expected: T) => Completion<T>,
): Promise<void> {
  await Promise.all(expected.map((each) => ensure(client, resource, each, complete, ATTEMPTS)));
}

async function ensure<T extends KubeObject>(
  client: Client,
  resource: Resource<T>,
  expected: T,
  complete: (existing: Stored<T>, expected: T) => Completion<T>,
  attempts: number,
): Promise<void> {
  const { name, namespace } = expected.metadata;
  const key: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  const existing = await client.get(resource, key).catch(absent);
  if (existing?.metadata.annotations?.[AUTO_UPDATE] === 'false') return;
  try {
    if (existing === undefined) {
      await client.create(resource, expected);
      return;
    }
    const completion = complete(existing, expected);
    if ('update' in completion) {
      if (completion.update !== existing) await client.update(resource, completion.update);
      return;
    }
    const { resourceVersion, uid } = existing.metadata;
    await client.delete(resource, key, { preconditions: { uid, resourceVersion } });
    await client.create(resource, expected);
  } catch (error) {
    const isLate = isStatus(error, 'AlreadyExists') || isStatus(error, 'Conflict') || isStatus(error, 'NotFound');
    if (!isLate || attempts <= 1) throw error;
    await ensure(client, resource, expected, complete, attempts - 1);
  }
}

function absent(error: unknown): undefined {
  if (!isStatus(error, 'NotFound')) throw error;
}

function completedRole<T extends Role | ClusterRole>(existing: Stored<T>, expected: T): { readonly update: T } {
  const [held, wanted] = [existing.rules ?? [], expected.rules ?? []];
  // The usual case at a start, and much cheaper than taking both apart.
  const missing = deepEqual(held, wanted) ? [] : uncovered(held, wanted);
  const completed: T = withExpectedMeta(existing, expected);
  const withRules: T =
    missing.length === 0 ? completed : { ...completed, rules: [...(existing.rules ?? []), ...missing] };
  return { update: withAggregation(withRules, existing, expected) };
}

function withAggregation<T extends Role | ClusterRole>(role: T, existing: ClusterRole, expected: ClusterRole): T {
  const wanted = expected.aggregationRule?.clusterRoleSelectors;
  if (wanted === undefined) {
    if (existing.aggregationRule === undefined) return role;
    const { aggregationRule: _, ...rest } = role as ClusterRole;
    return rest as T;
  }
  const held = existing.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = wanted.filter((selector) => !held.some((each) => deepEqual(each, selector)));
  return missing.length === 0 ? role : { ...role, aggregationRule: { clusterRoleSelectors: [...held, ...missing] } };
}

function completedBinding<T extends RoleBinding | ClusterRoleBinding>(existing: Stored<T>, expected: T): Completion<T> {
  if (!deepEqual(existing.roleRef, expected.roleRef)) return { replace: true };
  const held = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((subject) => !held.some((each) => isSameSubject(each, subject)));
  const completed: T = withExpectedMeta(existing, expected);
  return { update: missing.length === 0 ? completed : { ...completed, subjects: [...held, ...missing] } };
}

const isSameSubject = (a: Subject, b: Subject): boolean =>
  a.kind === b.kind &&
  a.name === b.name &&
  (a.apiGroup ?? '') === (b.apiGroup ?? '') &&
  (a.namespace ?? '') === (b.namespace ?? '');

/**
 * Labels and annotations of the existing object win; missing defaults are filled in. The very same object where none is
 * missing.
 */
function withExpectedMeta<T extends KubeObject>(existing: T, expected: T): T {
  const { annotations, labels } = existing.metadata;
  const next = {
    annotations: { ...expected.metadata.annotations, ...annotations },
    labels: { ...expected.metadata.labels, ...labels },
  };
  const isComplete = deepEqual(next.annotations, annotations) && deepEqual(next.labels, labels);
  return isComplete ? existing : { ...existing, metadata: { ...existing.metadata, ...next } };
}
