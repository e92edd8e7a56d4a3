import { describe, expect, it } from 'vitest';
import { createRegistry } from '../../core/api/registry/registry.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';

const registry = createRegistry();
type Listed = { readonly resources: readonly { readonly name: string; readonly storageVersionHash?: string }[] };

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

describe('legacy discovery', () => {
  it('has these fields for a kind and for a subresource, and no others', () => {
    const { resources } = resourceList(registry, '', 'v1') as Listed;
    expect(resources.find((r) => r.name === 'pods')).toEqual({
      name: 'pods',
      singularName: 'pod',
      namespaced: true,
      kind: 'Pod',
      verbs: ALL_VERBS,
      shortNames: ['po'],
      categories: ['all'],
      storageVersionHash: 'xPOwRZ+Yhw8=',
    });
    expect(resources.find((r) => r.name === 'pods/binding')).toEqual({
      name: 'pods/binding',
      singularName: '',
      namespaced: true,
      group: '',
      version: 'v1',
      kind: 'Binding',
      verbs: ['create'],
    });
  });

  it('has these fields for lists, groups and versions, and no others', () => {
    const { resources: _, ...list } = resourceList(registry, 'apps', 'v1') as Listed;
    expect(list).toEqual({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'apps/v1' });
    const version = { groupVersion: 'apps/v1', version: 'v1' };
    const apps = { name: 'apps', versions: [version], preferredVersion: version };
    expect(groupOf(registry, 'apps')).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...apps });
    const { groups, ...rest } = groupList(registry) as { readonly groups: readonly { readonly name: string }[] };
    expect(rest).toEqual({ kind: 'APIGroupList', apiVersion: 'v1' });
    expect(groups.find(({ name }) => name === 'apps')).toEqual(apps);
    expect(coreVersions('127.0.0.1:1')).toEqual({
      kind: 'APIVersions',
      versions: ['v1'],
      serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:1' }],
    });
  });

  it('gives every kind a singular name', () => {
    for (const kind of registry.all()) {
      const { resources } = resourceList(registry, kind.group, kind.version) as Listed;
      const listed = resources.find((r) => r.name === kind.resource);
      expect(listed, kind.resource).toMatchObject({ singularName: kind.kind.toLowerCase() });
    }
  });

  it('lists the core group, its subresources and short names', () => {
    const { resources } = resourceList(registry, '', 'v1') as Listed;
    expect(resources.find((r) => r.name === 'pods')).toMatchObject({
      kind: 'Pod',
      namespaced: true,
      shortNames: ['po'],
      categories: ['all'],
    });
    expect(resources.find((r) => r.name === 'pods/binding')).toMatchObject({ kind: 'Binding', verbs: ['create'] });
    expect(resources.map((r) => r.name)).toEqual(resources.map((r) => r.name).toSorted());
  });

  it('tells by a hash in which form objects are kept, the same for every version of a kind', () => {
    const hashOf = (group: string, version: string, name: string): unknown =>
      (resourceList(registry, group, version) as Listed).resources.find((r) => r.name === name)?.storageVersionHash;
    expect(hashOf('', 'v1', 'pods')).toBe('xPOwRZ+Yhw8=');
    expect(hashOf('apps', 'v1', 'daemonsets')).toBe('dd7pWHUlMKQ=');
    expect(hashOf('autoscaling', 'v1', 'horizontalpodautoscalers')).toBe('qwQve8ut294=');
    expect(hashOf('autoscaling', 'v2', 'horizontalpodautoscalers')).toBe('qwQve8ut294=');
    expect(hashOf('', 'v1', 'pods/status')).toBeUndefined();
  });

  it('knows groups and only those it has', () => {
    expect(groupOf(registry, 'apps')).toMatchObject({
      name: 'apps',
      preferredVersion: { groupVersion: 'apps/v1', version: 'v1' },
    });
    expect(groupOf(registry, 'nothing')).toBeUndefined();
    expect(resourceList(registry, 'apps', 'v9')).toBeUndefined();
    expect((groupList(registry) as { groups: { name: string }[] }).groups.map((g) => g.name)).toContain('apps');
  });
});

describe('aggregated discovery', () => {
  it('has these fields for a kind, and no others', () => {
    const { items } = aggregated(registry, 'groups') as {
      items: { metadata: { name: string }; versions: { resources: { resource: string }[] }[] }[];
    };
    const apps = items.find((group) => group.metadata.name === 'apps');
    const responseKind = { group: 'apps', version: 'v1', kind: 'DaemonSet' };
    expect(apps?.versions[0]?.resources.find(({ resource }) => resource === 'daemonsets')).toEqual({
      resource: 'daemonsets',
      responseKind,
      scope: 'Namespaced',
      singularResource: 'daemonset',
      verbs: ALL_VERBS,
      shortNames: ['ds'],
      categories: ['all'],
      subresources: [{ subresource: 'status', responseKind, verbs: ['get', 'patch', 'update'] }],
    });
  });

  it.each([
    ['core', {}],
    ['groups', { name: 'apps' }],
  ] as const)('has these fields for lists, groups and versions of %s, and no others', (part, named) => {
    const { items, ...list } = aggregated(registry, part) as {
      items: { metadata: { name?: string }; versions: { resources: unknown[] }[] }[];
    };
    expect(list).toEqual({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {} });
    const group = items.find(({ metadata }) => part === 'core' || metadata.name === 'apps');
    const resources = expect.any(Array) as unknown;
    expect(group).toStrictEqual({
      metadata: { ...named, creationTimestamp: null },
      versions: [{ version: 'v1', freshness: 'Current', resources }],
    });
  });

  it('says everything in two documents', () => {
    const core = aggregated(registry, 'core') as {
      items: { versions: { version: string; resources: { resource: string }[] }[] }[];
    };
    expect(core.items).toHaveLength(1);
    expect(core.items[0]?.versions[0]?.resources.map((r) => r.resource)).toContain('nodes');
    const groups = aggregated(registry, 'groups') as { items: { metadata: { name: string } }[] };
    expect(groups.items.map((g) => g.metadata.name)).toContain('apps');
  });
});
