/** A value without the fields of a set. */
import { setOwn } from '../../kube/immutable.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import { childOf, type FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, elementOf, isList, isMap } from './values.ts';

/** The value without the set's fields; the same value if it has none of them, null if nothing is left. */
export function removeItems(shape: Shape, value: Json, set: FieldSet): Json {
  if (set.elements.length === 0) return value;
  switch (atomOf(shape, value)) {
    case 'list':
      return isList(value) && shape.list !== undefined ? fromList(shape.list, value, set) : null;
    case 'map':
      return isMap(value) && shape.map !== undefined ? fromMap(shape.map, value, set) : null;
    case 'scalar':
    case 'none':
      return value;
  }
}

function fromList(list: ListShape, value: readonly Json[], set: FieldSet): Json {
  if (value.length === 0 || list.relation === 'atomic') return null;
  let kept: Json[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const item = value[i] as Json;
    const child = childOf(set, elementOf(list, item));
    const after = child === undefined ? item : child.self ? undefined : removeItems(list.element, item, child);
    if (after !== item) kept ??= value.slice(0, i);
    if (kept !== undefined && after !== undefined) kept.push(after);
  }
  if (kept === undefined) return value;
  return kept.length > 0 ? kept : null;
}

function fromMap(map: MapShape, value: JsonObject, set: FieldSet): Json {
  const keys = Object.keys(value);
  if (keys.length === 0 || map.atomic) return null;
  let changed = false;
  let left = 0;
  const result: { [key: string]: Json } = {};
  for (const key of keys) {
    const member = value[key];
    if (member === undefined) continue;
    const known = map.field(key);
    const child = childOf(set, known?.element ?? fieldElement(key));
    if (child?.self === true) {
      changed = true;
      continue;
    }
    const after = child === undefined ? member : removeItems(known?.shape ?? map.other ?? {}, member, child);
    if (after !== member) changed = true;
    setOwn(result, key, after);
    left++;
  }
  if (!changed) return value;
  return left > 0 ? result : null;
}
