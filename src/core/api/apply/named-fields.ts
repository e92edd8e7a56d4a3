/** Two ways in which a set is brought in line with the schema. */
import {
  type FieldSet,
  LEAF,
  makeSet,
  recursiveDifference,
  SetBuilder,
  EMPTY,
  union,
  withSelf,
  isEmpty,
} from './field-set.ts';
import { fieldName, isField, isKey, type PathElement } from './path-element.ts';
import { DEDUCED, type Shape } from './shape.ts';

const UNKNOWN: Shape = {};

/** The set with every field that a type names and that leads to a member made a member itself. */
export function withNamedFields(set: FieldSet, shape: Shape): FieldSet {
  if (set.elements.length === 0) return set;
  let below: FieldSet[] | undefined;
  for (let i = 0; i < set.elements.length; i++) {
    const element = set.elements[i] as PathElement;
    const before = set.below[i] as FieldSet;
    const named = isField(element) ? shape.map?.field(fieldName(element)) : undefined;
    const after = withNamedFields(before, named?.shape ?? unnamed(element, shape));
    const owned = named === undefined ? after : withSelf(after, true);
    if (owned !== before) (below ??= set.below.slice())[i] = owned;
  }
  return below === undefined ? set : makeSet(set.self, set.elements, below);
}

function unnamed(element: PathElement, shape: Shape): Shape {
  if (isField(element)) return shape.map?.other ?? UNKNOWN;
  return isKey(element) ? (shape.list?.element ?? UNKNOWN) : UNKNOWN;
}

/**
 * Sets outlive schemas. Where a collection was owned item by item and has become one value, the owner of any item owns
 * the whole collection. The same set where nothing has changed.
 */
export function reconcileWithSchema(set: FieldSet, shape: Shape): FieldSet {
  let known = reconciled.get(shape);
  if (known === undefined) reconciled.set(shape, (known = new WeakMap()));
  let result = known.get(set);
  if (result === undefined) {
    const atomics = atomicPlaces(set, shape, false);
    result = isEmpty(atomics) ? set : union(recursiveDifference(set, atomics), atomics);
    known.set(set, result);
  }
  return result;
}

/** Neither sets nor shapes change. */
const reconciled = new WeakMap<Shape, WeakMap<FieldSet, FieldSet>>();

function atomicPlaces(set: FieldSet, shape: Shape, isWhole: boolean): FieldSet {
  const { map, list } = shape;
  if (map !== undefined) {
    if (shape === DEDUCED) return EMPTY;
    if (map.atomic) return !isWhole && set.elements.length > 0 ? LEAF : EMPTY;
  } else if (shape.scalar !== undefined || list === undefined) {
    return EMPTY;
  } else if (list.relation === 'atomic') {
    return isWhole ? EMPTY : LEAF;
  }
  const places = new SetBuilder();
  for (let i = 0; i < set.elements.length; i++) {
    const element = set.elements[i] as PathElement;
    const child = set.below[i] as FieldSet;
    const inner =
      map === undefined
        ? list?.element
        : ((isField(element) ? map.field(fieldName(element))?.shape : undefined) ?? map.other);
    if (inner !== undefined) places.add(element, atomicPlaces(child, inner, child.self && child.elements.length === 0));
  }
  return places.finish(false);
}
