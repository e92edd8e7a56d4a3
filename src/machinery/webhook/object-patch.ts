/**
 * The JSON patch that makes one document of another. Parts that both share by reference are skipped, so the cost follows
 * the change that a plugin made; lists are compared from both ends, never every element with every other.
 */
import { deepEqual, ownMember } from '../../core/kube/immutable.ts';
import type { Json, JsonObject } from '../../core/kube/json.ts';

export type PatchOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: Json }
  | { readonly op: 'remove'; readonly path: string };

/** Operations in the order in which they must be applied; none when the documents are equal. */
export function patchBetween(from: Json, to: Json): readonly PatchOperation[] {
  const operations: PatchOperation[] = [];
  compare(from, to, '', operations);
  return operations;
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);
const isMap = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function compare(from: Json, to: Json, path: string, operations: PatchOperation[]): void {
  if (from === to) return;
  if (isMap(from) && isMap(to)) compareMaps(from, to, path, operations);
  else if (isList(from) && isList(to)) compareLists(from, to, path, operations);
  else operations.push({ op: 'replace', path, value: to });
}

function compareMaps(from: JsonObject, to: JsonObject, path: string, operations: PatchOperation[]): void {
  for (const key of Object.keys(from)) {
    const before = from[key];
    if (before === undefined) continue;
    const after = ownMember(to, key) as Json | undefined;
    const at = `${path}/${escaped(key)}`;
    if (after === undefined) operations.push({ op: 'remove', path: at });
    else compare(before, after, at, operations);
  }
  for (const key of Object.keys(to)) {
    const value = to[key];
    if (value === undefined || ownMember(from, key) !== undefined) continue;
    operations.push({ op: 'add', path: `${path}/${escaped(key)}`, value });
  }
}

function compareLists(from: readonly Json[], to: readonly Json[], path: string, operations: PatchOperation[]): void {
  const [start, end] = from.length === to.length ? [0, 0] : commonEnds(from, to);
  const old = from.length - start - end;
  const wanted = to.length - start - end;
  const both = Math.min(old, wanted);
  for (let at = start; at < start + both; at++) compare(from[at] ?? null, to[at] ?? null, `${path}/${at}`, operations);
  // Surplus elements are removed from behind, so that the indices before stay valid.
  for (let at = start + old - 1; at >= start + both; at--) operations.push({ op: 'remove', path: `${path}/${at}` });
  for (let at = start + both; at < start + wanted; at++) {
    operations.push({ op: 'add', path: `${path}/${at}`, value: to[at] ?? null });
  }
}

/** How many elements are equal at the beginning, and of the others at the end. */
function commonEnds(from: readonly Json[], to: readonly Json[]): readonly [start: number, end: number] {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && deepEqual(from[start], to[start])) start++;
  let end = 0;
  while (end < most - start && deepEqual(from[from.length - 1 - end], to[to.length - 1 - end])) end++;
  return [start, end];
}
