/**
 * CustomResourceDefinitions of our own kinds, from the same facts that drive decoding in the embedded API server. Which of
 * them the chart brings is an open list: a kind joins it when a controller of the operator serves it.
 */
import { stringify } from 'yaml';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import { OWN_RESOURCES } from '../../src/core/api/facts/own-resources.ts';
import { parseResources, schemaName, type ResourceFact } from '../../src/core/api/schema/parse-resources.ts';
import type { TypeExpression } from '../../src/core/api/schema/parse-facts.ts';
import { typeSchema, type FieldSchema } from '../../src/core/api/schema/type-schema.ts';

const COMPONENTS = new Map(componentDefinitions().map((definition) => [definition.metadata.name, definition]));

/** `resource.group`, as definitions are named. */
export const PACKAGED_KINDS: readonly string[] = [...COMPONENTS.keys()];

interface Schema {
  readonly [key: string]: unknown;
}

export function crdFiles(packaged: readonly string[] = PACKAGED_KINDS): ReadonlyMap<string, string> {
  const facts = parseResources(OWN_RESOURCES);
  const files = new Map<string, string>();
  for (const name of packaged) {
    const versions = facts.filter((fact) => `${fact.resource}.${fact.group}` === name);
    const made = COMPONENTS.get(name) ?? (versions.length === 0 ? undefined : definition(name, versions));
    if (made === undefined) throw new Error(`there is no kind of our own called ${name}`);
    const text = stringify(made, { lineWidth: 0, aliasDuplicateObjects: false });
    files.set(`${name}.yaml`, `# Written by tools/generate/deploy.ts; do not edit.\n${text}`);
  }
  return files;
}

function definition(name: string, versions: readonly ResourceFact[]): object {
  const [fact] = versions;
  if (fact === undefined) throw new Error(`${name} has no version`);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: {
      group: fact.group,
      scope: fact.namespaced ? 'Namespaced' : 'Cluster',
      names: {
        plural: fact.resource,
        singular: fact.singular,
        kind: fact.kind,
        listKind: `${fact.kind}List`,
        ...(fact.shortNames.length === 0 ? {} : { shortNames: fact.shortNames }),
        ...(fact.categories.length === 0 ? {} : { categories: fact.categories }),
      },
      // The newest is kept; older ones are served beside it.
      versions: versions.map((version, index) => ({
        name: version.version,
        served: true,
        storage: index === versions.length - 1,
        schema: { openAPIV3Schema: rootSchema(schemaName(version.group, version.version, version.kind)) },
        ...(version.subresources.some((each) => each.name === 'status') ? { subresources: { status: {} } } : {}),
      })),
    },
  };
}

function rootSchema(typeName: string): Schema {
  const { fields } = typeSchema(typeName);
  const own = fields.filter(({ name }) => name !== 'metadata');
  return {
    type: 'object',
    ...requiredOf(own),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...Object.fromEntries(own.map((field) => [field.name, fieldSchema(field, [typeName])])),
    },
  };
}

const requiredOf = (fields: readonly FieldSchema[]): object => {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return required.length === 0 ? {} : { required };
};

function fieldSchema(field: FieldSchema, path: readonly string[]): Schema {
  return {
    ...expressionSchema(field.type, path),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...(field.atomicMap ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
}

const ANYTHING: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

/** Structural schemas know no references: types are written out, and one inside itself may be anything. */
function expressionSchema(type: TypeExpression, path: readonly string[]): Schema {
  switch (type.kind) {
    case 'list':
      return { type: 'array', items: expressionSchema(type.element, path) };
    case 'map':
      return { type: 'object', additionalProperties: expressionSchema(type.value, path) };
    case 'scalar':
      return scalarSchema(type.scalar);
    case 'object': {
      if (path.includes(type.name)) return { type: 'object', ...ANYTHING };
      const { fields, open, atomic } = typeSchema(type.name);
      const below = [...path, type.name];
      return {
        type: 'object',
        ...requiredOf(fields),
        ...(fields.length === 0
          ? {}
          : { properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field, below)])) }),
        ...(open || fields.length === 0 ? ANYTHING : {}),
        ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      };
    }
  }
}

function scalarSchema(scalar: string): Schema {
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
      return { type: 'number' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'time':
    case 'microtime':
      return { type: 'string', format: 'date-time' };
    case 'quantity':
      return {
        anyOf: [{ type: 'integer' }, { type: 'string' }],
        pattern:
          '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
        'x-kubernetes-int-or-string': true,
      };
    case 'intorstring':
      return { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true };
    case 'raw':
    case 'fieldsv1':
      return { type: 'object', ...ANYTHING };
    default:
      return ANYTHING;
  }
}
