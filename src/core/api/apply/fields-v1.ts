/** Sets of fields in the form they are written down: a tree of objects, byte for byte as structured-merge-diff writes it. */
import type { Json, JsonObject } from '../../kube/json.ts';
import { MAX_JSON_DEPTH } from '../../kube/json.ts';
import { EMPTY, type FieldSet, LEAF, SetBuilder } from './field-set.ts';
import { parseElement } from './path-element.ts';

/** Texts of nodes that many sets share are reused; texts of a single set soon fall out of the cache. */
const MOST_TEXTS = 2048;
let young = new Map<FieldSet, string>();
let old = new Map<FieldSet, string>();

function keep(set: FieldSet, text: string): void {
  if (young.size >= MOST_TEXTS) {
    old = young;
    young = new Map();
  }
  young.set(set, text);
}

function findText(set: FieldSet): string | undefined {
  const known = young.get(set);
  if (known !== undefined) return known;
  const older = old.get(set);
  if (older !== undefined) keep(set, older);
  return older;
}

export function encodeFields(set: FieldSet): string {
  const known = findText(set);
  if (known !== undefined) return known;
  let text = '{';
  if (set.self && set.elements.length > 0) text += '".":{}';
  for (let i = 0; i < set.elements.length; i++) {
    const below = set.below[i] as FieldSet;
    const inner = below === LEAF || below.elements.length === 0 ? '{}' : encodeFields(below);
    text += `${text === '{' ? '' : ','}${JSON.stringify(set.elements[i])}:${inner}`;
  }
  text += '}';
  // Small sets are written anew faster than they are looked up.
  if (set.elements.length > 3) keep(set, text);
  return text;
}

export function decodeFields(value: Json | undefined): FieldSet {
  if (value === undefined || value === null) return EMPTY;
  const { set } = read(value, 0);
  return set === undefined ? EMPTY : set;
}

/** `set` is undefined where the value names nothing below itself; the path is then itself a member. */
function read(value: Json, depth: number): { readonly set: FieldSet | undefined; readonly isMember: boolean } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected an object');
  if (depth > MAX_JSON_DEPTH) throw new Error('exceeded max depth');
  const children = new SetBuilder();
  let isMember = false;
  let found = false;
  for (const [text, member] of Object.entries(value as JsonObject)) {
    if (text === '.') {
      isMember = true;
      continue;
    }
    const element = parseElement(text);
    if (element === undefined || member === undefined) continue;
    const child = read(member, depth + 1);
    children.add(element, child.set === undefined ? LEAF : child.isMember ? { ...child.set, self: true } : child.set);
    found = true;
  }
  return found ? { set: children.finish(false), isMember } : { set: undefined, isMember: true };
}
