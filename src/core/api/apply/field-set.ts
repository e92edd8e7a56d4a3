/**
 * Server-side apply, the pure part: who owns which fields of an object, and what an applied configuration makes of it.
 *
 * `path-element` and `field-set` are the sets of fields themselves, `fields-v1` their text; `shape` is what apply must
 * know of a schema; `to-field-set`, `compare`, `merge`, `remove-items` and `validate` walk values by it. On these stand
 * `managers` (what a write does to the owners), `apply` (what an applied configuration does) and `last-applied`.
 * `managed` is how an object carries its owners. All rules are those of sigs.k8s.io/structured-merge-diff.
 *
 * This file: a set of fields, as a tree. A node knows whether its own path is in the set, and what is in it below.
 * Sets never change; operations return one of their arguments wherever that is the answer.
 */
import { flatText } from '../../kube/flat-text.ts';
import { compareElements, describeElement, isField, type PathElement } from './path-element.ts';

export interface FieldSet {
  /** The path of this node belongs to the set. */
  readonly self: boolean;
  /** In order; `below` has a node for each. */
  readonly elements: readonly PathElement[];
  /** In the order of `elements`; none of these sets is empty. */
  readonly below: readonly FieldSet[];
}

const NOTHING: readonly never[] = Object.freeze([]);

/** No field at all. */
export const EMPTY: FieldSet = Object.freeze({ self: false, elements: NOTHING, below: NOTHING });
/** A field with nothing below it. */
export const LEAF: FieldSet = Object.freeze({ self: true, elements: NOTHING, below: NOTHING });

export const isEmpty = (set: FieldSet): boolean => !set.self && set.elements.length === 0;

export function makeSet(self: boolean, elements: readonly PathElement[], below: readonly FieldSet[]): FieldSet {
  if (elements.length === 0) return self ? LEAF : EMPTY;
  return { self, elements, below };
}

export const withSelf = (set: FieldSet, self: boolean): FieldSet =>
  set.self === self ? set : makeSet(self, set.elements, set.below);

/** Gathers children in any order; a child that came before is joined with the new one. */
export class SetBuilder {
  #elements: PathElement[] = [];
  #below: FieldSet[] = [];
  #isOrdered = true;

  add(element: PathElement, set: FieldSet): void {
    if (isEmpty(set)) return;
    const count = this.#elements.length;
    // Elements mostly come in order; if one does not, all are sorted once, in the end.
    if (this.#isOrdered && count > 0) {
      this.#isOrdered = compareElements(element, this.#elements[count - 1] as PathElement) > 0;
    }
    this.#elements.push(element);
    this.#below.push(set);
  }

  finish(self: boolean): FieldSet {
    if (!this.#isOrdered) this.#order();
    return makeSet(self, this.#elements, this.#below);
  }

  #order(): void {
    const elements = this.#elements;
    const below = this.#below;
    const places = elements.map((_, i) => i);
    places.sort((a, b) => compareElements(elements[a] as PathElement, elements[b] as PathElement));
    this.#elements = [];
    this.#below = [];
    this.#isOrdered = true;
    for (const place of places) {
      const element = elements[place] as PathElement;
      const set = below[place] as FieldSet;
      const last = this.#elements.length - 1;
      if (this.#elements[last] === element) this.#below[last] = union(this.#below[last] as FieldSet, set);
      else {
        this.#elements.push(element);
        this.#below.push(set);
      }
    }
  }
}

/** The index of the element, or the index at which it would be inserted. */
function findPlace(elements: readonly PathElement[], element: PathElement): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareElements(elements[middle] as PathElement, element) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The part of the set at and below one element. */
export function childOf(set: FieldSet, element: PathElement): FieldSet | undefined {
  const { elements } = set;
  if (elements.length <= 8) {
    const at = elements.indexOf(element);
    return at === -1 ? undefined : set.below[at];
  }
  const at = findPlace(elements, element);
  return elements[at] === element ? set.below[at] : undefined;
}

/** The set of one path. */
export const pathSet = (...path: readonly PathElement[]): FieldSet =>
  path.reduceRight<FieldSet>((below, element) => makeSet(false, [element], [below]), LEAF);

export const hasPath = (set: FieldSet, path: readonly PathElement[]): boolean => {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = childOf(node, element);
    if (node === undefined) return false;
  }
  return node.self;
};

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  const self = a.self || b.self;
  if (b.elements.length === 0) return withSelf(a, self);
  if (a.elements.length === 0) return withSelf(b, self);
  const elements: PathElement[] = [];
  const below: FieldSet[] = [];
  let isA = self === a.self;
  let isB = self === b.self;
  for (let i = 0, j = 0; i < a.elements.length || j < b.elements.length;) {
    const left = a.elements[i];
    const right = b.elements[j];
    const order = left === undefined ? 1 : right === undefined ? -1 : compareElements(left, right);
    const fromA = order <= 0 ? (a.below[i++] as FieldSet) : undefined;
    const fromB = order >= 0 ? (b.below[j++] as FieldSet) : undefined;
    const joined = fromA === undefined ? (fromB as FieldSet) : fromB === undefined ? fromA : union(fromA, fromB);
    if (joined !== fromA) isA = false;
    if (joined !== fromB) isB = false;
    elements.push((order <= 0 ? left : right) as PathElement);
    below.push(joined);
  }
  return isA ? a : isB ? b : makeSet(self, elements, below);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const elements: PathElement[] = [];
  const below: FieldSet[] = [];
  for (let i = 0, j = 0; i < a.elements.length && j < b.elements.length;) {
    const order = compareElements(a.elements[i] as PathElement, b.elements[j] as PathElement);
    if (order === 0) {
      const common = intersection(a.below[i] as FieldSet, b.below[j] as FieldSet);
      if (!isEmpty(common)) {
        elements.push(a.elements[i] as PathElement);
        below.push(common);
      }
    }
    if (order <= 0) i++;
    if (order >= 0) j++;
  }
  return makeSet(a.self && b.self, elements, below);
}

