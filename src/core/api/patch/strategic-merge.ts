/**
 * Strategic merge patch: a merge patch that knows from the schema which lists are merged item by item and by which
 * key. Directives steer it: `$patch` (replace, delete), `$retainKeys`, `$setElementOrder/F`,
 * `$deleteFromPrimitiveList/F`. Values are never changed in place; what the patch leaves alone stays shared.
 */
import { setOwn } from '../../kube/immutable.ts';
import type { Json, JsonObject } from '../../kube/json.ts';
import { goText, goTypeName } from '../go-print.ts';
import type { ListNode, SchemaNode } from '../schema/lists.ts';
import { identityOf, orderMerged, requireOrder } from './element-order.ts';
import { badFormat, failed, listOfLists, noMergeKey, requireList, unknownDirective } from './patch-errors.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const SET_ORDER = '$setElementOrder';
const DELETE_FROM = '$deleteFromPrimitiveList';

type PatchList = readonly Json[];

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isList = (value: Json | undefined): value is PatchList => Array.isArray(value);

const member = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

type Draft = Map<string, Json>;

export function strategicMerge(
  original: JsonObject | undefined,
  patch: JsonObject,
  schema: SchemaNode | undefined,
): JsonObject {
  const directive = member(patch, DIRECTIVE);
  if (directive === 'replace') return without(patch, DIRECTIVE);
  if (directive === 'delete') return {};
  if (directive !== undefined) throw unknownDirective(directive, patch);
  const draft: Draft = new Map(Object.entries(original ?? {}) as [string, Json][]);
  const rest = new Map(Object.entries(patch) as [string, Json][]);
  retainKeys(draft, rest);
  mergeOrderedLists(draft, rest, schema);
  for (const [key, value] of rest) {
    if (key.startsWith(DELETE_FROM)) deleteFromList(draft, key, value, schema);
    else if (value === null) draft.delete(key);
    else mergeMember(draft, key, value, childOf(schema, key));
  }
  return fromDraft(draft, original);
}

function mergeMember(draft: Draft, key: string, value: Json, schema: SchemaNode | undefined): void {
  const old = draft.get(key);
  if (isMap(old) && isMap(value)) {
    // A map that is replaced as a whole is taken as sent: a null in it is left to the decoder.
    draft.set(key, schema?.kind === 'object' && schema.replaced ? value : strategicMerge(old, value, schema));
  } else if (isList(old) && isList(value)) {
    draft.set(key, mergeList(old, value, schema));
  } else {
    const clean = withoutDirectives(withoutNulls(value));
    if (clean === undefined) draft.delete(key);
    else draft.set(key, clean);
  }
}

const childOf = (schema: SchemaNode | undefined, key: string): SchemaNode | undefined => {
  if (schema?.kind === 'object') return schema.child(key);
  return schema?.kind === 'map' ? schema.value : undefined;
};

/** The list merged by its key, or as a set of scalars, or replaced where the schema has no merge strategy. */
function mergeList(original: PatchList, patch: PatchList, schema: SchemaNode | undefined): PatchList {
  if (schema?.kind !== 'list' || !schema.merge) return patch;
  return mergeLists(original, patch, schema, (a, b) => orderMerged([...new Set([...a, ...b])], b, a, schema.mergeKey));
}

function mergeLists(
  original: PatchList,
  patch: PatchList,
  schema: SchemaNode | undefined,
  ofScalars: (original: PatchList, patch: PatchList) => PatchList,
): PatchList {
  if (original.length === 0 && patch.length === 0) return original;
  if (!holdsMaps(original, patch)) return ofScalars(original, patch);
  const mergeKey = schema?.kind === 'list' ? schema.mergeKey : undefined;
  if (schema?.kind !== 'list' || mergeKey === undefined)
    throw failed(
      `cannot merge lists without merge key for ${schema?.kind === 'list' && schema.element.kind === 'leaf' ? 'string' : 'struct'}`,
    );
  const { kept, changes } = applyItemDirectives(
    original as readonly JsonObject[],
    patch as readonly JsonObject[],
    mergeKey,
  );
  return orderMerged(mergeItems(kept, changes, mergeKey, schema), changes, kept, mergeKey);
}

