import { describe, expect, it } from 'vitest';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../../core/api/registry/resources.ts';
import type { ClusterRole, PolicyRule } from '../../../core/api/types/rbac-v1.ts';
import type { Client } from '../../../machinery/client/client.ts';
import { createInProcessClient } from '../../inprocess/in-process-client.ts';
import { failure } from '../../testing/samples.ts';
import { createTestServer } from '../../testing/test-server.ts';
import { certificateUser } from '../../contract/users.ts';

const API = 'rbac.authorization.k8s.io';
const meta = (name: string, namespace?: string) => (namespace === undefined ? { name } : { name, namespace });
const role = (name: string, rules: readonly PolicyRule[]) => ({
  apiVersion: `${API}/v1`,
  kind: 'Role',
  metadata: meta(name, 'default'),
  rules,
});
const clusterRole = (name: string, rules: readonly PolicyRule[], more: Partial<ClusterRole> = {}): ClusterRole => ({
  apiVersion: `${API}/v1`,
  kind: 'ClusterRole',
  metadata: { name },
  rules,
  ...more,
});
const roleBinding = (name: string, kind: string, roleName: string, user = 'jane', namespace = 'default') => ({
  apiVersion: `${API}/v1`,
  kind: 'RoleBinding',
  metadata: meta(name, namespace),
  roleRef: { apiGroup: API, kind, name: roleName },
  subjects: [{ kind: 'User', name: user, apiGroup: API }],
});
const clusterBinding = (name: string, roleName: string, user = 'jane') => ({
  apiVersion: `${API}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: API, kind: 'ClusterRole', name: roleName },
  subjects: [{ kind: 'User', name: user, apiGroup: API }],
});
const rule = (verbs: string, what: string, ...resourceNames: string[]): PolicyRule => {
  const [group = '', resources = ''] = what.split(':');
  return {
    verbs: verbs.split(','),
    apiGroups: [group],
    resources: resources.split(','),
    ...(resourceNames.length === 0 ? {} : { resourceNames }),
  };
};
const WRITE = rule('create,update,patch,get', `${API}:roles,rolebindings,clusterroles,clusterrolebindings`);
const PODS = rule('get,list', ':pods');

/** Jane, who may write roles and bindings everywhere, and holds the given rules besides. */
async function world(...held: PolicyRule[]): Promise<{ readonly admin: Client; readonly jane: Client }> {
  const { client, server } = await createTestServer();
  await client.create(CLUSTER_ROLES, clusterRole('jane', [WRITE, ...held]));
  await client.create(CLUSTER_ROLE_BINDINGS, clusterBinding('jane', 'jane'));
  return { admin: client, jane: createInProcessClient(server, { user: certificateUser('jane', ['devs']) }) };
}

describe('who writes a role', () => {
  it('needs every permission in it', async () => {
    const { jane } = await world(PODS);
    await jane.create(ROLES, role('fine', [rule('get', ':pods', 'a')]));
    const error = await failure(jane.create(ROLES, role('more', [rule('get,delete,list', ':pods,secrets')])));
    expect([error.code, error.reason]).toEqual([403, 'Forbidden']);
    expect(error.message).toBe(
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "list"]}',
    );
    expect(error.status.details).toMatchObject({ name: 'more', group: API, kind: 'roles' });
  });

  it('cannot widen one by update, patch or apply either', async () => {
    const { admin, jane } = await world(PODS);
    const fine = await jane.create(CLUSTER_ROLES, clusterRole('r', [PODS]));
    const wide = [rule('*', '*:*')];
    const attempts = [
      jane.update(CLUSTER_ROLES, { ...fine, rules: wide }),
      jane.patch(CLUSTER_ROLES, { name: 'r' }, { type: 'merge', body: { rules: wide } as never }),
      jane.patch(
        CLUSTER_ROLES,
        { name: 'r' },
        { type: 'json', body: [{ op: 'add', path: '/rules/-', value: wide[0] as never }] },
      ),
      // A PUT of a role that does not exist creates it.
      jane.update(CLUSTER_ROLES, clusterRole('fresh', wide)),
    ];
    for (const attempt of attempts) expect((await failure(attempt)).message).toContain('not currently held');
    expect((await admin.get(CLUSTER_ROLES, { name: 'r' })).rules).toEqual([PODS]);
    await jane.update(CLUSTER_ROLES, { ...fine, rules: [rule('list', ':pods')] });
  });

  it('may leave as it is what they could not grant', async () => {
    const { admin, jane } = await world();
    const strong = await admin.create(CLUSTER_ROLES, clusterRole('strong', [rule('*', '*:*')]));
    const { metadata } = strong;
    const kept = { ...strong, metadata: { ...metadata, finalizers: ['example.com/keep'] } };
    await jane.update(CLUSTER_ROLES, kept);
    const labelled = { ...strong, metadata: { ...metadata, resourceVersion: '', labels: { a: 'b' } } };
    // A label may carry the role's rules into a role that aggregates others.
    expect((await failure(jane.update(CLUSTER_ROLES, labelled))).code).toBe(403);
  });

  it('may grant anything with the verb escalate, on the names it was given for', async () => {
    const everything = [rule('*', '*:*')];
    const { jane } = await world(rule('escalate', `${API}:clusterroles`));
    await jane.create(CLUSTER_ROLES, clusterRole('r', everything));
    expect((await failure(jane.create(ROLES, role('r', everything)))).code).toBe(403);
    const named = await world(rule('escalate', `${API}:clusterroles`, 'only'));
    await named.admin.create(CLUSTER_ROLES, clusterRole('only', []));
    await named.jane.update(CLUSTER_ROLES, clusterRole('only', everything));
    expect((await failure(named.jane.create(CLUSTER_ROLES, clusterRole('other', everything)))).code).toBe(403);
  });

  it('gathers other roles only with everything in hand', async () => {
    const gathering = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } };
    const { admin, jane } = await world(PODS);
    const error = await failure(jane.create(CLUSTER_ROLES, clusterRole('g', [], gathering)));
    expect(error.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "g" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    const made = await admin.create(CLUSTER_ROLES, clusterRole('g', [], gathering));
    const { aggregationRule: _, ...without } = made;
    expect((await failure(jane.update(CLUSTER_ROLES, without))).message).toContain('must have cluster-admin');
    const strong = await world(rule('*', '*:*'), { verbs: ['*'], nonResourceURLs: ['*'] });
    await strong.jane.create(CLUSTER_ROLES, clusterRole('g', [], gathering));
  });

  it('is not helped by a role of a million permissions', async () => {
    const { jane } = await world(PODS);
    const many = Array.from({ length: 300 }, (_, at) => `r${at}`);
    const huge = clusterRole('huge', [{ verbs: many, apiGroups: many, resources: many }]);
    expect((await failure(jane.create(CLUSTER_ROLES, huge))).message).toContain('more than can be compared');
  });
});

describe('who writes a binding', () => {
  it('needs every permission of the role', async () => {
    const { admin, jane } = await world(PODS);
    await admin.create(CLUSTER_ROLES, clusterRole('weak', [PODS]));
    await admin.create(CLUSTER_ROLES, clusterRole('strong', [rule('get', ':secrets')]));
    await jane.create(ROLE_BINDINGS, roleBinding('a', 'ClusterRole', 'weak', 'bob'));
    await jane.create(CLUSTER_ROLE_BINDINGS, clusterBinding('a', 'weak', 'bob'));
    for (const attempt of [
      jane.create(ROLE_BINDINGS, roleBinding('b', 'ClusterRole', 'strong')),
      jane.create(CLUSTER_ROLE_BINDINGS, clusterBinding('b', 'strong')),
    ]) {
      expect((await failure(attempt)).message).toContain(
        'not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
      );
    }
  });

  it('counts what they hold in the namespace, and only there', async () => {
    const { admin, jane } = await world();
    await admin.create(CLUSTER_ROLES, clusterRole('pods', [PODS]));
    await admin.create(ROLE_BINDINGS, roleBinding('jane', 'ClusterRole', 'pods'));
    await jane.create(ROLE_BINDINGS, roleBinding('here', 'ClusterRole', 'pods', 'bob'));
    const elsewhere = roleBinding('there', 'ClusterRole', 'pods', 'bob', 'kube-system');
    expect((await failure(jane.create(ROLE_BINDINGS, elsewhere))).code).toBe(403);
    expect((await failure(jane.create(CLUSTER_ROLE_BINDINGS, clusterBinding('all', 'pods', 'bob')))).code).toBe(403);
  });

  it('may bind what the verb bind allows, by name', async () => {
    const { admin, jane } = await world(rule('bind', `${API}:clusterroles`, 'strong'));
    await admin.create(CLUSTER_ROLES, clusterRole('strong', [rule('*', '*:*')]));
    await admin.create(CLUSTER_ROLES, clusterRole('other', [rule('*', '*:*')]));
    await jane.create(ROLE_BINDINGS, roleBinding('a', 'ClusterRole', 'strong', 'bob'));
    expect((await failure(jane.create(ROLE_BINDINGS, roleBinding('b', 'ClusterRole', 'other', 'bob')))).code).toBe(403);
  });

  it('cannot turn it to another role, nor bind one that is not there', async () => {
    const { admin, jane } = await world(PODS);
    await admin.create(CLUSTER_ROLES, clusterRole('weak', [PODS]));
    await admin.create(CLUSTER_ROLES, clusterRole('strong', [rule('*', '*:*')]));
    const bound = await jane.create(CLUSTER_ROLE_BINDINGS, clusterBinding('a', 'weak'));
    const turned = { ...bound, roleRef: { ...bound.roleRef, name: 'strong' } };
    expect((await failure(jane.update(CLUSTER_ROLE_BINDINGS, turned))).code).toBe(403);
    const error = await failure(admin.update(CLUSTER_ROLE_BINDINGS, turned));
    expect([error.code, error.message]).toEqual([422, expect.stringContaining('cannot change roleRef')]);
    const missing = await failure(jane.create(ROLE_BINDINGS, roleBinding('m', 'Role', 'none')));
    expect([missing.code, missing.message]).toEqual([404, 'role.rbac.authorization.k8s.io "none" not found']);
  });

  it('cannot add themselves to a binding of more than they hold', async () => {
    const { admin, jane } = await world();
    await admin.create(CLUSTER_ROLES, clusterRole('strong', [rule('*', '*:*')]));
    const bound = await admin.create(CLUSTER_ROLE_BINDINGS, clusterBinding('strong', 'strong', 'root'));
    const added = { ...bound, subjects: [...(bound.subjects ?? []), { kind: 'User', name: 'jane', apiGroup: API }] };
    expect((await failure(jane.update(CLUSTER_ROLE_BINDINGS, added))).code).toBe(403);
  });

  it('is told what could not be looked up', async () => {
    const { admin, jane } = await world();
    await admin.create(CLUSTER_ROLES, clusterRole('strong', [PODS]));
    await admin.create(ROLE_BINDINGS, roleBinding('dangling', 'Role', 'gone'));
    const error = await failure(jane.create(ROLE_BINDINGS, roleBinding('a', 'ClusterRole', 'strong')));
    expect(error.message).toMatch(/; resolution errors: \[role\.rbac\.authorization\.k8s\.io "gone" not found\]$/);
  });
});

describe('masters', () => {
  it('grant what they like; those of a tenant within it', async () => {
    const { client, server } = await createTestServer();
    await client.create(CLUSTER_ROLES, clusterRole('all', [rule('*', '*:*')]));
    const guest = createInProcessClient(server, {
      user: { name: 'm', groups: ['system:masters'], tenant: 'guest' },
      tenant: 'guest',
    });
    await guest.create(CLUSTER_ROLES, clusterRole('all', [rule('*', '*:*')]));
    expect((await failure(guest.create(CLUSTER_ROLES, clusterRole('x', []), { tenant: 'system' }))).code).toBe(403);
  });
});
