/**
 * The order of merged lists: items the patch speaks of keep the patch's order, items only the server has keep theirs,
 * and the two are woven together by where the server had them.
 */
import { encodeJson, type Json, type JsonObject } from '../../kube/json.ts';
import { goText } from '../go-print.ts';
import { failed, noMergeKey, requireMap } from './patch-errors.ts';

type List = readonly Json[];

/** The identity of an item as text, so that a lookup is one step: the merge key's value, or the scalar itself. */
export const identityOf = (item: Json, mergeKey: string | undefined): string => {
  const value = mergeKey === undefined ? item : (item as JsonObject)[mergeKey];
  return value === undefined ? '' : encodeJson(value);
};

type Places = ReadonlyMap<string, number>;

function placesIn(list: List, mergeKey: string | undefined): Places {
  const places = new Map<string, number>();
  list.forEach((item, index) => {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  });
  return places;
}

/** Merged items in the order of `asked`; items that `asked` does not name keep the server's order. */
export function orderMerged(merged: List, asked: List, serverOrder: List, mergeKey: string | undefined): List {
  if (mergeKey !== undefined) {
    requireKeys(merged, mergeKey);
    requireFindable(merged, asked, mergeKey);
    requireKeys(asked, mergeKey);
    requireKeys(serverOrder, mergeKey);
  }
  const named = placesIn(asked, mergeKey);
  const known = placesIn(serverOrder, mergeKey);
  const isNamed = (item: Json): boolean => named.has(identityOf(item, mergeKey));
  const patched = inOrder(
    merged.filter((item) => isNamed(item)),
    named,
    mergeKey,
  );
  const serverOnly = inOrder(
    merged.filter((item) => !isNamed(item)),
    known,
    mergeKey,
  );
  return weave(serverOnly, patched, known, mergeKey);
}

/** Upstream searches `asked` for every merged item up to the match; an entry on the way that is no map is an error. */
function requireFindable(merged: List, asked: List, mergeKey: string): void {
  const at = asked.findIndex((item) => !isMapItem(item));
  if (at < 0) return;
  const before = placesIn(asked.slice(0, at), mergeKey);
  if (merged.some((item) => !before.has(identityOf(item, mergeKey)))) throw failed(`value for key ${at} is not a map`);
}

function requireKeys(list: List, mergeKey: string): void {
  for (const item of list) {
    const map = requireMap(item);
    if (!Object.hasOwn(map, mergeKey)) throw noMergeKey(map, mergeKey);
  }
}

/** Up to this length Go uses insertion sort, whose result differs where some items have no known place. */
const INSERTED = 20;

function inOrder(items: List, places: Places, mergeKey: string | undefined): List {
  const placed = items.map((item) => ({ item, place: places.get(identityOf(item, mergeKey)) }));
  if (placed.length > INSERTED || placed.every(({ place }) => place !== undefined)) {
    return placed.sort((a, b) => (a.place ?? -1) - (b.place ?? -1)).map(({ item }) => item);
  }
  // Upstream's comparison calls an item without a known place smaller than any item, and any item smaller than it.
  for (let i = 1; i < placed.length; i++) {
    for (let j = i; j > 0; j--) {
      const [left, right] = [placed[j - 1], placed[j]];
      if (left === undefined || right === undefined) break;
      if (left.place !== undefined && right.place !== undefined && right.place >= left.place) break;
      placed[j - 1] = right;
      placed[j] = left;
    }
  }
  return placed.map(({ item }) => item);
}

/** The items of a patch must come in the order that `order` asks for; a directive may stand anywhere but at the end. */
export function requireOrder(patch: List, order: List, mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = mergeKey === undefined ? patch : patch.filter((item) => directiveOf(requireMap(item)) !== 'delete');
  let at = 0;
  let asked = 0;
  while (at < items.length && asked < order.length) {
    const item = items[at] as Json;
    if (isDirective(item)) {
      at++;
      continue;
    }
    const wanted = order[asked++] as Json;
    if (mergeKey !== undefined) requireKeys([requireMap(item), requireMap(wanted)], mergeKey);
    if (identityOf(item, mergeKey) === identityOf(wanted, mergeKey)) at++;
  }
  if (at < items.length && asked >= order.length) {
    throw failed(
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    );
  }
}

const directiveOf = (item: JsonObject): Json | undefined =>
  Object.hasOwn(item, '$patch') ? item['$patch'] : undefined;
const isMapItem = (item: Json): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item);
const isDirective = (item: Json): boolean => isMapItem(item) && Object.hasOwn(item, '$patch');

/** Merges two ordered lists: a server-only item goes first where the server had it before the next patched one. */
function weave(serverOnly: List, patched: List, known: Places, mergeKey: string | undefined): List {
  const place = (item: Json): number => known.get(identityOf(item, mergeKey)) ?? -1;
  const result: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < serverOnly.length || j < patched.length) {
    const left = serverOnly[i];
    const right = patched[j];
    const isLeft =
      left !== undefined &&
      (right === undefined || (place(left) >= 0 && place(right) >= 0 && place(left) < place(right)));
    if (isLeft) {
      result.push(left);
      i += 1;
    } else if (right !== undefined) {
      result.push(right);
      j += 1;
    }
  }
  return result;
}
