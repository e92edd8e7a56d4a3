import { describe, expect, it } from 'vitest';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  NAMESPACES,
  PODS,
  ROLE_BINDINGS,
  ROLES,
} from '../../../core/api/registry/resources.ts';
import type { PolicyRule, Subject } from '../../../core/api/types/rbac-v1.ts';
import type { UserInfo } from '../../../machinery/ports/admission.ts';
import { createInProcessClient } from '../../inprocess/in-process-client.ts';
import { configMap, failure } from '../../testing/samples.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { certificateUser, serviceAccountUser } from '../../contract/users.ts';

const API = 'rbac.authorization.k8s.io';
const READ: PolicyRule = { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] };
export const role = (name: string, namespace: string, rules: readonly PolicyRule[]) => ({
  apiVersion: `${API}/v1`,
  kind: 'Role',
  metadata: { name, namespace },
  rules,
});
const clusterRole = (name: string, rules: readonly PolicyRule[]) => ({
  apiVersion: `${API}/v1`,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
});
const subject = (text: string): Subject => {
  const [kind = '', name = '', namespace] = text.split(' ');
  return { kind, name, ...(namespace === undefined ? {} : { namespace }) };
};
const binding = (name: string, namespace: string, kind: string, roleName: string, ...subjects: string[]) => ({
  apiVersion: `${API}/v1`,
  kind: 'RoleBinding',
  metadata: { name, namespace },
  roleRef: { apiGroup: API, kind, name: roleName },
  subjects: subjects.map(subject),
});
const clusterBinding = (name: string, roleName: string, ...subjects: string[]) => ({
  apiVersion: `${API}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: API, kind: 'ClusterRole', name: roleName },
  subjects: subjects.map(subject),
});

const JANE = certificateUser('jane', ['devs']);
const BOB = certificateUser('bob', []);
const ROBOT = serviceAccountUser('default', 'robot', 'u');
const ask = ({ server }: TestServer, user: UserInfo, verb: string, resource: string, namespace = '', name = '') =>
  server.authorizer.authorize({
    user,
    verb,
    tenant: 'system',
    group: '',
    version: 'v1',
    resource,
    subresource: '',
    namespace,
    name,
  });
const may = (...args: Parameters<typeof ask>): boolean => ask(...args).allowed;

describe('roles and bindings', () => {
  it('reach users, groups and service accounts, in their namespace or everywhere', async () => {
    const world = await createTestServer();
    const { client } = world;
    await client.create(ROLES, role('r', 'default', [READ]));
    await client.create(ROLE_BINDINGS, binding('b', 'default', 'Role', 'r', 'Group devs', 'ServiceAccount robot'));
    expect([JANE, BOB, ROBOT].map((user) => may(world, user, 'get', 'configmaps', 'default', 'x'))).toEqual([
      true,
      false,
      true,
    ]);
    expect(may(world, JANE, 'get', 'configmaps', 'kube-system', 'x')).toBe(false);
    expect(may(world, JANE, 'list', 'configmaps')).toBe(false);
    await client.create(CLUSTER_ROLES, clusterRole('c', [READ]));
    await client.create(ROLE_BINDINGS, binding('c', 'kube-system', 'ClusterRole', 'c', 'User bob'));
    expect([may(world, BOB, 'list', 'configmaps', 'kube-system'), may(world, BOB, 'list', 'configmaps')]).toEqual([
      true,
      false,
    ]);
    await client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('c', 'c', 'User bob'));
    expect([may(world, BOB, 'list', 'configmaps', 'elsewhere'), may(world, BOB, 'list', 'configmaps')]).toEqual([
      true,
      true,
    ]);
  });

  it('hold from the moment they are answered until the moment they are gone', async () => {
    const world = await createTestServer();
    const { client } = world;
    const reads = (): boolean => may(world, JANE, 'get', 'configmaps', 'default', 'x');
    expect(reads()).toBe(false);
    await client.create(ROLE_BINDINGS, binding('b', 'default', 'Role', 'r', 'User jane'));
    expect(ask(world, JANE, 'get', 'configmaps', 'default')).toEqual({
      allowed: false,
      reason: 'RBAC: role.rbac.authorization.k8s.io "r" not found',
    });
    await client.create(ROLES, role('r', 'default', [READ]));
    expect(reads()).toBe(true);
    await client.update(ROLES, role('r', 'default', []));
    expect(reads()).toBe(false);
    await client.update(ROLES, role('r', 'default', [READ]));
    await client.update(ROLE_BINDINGS, binding('b', 'default', 'Role', 'r', 'User bob'));
    expect(reads()).toBe(false);
    await client.update(ROLE_BINDINGS, binding('b', 'default', 'Role', 'r', 'User bob', 'User jane'));
    expect(reads()).toBe(true);
    await client.delete(ROLE_BINDINGS, { namespace: 'default', name: 'b' });
    expect(reads()).toBe(false);
  });

  it('say which binding allowed it', async () => {
    const world = await createTestServer();
    await world.client.create(CLUSTER_ROLES, clusterRole('c', [READ]));
    await world.client.create(
      ROLE_BINDINGS,
      binding('b', 'default', 'ClusterRole', 'c', 'User x', 'ServiceAccount robot'),
    );
    expect(ask(world, ROBOT, 'get', 'configmaps', 'default')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "b/default" of ClusterRole "c" to ServiceAccount "robot/default"',
    });
    await world.client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('cb', 'c', 'Group devs'));
    expect(ask(world, JANE, 'get', 'configmaps')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by ClusterRoleBinding "cb" of ClusterRole "c" to Group "devs"',
    });
  });

  it('are those of the tenant alone', async () => {
    const world = await createTestServer({ defaultRoles: true });
    const { client, server } = world;
    await client.create(CLUSTER_ROLES, clusterRole('c', [READ]));
    await client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('c', 'c', 'User jane'));
    const asGuest: UserInfo = { ...JANE, tenant: 'guest' };
    const attributes = {
      verb: 'list',
      group: '',
      version: 'v1',
      resource: 'configmaps',
      subresource: '',
      namespace: '',
      name: '',
    };
    const allowed = (user: UserInfo, tenant: string) =>
      server.authorizer.authorize({ ...attributes, user, tenant }).allowed;
    expect([allowed(JANE, 'system'), allowed(JANE, 'guest')]).toEqual([true, false]);
    expect([allowed(asGuest, 'system'), allowed(asGuest, 'guest')]).toEqual([false, false]);
    await client.create(CLUSTER_ROLES, clusterRole('c', [READ]), { tenant: 'guest' });
    await client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('c', 'c', 'User jane'), { tenant: 'guest' });
    expect([allowed(asGuest, 'system'), allowed(asGuest, 'guest'), allowed(JANE, 'guest')]).toEqual([
      false,
      true,
      false,
    ]);
    const guestMaster: UserInfo = { name: 'm', groups: ['system:masters'], tenant: 'guest' };
    expect([allowed(guestMaster, 'guest'), allowed(guestMaster, 'system')]).toEqual([true, false]);
    const reads = (path: string) => server.authorizer.authorize({ user: guestMaster, verb: 'get', path }).allowed;
    const paths = ['/metrics', '/api', '/tenants/guest/api', '/tenants/other/api', '/tenants/guest/metrics'];
    expect(paths.map(reads)).toEqual([false, true, true, false, false]);
  });

  it('let one see the namespace one works in, and a single object in a list', async () => {
    const world = await createTestServer();
    const { client, server } = world;
    const named: PolicyRule = {
      verbs: ['list', 'watch'],
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['a'],
    };
    const home: PolicyRule = { verbs: ['get'], apiGroups: [''], resources: ['namespaces'] };
    await client.create(CLUSTER_ROLES, clusterRole('c', [named, home]));
    await client.create(ROLE_BINDINGS, binding('b', 'default', 'ClusterRole', 'c', 'User jane'));
    await client.create(CONFIG_MAPS, configMap('a'));
    const jane = createInProcessClient(server, { user: JANE });
    expect((await jane.get(NAMESPACES, { name: 'default' })).metadata.name).toBe('default');
    expect((await failure(jane.get(NAMESPACES, { name: 'kube-system' }))).code).toBe(403);
    const one = await jane.list(CONFIG_MAPS, { namespace: 'default', fieldSelector: 'metadata.name=a' });
    expect(one.items).toHaveLength(1);
    expect((await failure(jane.list(CONFIG_MAPS, { namespace: 'default' }))).code).toBe(403);
    const tricks = ['metadata.name!=a', 'metadata.name=b', 'metadata.name=a\\', 'metadata.namespace=a'];
    for (const fieldSelector of tricks) {
      expect((await failure(jane.list(CONFIG_MAPS, { namespace: 'default', fieldSelector }))).code).toBe(403);
    }
  });

  it('for change alone do not let one create by changing', async () => {
    const world = await createTestServer();
    const { client, server } = world;
    const change: PolicyRule = { verbs: ['update', 'patch'], apiGroups: [API], resources: ['roles'] };
    await client.create(ROLES, role('r', 'default', [change]));
    await client.create(ROLE_BINDINGS, binding('b', 'default', 'Role', 'r', 'User jane'));
    const jane = createInProcessClient(server, { user: JANE });
    const error = await failure(jane.update(ROLES, role('new', 'default', [])));
    expect(error.message).toBe(
      'roles.rbac.authorization.k8s.io "new" is forbidden: User "jane" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "default"',
    );
    await jane.update(ROLES, role('r', 'default', [change]));
  });

  it('are asked for streams and long paths as Kubernetes asks', async () => {
    const world = await createTestServer();
    const exec: PolicyRule = { verbs: ['create'], apiGroups: [''], resources: ['pods/exec', 'pods/proxy'] };
    await world.client.create(CLUSTER_ROLES, clusterRole('c', [exec]));
    await world.client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('c', 'c', 'User jane'));
    const base = { tenant: 'system', group: '', version: 'v1', resource: 'pods', namespace: 'default', name: 'p' };
    const allowed = (subresource: string, verb: string): boolean => {
      try {
        world.server.authorize({ user: JANE, target: { ...base, subresource } }, verb);
        return true;
      } catch {
        return false;
      }
    };
    expect([
      allowed('exec', 'create'),
      allowed('exec', 'get'),
      allowed('proxy/a/b', 'create'),
      allowed('log', 'get'),
    ]).toEqual([true, false, true, false]);
    expect(PODS.resource).toBe('pods');
  });
});
