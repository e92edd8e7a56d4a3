/**
 * Zero values of fields. Go writes structs and fields without `omitempty` even when they are empty, and the generated
 * types promise required fields; so a checked object has them too.
 */
import type { FieldSchema, TypeSchema } from './type-schema.ts';
import { typeSchema } from './type-schema.ts';
import type { Scalar, TypeExpression } from './parse-facts.ts';

const EMPTY_LIST: readonly never[] = Object.freeze([]);
const EMPTY_MAP = Object.freeze({});
const zeroObjects = new Map<string, object>();

/** The empty object of a type, with every field that is always present. Frozen and shared. */
export function zeroObject(schema: TypeSchema): object {
  let zero = zeroObjects.get(schema.name);
  if (zero === undefined) {
    zero = Object.freeze(
      Object.fromEntries(schema.fields.filter(isAlwaysPresent).map((field) => [field.name, zeroValue(field.type)])),
    );
    zeroObjects.set(schema.name, zero);
  }
  return zero;
}

const blanks = new Map<string, object>();

/** The empty object as Go writes it: without lists that are only required. */
export function blankObject(schema: TypeSchema): object {
  let blank = blanks.get(schema.name);
  if (blank === undefined) {
    const fields = schema.fields.filter(
      (field) =>
        isAlwaysPresent(field) && (field.always || field.type.kind === 'object' || field.type.kind === 'scalar'),
    );
    const blankOf = ({ type }: FieldSchema): unknown =>
      type.kind === 'object' ? blankObject(typeSchema(type.name)) : zeroValue(type);
    blank = Object.freeze(Object.fromEntries(fields.map((field) => [field.name, blankOf(field)])));
    blanks.set(schema.name, blank);
  }
  return blank;
}

/** Whether every checked object has the field; filled in if the client left it out. */
export function isAlwaysPresent(field: FieldSchema): boolean {
  if (field.pointer || field.omitZero) return false;
  if (field.type.kind === 'object') return true;
  if (field.type.kind !== 'scalar') return field.always || field.required;
  if (field.type.scalar === 'quantity') return true;
  return (field.always || field.required) && ZERO_SCALARS.has(field.type.scalar);
}

/** Types that are written even when empty: structs to Go, or any JSON. */
const KEPT: ReadonlySet<Scalar> = new Set<Scalar>([
  'quantity',
  'raw',
  'json',
  'fieldsv1',
  'schemaorarray',
  'schemaorbool',
  'schemaorstrings',
]);

/** Whether an empty value counts as absent, as Go leaves it out. */
export function dropsEmpty(field: FieldSchema): boolean {
  const { type } = field;
  if (field.pointer || field.always || type.kind === 'object' || isAlwaysPresent(field)) return false;
  return type.kind !== 'scalar' || !KEPT.has(type.scalar);
}

export function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const _ in value) return false;
  return true;
}

export function zeroValue(type: TypeExpression): unknown {
  switch (type.kind) {
    case 'object':
      return zeroObject(typeSchema(type.name));
    case 'list':
      return EMPTY_LIST;
    case 'map':
      return EMPTY_MAP;
    case 'scalar':
      return ZERO_SCALARS.get(type.scalar) ?? null;
  }
}

const ZERO_SCALARS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['string', ''],
  ['bytes', ''],
  ['bool', false],
  ['int32', 0],
  ['int64', 0],
  ['uint8', 0],
  ['double', 0],
  ['intorstring', 0],
  ['quantity', '0'],
  ['duration', '0s'],
]);
