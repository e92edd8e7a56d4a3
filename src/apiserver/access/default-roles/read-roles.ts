/**
 * Reads the tables of default roles and bindings. A line at the margin begins a role: `[NAMESPACE/]NAME`, then maybe
 * `aggregates-to ROLE…` and `gathers ROLE`. An indented line is a rule: `VERB,… GROUP,…: RESOURCE… [= NAME…]`, where the core
 * group is written `core`, or `VERB,… PATH…` for paths that are no resources.
 */
import type {
  ClusterRole,
  ClusterRoleBinding,
  PolicyRule,
  Role,
  RoleBinding,
  Subject,
} from '../../../core/api/types/rbac-v1.ts';
import { BINDINGS, NAMESPACE_ROLES } from './bindings.ts';
import { CLUSTER_ROLES } from './cluster-roles.ts';
import { CONTROLLER_ROLES } from './controller-roles.ts';

const GROUP = 'rbac.authorization.k8s.io';
const API_VERSION = `${GROUP}/v1`;
const CONTROLLER = 'system:controller:';
/** Annotation of a role or binding: `false` excludes it from updates to the defaults of a newer server. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const aggregateTo = (role: string): string => `${GROUP}/aggregate-to-${role}`;

export interface DefaultAccess {
  readonly clusterRoles: readonly ClusterRole[];
  readonly clusterRoleBindings: readonly ClusterRoleBinding[];
  readonly roles: readonly Role[];
  readonly roleBindings: readonly RoleBinding[];
}

export function readDefaultAccess(): DefaultAccess {
  const controllers = readRoles(CONTROLLER_ROLES).map(clusterRole);
  const bindings = lines(BINDINGS).map(readBinding);
  return {
    clusterRoles: [...readRoles(CLUSTER_ROLES).map(clusterRole), ...controllers],
    clusterRoleBindings: [
      ...bindings.filter(({ metadata }) => metadata.namespace === undefined),
      ...controllers.map(({ metadata }) => controllerBinding(metadata.name)),
    ],
    roles: readRoles(NAMESPACE_ROLES).map(({ name, namespace, rules }) => ({
      apiVersion: API_VERSION,
      kind: 'Role',
      metadata: metadata(name, namespace),
      rules,
    })),
    roleBindings: bindings.filter(({ metadata }) => metadata.namespace !== undefined),
  };
}

interface ReadRole {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly aggregatesTo: readonly string[];
  readonly gathers: readonly string[];
  readonly rules: PolicyRule[];
}

const lines = (table: string): readonly string[] => table.split('\n').filter((line) => line !== '');

function readRoles(table: string): readonly ReadRole[] {
  const roles: ReadRole[] = [];
  for (const line of lines(table)) {
    if (line.startsWith(' ')) roles.at(-1)?.rules.push(readRule(line.trim()));
    else roles.push(readHeading(line));
  }
  return roles;
}

function readHeading(line: string): ReadRole {
  const [place = '', ...words] = line.split(' ');
  const gathersAt = words.indexOf('gathers');
  const end = gathersAt < 0 ? words.length : gathersAt;
  return {
    ...readPlace(place),
    aggregatesTo: words[0] === 'aggregates-to' ? words.slice(1, end) : [],
    gathers: words.slice(end + 1),
    rules: [],
  };
}

function readPlace(place: string): { readonly name: string; readonly namespace: string | undefined } {
  const slash = place.indexOf('/');
  return { name: place.slice(slash + 1), namespace: slash < 0 ? undefined : place.slice(0, slash) };
}

function readRule(line: string): PolicyRule {
  const [verbs = '', first = '', ...words] = line.split(' ');
  const rule = { verbs: verbs.split(',') };
  if (!first.endsWith(':')) return { ...rule, nonResourceURLs: [first, ...words] };
  const apiGroups = first
    .slice(0, -1)
    .split(',')
    .map((group) => (group === 'core' ? '' : group));
  const equals = words.indexOf('=');
  const resources = equals < 0 ? words : words.slice(0, equals);
  return { ...rule, apiGroups, resources, ...(equals < 0 ? {} : { resourceNames: words.slice(equals + 1) }) };
}

function metadata(name: string, namespace: string | undefined, aggregatesTo: readonly string[] = []) {
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      ...Object.fromEntries(aggregatesTo.map((role) => [aggregateTo(role), 'true'])),
    },
    annotations: { [AUTO_UPDATE]: 'true' },
  };
}

const clusterRole = ({ aggregatesTo, gathers, name, rules }: ReadRole): ClusterRole => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRole',
  metadata: metadata(name, undefined, aggregatesTo),
  ...(gathers.length === 0
    ? { rules }
    : {
        aggregationRule: {
          clusterRoleSelectors: gathers.map((role) => ({ matchLabels: { [aggregateTo(role)]: 'true' } })),
        },
      }),
});

function readBinding(line: string): RoleBinding {
  const [place = '', kind, role = '', ...subjects] = line.split(' ');
  const { name, namespace } = readPlace(place);
  return {
    apiVersion: API_VERSION,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: metadata(name, namespace),
    roleRef: { apiGroup: GROUP, kind: kind === 'role' ? 'Role' : 'ClusterRole', name: role },
    ...(subjects.length === 0 ? {} : { subjects: subjects.map(readSubject) }),
  };
}

function readSubject(text: string): Subject {
  const equals = text.indexOf('=');
  const kind = text.slice(0, equals);
  const rest = text.slice(equals + 1);
  if (kind === 'ServiceAccount') {
    const { name, namespace = '' } = readPlace(rest);
    return { kind, name, namespace };
  }
  return { apiGroup: GROUP, kind, name: rest };
}

const controllerBinding = (name: string): ClusterRoleBinding => ({
  apiVersion: API_VERSION,
  kind: 'ClusterRoleBinding',
  metadata: metadata(name, undefined),
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
  subjects: [{ kind: 'ServiceAccount', name: name.slice(CONTROLLER.length), namespace: 'kube-system' }],
});