/** Fields in `a` and not in `b`. A field in `b` removes only itself, not the fields below it. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, false);

/** Like `difference`, but a field in `b` also removes every field below it. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet => subtract(a, b, true);

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a === b) return EMPTY;
  const self = a.self && !b.self;
  if (b.elements.length === 0 || a.elements.length === 0) return withSelf(a, self);
  let elements: PathElement[] | undefined;
  let below: FieldSet[] | undefined;
  for (let i = 0, j = 0; i < a.elements.length; i++) {
    const element = a.elements[i] as PathElement;
    let order = -1;
    while (j < b.elements.length && (order = compareElements(element, b.elements[j] as PathElement)) > 0) j++;
    const before = a.below[i] as FieldSet;
    let after = before;
    if (order === 0 && j < b.elements.length) {
      const taken = b.below[j] as FieldSet;
      after = recursive && taken.self ? EMPTY : subtract(before, taken, recursive);
    }
    if (after !== before && elements === undefined) {
      elements = a.elements.slice(0, i);
      below = a.below.slice(0, i);
    }
    if (elements !== undefined && below !== undefined && !isEmpty(after)) {
      elements.push(element);
      below.push(after);
    }
  }
  return elements === undefined || below === undefined ? withSelf(a, self) : makeSet(self, elements, below);
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.self !== b.self || a.elements.length !== b.elements.length) return false;
  for (let i = 0; i < a.elements.length; i++) {
    if (a.elements[i] !== b.elements[i] || !equalSets(a.below[i] as FieldSet, b.below[i] as FieldSet)) return false;
  }
  return true;
}

/**
 * `next`, with every part that equals a part of `old` replaced by that part: sets of alike objects are kept once. New
 * parts are copied into arrays of their exact size, since a set that is kept lives as long as its object.
 */
export function shareSets(old: FieldSet, next: FieldSet): FieldSet {
  if (old === next) return old;
  const count = next.elements.length;
  const sameElements = old.elements.length === count && sameItems(old.elements, next.elements);
  const below: FieldSet[] = [];
  let sameBelow = old.below.length === count;
  for (let i = 0; i < count; i++) {
    const child = next.below[i] as FieldSet;
    // An item that `old` does not have is likely to look like its neighbour.
    const was = sameElements ? old.below[i] : (childOf(old, next.elements[i] as PathElement) ?? old.below[0]);
    const shared = was === undefined ? child : shareSets(was, child);
    if (shared !== old.below[i]) sameBelow = false;
    below.push(shared);
  }
  if (sameElements && sameBelow && old.self === next.self) return old;
  return makeSet(
    next.self,
    sameElements ? old.elements : next.elements.map(keptElement),
    sameBelow ? old.below : below.slice(),
  );
}

/** Names of fields are shared with the schema; keys were built for this set, and are flattened. */
const keptElement = (element: PathElement): PathElement => (isField(element) ? element : flatText(element));

function sameItems(a: readonly PathElement[], b: readonly PathElement[]): boolean {
  for (let i = 0; i < b.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** Every path of the set, members of a node before the paths below them. */
export function* pathsOf(set: FieldSet, prefix: readonly PathElement[] = []): Iterable<readonly PathElement[]> {
  for (let i = 0; i < set.elements.length; i++) {
    if ((set.below[i] as FieldSet).self) yield [...prefix, set.elements[i] as PathElement];
  }
  for (let i = 0; i < set.elements.length; i++) {
    yield* pathsOf(set.below[i] as FieldSet, [...prefix, set.elements[i] as PathElement]);
  }
}

export const describePath = (path: readonly PathElement[]): string => path.map(describeElement).join('');
