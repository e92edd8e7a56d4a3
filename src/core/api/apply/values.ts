/** Helpers of all walks over typed values: as which atom a value is taken, and which element names a list's item. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { goText } from '../go-print.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';
import type { ListShape, Shape } from './shape.ts';

export type Atom = 'map' | 'scalar' | 'list' | 'none';

export const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/**
 * The atom that the value is taken as. For null, and for a value the type does not allow, the first atom of the type.
 */
export function atomOf(shape: Shape, value: Json | undefined): Atom {
  if (isList(value)) {
    if (shape.list !== undefined) return 'list';
  } else if (isMap(value)) {
    if (shape.map !== undefined) return 'map';
  } else if (value !== null && value !== undefined && shape.scalar !== undefined) return 'scalar';
  return shape.map !== undefined
    ? 'map'
    : shape.scalar !== undefined
      ? 'scalar'
      : shape.list !== undefined
        ? 'list'
        : 'none';
}

/** The own member; inherited members are no data. */
export const memberOf = (map: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined;

export function isEmptyMap(map: JsonObject): boolean {
  for (const key in map) if (map[key] !== undefined && Object.hasOwn(map, key)) return false;
  return true;
}

/** The element that names an item, or the error of an item without one. */
export function itemElement(list: ListShape, item: Json | undefined): PathElement | { readonly error: string } {
  return list.relation === 'map' ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListShape, item: Json | undefined): PathElement | { readonly error: string } {
  if (item === null || item === undefined) return { error: 'associative list with keys may not have a null element' };
  if (!isMap(item)) return { error: 'associative list with keys may not have non-map elements' };
  const keys: [string, Json][] = [];
  for (const key of list.keys) {
    const own = memberOf(item, key);
    const value = own === undefined ? list.keyDefault(key) : own;
    if (value !== undefined) keys.push([key, value]);
  }
  if (keys.length > 0) return keyElement(keys);
  const names = `[${list.keys.map((key) => JSON.stringify(key)).join(' ')}]`;
  return {
    error: `associative list with keys has an element that omits all key fields ${names} (and doesn't have default values for any key fields)`,
  };
}

function setElement(item: Json | undefined): PathElement | { readonly error: string } {
  if (isMap(item)) return { error: "associative list without keys has an element that's a map type" };
  if (isList(item)) return { error: 'not supported: associative list with lists as elements' };
  if (item === null || item === undefined) {
    return { error: "associative list without keys has an element that's an explicit null" };
  }
  return valueElement(item);
}

/** A value that decoding accepts and apply cannot handle: an item without a key, a list in place of a scalar. */
export class UntypedValue extends Error {
  override readonly name = 'UntypedValue';
  readonly code = 'EN_API_UNNAMED_ITEM';
}

/** A text with a format may be any value in a custom kind; apply knows only scalars there. */
export function requireTyped(shape: Shape, value: Json): void {
  const isForeign = isList(value) ? shape.list === undefined : isMap(value) && shape.map === undefined;
  if (isForeign) throw new UntypedValue(`expected any scalar, got &{${goText(value)}}`);
}

/** Like `elementOf`; throws where an item has no key. */
export function namedElement(list: ListShape, item: Json | undefined): PathElement {
  const element = itemElement(list, item);
  if (typeof element === 'string') return element;
  throw new UntypedValue(element.error);
}

/** For values known to be valid; the empty text, which names no item, otherwise. */
export function elementOf(list: ListShape, item: Json | undefined): PathElement {
  const element = itemElement(list, item);
  return typeof element === 'string' ? element : '';
}
