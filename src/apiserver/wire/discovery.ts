/**
 * Discovery documents, legacy (one request a group) and aggregated (one request in all), from the registry.
 */
import { createHash } from 'node:crypto';
import type { KindDefinition } from '../../core/api/kind/kind-definition.ts';
import type { GroupVersions, Registry } from '../../core/api/registry/registry.ts';
import { apiVersionOf } from '../../core/kube/objects.ts';

/** `/api/v1` and `/apis/{group}/{version}`: APIResourceList, or undefined where there is no such version. */
export function resourceList(source: Registry, group: string, version: string): object | undefined {
  if (!source.hasGroupVersion(group, version)) return undefined;
  const kinds = source.inGroupVersion(group, version);
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: kinds.flatMap(legacyResources).sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function legacyResources(kind: KindDefinition): { name: string }[] {
  return [
    {
      name: kind.resource,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.verbs,
      ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
      ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
      ...(kind.verbs.includes('get') ? { storageVersionHash: storageVersionHash(kind) } : {}),
    },
    ...kind.subresources.map((sub) => ({
      name: `${kind.resource}/${sub.name}`,
      singularName: '',
      namespaced: kind.namespaced,
      ...(sub.kind === undefined ? {} : { group: sub.kind.group, version: sub.kind.version }),
      kind: sub.kind?.kind ?? kind.kind,
      verbs: sub.verbs,
    })),
  ];
}

/** Opaque to clients, and the same for all versions of a kind; changes when the stored form does. */
const storageVersionHash = ({ storage }: KindDefinition): string =>
  createHash('sha256')
    .update(`${storage.group}/${storage.version}/${storage.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');

const groupDocument = ({ group, versions }: GroupVersions): object => {
  const listed = versions.map((version) => ({ groupVersion: apiVersionOf({ group, version }), version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
};

/** `/apis`: APIGroupList. The core group is not in it; it has `/api`. */
export const groupList = (source: Registry): object => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: source
    .groups()
    .filter((g) => g.group !== '')
    .map(groupDocument),
});

/** `/apis/{group}`: APIGroup, or undefined where there is no such group. */
export function groupOf(source: Registry, group: string): object | undefined {
  const found = source.groups().find((g) => g.group === group && group !== '');
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(found) };
}

/** `/api`: APIVersions. */
export const coreVersions = (serverAddress: string): object => ({
  kind: 'APIVersions',
  versions: ['v1'],
  serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
});

/** `/api` and `/apis` as APIGroupDiscoveryList: everything at once. */
export function aggregated(source: Registry, part: 'core' | 'groups'): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: source
      .groups()
      .filter((g) => (g.group === '') === (part === 'core'))
      .map(({ group, versions }) => ({
        metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
        versions: versions.map((version) => ({
          version,
          freshness: 'Current',
          resources: source
            .inGroupVersion(group, version)
            .map(aggregatedResource)
            .sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        })),
      })),
  };
}

function aggregatedResource(kind: KindDefinition): { resource: string } {
  const ownKind = { group: kind.group, version: kind.version, kind: kind.kind };
  return {
    resource: kind.resource,
    responseKind: ownKind,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: kind.singular,
    verbs: kind.verbs,
    ...(kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(kind.subresources.length === 0
      ? {}
      : {
          subresources: kind.subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: sub.kind ?? ownKind,
            verbs: sub.verbs,
          })),
        }),
  } as { resource: string };
}