/** True for lists of maps, false for lists of scalars; a mixture, a list in a list, and nothing at all are refused. */
function holdsMaps(...lists: readonly PatchList[]): boolean {
  let first: Json | undefined;
  for (const item of lists.flat(1) as readonly Json[]) {
    if (first === undefined) {
      if (isList(item)) throw listOfLists();
      first = item;
    } else if (goTypeName(item) !== goTypeName(first)) {
      throw failed(`list element types are not identical: ${goText(lists)}`);
    }
  }
  if (first === undefined) throw failed('no elements in any of the given slices');
  return isMap(first);
}

/** Items with `$patch`: delete takes matching items out, replace makes the patch the whole list. */
function applyItemDirectives(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly kept: readonly JsonObject[]; readonly changes: readonly JsonObject[] } {
  const gone = new Set<string>();
  let replace = false;
  const changes: JsonObject[] = [];
  for (const item of patch) {
    const directive = member(item, DIRECTIVE);
    if (directive === undefined) changes.push(item);
    else if (directive === 'replace') replace = true;
    else if (directive === 'delete') {
      requireKey(item, mergeKey);
      gone.add(identityOf(item, mergeKey));
    } else if (directive === 'merge') throw failed('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(directive, item);
  }
  if (replace) return { kept: changes, changes: [] };
  return {
    kept: gone.size === 0 ? original : original.filter((item) => !gone.has(identityOf(item, mergeKey))),
    changes,
  };
}

function requireKey(item: JsonObject, mergeKey: string): void {
  if (member(item, mergeKey) === undefined) throw noMergeKey(item, mergeKey);
}

function mergeItems(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  { element }: ListNode,
): JsonObject[] {
  const merged = [...original];
  const places = new Map(merged.map((item, index) => [identityOf(item, mergeKey), index] as const).toReversed());
  for (const item of patch) {
    requireKey(item, mergeKey);
    const identity = identityOf(item, mergeKey);
    const at = places.get(identity);
    const old = at === undefined ? undefined : merged[at];
    if (at === undefined || old === undefined) {
      places.set(identity, merged.length);
      merged.push(item);
    } else {
      merged[at] = strategicMerge(old, item, element);
    }
  }
  return merged;
}

/** `$retainKeys` names every member that may stay; a patch that sets another one contradicts itself. */
function retainKeys(draft: Draft, patch: Draft): void {
  const keys = patch.get(RETAIN_KEYS);
  if (keys === undefined) return;
  patch.delete(RETAIN_KEYS);
  if (!isList(keys)) throw badFormat('retainKeys');
  const retained = new Set(keys);
  for (const [key, value] of patch) {
    if (value === null || key.startsWith(DELETE_FROM) || key.startsWith(SET_ORDER)) continue;
    if (!retained.has(key)) throw badFormat('retainKeys');
  }
  for (const key of [...draft.keys()]) if (!retained.has(key)) draft.delete(key);
}

/** The field a directive is about. */
function fieldOf(key: string, directive: typeof SET_ORDER | typeof DELETE_FROM): string {
  if (key.startsWith(`${directive}/`)) return key.slice(directive.length + 1);
  throw badFormat(directive === SET_ORDER ? 'setElementOrder list' : 'primitive list');
}

/** Lists that come with `$setElementOrder` are merged here, ordered as asked, and taken out of the patch. */
function mergeOrderedLists(draft: Draft, patch: Draft, schema: SchemaNode | undefined): void {
  for (const [directive, wanted] of [...patch]) {
    if (!directive.startsWith(SET_ORDER)) continue;
    patch.delete(directive);
    const order = requireList(wanted);
    const key = fieldOf(directive, SET_ORDER);
    const [was, sent] = [draft.get(key), patch.get(key)];
    const old = was === undefined ? undefined : requireList(was);
    const change = sent === undefined ? undefined : requireList(sent);
    const child = listChild(schema, key);
    const mergeKey = child?.kind === 'list' ? child.mergeKey : undefined;
    requireOrder(change ?? [], order, mergeKey);
    if (old === undefined && change === undefined) continue;
    const merged =
      change === undefined
        ? (old ?? [])
        : old === undefined
          ? ((withoutDirectives(change) as PatchList | undefined) ?? [])
          : mergeList(old, change, child);
    // Two empty lists are an error here; whether old and new items are alike is checked after ordering, as upstream
    // does.
    if (!old?.length && !change?.length) holdsMaps([]);
    const ordered = orderMerged(
      merged,
      order,
      old === undefined ? [] : serverOrder(old, change ?? [], mergeKey),
      mergeKey,
    );
    holdsMaps(old ?? [], change ?? []);
    draft.set(key, ordered);
    patch.delete(key);
  }
}

/** The schema of a list. A patch may only order lists that are fields of the type. */
function listChild(schema: SchemaNode | undefined, key: string): SchemaNode | undefined {
  const child = childOf(schema, key);
  if (schema?.kind === 'object' && child === undefined) {
    throw failed(`unable to find api field in struct ${schema.schema.shortName} for the json field "${key}"`);
  }
  return child;
}

/**
 * The order that upstream takes for the server's. Upstream deletes from that list in place, so that the first new items
 * come to stand where deleted items stood; items that only the server has then go before them.
 */
function serverOrder(old: PatchList, change: PatchList, mergeKey: string | undefined): PatchList {
  if (mergeKey === undefined || !change.some((item) => isMap(item) && member(item, DIRECTIVE) === 'delete')) return old;
  const { kept, changes } = applyItemDirectives(
    old as readonly JsonObject[],
    change as readonly JsonObject[],
    mergeKey,
  );
  const known = new Set(kept.map((item) => identityOf(item, mergeKey)));
  const added = changes.filter((item) => !known.has(identityOf(item, mergeKey)));
  return [...kept, ...added.slice(0, old.length - kept.length)];
}

/**
 * Removes values from a list. Upstream takes null as removal of the list itself, and ignores values that are no list.
 */
function deleteFromList(draft: Draft, directive: string, values: Json, schema: SchemaNode | undefined): void {
  const key = fieldOf(directive, DELETE_FROM);
  if (values === null) return void draft.delete(key);
  const old = draft.get(key);
  if (!isList(old) || !isList(values)) return;
  const gone = new Set(values);
  draft.set(
    key,
    mergeLists(old, values, childOf(schema, key), (list) => list.filter((item) => !gone.has(item))),
  );
}

/** In new values a null means absent. */
function withoutNulls(value: Json): Json {
  if (isList(value)) return value.map((item) => (item === null ? item : withoutNulls(item)));
  if (!isMap(value)) return value;
  const result: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    if (each !== null && each !== undefined) setOwn(result, key, withoutNulls(each));
  }
  return result;
}

/** New values lose maps that are directives; `undefined` when the value itself is one. */
function withoutDirectives(value: Json): Json | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isMap(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const result: JsonObject = {};
  for (const [key, each] of Object.entries(value)) {
    const clean = each === undefined ? undefined : withoutDirectives(each);
    if (clean !== undefined) setOwn(result, key, clean);
  }
  return result;
}

function without(object: JsonObject, key: string): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(object)) if (name !== key) setOwn(result, name, value);
  return result;
}

function fromDraft(draft: Draft, original: JsonObject | undefined): JsonObject {
  if (original !== undefined && draft.size === Object.keys(original).length) {
    if (draft.entries().every(([key, value]) => member(original, key) === value)) return original;
  }
  const result: JsonObject = {};
  for (const [key, value] of draft) setOwn(result, key, value);
  return result;
}
