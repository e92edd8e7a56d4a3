/** Lists that are sets have no item twice, lists that are maps no key twice. */
import { duplicate, type FieldError, field, invalid } from '../../../kube/field-errors.ts';
import { compareBytes } from '../../../kube/go-text.ts';
import { encodeGoJson, type Json } from '../../../kube/json.ts';
import { setOwn } from '../../../kube/immutable.ts';
import { isBag } from './shape.ts';
import type { Structural } from './structural.ts';

export function validateListTypes(value: unknown, schema: Structural, path = ''): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (hasListTypes(schema)) visit(value, schema, path, errors);
  return errors;
}

const known = new WeakMap<Structural, boolean>();

/** Whether the schema or one below it has sets or maps; most schemas have none. */
function hasListTypes(schema: Structural): boolean {
  let result = known.get(schema);
  if (result === undefined) {
    const { additionalProperties, items, properties } = schema;
    result =
      schema.listType === 'set' ||
      schema.listType === 'map' ||
      (items !== undefined && hasListTypes(items)) ||
      (typeof additionalProperties === 'object' && hasListTypes(additionalProperties)) ||
      properties.values().some(hasListTypes);
    known.set(schema, result);
  }
  return result;
}

function visit(value: unknown, schema: Structural, path: string, errors: FieldError[]): void {
  if (typeof value !== 'object' || value === null || !hasListTypes(schema)) return;
  if (Array.isArray(value)) return visitList(value, schema, path, errors);
  for (const [name, member] of Object.entries(value as { [key: string]: unknown })) {
    const property = schema.properties.get(name);
    if (typeof schema.additionalProperties === 'object') {
      visit(member, schema.additionalProperties, field.key(path, name), errors);
    }
    if (property !== undefined) visit(member, property, field.child(path, name), errors);
  }
}

function visitList(list: readonly unknown[], schema: Structural, path: string, errors: FieldError[]): void {
  if (schema.listType === 'set') {
    for (const index of repeated(list)) errors.push(duplicate(field.index(path, index), sorted(list[index])));
  } else if (schema.listType === 'map') visitMap(list, schema.listMapKeys, path, errors);
  const { items } = schema;
  if (items !== undefined) list.forEach((item, i) => visit(item, items, field.index(path, i), errors));
}

function visitMap(list: readonly unknown[], keys: readonly string[], path: string, errors: FieldError[]): void {
  const odd = list.findIndex((item) => item !== null && !isBag(item));
  if (odd >= 0) {
    errors.push(invalid(field.index(path, odd), list[odd], 'must be an object for an array of list-type map'));
    return;
  }
  const keyOf = (item: unknown): { [name: string]: unknown } => {
    const key: { [name: string]: unknown } = {};
    for (const name of keys) if (isBag(item) && Object.hasOwn(item, name)) setOwn(key, name, item[name]);
    return key;
  };
  // One text for each item, since objects would be compared by identity.
  const texts = list.map((item) =>
    keys.map((name) => (isBag(item) && Object.hasOwn(item, name) ? identityOf(item[name]) : '')).join('\u0000'),
  );
  for (const index of repeated(texts)) errors.push(duplicate(field.index(path, index), sorted(keyOf(list[index]))));
}

const identityOf = (item: unknown): string =>
  typeof item === 'object' && item !== null
    ? encodeGoJson(item as Json, { sortKeys: true })
    : `${typeof item} ${String(item)}`;

/** Where a value occurs for the second time. */
function repeated(list: readonly unknown[]): readonly number[] {
  if (list.length <= 1) return [];
  const seen = new Map<unknown, number>();
  const found: number[] = [];
  for (const [index, item] of list.entries()) {
    const identity = identityOf(item);
    const times = seen.get(identity) ?? 0;
    if (times === 1) found.push(index);
    seen.set(identity, times + 1);
  }
  return found;
}

/** Members in the order in which Go prints maps. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isBag(value)) return value;
  const result: { [name: string]: unknown } = {};
  for (const name of Object.keys(value).sort(compareBytes)) setOwn(result, name, sorted(value[name]));
  return result;
}
