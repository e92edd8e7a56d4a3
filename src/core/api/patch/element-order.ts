/**
 * The order of merged lists: items the patch speaks of keep the patch's order, items only the server has keep theirs,
 * and the two are woven together by where the server had them.
 */
import { encodeJson, type Json, type JsonObject } from '../../kube/json.ts';
import { badRequest } from '../../kube/status-error.ts';

type List = readonly Json[];

/** What tells items apart, as text so that a lookup is one step: the merge key's value, or the scalar itself. */
export const identityOf = (item: Json, mergeKey: string | undefined): string => {
  const value = mergeKey === undefined ? item : (item as JsonObject)[mergeKey];
  return value === undefined ? '' : encodeJson(value);
};

/** Where each item of `list` stands in `order`; -1 where it does not. */
function positions(list: List, order: List, mergeKey: string | undefined): ReadonlyMap<Json, number> {
  const places = new Map<string, number>();
  order.forEach((item, index) => {
    const identity = identityOf(item, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  });
  return new Map(list.map((item) => [item, places.get(identityOf(item, mergeKey)) ?? -1]));
}

export function orderMerged(merged: List, patch: List, serverOrder: List, mergeKey: string | undefined): List {
  const inPatch = positions(merged, patch, mergeKey);
  const fromPatch = merged
    .filter((item) => (inPatch.get(item) ?? -1) >= 0)
    .toSorted((a, b) => (inPatch.get(a) ?? 0) - (inPatch.get(b) ?? 0));
  const serverOnly = merged.filter((item) => (inPatch.get(item) ?? -1) < 0);
  return weave(serverOnly, fromPatch, serverOrder, mergeKey);
}

/** As above, with the order the client asked for; the patch's own list must not contradict it. */
export function orderAsAsked(
  merged: List,
  patch: List,
  order: List,
  serverOrder: List,
  mergeKey: string | undefined,
): List {
  let at = -1;
  const asked = positions(patch, order, mergeKey);
  for (const item of patch) {
    if (mergeKey !== undefined && Object.hasOwn(item as JsonObject, '$patch')) continue;
    const position = asked.get(item) ?? -1;
    if (order.length > 0 && position <= at) {
      throw badRequest(
        `The order in patch list:\n${encodeJson(patch)}\n doesn't match $setElementOrder list:\n${encodeJson(order)}\n`,
      );
    }
    at = position;
  }
  return orderMerged(merged, order, serverOrder, mergeKey);
}

/** Merges two ordered lists: a server-only item goes first where the server had it before the next patched one. */
function weave(serverOnly: List, patched: List, serverOrder: List, mergeKey: string | undefined): List {
  const place = positions([...serverOnly, ...patched], serverOrder, mergeKey);
  const result: Json[] = [];
  let i = 0;
  let j = 0;
  while (i < serverOnly.length || j < patched.length) {
    const left = serverOnly[i];
    const right = patched[j];
    const leftPlace = left === undefined ? -1 : (place.get(left) ?? -1);
    const rightPlace = right === undefined ? -1 : (place.get(right) ?? -1);
    const takeLeft =
      left !== undefined && (right === undefined || (leftPlace >= 0 && rightPlace >= 0 && leftPlace < rightPlace));
    if (takeLeft) {
      result.push(left);
      i += 1;
    } else if (right !== undefined) {
      result.push(right);
      j += 1;
    }
  }
  return result;
}
