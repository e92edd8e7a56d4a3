/**
 * A user can grant only permissions that the user holds. Writing a role takes every permission in it, writing a binding
 * every permission of the role it names, unless the verbs `escalate` or `bind` were granted expressly. Asked once after
 * everything that may change the object, and again about the final one.
 */
import type { ClusterRole, PolicyRule, RoleBinding, RoleRef } from '../../../core/api/types/rbac-v1.ts';
import { goQuote } from '../../../core/kube/go-text.ts';
import { deepEqual } from '../../../core/kube/immutable.ts';
import type { KubeObject } from '../../../core/kube/objects.ts';
import { badRequest, forbiddenRequest, notFound, type StatusError } from '../../../core/kube/status-error.ts';
import type { AdmissionPlugin, AdmissionRequest, AdmissionResponse } from '../../../machinery/ports/admission.ts';
import { isMaster } from '../../contract/authorization.ts';
import type { ClusterAuthorizer } from './rbac.ts';
import { compactParts, quotedList, ruleText, TooManyParts, uncovered } from './covers.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ALLOWED: AdmissionResponse = { allowed: true };
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];
/** A refusal names the missing permissions, line by line; no reader wants more than this. */
const MOST_LINES = 1_000;

export function createEscalationCheck(authorizer: ClusterAuthorizer): AdmissionPlugin {
  const check = (request: AdmissionRequest): AdmissionResponse => {
    if (isMaster(request.user, request.tenant)) return ALLOWED;
    const { object, oldObject } = request;
    if (object === undefined || (oldObject !== undefined && grantsTheSame(object, oldObject))) return ALLOWED;
    const error = CHECKS.get(request.resource.resource)?.(authorizer, request, object);
    return error === undefined ? ALLOWED : { allowed: false, error };
  };
  return {
    name: 'RBACEscalation',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      subresource === '' &&
      resource.group === GROUP &&
      CHECKS.has(resource.resource),
    mutate: check,
    validate: check,
  };
}

type Check = (authorizer: ClusterAuthorizer, request: AdmissionRequest, object: KubeObject) => StatusError | undefined;

const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['roles', checkRole],
  ['clusterroles', checkRole],
  ['rolebindings', (authorizer, request, binding) => checkBinding(authorizer, request, binding as RoleBinding)],
  ['clusterrolebindings', (authorizer, request, binding) => checkBinding(authorizer, request, binding as RoleBinding)],
]);

function checkRole(
  authorizer: ClusterAuthorizer,
  request: AdmissionRequest,
  role: ClusterRole,
): StatusError | undefined {
  const { namespace, operation, resource, tenant, user } = request;
  const escalate = {
    user,
    verb: 'escalate',
    tenant,
    group: resource.group,
    version: '*',
    resource: resource.resource,
    subresource: '',
    namespace,
    // The path of a POST names nothing, so a permission for certain names does not reach it.
    name: operation === 'CREATE' ? '' : request.name,
  };
  if (authorizer.authorize(escalate).allowed) return undefined;
  const refused = refusal(authorizer, request, role.rules ?? []);
  if (refused !== undefined) return forbiddenRequest(resource, role.metadata.name ?? '', refused);
  const gathers = (each: ClusterRole | undefined): boolean =>
    (each?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;
  if (!gathers(role) && !gathers(request.oldObject)) return undefined;
  if (refusal(authorizer, request, EVERYTHING) === undefined) return undefined;
  const why = 'must have cluster-admin privileges to use the aggregationRule';
  return forbiddenRequest(resource, role.metadata.name ?? '', why);
}

function checkBinding(
  authorizer: ClusterAuthorizer,
  request: AdmissionRequest,
  binding: RoleBinding,
): StatusError | undefined {
  const { namespace, resource, tenant, user } = request;
  const roleRef: Partial<RoleRef> | undefined = binding.roleRef;
  const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
  if (kind === 'ClusterRole' || kind === 'Role') {
    const bind = {
      user,
      verb: 'bind',
      tenant,
      group: apiGroup,
      version: '*',
      resource: kind === 'Role' ? 'roles' : 'clusterroles',
      subresource: '',
      namespace,
      name,
    };
    if (authorizer.authorize(bind).allowed) return undefined;
  }
  const role = authorizer.rbac.resolve(tenant, { apiGroup, kind, name }, namespace);
  if ('problem' in role) {
    if (kind !== 'ClusterRole' && kind !== 'Role') return badRequest(role.problem);
    return notFound({ group: GROUP, resource: kind.toLowerCase() }, name);
  }
  const refused = refusal(authorizer, request, role.rules);
  return refused === undefined ? undefined : forbiddenRequest(resource, binding.metadata.name ?? '', refused);
}

/** Why the user may not hand these rules on; undefined where they may. */
function refusal(
  { rbac }: ClusterAuthorizer,
  { namespace, tenant, user }: AdmissionRequest,
  rules: readonly PolicyRule[],
): string | undefined {
  const held = rbac.rulesOf(user, tenant, namespace);
  const who = `user ${goQuote(user.name)} (groups=${quotedList(user.groups)})`;
  let missing: readonly PolicyRule[];
  try {
    missing = uncovered(held.rules, rules);
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    return `${who} is attempting to grant more than can be compared: ${error.message}`;
  }
  if (missing.length === 0) return undefined;
  const lines = [...new Set(compactParts(missing).map(ruleText))].sort();
  const shown =
    lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `and ${lines.length - MOST_LINES} more`];
  const errors = held.problem === undefined ? '' : `; resolution errors: [${held.problem}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${shown.join('\n')}${errors}`;
}

/** Only what a garbage collector writes, or nothing at all, has changed. */
function grantsTheSame(object: KubeObject, old: KubeObject): boolean {
  if (object === old) return true;
  const { metadata, ...rest } = object;
  const { metadata: oldMetadata, ...oldRest } = old;
  return (
    deepEqual(rest, oldRest) &&
    deepEqual(metadata.labels, oldMetadata.labels) &&
    deepEqual(metadata.annotations, oldMetadata.annotations)
  );
}
