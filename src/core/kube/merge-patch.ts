/**
 * JSON merge patch (RFC 7386) over immutable values: what the patch does not touch is shared with the document, and a
 * patch that changes nothing gives the document itself back.
 */
import { deepEqual, ownMember, setOwn } from './immutable.ts';
import type { Json, JsonObject } from './json.ts';

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Applies a merge patch. A patch that is not an object takes the document's place. */
export function applyMergePatch(document: Json, patch: Json): Json {
  if (!isObject(patch)) return deepEqual(document, patch) ? document : patch;
  return isObject(document) ? mergeObjects(document, patch) : withoutNulls(patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  let result: { [key: string]: Json | undefined } | undefined;
  for (const key of Object.keys(patch)) {
    const change = patch[key];
    if (change === undefined) continue;
    const current = ownMember(document, key) as Json | undefined;
    if (change === null) {
      if (current === undefined) continue;
      result ??= { ...document };
      delete result[key];
      continue;
    }
    const next = mergeValues(current, change);
    if (next === current) continue;
    result ??= { ...document };
    setOwn(result, key, next);
  }
  return result ?? document;
}

function mergeValues(current: Json | undefined, change: Json): Json {
  if (isObject(current)) {
    if (isObject(change)) return mergeObjects(current, change);
    // Only here upstream takes a list as it is, nulls in its items included.
    return change;
  }
  const next = withoutNulls(change);
  return current !== undefined && deepEqual(current, next) ? current : next;
}

/**
 * The value without null members. Upstream drops them from the objects inside lists as well, where the RFC would leave
 * them; a list's own nulls stay.
 */
function withoutNulls<T extends Json>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => withoutNulls(item));
    return (items.some((item, i) => item !== value[i]) ? items : value) as T;
  }
  let result: { [key: string]: Json | undefined } | undefined;
  for (const [key, member] of Object.entries(value as JsonObject)) {
    if (member === undefined) continue;
    const next = member === null ? undefined : withoutNulls(member);
    if (next === member) continue;
    result ??= { ...(value as JsonObject) };
    if (next === undefined) delete result[key];
    else setOwn(result, key, next);
  }
  return (result ?? value) as T;
}

/** The merge patch that turns `from` into `to`; `undefined` when they are equal. Members that go become null. */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const patch: { [key: string]: Json } = {};
  for (const key of Object.keys(to)) {
    const after = to[key];
    const before = ownMember(from, key) as Json | undefined;
    if (after === undefined || after === before) continue;
    if (isObject(before) && isObject(after)) {
      const inner = createMergePatch(before, after);
      if (inner !== undefined) setOwn(patch, key, inner);
    } else if (before === undefined || !deepEqual(before, after)) {
      setOwn(patch, key, after);
    }
  }
  for (const key of Object.keys(from)) {
    if (from[key] !== undefined && ownMember(to, key) === undefined) setOwn(patch, key, null);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
