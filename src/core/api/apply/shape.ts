/**
 * Types as apply sees them: whether a value may be a scalar, list or map and, for lists and maps, whether it is one
 * value or a collection whose items are owned one by one. Made from the facts on first use; kinds without a schema of
 * their own, and places that hold any JSON, are `DEDUCED`.
 */
import type { Json } from '../../kube/json.ts';
import type { FieldSchema, TypeSchema } from '../schema/type-schema.ts';
import { findTypeSchema, typeSchema } from '../schema/type-schema.ts';
import type { Scalar, TypeExpression } from '../schema/parse-facts.ts';
import { fieldElement, type PathElement } from './path-element.ts';

export interface Shape {
  /** The type of a scalar here; undefined where the value is no scalar. */
  readonly scalar?: 'string' | 'numeric' | 'boolean' | 'untyped';
  readonly list?: ListShape;
  readonly map?: MapShape;
}

export interface FieldShape {
  readonly element: PathElement;
  readonly shape: Shape;
}

export interface MapShape {
  readonly atomic: boolean;
  /** A field the type names. */
  field(name: string): FieldShape | undefined;
  /**
   * Times, and pointers to scalars that are always written, which are null while unset: the manager that makes the
   * struct owns them too.
   */
  readonly nullTimes?: readonly string[];
  /** The shape of all other members; undefined where there may be none. */
  readonly other: Shape | undefined;
}

export interface ListShape {
  readonly relation: 'atomic' | 'set' | 'map';
  /** Names of the key fields in order; for `map`. */
  readonly keys: readonly string[];
  /** The value of a key that an item leaves out; undefined where there is none. */
  keyDefault(key: string): Json | undefined;
  readonly element: Shape;
}

const noField = (): undefined => undefined;
const noDefault = (): undefined => undefined;

/** Any JSON, owned as a whole. */
export const ATOMIC: Shape = {
  scalar: 'untyped',
  get list(): ListShape {
    return ATOMIC_LIST;
  },
  get map(): MapShape {
    return ATOMIC_MAP;
  },
};
const ATOMIC_LIST: ListShape = { relation: 'atomic', keys: [], keyDefault: noDefault, element: ATOMIC };
const ATOMIC_MAP: MapShape = { atomic: true, field: noField, other: ATOMIC };

/** Any JSON, of which maps are owned member by member. */
export const DEDUCED: Shape = {
  scalar: 'untyped',
  list: ATOMIC_LIST,
  get map(): MapShape {
    return DEDUCED_MAP;
  },
};
const DEDUCED_MAP: MapShape = { atomic: false, field: noField, other: DEDUCED };

const STRING: Shape = { scalar: 'string' };
const NUMERIC: Shape = { scalar: 'numeric' };
const BOOLEAN: Shape = { scalar: 'boolean' };
const UNTYPED: Shape = { scalar: 'untyped' };

const SCALARS: ReadonlyMap<Scalar, Shape> = new Map<Scalar, Shape>([
  ['string', STRING],
  ['bytes', STRING],
  ['duration', STRING],
  ['bool', BOOLEAN],
  ['int32', NUMERIC],
  ['int64', NUMERIC],
  ['uint8', NUMERIC],
  ['double', NUMERIC],
  ['time', UNTYPED],
  ['microtime', UNTYPED],
  ['quantity', UNTYPED],
  ['intorstring', DEDUCED],
  ['json', DEDUCED],
  ['fieldsv1', DEDUCED],
  ['schemaorbool', DEDUCED],
  ['schemaorarray', DEDUCED],
  ['schemaorstrings', DEDUCED],
  ['raw', ATOMIC],
]);

const objectShapes = new Map<string, Shape>();

/** The shape of a type by the name of its schema (`core/v1.Pod`); any JSON where there is no such schema. */
export function shapeOf(schema: string): Shape {
  const found = findTypeSchema(schema);
  return found === undefined ? DEDUCED : objectShape(found, found.atomic);
}

