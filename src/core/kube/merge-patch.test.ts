import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGolden } from './golden/read.ts';
import { deepEqual, deepFreeze } from './immutable.ts';
import { encodeJson, parseJson, type Json, type JsonObject } from './json.ts';
import { applyMergePatch, createMergePatch } from './merge-patch.ts';

interface Table {
  readonly merges: readonly (readonly [document: string, patch: string, result: string, error: string, diff: string])[];
}
const { merges } = readGolden('patches') as Table;

const frozen = (text: string): JsonObject => deepFreeze(parseJson(text)) as JsonObject;

describe('merge patch against the library Kubernetes uses', () => {
  it('merges the same', () => {
    for (const [document, patch, result] of merges) {
      const actual = applyMergePatch(frozen(document), frozen(patch));
      expect({ document, patch, actual }).toEqual({ document, patch, actual: parseJson(result) });
    }
  });
  it('makes the same patches', () => {
    for (const [from, to, , , diff] of merges) {
      expect({ from, to, diff: createMergePatch(frozen(from), frozen(to)) ?? {} }).toEqual({
        from,
        to,
        diff: parseJson(diff),
      });
    }
  });
});

/** RFC 7386 as it is written, for values whose lists hold no objects. */
function merge(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merge(result.get(key), value));
  }
  return Object.fromEntries(result);
}

const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, 1, 'x', true),
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
}));
const anyObject = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), anyValue, { maxKeys: 3 });

describe('merge patch', () => {
  it('agrees with the RFC', () => {
    fc.assert(
      fc.property(anyObject, anyValue, (document, patch) => {
        const result = applyMergePatch(deepFreeze(document), deepFreeze(patch));
        expect(deepEqual(result, merge(document, patch))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
  it('leads from any object to any other without nulls, and to itself by nothing', () => {
    const withoutNulls = (value: Json): JsonObject => applyMergePatch({}, value) as JsonObject;
    fc.assert(
      fc.property(anyObject, anyObject, (a, b) => {
        const from = deepFreeze(withoutNulls(a));
        const to = deepFreeze(withoutNulls(b));
        const patch = createMergePatch(from, to);
        expect(deepEqual(applyMergePatch(from, patch ?? {}), to)).toBe(true);
        expect(patch === undefined).toBe(deepEqual(from, to));
      }),
      { numRuns: 500 },
    );
  });
  it('shares what it does not touch and gives the document back when nothing changes', () => {
    const document = frozen('{"spec":{"a":[{"x":1}],"b":1},"status":{}}');
    expect(applyMergePatch(document, frozen('{"spec":{"a":[{"x":1}],"b":1},"gone":null}'))).toBe(document);
    const next = applyMergePatch(document, { spec: { b: 2 } }) as JsonObject;
    expect(next).toEqual({ spec: { a: [{ x: 1 }], b: 2 }, status: {} });
    expect((next['spec'] as JsonObject)['a']).toBe((document['spec'] as JsonObject)['a']);
    expect(next['status']).toBe(document['status']);
  });
  it('keeps __proto__ plain', () => {
    const next = applyMergePatch({}, parseJson('{"__proto__":{"polluted":1}}'));
    expect(encodeJson(next)).toBe('{"__proto__":{"polluted":1}}');
    expect(Object.getPrototypeOf(next)).toBe(Object.prototype);
  });
});
