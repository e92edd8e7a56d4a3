/** An applied value laid over a live one: collections item by item, everything else as applied. */
import { deepEqual, setOwn } from '../../kube/immutable.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import type { PathElement } from './path-element.ts';
import type { ListShape, MapShape, Shape } from './shape.ts';
import { atomOf, elementOf, isEmptyMap, isList, isMap, memberOf } from './values.ts';

/** The merged value; the live value itself if applying changes nothing, undefined if nothing is left. */
export function merge(shape: Shape, live: Json | undefined, applied: Json | undefined): Json | undefined {
  if (live === applied) return live;
  if (applied === undefined) return mergeAs(atomOf(shape, live), shape, live, applied);
  return mergeAs(atomOf(shape, applied), shape, live, applied);
}

function mergeAs(
  atom: ReturnType<typeof atomOf>,
  shape: Shape,
  live: Json | undefined,
  applied: Json | undefined,
): Json | undefined {
  if (atom === 'map' && shape.map !== undefined && !shape.map.atomic) {
    const from = isMap(live) && !isEmptyMap(live) ? live : undefined;
    const to = isMap(applied) && !isEmptyMap(applied) ? applied : undefined;
    if (from !== undefined || to !== undefined) return mergeMaps(shape.map, from, to);
  }
  if (atom === 'list' && shape.list !== undefined && shape.list.relation !== 'atomic') {
    const from = isList(live) && live.length > 0 ? live : undefined;
    const to = isList(applied) && applied.length > 0 ? applied : undefined;
    if (from !== undefined || to !== undefined) return mergeLists(shape.list, from ?? [], to ?? []);
  }
  return applied === undefined || deepEqual(live, applied) ? live : applied;
}

function mergeMaps(map: MapShape, live: JsonObject | undefined, applied: JsonObject | undefined): Json | undefined {
  if (applied === undefined) return live;
  let result: { [key: string]: Json } | undefined;
  for (const key of Object.keys(applied)) {
    const value = applied[key];
    if (value === undefined) continue;
    const before = live === undefined ? undefined : memberOf(live, key);
    const after = merge(map.field(key)?.shape ?? map.other ?? {}, before, value);
    if (after === before) continue;
    result ??= { ...(live as { [key: string]: Json } | undefined) };
    if (after === undefined) delete result[key];
    else setOwn(result, key, after);
  }
  return result ?? live;
}

/**
 * Items in both lists stand in the applied order; items of the live list alone keep their place among those, and new
 * applied items come where they were applied.
 */
function mergeLists(list: ListShape, live: readonly Json[], applied: readonly Json[]): Json | undefined {
  const liveElements = live.map((item) => elementOf(list, item));
  const appliedElements = applied.map((item) => elementOf(list, item));
  const liveItems = new Map<PathElement, Json | undefined>();
  liveElements.forEach((element, i) =>
    // Live items with the same key are not merged with.
    liveItems.set(element, liveItems.has(element) ? null : live[i]),
  );
  const appliedItems = new Map(appliedElements.map((element, i) => [element, applied[i] as Json]));
  const shared = appliedElements.filter((element) => liveItems.has(element));
  const merged = new Set<PathElement>();
  const out: Json[] = [];
  let next = 0;
  const take = (value: Json | undefined): void => {
    if (value !== undefined) out.push(value);
  };
  const takeApplied = (element: PathElement): void => {
    merged.add(element);
    take(merge(list.element, liveItems.get(element), appliedItems.get(element)));
  };
  for (let l = 0, r = 0; l < live.length || r < applied.length;) {
    const left = liveElements[l];
    const right = appliedElements[r];
    if (left !== undefined && right !== undefined) {
      if (left === right) {
        takeApplied(left);
        l++;
        r++;
        next++;
        continue;
      }
      if (appliedItems.has(left) && next < shared.length && shared[next] !== left) {
        // The item has another place in the applied order, and comes there.
        l++;
        continue;
      }
    }
    if (left !== undefined) {
      if (!appliedItems.has(left)) {
        take(merge(list.element, live[l], undefined));
        l++;
        continue;
      }
      if (merged.has(left)) l++;
    }
    if (right !== undefined) {
      takeApplied(right);
      r++;
      if (shared[next] === right) next++;
    }
  }
  if (out.length === 0) return undefined;
  return out.length === live.length && out.every((item, i) => item === live[i]) ? live : out;
}
