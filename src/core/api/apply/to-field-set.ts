/** Every field a value mentions: what applying it claims. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { EMPTY, type FieldSet, LEAF, SetBuilder, withSelf } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, elementOf, isEmptyMap, isList, isMap } from './values.ts';

export function toFieldSet(shape: Shape, value: Json): FieldSet {
  switch (atomOf(shape, value)) {
    case 'scalar':
      return LEAF;
    case 'list': {
      const { list } = shape;
      if (list === undefined || list.relation === 'atomic') return LEAF;
      return isList(value) ? listFields(list, value) : EMPTY;
    }
    case 'map': {
      const { map } = shape;
      if (map === undefined || map.atomic) return LEAF;
      return isMap(value) ? mapFields(map, value) : EMPTY;
    }
    case 'none':
      return EMPTY;
  }
}

function mapFields(map: MapShape, value: JsonObject): FieldSet {
  const fields = new SetBuilder();
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const known = map.field(key);
    const below = toFieldSet(known?.shape ?? map.other ?? {}, member);
    // Keys of a map are owned themselves; a struct's field only where it has no field below it.
    const self = known === undefined || member === null || (isMap(member) && isEmptyMap(member));
    fields.add(known?.element ?? fieldElement(key), self ? withSelf(below, true) : below);
  }
  return fields.finish(false);
}

function listFields(list: ListShape, value: readonly Json[]): FieldSet {
  const fields = new SetBuilder();
  const seen = new Map<PathElement, number>();
  const elements = value.map((item) => elementOf(list, item));
  for (const element of elements) seen.set(element, (seen.get(element) ?? 0) + 1);
  for (let i = 0; i < value.length; i++) {
    const element = elements[i] as PathElement;
    if (element === '') continue;
    // Items with the same key are owned together.
    const below = (seen.get(element) ?? 0) > 1 ? LEAF : toFieldSet(list.element, value[i] as Json);
    fields.add(element, withSelf(below, true));
  }
  return fields.finish(false);
}
