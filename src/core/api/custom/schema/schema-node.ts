/** A structural schema as patches see it: which lists are sets or maps, and by which keys. */
import { setOwn } from '../../../kube/immutable.ts';
import type { ListNode, ObjectNode, SchemaNode } from '../../schema/lists.ts';
import { schemaNode } from '../../schema/lists.ts';
import type { TypeSchema } from '../../schema/type-schema.ts';
import type { Structural } from './structural.ts';

const LEAF: SchemaNode = { kind: 'leaf', opaque: false };
const OPAQUE: SchemaNode = { kind: 'leaf', opaque: true };
const STRING: SchemaNode = { kind: 'leaf', opaque: false, scalar: 'string' };
const NUMERIC: SchemaNode = { kind: 'leaf', opaque: false, scalar: 'numeric' };
const BOOLEAN: SchemaNode = { kind: 'leaf', opaque: false, scalar: 'boolean' };

/** The root of a custom kind; metadata is that of every kind. */
export function customNode(schema: Structural, name: string): ObjectNode {
  return objectNode(schema, name, true);
}

function objectNode(schema: Structural, name: string, isResource: boolean): ObjectNode {
  const children = new Map<string, SchemaNode | undefined>();
  const make = (member: string): SchemaNode | undefined => {
    if (isResource) {
      if (member === 'metadata') return schemaNode('core/v1.ConfigMap').child('metadata');
      if (member === 'apiVersion' || member === 'kind') return LEAF;
    }
    const property = schema.properties.get(member);
    if (property !== undefined) return nodeOf(property, `${name}.${member}`);
    return schema.preserveUnknownFields ? OPAQUE : undefined;
  };
  return {
    kind: 'object',
    schema: typeOf(name, schema),
    atomic: schema.mapType === 'atomic',
    replaced: false,
    child(member) {
      if (!children.has(member)) children.set(member, make(member));
      return children.get(member);
    },
  };
}

function nodeOf(schema: Structural, name: string): SchemaNode {
  switch (schema.type) {
    case 'array':
      return listNode(schema, name);
    case 'object': {
      const { additionalProperties } = schema;
      const isMap = schema.properties.size === 0 && additionalProperties !== undefined;
      if (!isMap) return objectNode(schema, name, schema.embeddedResource);
      const value = typeof additionalProperties === 'object' ? nodeOf(additionalProperties, `${name}.*`) : OPAQUE;
      return { kind: 'map', atomic: schema.mapType === 'atomic', value };
    }
    case 'string': {
      const { format = '' } = schema.source;
      // Texts of any other format may be numbers or null.
      return format === '' || format === 'byte' ? STRING : LEAF;
    }
    case 'integer':
    case 'number':
      return NUMERIC;
    case 'boolean':
      return BOOLEAN;
    case '':
      return OPAQUE;
    default:
      return LEAF;
  }
}

function listNode(schema: Structural, name: string): ListNode {
  const { items, listMapKeys, listType } = schema;
  const keyDefaults: { [key: string]: unknown } = {};
  for (const key of listMapKeys) {
    const value = items?.properties.get(key)?.default;
    if (value !== undefined) setOwn(keyDefaults, key, value);
  }
  return {
    kind: 'list',
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listMapKeys,
    merge: false,
    element: items === undefined ? OPAQUE : nodeOf(items, `${name}[]`),
    ...(Object.keys(keyDefaults).length === 0 ? {} : { keyDefaults }),
  };
}

/** A user's type has no facts; the name is its position. */
const typeOf = (name: string, schema: Structural): TypeSchema => ({
  name,
  shortName: name,
  goType: name,
  typed: false,
  open: schema.preserveUnknownFields,
  atomic: schema.mapType === 'atomic',
  fields: [],
  byName: new Map(),
  nested: [],
});
