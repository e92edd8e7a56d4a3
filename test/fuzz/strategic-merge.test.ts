/**
 * Strategic merge patches against a model that knows items by their keys. The model says what is in a list; of the
 * order it demands that the patch's items and those of the server alone keep theirs.
 */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { strategicMerge } from '../../src/core/api/patch/strategic-merge.ts';
import { schemaNode } from '../../src/core/api/schema/lists.ts';
import { deepFreeze } from '../../src/core/kube/immutable.ts';
import { encodeJson, type Json, type JsonObject } from '../../src/core/kube/json.ts';
import { StatusError } from '../../src/core/kube/status-error.ts';
import { cases, TIMEOUT } from './support/cases.ts';
import { expectUntouchedPrototypes } from './support/prototypes.ts';
import { podObject, podPatch, POD_PLACE, type Place } from './support/strategic-patches.ts';

const suite = cases('strategic-merge.test.ts');
const POD = schemaNode('core/v1.Pod');
const ORDER = '$setElementOrder/';
const DELETE = '$deleteFromPrimitiveList/';

type Items = readonly JsonObject[];
const isMap = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const entriesOf = (map: JsonObject): [string, Json][] => Object.entries(map) as [string, Json][];

class Refused extends Error {}

function mergeMaps(original: JsonObject, patch: JsonObject, place: Place | undefined): JsonObject {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  if (directive === 'delete') return {};
  const { $retainKeys: retained, ...changes } = rest;
  const result = new Map(entriesOf(original));
  if (retained !== undefined) retain(result, changes, retained as readonly string[]);
  for (const [key, value] of entriesOf(changes)) {
    if (key.startsWith(ORDER)) continue;
    if (key.startsWith(DELETE)) {
      const old = result.get(key.slice(DELETE.length));
      if (Array.isArray(old))
        result.set(
          key.slice(DELETE.length),
          old.filter((item) => !(value as Json[]).includes(item)),
        );
      continue;
    }
    const made = mergeMember(result.get(key), value, placeOf(place, key), changes[ORDER + key]);
    if (made === undefined) result.delete(key);
    else result.set(key, made);
  }
  return Object.fromEntries(result);
}

const placeOf = (place: Place | undefined, key: string): Place | undefined =>
  place?.type === 'map' && Object.hasOwn(place.members, key) ? place.members[key] : undefined;

function retain(result: Map<string, Json>, changes: JsonObject, retained: readonly string[]): void {
  for (const [key, value] of entriesOf(changes)) {
    if (value !== null && !key.startsWith('$') && !retained.includes(key)) throw new Refused();
  }
  for (const key of result.keys()) if (!retained.includes(key)) result.delete(key);
}

function mergeMember(
  old: Json | undefined,
  value: Json,
  place: Place | undefined,
  order: Json | undefined,
): Json | undefined {
  if (value === null) return undefined;
  if (isMap(old) && isMap(value)) return mergeMaps(old, value, place);
  if (!Array.isArray(value)) return clean(value, true);
  const list = value as readonly Json[];
  if (order !== undefined && place?.type === 'list') checkOrder(list as Items, order as unknown as Items, place.key);
  if (!Array.isArray(old)) return clean(value, order === undefined);
  if (place?.type === 'list') return mergeItems(old as Items, list as Items, place.key, place.item);
  return place?.type === 'set' ? [...new Set([...(old as readonly Json[]), ...list])] : value;
}

/** Every item that is not deleted stands in the order, further on than the one before it. */
function checkOrder(list: Items, order: Items, key: string): void {
  let last = -1;
  for (const item of list.filter((each) => each['$patch'] === undefined)) {
    const at = order.findIndex((each) => each[key] === item[key]);
    if (at <= last) throw new Refused();
    last = at;
  }
}

