/**
 * Facts about a place in an object for patches: whether it is one value or merged member by member, and by which keys
 * the items of a list are told apart. Strategic merge uses merge keys, server-side apply list-map keys.
 */
import { type FieldSchema, type TypeSchema, typeSchema } from './type-schema.ts';
import type { TypeExpression } from './parse-facts.ts';

export type SchemaNode = ObjectNode | MapNode | ListNode | LeafNode;

export interface ObjectNode {
  readonly kind: 'object';
  readonly schema: TypeSchema;
  /** Applied as a whole. */
  readonly atomic: boolean;
  /** A strategic merge replaces the object as a whole. */
  readonly replaced: boolean;
  /** The node of a member; undefined if the type has none of that name. */
  child(name: string): SchemaNode | undefined;
}

interface MapNode {
  readonly kind: 'map';
  readonly atomic: boolean;
  readonly value: SchemaNode;
}

export interface ListNode {
  readonly kind: 'list';
  /** For server-side apply. A list without a list type is atomic. */
  readonly listType: 'atomic' | 'set' | 'map';
  readonly listMapKeys: readonly string[];
  /** For strategic merge: items are merged by this key; without `merge` the list is replaced. */
  readonly merge: boolean;
  readonly mergeKey?: string;
  readonly element: SchemaNode;
  /** Defaults of keys, where the schema itself has them; otherwise ask `keyDefaults`. */
  readonly keyDefaults?: { readonly [key: string]: unknown };
}

interface LeafNode {
  readonly kind: 'leaf';
  /** Any JSON, of unknown type. */
  readonly opaque: boolean;
  /** The scalar that server-side apply accepts here; any scalar if absent. */
  readonly scalar?: 'string' | 'numeric' | 'boolean';
}

const roots = new Map<string, ObjectNode>();
const LEAF: LeafNode = { kind: 'leaf', opaque: false };
const OPAQUE: LeafNode = { kind: 'leaf', opaque: true };

/** The root of a kind's schema, by the schema's name (`core/v1.Pod`). */
export function schemaNode(name: string): ObjectNode {
  let root = roots.get(name);
  if (root === undefined) {
    root = objectNode(typeSchema(name), false);
    roots.set(name, root);
  }
  return root;
}

/** The node at a path of member names; items of lists and values of maps take no step of their own name: use `[]`. */
export function nodeAt(name: string, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schemaNode(name);
  for (const step of path) {
    if (node === undefined) return undefined;
    if (node.kind === 'object') node = node.child(step);
    else if (node.kind === 'list') node = step === '[]' ? node.element : undefined;
    else node = node.kind === 'map' ? node.value : undefined;
  }
  return node;
}

/** The strategies a field's patches follow beside merging (`retainKeys` for volumes and deployment strategies). */
export function retainsKeys(name: string, field: string): boolean {
  return typeSchema(name).byName.get(field)?.patchStrategies.includes('retainKeys') ?? false;
}

/** Defaults of list-map keys; without them two items could not be told apart. */
const KEY_DEFAULTS: ReadonlyMap<string, { readonly [key: string]: string }> = new Map([
  ['core/v1.ContainerPort', { protocol: 'TCP' }],
  ['core/v1.ServicePort', { protocol: 'TCP' }],
]);
const NO_DEFAULTS: { readonly [key: string]: string } = Object.freeze(Object.create(null) as object) as {
  readonly [key: string]: string;
};

export const keyDefaults = (typeName: string): { readonly [key: string]: string } =>
  KEY_DEFAULTS.get(typeName) ?? NO_DEFAULTS;

function objectNode(schema: TypeSchema, atomicField: boolean, replaced = false): ObjectNode {
  const children = new Map<string, SchemaNode>();
  return {
    kind: 'object',
    schema,
    atomic: atomicField || schema.atomic,
    replaced,
    child(name) {
      const known = children.get(name);
      if (known !== undefined) return known;
      const field = schema.byName.get(name);
      if (field === undefined) return schema.open ? OPAQUE : undefined;
      const node = fieldNode(field);
      children.set(name, node);
      return node;
    },
  };
}

function fieldNode(field: FieldSchema): SchemaNode {
  const { type } = field;
  if (type.kind === 'object') {
    return objectNode(typeSchema(type.name), field.atomicMap, field.patchStrategies.includes('replace'));
  }
  if (type.kind === 'map') return { kind: 'map', atomic: field.atomicMap, value: plainNode(type.value) };
  if (type.kind === 'scalar') return plainNode(type);
  return {
    kind: 'list',
    listType: field.listType ?? 'atomic',
    listMapKeys: field.listMapKeys ?? [],
    merge: field.patchStrategies.includes('merge'),
    ...(field.patchMergeKey === undefined ? {} : { mergeKey: field.patchMergeKey }),
    element: plainNode(type.element),
  };
}

/** The node of a value that is no field: an item of a list or a value of a map. */
function plainNode(type: TypeExpression): SchemaNode {
  switch (type.kind) {
    case 'object':
      return schemaNode(type.name);
    case 'map':
      return { kind: 'map', atomic: false, value: plainNode(type.value) };
    case 'list':
      return { kind: 'list', listType: 'atomic', listMapKeys: [], merge: false, element: plainNode(type.element) };
    case 'scalar':
      return OPAQUE_SCALARS.has(type.scalar) ? OPAQUE : LEAF;
  }
}

const OPAQUE_SCALARS: ReadonlySet<string> = new Set([
  'raw',
  'json',
  'fieldsv1',
  'schemaorbool',
  'schemaorarray',
  'schemaorstrings',
]);
