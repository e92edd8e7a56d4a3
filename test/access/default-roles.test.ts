/** Who may do what: every default role, every verb, every resource and subresource, against what Kubernetes answers. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileRules } from '../../src/apiserver/access/rbac/rules.ts';
import { ensureDefaultAccess } from '../../src/apiserver/access/default-roles/reconcile.ts';
import { AUTO_UPDATE, readDefaultAccess } from '../../src/apiserver/access/default-roles/read-roles.ts';
import { createTestServer } from '../../src/apiserver/testing/test-server.ts';
import { gatheredRules } from '../../src/control/housekeeping/access/cluster-role-aggregation.ts';
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../src/core/api/registry/resources.ts';
import type { ClusterRole } from '../../src/core/api/types/rbac-v1.ts';
import type { Stored } from '../../src/core/kube/objects.ts';

interface Golden {
  readonly verbs: readonly string[];
  readonly pathVerbs: readonly string[];
  readonly paths: readonly string[];
  readonly namedResources: readonly string[];
  readonly names: readonly string[];
  readonly resources: readonly string[];
  /** Role → verbs → what they may be done to. */
  readonly roles: { readonly [role: string]: { readonly [verbs: string]: string } };
}
const golden = JSON.parse(
  readFileSync(new URL('./golden/default-roles.json', import.meta.url), 'utf8'),
) as unknown as Golden;

/** Every role with its rules, those that gather others filled in. */
function completeRoles(): ReadonlyMap<string, ClusterRole> {
  const roles = new Map(readDefaultAccess().clusterRoles.map((role) => [role.metadata.name, role]));
  for (let round = 0; round < 3; round++) {
    for (const [name, role] of roles) {
      if (role.aggregationRule === undefined) continue;
      roles.set(name, { ...role, rules: gatheredRules(role, roles.values() as Iterable<Stored<ClusterRole>>) });
    }
  }
  return roles;
}

function expectedOf(role: string): ReadonlyMap<string, ReadonlySet<string>> | 'everything' {
  const table = golden.roles[role] ?? {};
  if (table['*'] !== undefined) return 'everything';
  const expected = new Map<string, Set<string>>();
  for (const [verbs, things] of Object.entries(table)) {
    for (const thing of things.split(' ')) {
      const known = expected.get(thing) ?? new Set();
      for (const verb of verbs.split(',')) known.add(verb);
      expected.set(thing, known);
    }
  }
  return expected;
}

const things = golden.resources.flatMap((id) => {
  const [resource = ''] = id.slice(id.indexOf(':') + 1).split('/');
  return golden.namedResources.includes(resource) ? [id, ...golden.names.map((name) => `${id}=${name}`)] : [id];
});

function questionOf(thing: string) {
  const equals = thing.indexOf('=');
  const id = equals < 0 ? thing : thing.slice(0, equals);
  const colon = id.indexOf(':');
  const [resource = '', ...rest] = id.slice(colon + 1).split('/');
  return {
    group: colon < 0 ? '' : id.slice(0, colon),
    resource,
    subresource: rest.join('/'),
    name: equals < 0 ? '' : thing.slice(equals + 1),
  };
}

describe('the default roles', () => {
  const roles = completeRoles();

  it('are those of Kubernetes', () => {
    expect([...roles.keys()].sort()).toEqual(Object.keys(golden.roles).sort());
  });

  it.each(Object.keys(golden.roles))('%s allows what it allows in Kubernetes, and nothing else', (name) => {
    const rules = compileRules(roles.get(name)?.rules ?? []);
    const expected = expectedOf(name);
    const wrong: string[] = [];
    const compare = (thing: string, verb: string, allowed: boolean): void => {
      const should = expected === 'everything' || (expected.get(thing)?.has(verb) ?? false);
      if (should !== allowed) wrong.push(`${verb} ${thing}: ${String(allowed)}`);
    };
    for (const thing of things) {
      const question = questionOf(thing);
      for (const verb of golden.verbs) compare(thing, verb, rules.allowsResource({ verb, ...question }));
    }
    for (const path of golden.paths) {
      for (const verb of golden.pathVerbs) compare(path, verb, rules.allowsPath(verb, path));
    }
    expect(wrong).toEqual([]);
  });
});

describe('at each start', () => {
  it('what is missing is added, what people added stays, and what they protected is left alone', async () => {
    const { client, store } = await createTestServer({ defaultRoles: true });
    const before = store.revision;
    await ensureDefaultAccess(client);
    expect(store.revision).toBe(before);

    const view = await client.get(CLUSTER_ROLES, { name: 'system:discovery' });
    const own = { verbs: ['get'], nonResourceURLs: ['/mine'] };
    await client.update(CLUSTER_ROLES, {
      ...view,
      metadata: { ...view.metadata, labels: { mine: 'x' } },
      rules: [own, { verbs: ['get'], nonResourceURLs: ['/api', '/apis*'] }],
    });
    const basic = await client.get(CLUSTER_ROLES, { name: 'system:basic-user' });
    const protectedMeta = { ...basic.metadata, annotations: { [AUTO_UPDATE]: 'false' } };
    await client.update(CLUSTER_ROLES, { ...basic, metadata: protectedMeta, rules: [] });
    await client.delete(CLUSTER_ROLES, { name: 'view' });
    await client.delete(CLUSTER_ROLE_BINDINGS, { name: 'system:discovery' });
    const scheduler = { namespace: 'kube-system', name: 'system::leader-locking-kube-scheduler' };
    const locking = await client.get(ROLE_BINDINGS, scheduler);
    const jane = { kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' };
    await client.update(ROLE_BINDINGS, { ...locking, subjects: [jane] });
    await client.delete(CLUSTER_ROLE_BINDINGS, { name: 'system:basic-user' });
    await client.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:basic-user' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [jane],
    });

    await ensureDefaultAccess(client);
    const discovery = await client.get(CLUSTER_ROLES, { name: 'system:discovery' });
    expect(discovery.metadata.labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults', mine: 'x' });
    const rules = compileRules(discovery.rules ?? []);
    expect(['/mine', '/api', '/api/v1', '/apis/x', '/openapi/v2'].every((path) => rules.allowsPath('get', path))).toBe(
      true,
    );
    expect((await client.get(CLUSTER_ROLES, { name: 'system:basic-user' })).rules).toEqual([]);
    expect((await client.get(CLUSTER_ROLES, { name: 'view' })).aggregationRule).toBeDefined();
    expect((await client.get(ROLE_BINDINGS, scheduler)).subjects).toHaveLength(3);
    // A binding cannot be turned to another role, so it is made anew: nobody keeps what it gave them.
    const bound = await client.get(CLUSTER_ROLE_BINDINGS, { name: 'system:basic-user' });
    expect([bound.roleRef.name, bound.subjects]).toEqual([
      'system:basic-user',
      [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
    ]);
    expect((await client.list(ROLES)).items).toHaveLength(7);
  });
});