function objectShape(schema: TypeSchema, atomic: boolean): Shape {
  const key = `${schema.name}${atomic ? ' atomic' : ''}`;
  let shape = objectShapes.get(key);
  if (shape === undefined) {
    shape = {
      map: {
        atomic,
        field: fieldFinder(schema),
        ...nullTimesOf(schema),
        other: schema.open ? DEDUCED : undefined,
      },
    };
    objectShapes.set(key, shape);
  }
  return shape;
}

function nullTimesOf({ fields }: TypeSchema): { readonly nullTimes?: readonly string[] } {
  const nullTimes = fields
    .filter(
      ({ always, omitZero, pointer, type }) =>
        type.kind === 'scalar' && (pointer ? always : !omitZero && TIMES.has(type.scalar)),
    )
    .map(({ name }) => name);
  return nullTimes.length === 0 ? {} : { nullTimes };
}

const TIMES: ReadonlySet<Scalar> = new Set<Scalar>(['time', 'microtime']);

/** Fields are made on first use: types contain each other. */
function fieldFinder(schema: TypeSchema): MapShape['field'] {
  const made = new Map<string, FieldShape>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const field = schema.byName.get(name);
    if (field === undefined) return undefined;
    const shape = { element: fieldElement(name), shape: fieldShape(field) };
    made.set(name, shape);
    return shape;
  };
}

/** Fields that are owned member by member although their type is elsewhere one value. */
const GRANULAR: ReadonlySet<string> = new Set(['PersistentVolumeSpec.claimRef']);

function fieldShape(field: FieldSchema): Shape {
  const { type } = field;
  if (type.kind === 'object') {
    const schema = typeSchema(type.name);
    const isGranular = GRANULAR.has(`${field.owner}.${field.name}`);
    return objectShape(schema, !isGranular && (field.atomicMap || schema.atomic));
  }
  if (type.kind === 'map') return mapShape(plainShape(type.value), field.atomicMap);
  if (type.kind === 'scalar') return plainShape(type);
  const keys = (field.listMapKeys ?? []).toSorted();
  const relation = field.listType ?? 'atomic';
  return {
    list: { relation, keys, keyDefault: keyDefaultsOf(type.element), element: plainShape(type.element) },
  };
}

const mapShape = (value: Shape, atomic: boolean): Shape => ({ map: { atomic, field: noField, other: value } });

/** A value that no field speaks about: an item of a list or a value of a map. */
function plainShape(type: TypeExpression): Shape {
  switch (type.kind) {
    case 'object':
      return objectShape(typeSchema(type.name), typeSchema(type.name).atomic);
    case 'map':
      return mapShape(plainShape(type.value), false);
    case 'list':
      return {
        list: { relation: 'atomic', keys: [], keyDefault: noDefault, element: plainShape(type.element) },
      };
    case 'scalar':
      return SCALARS.get(type.scalar) ?? UNTYPED;
  }
}

/** Defaults of keys that are not simply the zero of a field that is always there. */
const KEY_DEFAULTS: ReadonlyMap<string, Json> = new Map([
  ['core/v1.ContainerPort protocol', 'TCP'],
  ['core/v1.ServicePort protocol', 'TCP'],
  ['core/v1.LocalObjectReference name', ''],
]);

function keyDefaultsOf(element: TypeExpression): ListShape['keyDefault'] {
  if (element.kind !== 'object') return noDefault;
  const { name } = element;
  return (key) => {
    const own = KEY_DEFAULTS.get(`${name} ${key}`);
    if (own !== undefined) return own;
    const field = typeSchema(name).byName.get(key);
    if (field === undefined || field.pointer || !field.always || field.type.kind !== 'scalar') return undefined;
    const { scalar } = SCALARS.get(field.type.scalar) ?? UNTYPED;
    return scalar === 'string' ? '' : scalar === 'numeric' ? 0 : undefined;
  };
}
