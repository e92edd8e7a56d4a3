/**
 * JSON schemas of our types, from the facts that drive everything else. OpenAPI 2 and 3 differ in where definitions
 * stand and how a map says that anything goes; the rest is written once, here.
 */
import type { TypeExpression } from '../schema/parse-facts.ts';
import { METADATA_DESCRIPTIONS } from './metadata-descriptions.ts';
import { type FieldSchema, type TypeSchema, typeSchema } from '../schema/type-schema.ts';

export interface SchemaDocument {
  readonly $ref?: string;
  readonly allOf?: readonly SchemaDocument[];
  readonly oneOf?: readonly SchemaDocument[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: { readonly [name: string]: SchemaDocument };
  readonly required?: readonly string[];
  readonly items?: SchemaDocument;
  readonly additionalProperties?: SchemaDocument | boolean;
  readonly default?: unknown;
  readonly [extension: `x-${string}`]: unknown;
}

export interface Dialect {
  readonly version: 2 | 3;
  /** `#/definitions/` or `#/components/schemas/` */
  readonly prefix: string;
}

export const V2: Dialect = { version: 2, prefix: '#/definitions/' };
export const V3: Dialect = { version: 3, prefix: '#/components/schemas/' };

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';
const INT_OR_STRING = 'io.k8s.apimachinery.pkg.util.intstr.IntOrString';

/** The name a type has in OpenAPI documents: clients know the built-in ones by it. */
export function definitionName(typeName: string): string {
  const [typePackage = '', name = ''] = typeName.split('.');
  const [group = '', version = ''] = typePackage.split('/');
  if (group === 'meta') return `io.k8s.apimachinery.pkg.apis.meta.${version}.${name}`;
  if (group === 'apiextensions') return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${name}`;
  return `io.k8s.api.${group}.${version}.${name}`;
}

/** Definitions of these types and of everything they lead to. */
export function definitionsOf(
  roots: Iterable<string>,
  dialect: Dialect,
  extend: (typeName: string) => { readonly [extension: `x-${string}`]: unknown },
): { readonly [name: string]: SchemaDocument } {
  const seen = new Set<string>();
  const queue = [...roots];
  const definitions: [string, SchemaDocument][] = [
    [QUANTITY, dialect.version === 2 ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      INT_OR_STRING,
      dialect.version === 2
        ? { type: 'string', format: 'int-or-string' }
        : { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    ],
  ];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const schema = typeSchema(name);
    definitions.push([definitionName(name), { ...typeDocument(schema, dialect, queue), ...extend(name) }]);
  }
  return Object.fromEntries(definitions.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function typeDocument(schema: TypeSchema, dialect: Dialect, queue: string[]): SchemaDocument {
  const required = schema.fields.filter((field) => field.required).map((field) => field.name);
  const properties: [string, SchemaDocument][] = schema.fields.map((field) => [
    field.name,
    { ...fieldDocument(field, dialect, queue), ...described(schema, field) },
  ]);
  if (schema.typed) properties.unshift(['apiVersion', { type: 'string' }], ['kind', { type: 'string' }]);
  return {
    type: 'object',
    ...(properties.length === 0
      ? {}
      : { properties: Object.fromEntries(properties.sort(([a], [b]) => (a < b ? -1 : 1))) }),
    ...(required.length === 0 ? {} : { required }),
    ...(schema.open ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(schema.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

const OBJECT_META = 'meta/v1.ObjectMeta';

/** Descriptions of metadata fields. OpenAPI 2 allows nothing beside a reference; none of these fields is one. */
function described({ name: type }: TypeSchema, { name }: FieldSchema): { readonly description?: string } {
  const description = type === OBJECT_META ? METADATA_DESCRIPTIONS[name] : undefined;
  return description === undefined ? {} : { description };
}

function fieldDocument(field: FieldSchema, dialect: Dialect, queue: string[]): SchemaDocument {
  const document = expressionDocument(field.type, dialect, queue);
  const extensions = {
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...(field.atomicMap ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    ...(field.patchStrategies.length === 0 ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategies.join(',') }),
    ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
  };
  // OpenAPI 3 allows nothing beside a reference, so the reference is wrapped; clients of OpenAPI 2 know no wrapping.
  if (document.$ref !== undefined && dialect.version === 3) return { allOf: [document], ...extensions };
  return { ...document, ...extensions };
}

function expressionDocument(type: TypeExpression, dialect: Dialect, queue: string[]): SchemaDocument {
  switch (type.kind) {
    case 'object':
      queue.push(type.name);
      return { $ref: dialect.prefix + definitionName(type.name) };
    case 'list':
      return { type: 'array', items: expressionDocument(type.element, dialect, queue) };
    case 'map':
      return { type: 'object', additionalProperties: expressionDocument(type.value, dialect, queue) };
    case 'scalar':
      return scalarDocument(type.scalar, dialect);
  }
}

function scalarDocument(scalar: string, dialect: Dialect): SchemaDocument {
  switch (scalar) {
    case 'string':
    case 'duration':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'uint8':
      return { type: 'integer', format: 'int32' };
    case 'int64':
      return { type: 'integer', format: 'int64' };
    case 'double':
      return { type: 'number', format: 'double' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'time':
    case 'microtime':
      return { type: 'string', format: 'date-time' };
    case 'quantity':
      return { $ref: dialect.prefix + QUANTITY };
    case 'intorstring':
      return { $ref: dialect.prefix + INT_OR_STRING };
    case 'raw':
    case 'fieldsv1':
      return { type: 'object' };
    default:
      // Any JSON: in both dialects a schema without a type.
      return {};
  }
}
