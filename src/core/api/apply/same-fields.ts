/**
 * Whether two objects have the very same fields, whatever their values: pods of one template do. It looks at nothing
 * that both share by reference, so telling costs next to nothing, while gathering the fields does not.
 */
import type { Json, JsonObject } from '../../kube/json.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, elementOf, isList, isMap, memberOf } from './values.ts';

/** May be false for equal sets of fields, never true for different ones. */
export function haveSameFields(shape: Shape, a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    // Zero values have no owner where the type always has the field.
    return typeof a === typeof b && isZero(a) === isZero(b) && a !== null && b !== null;
  }
  const atom = atomOf(shape, a);
  if (atom !== atomOf(shape, b)) return false;
  if (atom === 'map' && shape.map !== undefined && isMap(a) && isMap(b)) return sameMembers(shape.map, a, b);
  if (atom === 'list' && shape.list !== undefined && isList(a) && isList(b)) return sameItems(shape.list, a, b);
  return false;
}

const isZero = (value: Json): boolean => value === '' || value === 0 || value === false;

function sameMembers(map: MapShape, a: JsonObject, b: JsonObject): boolean {
  let count = 0;
  for (const key in a) {
    const left = a[key];
    if (left === undefined) continue;
    const right = key === '__proto__' ? memberOf(b, key) : b[key];
    if (right === undefined) return false;
    count++;
    if (left === right) continue;
    if (typeof left === 'string' && typeof right === 'string' && left !== '' && right !== '') continue;
    const shape = map.field(key)?.shape ?? map.other;
    if (shape === undefined || !haveSameFields(shape, left, right)) return false;
  }
  for (const key in b) if (b[key] !== undefined) count--;
  if (count !== 0) return false;
  // An empty struct is owned itself.
  return true;
}

function sameItems(list: ListShape, a: readonly Json[], b: readonly Json[]): boolean {
  if (list.relation === 'atomic') return (a.length === 0) === (b.length === 0);
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const left = a[i] as Json;
    const right = b[i] as Json;
    if (left === right) continue;
    if (!haveSameElement(list, left, right) || !haveSameFields(list.element, left, right)) return false;
  }
  return true;
}

/** Keys are nearly always the very same values; only where they are not is the element written out. */
function haveSameElement(list: ListShape, left: Json, right: Json): boolean {
  if (list.relation === 'map' && isMap(left) && isMap(right)) {
    if (haveSameKeys(list.keys, left, right)) return true;
  }
  return elementOf(list, left) === elementOf(list, right);
}

/** A loop rather than `every`: called for each item of each new object. */
function haveSameKeys(keys: readonly string[], left: JsonObject, right: JsonObject): boolean {
  for (const key of keys) if (memberOf(left, key) !== memberOf(right, key)) return false;
  return true;
}
