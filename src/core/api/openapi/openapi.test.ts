import { describe, expect, it } from 'vitest';
import { createRegistry } from '../registry/registry.ts';
import { documentV2, documentV3, indexV3 } from './documents.ts';
import { encodeOpenApiV2 } from './protobuf.ts';

const registry = createRegistry();
const INFO = { title: 'test', version: 'v0' };
const v2 = documentV2(registry, INFO);

/** Every reference in a document. */
function referencesOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, part] of Object.entries(value)) {
    if (key === '$ref' && typeof part === 'string') found.add(part);
    else referencesOf(part, found);
  }
  return found;
}

describe('OpenAPI 2', () => {
  const definitions = v2.definitions ?? {};

  it('refers only to what it defines', () => {
    const missing = [...referencesOf(v2)].filter(
      (name) => definitions[name.replace('#/definitions/', '')] === undefined,
    );
    expect(missing).toEqual([]);
  });

  it('calls each operation by a name of its own, the one that generated clients know', () => {
    type Paths = { readonly [path: string]: { readonly [method: string]: { readonly operationId: string } } };
    const paths = v2.paths as unknown as Paths;
    const names = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(new Set(names).size).toBe(names.length);
    const deployments = '/apis/apps/v1/namespaces/{namespace}/deployments';
    const named = (path: string): object =>
      Object.fromEntries(Object.entries(paths[path] ?? {}).map(([method, { operationId }]) => [method, operationId]));
    expect(named(deployments)).toEqual({
      get: 'listAppsV1NamespacedDeployment',
      post: 'createAppsV1NamespacedDeployment',
      delete: 'deleteAppsV1CollectionNamespacedDeployment',
    });
    expect(named(`${deployments}/{name}`)).toEqual({
      get: 'readAppsV1NamespacedDeployment',
      put: 'replaceAppsV1NamespacedDeployment',
      patch: 'patchAppsV1NamespacedDeployment',
      delete: 'deleteAppsV1NamespacedDeployment',
    });
    expect(named('/apis/apps/v1/deployments')).toEqual({ get: 'listAppsV1DeploymentForAllNamespaces' });
    expect(named('/apis/rbac.authorization.k8s.io/v1/clusterroles')).toMatchObject({
      get: 'listRbacAuthorizationV1ClusterRole',
    });
    expect(paths['/api/v1/namespaces/{namespace}/pods']?.['post']).toMatchObject({ 'x-kubernetes-action': 'post' });
    // Reviews can only be created, so a single review has no path.
    expect(paths['/apis/authorization.k8s.io/v1/subjectaccessreviews/{name}']).toBeUndefined();
  });

  it('says what the fields mean that all objects share', () => {
    const fields = Object.entries(definitions['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta']?.properties ?? {});
    expect(fields.length).toBeGreaterThan(10);
    expect(fields.filter(([, { description, $ref }]) => description === undefined || $ref !== undefined)).toEqual([]);
  });

  it('says which kind a definition is, and how lists merge', () => {
    const pod = definitions['io.k8s.api.core.v1.Pod'];
    expect(pod?.['x-kubernetes-group-version-kind']).toEqual([{ group: '', kind: 'Pod', version: 'v1' }]);
    const containers = definitions['io.k8s.api.core.v1.PodSpec']?.properties?.['containers'];
    expect(containers).toMatchObject({
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-list-map-keys': ['name'],
    });
    expect(definitions['io.k8s.api.core.v1.PodSpec']?.required).toEqual(['containers']);
  });
});

describe('OpenAPI 3', () => {
  it('has a document for every version in its index', () => {
    const { paths } = indexV3(registry, 'r1') as { paths: { [path: string]: { serverRelativeURL: string } } };
    expect(paths['apis/apps/v1']?.serverRelativeURL).toBe('/openapi/v3/apis/apps/v1?hash=r1');
    for (const path of Object.keys(paths)) {
      const document = documentV3(registry, path, INFO);
      const schemas = document?.components?.schemas ?? {};
      const missing = [...referencesOf(document)].filter(
        (name) => schemas[name.replace('#/components/schemas/', '')] === undefined,
      );
      expect([path, missing]).toEqual([path, []]);
    }
  });

  it('has none for what nobody serves', () => {
    for (const path of ['apis/nope/v1', 'api/v2', 'apis/apps', '__proto__', 'apis/apps/v1/more']) {
      expect(documentV3(registry, path, INFO)).toBeUndefined();
    }
  });
});

/** The length-delimited fields of a protobuf message, by number. */
function fieldsOf(bytes: Buffer): ReadonlyMap<number, readonly Buffer[]> {
  const fields = new Map<number, Buffer[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const length = varint();
    if ((tag & 7) !== 2) continue;
    const list = fields.get(tag >> 3) ?? [];
    list.push(bytes.subarray(at, at + length));
    fields.set(tag >> 3, list);
    at += length;
  }
  return fields;
}

describe('OpenAPI 2 as protobuf', () => {
  const document = fieldsOf(encodeOpenApiV2(v2));
  const within = (bytes: Buffer | undefined, ...numbers: readonly number[]): readonly Buffer[] => {
    let found = bytes === undefined ? [] : [bytes];
    for (const number of numbers) found = found.flatMap((each) => [...(fieldsOf(each).get(number) ?? [])]);
    return found;
  };
  const textOf = (bytes: Buffer | undefined): string => (bytes ?? Buffer.alloc(0)).toString('utf8');

  it('names every definition', () => {
    const names = within(document.get(9)?.[0], 1, 1).map(textOf);
    expect(names).toEqual(Object.keys(v2.definitions ?? {}));
  });

  it('says of every patch which kind it is for, and that it can be tried dry', () => {
    const paths = within(document.get(8)?.[0], 2);
    expect(paths.length).toBe(Object.values(v2.paths).filter((item) => 'patch' in item).length);
    const pods = paths.find((path) => textOf(within(path, 1)[0]) === '/api/v1/namespaces/{namespace}/pods/{name}');
    expect(within(pods, 2, 8, 8, 1, 2, 3, 4).map(textOf)).toContain('dryRun');
    const extensions = within(pods, 2, 8, 13).map((each) => [
      textOf(within(each, 1)[0]),
      textOf(within(each, 2, 2)[0]),
    ]);
    expect(Object.fromEntries(extensions)['x-kubernetes-group-version-kind']).toBe(
      '{"group":"","kind":"Pod","version":"v1"}\n',
    );
  });
});