function mergeItems(old: Items, patch: Items, key: string, place: Place): Items {
  const plain = patch.filter((item) => item['$patch'] === undefined);
  if (patch.some((item) => item['$patch'] === 'replace')) return plain;
  const gone = new Set(patch.filter((item) => item['$patch'] === 'delete').map((item) => item[key]));
  const result = new Map(old.filter((item) => !gone.has(item[key])).map((item) => [item[key], item]));
  for (const item of plain) {
    const before = result.get(item[key]);
    // A new item is taken as it is.
    result.set(item[key], before === undefined ? item : mergeMaps(before, item, place));
  }
  return [...result.values()];
}

/** New values have neither nulls nor directives; those that come with an order keep their nulls. */
function clean(value: Json, dropsNulls: boolean): Json | undefined {
  if (Array.isArray(value)) {
    return (value as readonly Json[]).map((item) => clean(item, dropsNulls)).filter((item) => item !== undefined);
  }
  if (!isMap(value)) return value;
  if (Object.hasOwn(value, '$patch')) return undefined;
  const members = entriesOf(value).flatMap(([key, each]) => {
    const made = each === null ? (dropsNulls ? undefined : null) : clean(each, dropsNulls);
    return made === undefined ? [] : [[key, made] as const];
  });
  return Object.fromEntries(members);
}

/** Without the order of what has keys, and of members. */
function spell(value: Json, place: Place | undefined): string {
  if (Array.isArray(value)) {
    const items = (value as readonly Json[]).map((item) =>
      spell(item, place?.type === 'list' ? place.item : undefined),
    );
    return `[${(place === undefined ? items : items.toSorted()).join()}]`;
  }
  if (!isMap(value)) return encodeJson(value);
  const members = entriesOf(value).map(([key, each]) => `${JSON.stringify(key)}:${spell(each, placeOf(place, key))}`);
  return `{${members.toSorted().join()}}`;
}

/** What stands in both lists stands in the same order, and each thing once. */
function expectOrder(result: readonly string[], wanted: readonly string[], onlyServer: readonly string[]): void {
  expect(new Set(result).size).toBe(result.length);
  for (const order of [wanted, onlyServer]) {
    const kept = order.filter((each) => result.includes(each));
    expect(result.filter((each) => kept.includes(each))).toEqual(kept);
  }
}

const namesOf = (object: JsonObject, field: string, list: string, key: string): string[] => {
  const holder = object[field];
  const items = isMap(holder) ? holder[list] : undefined;
  return Array.isArray(items)
    ? (items as Items).flatMap((item) => ('$patch' in item ? [] : [encodeJson(item[key] ?? null)]))
    : [];
};

describe('a strategic merge patch', () => {
  it('does what the model says, or is refused where the model refuses', { timeout: TIMEOUT }, () => {
    let applied = 0;
    fc.assert(
      fc.property(podObject, podPatch, (before, patch) => {
        suite.count();
        const text = encodeJson(before);
        deepFreeze(before);
        deepFreeze(patch);
        let expected: string;
        try {
          expected = spell(mergeMaps(before, patch, POD_PLACE), POD_PLACE);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          expected = 'refused';
        }
        let result: JsonObject | undefined;
        try {
          result = strategicMerge(before, patch, POD);
          applied += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(result === undefined ? 'refused' : spell(result, POD_PLACE)).toBe(expected);
        expect(encodeJson(before)).toBe(text);
        if (result === undefined) return;
        for (const [field, list, key] of [
          ['spec', 'containers', 'name'],
          ['spec', 'volumes', 'name'],
          ['metadata', 'ownerReferences', 'uid'],
        ] as const) {
          // What takes the place of nothing, or of everything, is not looked into.
          const change = patch[field];
          if (!isMap(before[field]) || !isMap(change) || '$patch' in change) continue;
          const names = namesOf(patch, field, list, key);
          const old = namesOf(before, field, list, key).filter((name) => !names.includes(name));
          const asked = namesOf(patch, field, ORDER + list, key);
          const wanted = asked.length === 0 ? names : asked;
          expectOrder(
            namesOf(result, field, list, key),
            wanted,
            old.filter((name) => !wanted.includes(name)),
          );
        }
      }),
      suite.settings(1),
    );
    expect(applied).toBeGreaterThan(0);
    expectUntouchedPrototypes();
  });
});
