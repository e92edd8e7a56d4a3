/** Lists that are maps: their keys must be there, be scalars, and tell items apart. */
import { type FieldError, field, forbidden, invalid, required } from '../../../kube/field-errors.ts';
import { append } from '../../rules/append.ts';
import type { JSONSchemaProps } from '../../types/apiextensions-v1.ts';

const child = field.child;
const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';

export function validateMapKeys(schema: JSONSchemaProps, path: string, strict: boolean): readonly FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema[LIST_TYPE];
  const keys = schema[MAP_KEYS] ?? [];
  if (keys.length > 0 && listType !== 'map') {
    const text = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = child(path, LIST_TYPE);
    errors.push(listType === undefined ? required(at, text) : invalid(at, listType, text));
  }
  if (listType === 'map') append(errors, mapErrors(schema, keys, path));
  if (strict) append(errors, keyErrors(schema, path));
  return errors;
}

const itemOf = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined =>
  items === undefined || Array.isArray(items) ? undefined : (items as JSONSchemaProps);

function mapErrors(schema: JSONSchemaProps, keys: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (keys.length === 0) {
    errors.push(required(child(path, MAP_KEYS), 'must not be empty if x-kubernetes-list-type is map'));
  }
  const at = child(path, 'items');
  if (schema.items === undefined) {
    errors.push(required(at, 'must have a schema if x-kubernetes-list-type is map'));
    return errors;
  }
  const item = itemOf(schema);
  if (item === undefined) {
    errors.push(invalid(at, schema.items, 'must only have a single schema if x-kubernetes-list-type is map'));
    return errors;
  }
  const { properties = {}, type = '' } = item;
  if (type !== 'object') {
    const text = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(child(at, 'type'), type, text));
    return errors;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) {
      errors.push(invalid(child(path, MAP_KEYS), keys, 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const text = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(child(field.key(child(at, 'properties'), key), 'type'), type, text));
    }
    if (seen.has(key)) errors.push(invalid(child(path, MAP_KEYS), keys, 'must not contain duplicate entries'));
    seen.add(key);
  }
  return errors;
}

/** Keys may be neither missing nor null; a set has no null either. */
export function keyErrors(schema: JSONSchemaProps, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const listType = schema[LIST_TYPE];
  const item = itemOf(schema);
  if (item === undefined || (listType !== 'set' && listType !== 'map')) return errors;
  const at = child(path, 'items');
  if (item.nullable === true) {
    errors.push(forbidden(child(at, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  if (listType === 'set') return errors;
  for (const key of schema[MAP_KEYS] ?? []) {
    const property = Object.hasOwn(item.properties ?? {}, key) ? item.properties?.[key] : undefined;
    if (property === undefined) continue;
    const where = field.key(child(at, 'properties'), key);
    if (item.required?.includes(key) !== true && (property.default === undefined || property.default === null)) {
      const text =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(child(where, 'default'), text));
    }
    if (property.nullable === true) {
      const text = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbidden(child(where, 'nullable'), text));
    }
  }
  return errors;
}
