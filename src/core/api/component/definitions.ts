/**
 * The custom resource definitions: one for each group, from the same declaration as everything else. What people write is
 * accepted in all its shapes: camelCase is described in full; snake_case, and whatever has a short form, is let in as it
 * is. The rest is said at admission, by the reader itself.
 */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  JSONSchemaProps,
} from '../types/apiextensions-v1.ts';
import { COMPONENT_KIND, COMPONENT_PLURAL, COMPONENT_SHORT_NAMES, GENERATIONS } from './generations.ts';
import { type Field, type ObjectSchema, type Schema, snakeCase, type TextSchema } from './language.ts';
import { manifest } from './spec.ts';
import { formatRule } from './text-formats.ts';

const INT_OR_STRING: JSONSchemaProps = { 'x-kubernetes-int-or-string': true };
const ANYTHING: JSONSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true };

const COLUMNS: readonly CustomResourceColumnDefinition[] = [
  {
    name: 'Desired',
    type: 'integer',
    jsonPath: '.status.desiredNumberScheduled',
    description: 'Nodes that should run the daemon',
  },
  {
    name: 'Available',
    type: 'integer',
    jsonPath: '.status.numberAvailable',
    description: 'Nodes where it runs and is available',
  },
  { name: 'Status', type: 'string', jsonPath: '.status.phase', description: 'How far the rollout is' },
  {
    name: 'Namespace',
    type: 'string',
    jsonPath: '.status.outputs.namespace',
    description: 'Namespace of the daemon',
    priority: 1,
  },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

export function componentDefinitions(): readonly CustomResourceDefinition[] {
  const openAPIV3Schema = rootSchema();
  const groups = [...new Set(GENERATIONS.map(({ group }) => group))];
  return groups.map((group) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${COMPONENT_PLURAL}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: {
        kind: COMPONENT_KIND,
        listKind: `${COMPONENT_KIND}List`,
        plural: COMPONENT_PLURAL,
        singular: COMPONENT_KIND.toLowerCase(),
        // Only one group may have the short names, or they would be ambiguous.
        ...(group === GENERATIONS[0]?.group ? { shortNames: COMPONENT_SHORT_NAMES } : {}),
      },
      versions: GENERATIONS.filter((generation) => generation.group === group).map(({ version }, index) => ({
        name: version,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema },
        subresources: { status: {} },
        additionalPrinterColumns: COLUMNS,
      })),
    },
  }));
}

function rootSchema(): JSONSchemaProps {
  const spec = manifest.fields['spec'];
  return {
    type: 'object',
    description: 'A daemon on every node: one manifest for everything it needs',
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(spec === undefined ? {} : { spec: schemaOf(spec.schema, spec.doc) }),
      status: { type: 'object', ...ANYTHING },
    },
  };
}

function schemaOf(schema: Schema, description: string): JSONSchemaProps {
  return { description, ...shapeOf(schema) };
}

function shapeOf(schema: Schema): JSONSchemaProps {
  switch (schema.kind) {
    case 'text':
      return textShape(schema);
    case 'secret':
      return { type: 'string' };
    case 'boolean':
      return { type: 'boolean' };
    // Numbers may be written as texts, in JSON of protocol buffers as in manifests.
    case 'integer':
    case 'bound':
    case 'quantity':
      return INT_OR_STRING;
    case 'any':
      return ANYTHING;
    case 'list':
      if (schema.form !== undefined) return ANYTHING;
      return {
        type: 'array',
        items: shapeOf(schema.items),
        ...(schema.minItems === 0 ? {} : { minItems: schema.minItems }),
      };
    case 'map':
      if (schema.form !== undefined) return ANYTHING;
      return { type: 'object', additionalProperties: shapeOf(schema.values) };
    case 'object':
      return objectShape(schema);
  }
}

function textShape({ values, format, isEmptyAllowed }: TextSchema): JSONSchemaProps {
  // Older tools write an empty text for an absent one.
  if (values !== undefined) return { type: 'string', enum: ['', ...values] };
  if (format === undefined || isEmptyAllowed === true) return { type: 'string' };
  const { pattern, maxLength } = formatRule(format);
  return {
    type: 'string',
    ...(pattern === undefined ? {} : { pattern: `^$|${pattern}` }),
    ...(maxLength === undefined ? {} : { maxLength }),
  };
}

const isUnion = ({ form }: ObjectSchema): boolean => form === 'value' || form === 'image' || form === 'env';

function objectShape(schema: ObjectSchema): JSONSchemaProps {
  if (isUnion(schema)) return ANYTHING;
  const properties: { [name: string]: JSONSchemaProps } = {};
  const required: string[] = [];
  for (const [name, field] of Object.entries(schema.fields)) {
    const own = schema.form === 'flat-host-path' && name === 'hostPath' ? ANYTHING : shapeOf(field.schema);
    properties[name] = { description: field.doc, ...own };
    for (const other of otherSpellings(name, field)) properties[other] = { description: `As ${name}`, ...twin(own) };
    if (field.isRequired && otherSpellings(name, field).length === 0) required.push(name);
  }
  if (schema.form === 'flat-host-path') {
    properties['hostPathType'] = { type: 'string' };
    properties['host_path_type'] = { type: 'string' };
  }
  if (schema.form === 'port') properties['port'] = INT_OR_STRING;
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...(schema.rules === undefined ? {} : { 'x-kubernetes-validations': schema.rules }),
  };
}

function otherSpellings(name: string, { aliases = [] }: Field): readonly string[] {
  const all = [name, ...aliases].flatMap((each) => [each, snakeCase(each)]);
  return [...new Set(all)].filter((each) => each !== name);
}

/**
 * A second spelling of a structure may hold anything: describing it twice at every level would double the schema each
 * time.
 */
const twin = (shape: JSONSchemaProps): JSONSchemaProps =>
  shape.type === 'object' || shape.type === 'array' ? ANYTHING : shape;
