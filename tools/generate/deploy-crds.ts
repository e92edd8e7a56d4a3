/**
 * CustomResourceDefinitions of our own kinds, from the same facts that drive decoding in the embedded API server. Which of
 * them the chart brings is an open list: a kind joins it when a controller of the operator serves it.
 */
import { stringify } from 'yaml';
import { CATALOGUE } from '../../src/assembly/catalogue/catalogue.ts';
import { componentDefinitions } from '../../src/core/api/component/definitions.ts';
import { OWN_RESOURCES } from '../../src/core/api/facts/own-resources.ts';
import { parseResources, schemaName, type ResourceFact } from '../../src/core/api/schema/parse-resources.ts';
import type { TypeExpression } from '../../src/core/api/schema/parse-facts.ts';
import { typeSchema, type FieldSchema } from '../../src/core/api/schema/type-schema.ts';
import { boundsOf, boundsSchema, type DefinitionExtras, RESERVATION_EXTRAS, TYPE_RULES } from './reservation-crds.ts';

const COMPONENTS = new Map(componentDefinitions().map((definition) => [definition.metadata.name, definition]));

/** `resource.group`, as definitions are named: kinds that controllers of the operator keep. */
export const PACKAGED_KINDS: readonly string[] = [
  ...COMPONENTS.keys(),
  ...CATALOGUE.flatMap(({ kinds, profiles }) => (profiles.operator === undefined ? [] : (kinds?.builtIn ?? []))),
];

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

const NOTHING_MORE: DefinitionExtras = { columns: [] };

function definition(name: string, versions: readonly ResourceFact[]): object {
  const [fact] = versions;
  if (fact === undefined) throw new Error(`${name} has no version`);
  const extras = RESERVATION_EXTRAS.get(name) ?? NOTHING_MORE;
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
        schema: { openAPIV3Schema: rootSchema(schemaName(version.group, version.version, version.kind), extras) },
        ...subresourcesOf(version, extras),
        ...(extras.columns.length === 0 ? {} : { additionalPrinterColumns: extras.columns }),
        ...(extras.selectableFields === undefined ? {} : { selectableFields: extras.selectableFields }),
      })),
    },
  };
}

function subresourcesOf({ subresources }: ResourceFact, { scale }: DefinitionExtras): object {
  const hasStatus = subresources.some((each) => each.name === 'status');
  if (!hasStatus) return {};
  return { subresources: { status: {}, ...(scale === undefined ? {} : { scale }) } };
}

const TYPE_META: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function rootSchema(typeName: string, { longestName }: DefinitionExtras): Schema {
  const { fields } = typeSchema(typeName);
  const own = fields.filter(({ name }) => !TYPE_META.has(name));
  return {
    type: 'object',
    ...requiredOf(typeName, own),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: {
        type: 'object',
        ...(longestName === undefined ? {} : { properties: { name: { type: 'string', maxLength: longestName } } }),
      },
      ...propertiesOf(typeName, own, [typeName]),
    },
  };
}

const requiredOf = (typeName: string, fields: readonly FieldSchema[]): object => {
  const bounds = boundsOf(typeName);
  const required = fields
    .filter((field) => field.required || bounds?.[field.name]?.required === true)
    .map(({ name }) => name);
  return required.length === 0 ? {} : { required };
};

const propertiesOf = (typeName: string, fields: readonly FieldSchema[], path: readonly string[]): object =>
  Object.fromEntries(fields.map((field) => [field.name, fieldSchema(typeName, field, path)]));

function fieldSchema(typeName: string, field: FieldSchema, path: readonly string[]): Schema {
  const bounds = boundsOf(typeName)?.[field.name];
  return {
    ...(bounds === undefined ? {} : { description: bounds.about }),
    ...(bounds?.schema ?? expressionSchema(field.type, path)),
    ...(bounds === undefined ? {} : boundsSchema(bounds)),
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
        ...requiredOf(type.name, fields),
        ...(fields.length === 0 ? {} : { properties: propertiesOf(type.name, fields, below) }),
        ...(TYPE_RULES.has(type.name) ? { 'x-kubernetes-validations': TYPE_RULES.get(type.name) } : {}),
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
