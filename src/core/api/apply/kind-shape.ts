/** The shape of a kind: from the facts for what Kubernetes and we define, from their schema for custom resources. */
import type { Json } from '../../kube/json.ts';
import type { KindDefinition } from '../kind/kind-definition.ts';
import { keyDefaults, type ListNode, type ObjectNode, type SchemaNode } from '../schema/lists.ts';
import { findTypeSchema } from '../schema/type-schema.ts';
import { fieldElement } from './path-element.ts';
import { ATOMIC, DEDUCED, type FieldShape, type ListShape, type MapShape, type Shape, shapeOf } from './shape.ts';

const shapes = new WeakMap<object, Shape>();

export function shapeOfKind({ custom, schema }: Pick<KindDefinition, 'custom' | 'schema'>): Shape {
  return custom === undefined ? shapeOf(schema) : shapeOfNode(custom.node);
}

const SCALARS = {
  untyped: { scalar: 'untyped' },
  string: { scalar: 'string' },
  numeric: { scalar: 'numeric' },
  boolean: { scalar: 'boolean' },
} as const satisfies { readonly [name: string]: Shape };

function shapeOfNode(node: SchemaNode): Shape {
  if (node.kind === 'leaf') return node.opaque ? DEDUCED : SCALARS[node.scalar ?? 'untyped'];
  let shape = shapes.get(node);
  if (shape === undefined) {
    shape = node.kind === 'list' ? { list: listOf(node) } : { map: node.kind === 'map' ? mapOf(node) : structOf(node) };
    shapes.set(node, shape);
  }
  return shape;
}

const mapOf = (node: { readonly atomic: boolean; readonly value: SchemaNode }): MapShape => ({
  atomic: node.atomic,
  field: () => undefined,
  other: node.atomic ? ATOMIC : shapeOfNode(node.value),
});

function structOf(node: ObjectNode): MapShape {
  const fields = new Map<string, FieldShape | undefined>();
  const isOpen = node.schema.open;
  const find = (name: string): FieldShape | undefined => {
    const child = node.child(name);
    // An open type answers for every name; an opaque leaf is accepted, but is no field of the type.
    if (child === undefined || (isOpen && child.kind === 'leaf' && child.opaque)) return undefined;
    // Metadata have the same types in every kind, and the facts hold all of them.
    const isFact = child.kind === 'object' && findTypeSchema(child.schema.name) !== undefined;
    return { element: fieldElement(name), shape: isFact ? shapeOf(child.schema.name) : shapeOfNode(child) };
  };
  return {
    atomic: node.atomic,
    field(name) {
      if (!fields.has(name)) {
        const found = find(name);
        // Names come from clients; only those of the type are kept.
        if (found === undefined) return undefined;
        fields.set(name, found);
      }
      return fields.get(name);
    },
    other: isOpen ? DEDUCED : undefined,
  };
}

function listOf(node: ListNode): ListShape {
  const { element, listMapKeys, listType } = node;
  const defaults = node.keyDefaults ?? keyDefaults(element.kind === 'object' ? element.schema.name : '');
  return {
    relation: listType,
    keys: listMapKeys.toSorted(),
    keyDefault: (key) => (Object.hasOwn(defaults, key) ? (defaults[key] as Json) : undefined),
    element: shapeOfNode(element),
  };
}
