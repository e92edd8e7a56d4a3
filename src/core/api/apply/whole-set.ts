/** Everything of a value that comes or goes as a whole: each of its fields, and each collection that holds them. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { EMPTY, type FieldSet, LEAF, SetBuilder, withSelf } from './field-set.ts';
import { createLastLists } from './last-lists.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, namedElement, isEmptyMap, isList, isMap, memberOf, requireTyped } from './values.ts';

export function wholeSet(shape: Shape, value: Json): FieldSet {
  switch (atomOf(shape, value)) {
    case 'map': {
      const { map } = shape;
      if (map === undefined || map.atomic || !isMap(value)) return LEAF;
      // Even an empty struct may hold fields that are always written.
      if (isEmptyMap(value) && map.nullTimes === undefined) return LEAF;
      return mapSet(map, value);
    }
    case 'list': {
      const { list } = shape;
      if (list === undefined || list.relation === 'atomic' || !isList(value) || value.length === 0) return LEAF;
      return listSet(list, value);
    }
    case 'scalar':
      requireTyped(shape, value);
      return LEAF;
    case 'none':
      return EMPTY;
  }
}

/** Structs of scalars (conditions, ports) have few sets of fields among them: each is made once. */
const scalarStructs = new WeakMap<MapShape, Map<string, FieldSet>>();
const MOST_STRUCTS = 64;

function mapSet(map: MapShape, value: JsonObject): FieldSet {
  const names = map.other === undefined ? scalarNames(value) : undefined;
  if (names === undefined) return buildMap(map, value);
  let known = scalarStructs.get(map);
  if (known === undefined) scalarStructs.set(map, (known = new Map()));
  let set = known.get(names);
  if (set === undefined) {
    set = buildMap(map, value);
    if (known.size < MOST_STRUCTS) known.set(names, set);
  }
  return set;
}

/** The names of all members, where all are scalars. */
function scalarNames(value: JsonObject): string | undefined {
  let names = '';
  for (const key in value) {
    const member = value[key];
    if (typeof member === 'object' || member === undefined) return undefined;
    names += `${key},`;
  }
  return names;
}

function buildMap(map: MapShape, value: JsonObject): FieldSet {
  const fields = new SetBuilder();
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    const known = map.field(key);
    const shape = known?.shape ?? map.other;
    if (shape !== undefined) fields.add(known?.element ?? fieldElement(key), wholeSet(shape, member));
  }
  for (const key of map.nullTimes ?? []) {
    if (memberOf(value, key) === undefined) fields.add(fieldElement(key), LEAF);
  }
  return fields.finish(true);
}

/** Below this many, looking through a list beats making a table of it. */
const FEW = 8;

const lastSets = createLastLists<FieldSet>();

const listSet = (list: ListShape, value: readonly Json[]): FieldSet =>
  lastSets.of(list, undefined, value, () => buildList(list, value));

function buildList(list: ListShape, value: readonly Json[]): FieldSet {
  const fields = new SetBuilder();
  const elements = value.map((item) => namedElement(list, item));
  const counts = elements.length > FEW ? countOf(elements) : undefined;
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i] as PathElement;
    const isAlone =
      counts === undefined
        ? elements.indexOf(element) === i && elements.lastIndexOf(element) === i
        : counts.get(element) === 1;
    // Items that cannot be told apart are one field together.
    fields.add(element, isAlone ? withSelf(wholeSet(list.element, value[i] as Json), true) : LEAF);
  }
  return fields.finish(true);
}

function countOf(elements: readonly PathElement[]): ReadonlyMap<PathElement, number> {
  const counts = new Map<PathElement, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  return counts;
}
