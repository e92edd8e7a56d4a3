/** Comparison of two states of an object by fields: removed, modified and added ones. */
import { deepEqual } from '../../kube/immutable.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import { EMPTY, type FieldSet, isEmpty, LEAF, recursiveDifference, SetBuilder, union } from './field-set.ts';
import { createLastLists } from './last-lists.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { wholeSet } from './whole-set.ts';
import { atomOf, namedElement, isEmptyMap, isList, isMap, memberOf, requireTyped } from './values.ts';

export interface Comparison {
  readonly removed: FieldSet;
  readonly modified: FieldSet;
  readonly added: FieldSet;
}

const SAME: Comparison = { removed: EMPTY, modified: EMPTY, added: EMPTY };
const REMOVED: Comparison = { ...SAME, removed: LEAF };
const MODIFIED: Comparison = { ...SAME, modified: LEAF };
const ADDED: Comparison = { ...SAME, added: LEAF };

export const isSame = ({ added, modified, removed }: Comparison): boolean =>
  isEmpty(added) && isEmpty(modified) && isEmpty(removed);

/** One of the two values may be absent. Parts that both share by reference are skipped. */
export function compare(shape: Shape, before: Json | undefined, after: Json | undefined): Comparison {
  if (before === after) return SAME;
  if (before === undefined) return { ...SAME, added: wholeSet(shape, after as Json) };
  if (after === undefined) return { ...SAME, removed: wholeSet(shape, before) };
  const from = atomOf(shape, before);
  const to = atomOf(shape, after);
  if (from === to) return compareAs(to, shape, before, after);
  return joined(compareAs(from, shape, before, after), compareAs(to, shape, before, after));
}

/** The comparison without a set of fields and everything below them. */
export function withoutFields(comparison: Comparison, fields: FieldSet | undefined): Comparison {
  if (fields === undefined || comparison === SAME) return comparison;
  return {
    removed: recursiveDifference(comparison.removed, fields),
    modified: recursiveDifference(comparison.modified, fields),
    added: recursiveDifference(comparison.added, fields),
  };
}

const joined = (a: Comparison, b: Comparison): Comparison => ({
  removed: union(a.removed, b.removed),
  modified: union(a.modified, b.modified),
  added: union(a.added, b.added),
});

function compareAs(atom: ReturnType<typeof atomOf>, shape: Shape, before: Json, after: Json): Comparison {
  if (atom === 'map' && shape.map !== undefined) {
    const from = isMap(before) && !isEmptyMap(before) ? before : undefined;
    const to = isMap(after) && !isEmptyMap(after) ? after : undefined;
    if (shape.map.atomic || (from === undefined && to === undefined)) return compareLeaf(before, after);
    return compareMaps(shape.map, from ?? {}, to ?? {});
  }
  if (atom === 'list' && shape.list !== undefined) {
    const from = isList(before) && before.length > 0 ? before : undefined;
    const to = isList(after) && after.length > 0 ? after : undefined;
    if (shape.list.relation === 'atomic' || (from === undefined && to === undefined)) return compareLeaf(before, after);
    return compareLists(shape.list, from ?? [], to ?? []);
  }
  if (atom === 'none') return SAME;
  requireTyped(shape, after);
  return compareLeaf(before, after);
}

const compareLeaf = (before: Json, after: Json): Comparison => (deepEqual(before, after) ? SAME : MODIFIED);

/** Gathers the comparisons of members; builders are made only when needed, since most changes touch few fields. */
class Gathered {
  #removed: SetBuilder | undefined;
  #modified: SetBuilder | undefined;
  #added: SetBuilder | undefined;

  add(element: PathElement, { added, modified, removed }: Comparison): void {
    if (!isEmpty(removed)) (this.#removed ??= new SetBuilder()).add(element, removed);
    if (!isEmpty(modified)) (this.#modified ??= new SetBuilder()).add(element, modified);
    if (!isEmpty(added)) (this.#added ??= new SetBuilder()).add(element, added);
  }

  finish(): Comparison {
    if (this.#removed === undefined && this.#modified === undefined && this.#added === undefined) return SAME;
    return {
      removed: this.#removed?.finish(false) ?? EMPTY,
      modified: this.#modified?.finish(false) ?? EMPTY,
      added: this.#added?.finish(false) ?? EMPTY,
    };
  }
}

function compareMaps(map: MapShape, before: JsonObject, after: JsonObject): Comparison {
  const gathered = new Gathered();
  const visit = (key: string, from: Json | undefined, to: Json | undefined): void => {
    if (from === to) return;
    const known = map.field(key);
    const shape = known?.shape ?? map.other;
    if (shape === undefined) return;
    const comparison = compare(shape, from, to);
    if (comparison !== SAME) gathered.add(known?.element ?? fieldElement(key), comparison);
  };
  const { nullTimes } = map;
  const isNullTime = (key: string): boolean => nullTimes !== undefined && nullTimes.includes(key);
  if (nullTimes !== undefined) {
    for (const key of nullTimes) visit(key, memberOf(before, key) ?? null, memberOf(after, key) ?? null);
  }
  for (const key of Object.keys(before)) if (!isNullTime(key)) visit(key, before[key], memberOf(after, key));
  for (const key of Object.keys(after)) {
    if (memberOf(before, key) === undefined && !isNullTime(key)) visit(key, undefined, after[key]);
  }
  return gathered.finish();
}

const lastCompared = createLastLists<Comparison>();

const compareLists = (list: ListShape, before: readonly Json[], after: readonly Json[]): Comparison =>
  lastCompared.of(list, before, after, () => compareItemByItem(list, before, after));

function compareItemByItem(list: ListShape, before: readonly Json[], after: readonly Json[]): Comparison {
  const gathered = new Gathered();
  const left = byElement(list, before);
  const right = byElement(list, after);
  for (const [element, from] of left) gathered.add(element, compareItems(list, from, right.get(element)));
  for (const [element, to] of right) {
    if (!left.has(element)) gathered.add(element, compareItems(list, undefined, to));
  }
  return gathered.finish();
}

function byElement(list: ListShape, items: readonly Json[]): Map<PathElement, readonly Json[]> {
  const found = new Map<PathElement, Json[]>();
  for (const item of items) {
    const element = namedElement(list, item);
    const known = found.get(element);
    if (known === undefined) found.set(element, [item]);
    else known.push(item);
  }
  return found;
}

/** Items with the same key. Several such items are one field together. */
function compareItems(
  list: ListShape,
  before: readonly Json[] | undefined,
  after: readonly Json[] | undefined,
): Comparison {
  const from = before?.length ?? 0;
  const to = after?.length ?? 0;
  if (from <= 1 && to <= 1) return compare(list.element, before?.[0], after?.[0]);
  if (from >= 2 && to >= 2) return deepEqual(before, after) ? SAME : MODIFIED;
  if (from >= 2) return joined(to === 0 ? SAME : compare(list.element, undefined, after?.[0]), REMOVED);
  return joined(from === 0 ? SAME : compare(list.element, before?.[0], undefined), ADDED);
}
