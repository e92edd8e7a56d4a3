/**
 * The OpenAPI documents clients ask for: one for everything in version 2, one a group version in version 3. Paths carry
 * what clients look for in them: which kind they are about, and that `fieldValidation` and `dryRun` are understood.
 */
import type { KindDefinition } from '../kind/kind-definition.ts';
import type { Registry } from '../registry/registry.ts';
import { apiVersionOf } from '../../kube/objects.ts';
import { customDefinitionName, customDefinitions } from './custom-schemas.ts';
import { definitionName, definitionsOf, V2, V3, type Dialect, type SchemaDocument } from './schemas.ts';

export interface OpenApiDocument {
  readonly swagger?: '2.0';
  readonly openapi?: '3.0.0';
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: { readonly [path: string]: object };
  readonly definitions?: { readonly [name: string]: SchemaDocument };
  readonly components?: { readonly schemas: { readonly [name: string]: SchemaDocument } };
}

interface Info {
  readonly title: string;
  readonly version: string;
}

const gvkOf = (kind: KindDefinition): object => ({ group: kind.group, kind: kind.kind, version: kind.version });

/** `/openapi/v2` */
export function documentV2(registry: Registry, info: Info): OpenApiDocument {
  const kinds = registry.all();
  return { swagger: '2.0', info, paths: pathsOf(kinds, V2), definitions: schemasOf(kinds, V2) };
}

/** `/openapi/v3/{path}` for `api/v1` and `apis/{group}/{version}`; undefined where there is no such version. */
export function documentV3(registry: Registry, path: string, info: Info): OpenApiDocument | undefined {
  const parts = path.split('/');
  const [group, version] =
    parts[0] === 'api' && parts.length === 2
      ? ['', parts[1]]
      : parts[0] === 'apis' && parts.length === 3
        ? [parts[1], parts[2]]
        : [];
  if (group === undefined || version === undefined || !registry.hasGroupVersion(group, version)) return undefined;
  const kinds = registry.inGroupVersion(group, version);
  return { openapi: '3.0.0', info, paths: pathsOf(kinds, V3), components: { schemas: schemasOf(kinds, V3) } };
}

/** `/openapi/v3`: where each document is. `revision` makes a changed document a new address. */
export function indexV3(registry: Registry, revision: string): object {
  const paths = registry.groups().flatMap(({ group, versions }) =>
    versions.map((version) => {
      const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${revision}` }] as const;
    }),
  );
  return { paths: Object.fromEntries(paths) };
}

function schemasOf(kinds: readonly KindDefinition[], dialect: Dialect): { readonly [name: string]: SchemaDocument } {
  const custom = kinds.filter((kind) => kind.custom !== undefined);
  const bySchema = Map.groupBy(
    kinds.filter((kind) => kind.custom === undefined),
    (kind) => kind.schema,
  );
  const roots = custom.length === 0 ? bySchema.keys() : [...bySchema.keys(), ...META_TYPES];
  const builtIn = definitionsOf(roots, dialect, (typeName) => {
    const named = bySchema.get(typeName);
    return named === undefined ? {} : { 'x-kubernetes-group-version-kind': named.map(gvkOf) };
  });
  if (custom.length === 0) return builtIn;
  return { ...builtIn, ...Object.fromEntries(custom.flatMap((kind) => customDefinitions(kind, dialect))) };
}

/** Types that schemas of custom kinds refer to. */
const META_TYPES = ['meta/v1.ObjectMeta', 'meta/v1.ListMeta'];

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'];

/** A method on a path: the verb it needs, and its names in the document and in operation ids. */
interface Operation {
  readonly method: string;
  readonly verb: string;
  readonly action: string;
  readonly name: string;
}

const LIST: Operation = { method: 'get', verb: 'list', action: 'list', name: 'list' };
const ON_COLLECTION: readonly Operation[] = [
  LIST,
  { method: 'post', verb: 'create', action: 'post', name: 'create' },
  { method: 'delete', verb: 'deletecollection', action: 'deletecollection', name: 'delete' },
];
const ON_OBJECT: readonly Operation[] = [
  { method: 'get', verb: 'get', action: 'get', name: 'read' },
  { method: 'put', verb: 'update', action: 'put', name: 'replace' },
  { method: 'patch', verb: 'patch', action: 'patch', name: 'patch' },
  { method: 'delete', verb: 'delete', action: 'delete', name: 'delete' },
];

/** `rbac.authorization.k8s.io` is RbacAuthorization in the names of operations, which generated clients take over. */
const groupName = (group: string): string =>
  (group === '' ? 'core' : group.replace(/\.k8s\.io$/, '')).split(/[.-]/).map(capital).join('');
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function pathsOf(kinds: readonly KindDefinition[], dialect: Dialect): { readonly [path: string]: object } {
  const paths: [string, object][] = [];
  for (const kind of kinds) {
    const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${apiVersionOf(kind)}`;
    const base = kind.namespaced ? `${root}/namespaces/{namespace}/${kind.resource}` : `${root}/${kind.resource}`;
    const operation = operationFor(kind, dialect);
    const scope = kind.namespaced ? 'Namespaced' : '';
    const item = (operations: readonly Operation[], suffix = ''): object =>
      Object.assign({}, ...operations.map((each) => operation(each, suffix === '' ? scope : '', suffix))) as object;
    paths.push([base, item(ON_COLLECTION)], [`${base}/{name}`, item(ON_OBJECT)]);
    if (kind.namespaced) paths.push([`${root}/${kind.resource}`, item([LIST], 'ForAllNamespaces')]);
  }
  // Not every kind takes requests on all of its paths.
  return Object.fromEntries(paths.filter(([, item]) => Object.keys(item).length > 0));
}

function operationFor(kind: KindDefinition, dialect: Dialect) {
  const name =
    kind.custom === undefined ? definitionName(kind.schema) : customDefinitionName(kind.group, kind.version, kind.kind);
  const schema = { $ref: dialect.prefix + name };
  const ok =
    dialect.version === 2
      ? { description: 'OK', schema }
      : { description: 'OK', content: { 'application/json': { schema } } };
  const prefix = groupName(kind.group) + capital(kind.version);
  return (operation: Operation, scope: string, suffix: string): { readonly [method: string]: object } => {
    const { action, method, name: called, verb } = operation;
    if (!kind.verbs.includes(verb)) return {};
    const collection = verb === 'deletecollection' ? 'Collection' : '';
    const isWrite = method !== 'get' && method !== 'delete';
    const parameter = (name: string): object =>
      dialect.version === 2
        ? { name, in: 'query', type: 'string', uniqueItems: true }
        : { name, in: 'query', schema: { type: 'string', uniqueItems: true } };
    return {
      [method]: {
        operationId: `${called}${prefix}${collection}${scope}${kind.kind}${suffix}`,
        ...(isWrite ? { parameters: WRITE_PARAMETERS.map(parameter) } : {}),
        responses: { '200': ok },
        'x-kubernetes-action': action,
        'x-kubernetes-group-version-kind': gvkOf(kind),
      },
    };
  };
}
