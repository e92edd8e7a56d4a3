/** Schemas of custom kinds as OpenAPI documents show them: complete in version 3, what kubectl can bear in version 2. */
import { setOwn } from '../../kube/immutable.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import type { Dialect, SchemaDocument } from './schemas.ts';
import type { JSONSchemaProps } from '../types/apiextensions-v1.ts';
import { isIntOrStringAllOf, isIntOrStringAnyOf } from '../custom/schema/structural-rules.ts';
import { toStructural } from '../custom/schema/structural.ts';

/** `com.example.stable.v1.CronTab` for stable.example.com/v1. */
export const customDefinitionName = (group: string, version: string, kind: string): string =>
  `${group.split('.').toReversed().join('.')}.${version}.${kind}`;

const API_VERSION =
  'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources';
const KIND =
  'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds';
const METADATA =
  "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

type Properties = { readonly [name: string]: SchemaDocument };

const reference = (name: string, dialect: Dialect, description: string): SchemaDocument => {
  const $ref = dialect.prefix + name;
  return dialect.version === 3 ? { allOf: [{ $ref }], description } : { $ref, description };
};

/** The definitions a custom kind adds: itself and its list. */
export function customDefinitions(
  kind: KindDefinition,
  dialect: Dialect,
): readonly (readonly [string, SchemaDocument])[] {
  const { group, version } = kind;
  const name = customDefinitionName(group, version, kind.kind);
  const gvk = (kindName: string): object[] => [{ group, kind: kindName, version }];
  const list: SchemaDocument = {
    type: 'object',
    description: `${kind.listKind} is a list of ${kind.kind}`,
    required: ['items'],
    properties: {
      apiVersion: { type: 'string', description: API_VERSION },
      items: { type: 'array', items: { $ref: dialect.prefix + name }, description: `List of ${kind.resource}` },
      kind: { type: 'string', description: KIND },
      metadata: reference(LIST_META, dialect, METADATA),
    },
    'x-kubernetes-group-version-kind': gvk(kind.listKind),
  };
  return [
    [
      name,
      {
        ...resourceDocument(kind.custom?.document, dialect),
        'x-kubernetes-group-version-kind': gvk(kind.kind),
        ...selectable(kind, dialect),
      },
    ],
    [customDefinitionName(group, version, kind.listKind), list],
  ];
}

function selectable(kind: KindDefinition, dialect: Dialect): { readonly [extension: `x-${string}`]: unknown } {
  const paths = Object.keys(kind.selectableFields);
  if (paths.length === 0 || dialect.version === 2) return {};
  return { 'x-kubernetes-selectable-fields': paths.map((fieldPath) => ({ fieldPath })) };
}

function resourceDocument(schema: JSONSchemaProps | undefined, dialect: Dialect): SchemaDocument {
  const keepsAnything = schema?.['x-kubernetes-preserve-unknown-fields'] === true;
  // Properties would make kubectl refuse every field that is not among them.
  if (schema === undefined || !toStructural(schema).ok || (dialect.version === 2 && keepsAnything)) {
    return { type: 'object' };
  }
  return withMetadata(documentOf(schema, dialect), dialect);
}

const withMetadata = (document: SchemaDocument, dialect: Dialect): SchemaDocument => ({
  ...document,
  properties: {
    ...document.properties,
    apiVersion: { type: 'string', description: API_VERSION },
    kind: { type: 'string', description: KIND },
    metadata: reference(OBJECT_META, dialect, METADATA),
  },
});

const COMBINATIONS = ['allOf', 'anyOf', 'oneOf', 'not'] as const;

function documentOf(schema: JSONSchemaProps, dialect: Dialect): SchemaDocument {
  const isV2 = dialect.version === 2;
  const { additionalProperties, items, properties, ...rest } = schema;
  const document: { [key: string]: unknown } = { ...rest };
  const hides = isV2 && (schema.nullable === true || schema['x-kubernetes-preserve-unknown-fields'] === true);
  if (isV2) {
    for (const name of COMBINATIONS) delete document[name];
    if (schema.nullable === true) delete document['type'];
    delete document['nullable'];
  } else if (schema['x-kubernetes-int-or-string'] === true) unfoldIntOrString(schema, document);
  if (items !== undefined && !Array.isArray(items) && !hides) {
    document['items'] = documentOf(items as JSONSchemaProps, dialect);
  }
  if (properties !== undefined && !hides) document['properties'] = propertiesOf(properties, dialect);
  if (typeof additionalProperties === 'object') {
    document['additionalProperties'] = documentOf(additionalProperties, dialect);
  } else if (additionalProperties !== undefined) document['additionalProperties'] = additionalProperties;
  if (isV2) dropWhatKubectlCannotRead(schema, document);
  const result = document as SchemaDocument;
  return schema['x-kubernetes-embedded-resource'] === true && !hides ? withMetadata(result, dialect) : result;
}

function propertiesOf(properties: { readonly [name: string]: JSONSchemaProps }, dialect: Dialect): Properties {
  const result: { [name: string]: SchemaDocument } = {};
  for (const [name, property] of Object.entries(properties)) setOwn(result, name, documentOf(property, dialect));
  return result;
}

function dropWhatKubectlCannotRead(schema: JSONSchemaProps, document: { [key: string]: unknown }): void {
  const keepsAnything = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const { type } = document;
  if ((type === 'array' && document['items'] === undefined) || (type === 'object' && keepsAnything)) {
    delete document['type'];
  }
  const required = schema.required?.filter((name) => schema.properties?.[name]?.nullable !== true);
  if (required === undefined || required.length === 0) delete document['required'];
  else document['required'] = required;
}

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function unfoldIntOrString(schema: JSONSchemaProps, document: { [key: string]: unknown }): void {
  if (isIntOrStringAnyOf(schema.anyOf) || isIntOrStringAllOf(schema)) return;
  if (schema.anyOf === undefined) document['anyOf'] = INT_OR_STRING;
  else document['allOf'] = [{ anyOf: INT_OR_STRING }, ...(schema.allOf ?? [])];
}
